"""The state of a blossom algorithm on a graph: regions, their moats, and what the parts of blossoms belong to.

Elementary operations of `alternating_tree.py` and `t_join.py`; each keeps the links and groups consistent.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from isingmap.compiled import helper, inlined, record
from isingmap.inference.ground_states.matching_certificate import MoatFamily, from_outside_inwards, widths_outwards
from isingmap.planar.incidence import incidence

# Numbers of NumPy's, because numba compiles a function anew for every literal it is called with.
FREE, OUTER, INNER = np.int64(0), np.int64(1), np.int64(2)
NOBODY, FORWARD = np.int64(-1), np.bool_(True)
NEVER = np.iinfo(np.int64).max

NODE = record([
    ("start", np.int64),  # its edges: slots[nodes[v].start : nodes[v + 1].start]
    ("arrived", np.int64),  # region that covered it, -1: none
    ("group", np.int64),  # group it belongs to, -1: uncovered
    ("source", np.int64),  # terminal from which it was covered
    ("wrap", np.int64),  # width of the moats beyond it, without the outermost and the group's offset
    ("below", np.int64),  # node covered before it by the same region
])  # fmt: skip
EDGE = record([("a", np.int64), ("b", np.int64), ("weight", np.int64), ("due", np.int64)])
GROUP = record([("top", np.int64), ("offset", np.int64)])
REGION = record([
    ("home", np.int64),  # node of a terminal
    ("radius", np.int64),  # width of its moat: at time t radius + rate t
    ("rate", np.int64),
    ("label", np.int64),
    ("due", np.int64),
    ("shell", np.int64),  # node covered last
    ("mate_here", np.int64),  # link to the region it is matched with
    ("mate_there", np.int64),
    ("up_here", np.int64),  # link to its parent in the alternating tree
    ("up_there", np.int64),
    ("parent", np.int64),  # blossom it is a part of
    ("crowd", np.int64),  # group of its nodes when it is outermost
    ("size", np.int64),  # number of its nodes
    ("first_child", np.int64),
    ("next_child", np.int64),  # around the odd cycle of a blossom; of a free number, the next one
    ("previous_child", np.int64),
    ("link_here", np.int64),  # link to the next child
    ("link_there", np.int64),
    ("mark", np.int64),  # last search for a common ancestor that met it
])  # fmt: skip


class Moats(NamedTuple):
    """A graph, regions around terminals (0 .. n_terminals - 1) and blossoms (above), and the nodes they cover.

    Links between regions are pairs of terminals (here, there), joined by a path that the moats fill exactly.
    Nodes under the same outermost region form a group, so that a blossom can take over its largest child unvisited.
    Records keep what is used together in one cache line.
    """

    slots: np.ndarray
    edges: np.ndarray
    nodes: np.ndarray  # and one more, where the slots end
    groups: np.ndarray  # numbered like terminals
    regions: np.ndarray
    counts: np.ndarray  # first free number of a blossom; searches


def no_moats(n_nodes, ends, weights, home) -> Moats:
    start, order = incidence(n_nodes, ends)
    n_regions = home.size + home.size // 2 + 1
    edges, nodes = np.zeros(len(ends), EDGE), np.full(n_nodes + 1, -1, NODE)
    nodes["start"] = start
    edges["a"], edges["b"], edges["weight"], edges["due"] = ends[:, 0], ends[:, 1], weights, NEVER
    groups = np.zeros(home.size, GROUP)
    groups["top"] = np.arange(home.size)
    regions = np.full(n_regions, -1, REGION)
    for name, value in {"radius": 0, "rate": 0, "label": FREE, "size": 0, "mark": 0, "due": NEVER}.items():
        regions[name] = value
    regions["crowd"] = np.arange(n_regions)
    regions["home"][: home.size] = home
    regions["next_child"][home.size :] = np.arange(home.size + 1, n_regions + 1)
    return Moats(order >> 1, edges, nodes, groups, regions, np.array([home.size, 0]))


def moat_family(moats: Moats) -> MoatFamily:
    """The final moats, when nothing grows, as plain data for `matching_certificate.lower_bound`."""
    parent, radius = moats.regions["parent"].copy(), moats.regions["radius"].copy()
    nodes = moats.nodes[:-1]
    region, group = nodes["arrived"].copy(), nodes["group"]
    reach = widths_outwards(parent, radius, from_outside_inwards(parent))
    beyond = reach[region] - radius[moats.groups["top"][group]]  # without the outermost moat, like `wrap`
    arrival = beyond - nodes["wrap"] - moats.groups["offset"][group]
    return MoatFamily(parent, radius, region, np.where(region >= 0, arrival, 0))


@helper
def pair(s, region, other, here, there):
    x, y = s.regions[region], s.regions[other]
    x.mate_here, x.mate_there = here, there
    y.mate_here, y.mate_there = there, here


@helper
def around(s, terminal):
    """Outermost region around a terminal."""
    return s.groups[s.nodes[s.regions[terminal].home].group].top


@helper
def top_of(s, node):
    """Outermost region around a node, -1 if it is uncovered."""
    group = s.nodes[node].group
    return s.groups[group].top if group >= 0 else np.int64(-1)


@helper
def cover_of(s, node, t):
    """Width of the moats beyond a node at time t."""
    covered = s.nodes[node]
    if covered.group < 0:
        return np.int64(0)
    group = s.groups[covered.group]
    region = s.regions[group.top]
    return covered.wrap + group.offset + region.radius + region.rate * t


@helper
def following(s, region, root):
    """The region after `region` in a walk through all parts of `root`; -1 at the end."""
    if s.regions[region].first_child >= 0:
        return s.regions[region].first_child
    while region != root:
        if s.regions[region].next_child != s.regions[s.regions[region].parent].first_child:
            return s.regions[region].next_child
        region = s.regions[region].parent
    return -1


@helper
def regroup(s, root, group, shift):
    """All nodes under `root` move to another group, and their `wrap` is shifted."""
    region = root
    while region >= 0:
        a = s.regions[region].shell
        while a >= 0:
            node = s.nodes[a]
            node.group = group
            node.wrap += shift
            a = node.below
        region = following(s, region, root)


@helper
def tie(s, child, following, here, there):
    """Two neighbours on the cycle of a blossom."""
    x = s.regions[child]
    x.next_child = following
    x.link_here, x.link_there = here, there
    s.regions[following].previous_child = child


@helper
def child_around(s, blossom, terminal):
    """The child of a blossom that contains a terminal."""
    region = terminal
    while s.regions[region].parent != blossom:
        region = s.regions[region].parent
    return region


@helper
def step(s, child, forward):
    """Neighbour on the cycle of a blossom, and the link to it."""
    x = s.regions[child]
    if forward:
        return x.next_child, x.link_here, x.link_there
    y = s.regions[x.previous_child]
    return x.previous_child, y.link_there, y.link_here


@helper
def pair_rest(s, child, end, forward):
    """Match the children strictly between two on the cycle of a blossom, in twos."""
    child, _, _ = step(s, child, forward)
    while child != end:
        following, here, there = step(s, child, forward)
        pair(s, child, following, here, there)
        child, _, _ = step(s, following, forward)


@inlined
def release(s, blossom):
    """Give the children of a blossom back their groups."""
    shared = s.regions[blossom].crowd
    offset = s.groups[shared].offset
    child = s.regions[blossom].first_child
    x = s.regions[child]
    while x.parent == blossom:
        x.parent = -1
        group = s.groups[x.crowd]
        group.top = child
        if x.crowd == shared:
            group.offset -= x.radius
        else:
            regroup(s, child, x.crowd, offset - x.radius - group.offset)
        child = x.next_child
        x = s.regions[child]


@inlined
def discard(s, blossom):
    x = s.regions[blossom]
    x.label, x.rate, x.radius = FREE, 0, 0
    x.first_child = -1
    x.size = 0
    x.next_child = s.counts[0]
    s.counts[0] = blossom
