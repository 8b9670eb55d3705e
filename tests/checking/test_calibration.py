"""Predicted chances beside what came of them."""

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.checking.calibration import calibration_of
from isingmap.errors import DataError


def test_bins_count_the_known_cells():
    chances = np.array([[0.05, 0.95, 0.5], [0.12, 1.0, 0.55]])
    spins = np.array([[-1, 1, np.nan], [1, -1, 1]])
    found = calibration_of(chances, spins)
    assert [(b.n_cells, b.observed) for b in found.bins if b.n_cells] == [(1, 0.0), (1, 1.0), (1, 1.0), (2, 0.5)]
    assert found.n_cells == 5 and found.bins[9].predicted == pytest.approx(0.975)
    assert found.bins[9].error == pytest.approx(np.sqrt(0.95 * 0.05) / 2)
    shares = np.array([0.5, 0.5, 0.5, 0.5, 1.0])
    assert found.log_loss == np.inf and found.marginal_log_loss == pytest.approx(-np.log(shares).mean())
    with pytest.raises(DataError, match="no cell of the table is known"):
        calibration_of(chances, np.full((2, 3), np.nan))


def test_chances_of_the_true_model_come_true():
    model = IsingModel([[0, 1], [1, 2], [0, 2], [2, 3]], [0.8, 0.5, -0.4, 0.9], [0.3, -0.2, 0.0, 0.4])
    rng = np.random.default_rng(0)
    rows = model.sample(4000, rng=rng).astype(float)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    found = calibration_of(model.predict(rows), rows)
    z = [(b.observed - b.predicted) / b.error for b in found.bins if b.n_cells > 50]
    assert len(z) >= 5 and np.abs(z).max() < 3.5
    assert found.log_loss < found.marginal_log_loss - 0.1
    weaker = model.with_couplings(2.0 * model.couplings, model.fields)
    assert calibration_of(weaker.predict(rows), rows).log_loss > found.log_loss
