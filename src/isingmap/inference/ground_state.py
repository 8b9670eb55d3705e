"""Most probable configurations of planar models, exactly."""

from __future__ import annotations

import numpy as np

from isingmap.inference.dual import DualPlan
from isingmap.inference.frustration import face_graph, spins_of
from isingmap.inference.t_join import minimum_t_join
from isingmap.planar.planarity import incidence


def ground_spins(plan: DualPlan, couplings: np.ndarray):
    faces = face_graph(plan, couplings)
    w = np.abs(couplings[faces.edges])
    iw = 2 * np.round(w * 2.0**40).astype(np.int64)
    if faces.frustrated.any():
        join, moats = minimum_t_join(faces.n_faces, faces.ends, iw, faces.frustrated)
    else:
        join, moats = np.empty(0, np.int64), None
    x = spins_of(plan.n_spins, plan.edges, couplings, faces.edges[join])
    if moats is not None:
        assert moats.regions["radius"].sum() == iw[join].sum(), (moats.regions["radius"].sum(), iw[join].sum())
    return x, (couplings * x[plan.edges[:, 0]] * x[plan.edges[:, 1]]).sum()
