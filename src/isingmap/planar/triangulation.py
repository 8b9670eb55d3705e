"""Completing an embedded graph to a triangulation of the sphere.

The new edges may run parallel to others (for inference they carry coupling 0, where that does no harm); loops never
occur. Components are joined first. Every face is cut in rounds that halve its length, so that no node gains more
than about two edges a round and any two corners of a face are joined by a path of logarithmic length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from isingmap.compiled import NONE, ZERO, filled, helper, inlined, kernel
from isingmap.planar.blocks import component_labels
from isingmap.planar.embedding import Embedding


@dataclass(frozen=True, eq=False)
class Triangulation:
    """A triangulation of the sphere by darts; its first edges are those of the graph it completes.

    Attributes
    ----------
    n_nodes : int
        At least 3.
    edges : (3 n_nodes - 6, 2) int64 array
        The graph's own edges first, in their order, then the added ones.
    n_given : int
        How many of them are the graph's own.
    next_in_face : (6 n_nodes - 12,) int64 array
        The dart that follows in the triangle of each dart; applied three times it returns.
    """

    n_nodes: int
    edges: np.ndarray
    n_given: int
    next_in_face: np.ndarray


def triangulate(embedding: Embedding) -> Triangulation:
    """Complete an embedded simple graph on at least three nodes. O(n)."""
    n_nodes = embedding.n_nodes
    if n_nodes < 3:
        raise ValueError(f"a triangulation needs at least 3 nodes, got {n_nodes}")
    component = component_labels(n_nodes, embedding.edges)
    edges, next_in_face = _triangulate(n_nodes, embedding.edges, embedding.next_in_face, component)
    return Triangulation(n_nodes, edges, len(embedding.edges), next_in_face)


@helper
def _walk(first, successor, face, length, visited):
    """Append the face walk that starts with dart `first`; returns the new length."""
    dart = first
    while True:
        face[length] = dart
        visited[dart] = 1
        length += 1
        dart = successor[dart]
        if dart == first:
            return length


@inlined
def _joined_face(n_nodes, n_given, edges, successor, component, face, visited):
    """One face walk that visits all components, joined by new edges from node 0; returns (n_edges, length)."""
    leaving = filled(n_nodes, NONE)
    for dart in range(2 * n_given - 1, -1, -1):
        leaving[edges[dart >> 1, dart & 1]] = dart
    n_edges = n_given
    length = ZERO
    if leaving[0] >= 0:
        length = _walk(leaving[0], successor, face, length, visited)
    reached = 0
    for v in range(1, n_nodes):
        if component[v] <= reached:
            continue
        reached = component[v]
        edges[n_edges, 0] = 0
        edges[n_edges, 1] = v
        face[length] = 2 * n_edges
        length += 1
        if leaving[v] >= 0:
            length = _walk(leaving[v], successor, face, length, visited)
        face[length] = 2 * n_edges + 1
        length += 1
        n_edges += 1
    return n_edges, length


@helper
def _cut_face(face, length, edges, n_edges, next_in_face):
    """Cut a face walk into triangles by new edges; returns the new number of edges."""
    while length > 3:
        kept = 0
        k = 0
        remaining = length
        while k < length:
            dart = face[k]
            if k + 1 < length and remaining > 3:
                follower = face[k + 1]
                a = edges[dart >> 1, dart & 1]
                c = edges[follower >> 1, 1 - (follower & 1)]
                if a != c:  # cut the corner between the two darts off
                    edges[n_edges, 0] = a
                    edges[n_edges, 1] = c
                    back = 2 * n_edges + 1
                    next_in_face[dart] = follower
                    next_in_face[follower] = back
                    next_in_face[back] = dart
                    dart = 2 * n_edges
                    n_edges += 1
                    remaining -= 1
                    k += 1
            face[kept] = dart
            kept += 1
            k += 1
        if kept == length:  # every even corner is a spike: turn the walk by one and cut the odd ones
            first = face[0]
            for j in range(length - 1):
                face[j] = face[j + 1]
            face[length - 1] = first
        length = kept
    for k in range(3):
        next_in_face[face[k]] = face[(k + 1) % 3]
    return n_edges


@kernel
def _triangulate(n_nodes, given, successor, component):
    n_given = given.shape[0]
    n_total = 3 * n_nodes - 6
    edges = np.empty((n_total, 2), np.int64)
    for e in range(n_given):
        edges[e, 0], edges[e, 1] = given[e, 0], given[e, 1]
    next_in_face = filled(2 * n_total, NONE)
    face = filled(2 * n_total, ZERO)
    visited = filled(2 * n_given, ZERO)
    n_edges, length = _joined_face(n_nodes, n_given, edges, successor, component, face, visited)
    n_edges = _cut_face(face, length, edges, n_edges, next_in_face)
    for first in range(2 * n_given):
        if visited[first]:
            continue
        length = _walk(first, successor, face, ZERO, visited)
        n_edges = _cut_face(face, length, edges, n_edges, next_in_face)
    return edges, next_in_face
