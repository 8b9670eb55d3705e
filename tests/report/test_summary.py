"""The summaries say what matters, in 100 columns, and cannot steer a terminal."""

import numpy as np
import pandas as pd
import pytest

import isingmap
from isingmap import IsingModel, PlanarIsing, as_spin_table
from isingmap.printable import printable
from isingmap.report.fit_facts import fit_facts, independent_log_likelihood, settings_text
from isingmap.report.summary import fit_summary, model_summary
from isingmap.report.text import WIDTH, distinct, entry, some


def copies(n_columns, n_rows=300, seed=0):
    """0/1 columns, each a noisy copy of the one before."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, (n_rows, n_columns))
    for j in range(1, n_columns):
        x[:, j] = np.where(rng.random(n_rows) < 0.85, x[:, j - 1], 1 - x[:, j - 1])
    return x


def words(text):
    return " ".join(text.split())


def test_numbers_of_the_fit():
    fit = PlanarIsing(family="zero-field").fit(copies(4))
    text = words(fit_summary(fit.learned_.described(title="four copies")))
    per_row = fit.score(copies(4))
    assert f"{fit.log_likelihood_:.2f} nats, {per_row:.5f} per row" in text
    x = 2 * copies(4) - 1
    p = (1 + x.mean(axis=0)) / 2
    alone = (p * np.log(p) + (1 - p) * np.log(1 - p)).sum()
    assert f"{alone:.5f} per row when every variable has its own field" in text
    gained = per_row + 4 * np.log(2)  # a model without fields, against four fair coins
    assert f"{gained:.5f} nats = {gained / np.log(2):.5f} bits per row" in text
    assert (
        f"{fit.result_.bic:.2f}" in text
        and f"{fit.result_.ebic:.2f} (gamma 0.25; 3 parameters)" in text
        and "four copies" in text
    )
    assert "+1 is 1, -1 is 0, in every column" in text and "Coupling J > 0: the two tend to agree" in text
    assert f"isingmap {isingmap.__version__}" in text and "criterion='ebic'" in text


def test_independent_yardstick():
    assert independent_log_likelihood(np.zeros(3)) == pytest.approx(-3 * np.log(2), abs=1e-14)
    assert independent_log_likelihood(np.array([1.0, -1.0])) == 0.0


def gained(learned):
    return next(fact.value for fact in fit_facts(learned) if fact.label == "gained by edges")


def test_edges_gain_nothing_where_there_is_none():
    """The yardstick has the fields of the model: here neither has any, and the columns lean a little."""
    data = (np.random.default_rng(0).random((200, 6)) < 0.46).astype(int)
    learned = PlanarIsing().fit(data).learned_
    assert learned.model.n_edges == 0 and gained(learned) == 0.0


@pytest.mark.parametrize(("family", "prior"), [("partial", None), ("outer-planar", None), ("outer-planar", 5.0)])
def test_edges_gain_what_the_same_fields_alone_lack(family, prior):
    data = copies(4)
    data[:, 3] |= np.random.default_rng(1).random(300) < 0.6
    fit = PlanarIsing(family=family, prior=prior).fit(data)
    x, free = 2 * data - 1, fit.model_.free_fields
    assert free.any() and fit.model_.n_edges
    means = x.mean(axis=0) * (1.0 if prior is None else 300 / (300 + prior))
    alone = IsingModel([], [], np.where(free, np.arctanh(means), 0.0))
    assert gained(fit.learned_) == pytest.approx(fit.score(data) - alone.log_probability(x).mean(), abs=1e-12)
    assert gained(fit.learned_) > 0.1


@pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")
def test_every_warning_is_in_the_summary():
    fit = PlanarIsing(family="zero-field").fit((np.random.default_rng(0).random((30, 3)) < 0.1).astype(int))
    assert len(fit.learned_.warnings) >= 2
    text = words(fit_summary(fit.learned_))
    assert all(words(warning) in text for warning in fit.learned_.warnings)


@pytest.mark.parametrize(
    ("family", "room"),
    [("zero-field", "3n-6 edges"), ("partial", "3n-3 couplings"), ("outer-planar", "2n-3 edges")],
)
def test_maximal_says_that_it_always_adds(family, room):
    fit = PlanarIsing(family=family, criterion="maximal").fit(copies(4))
    text = words(fit_summary(fit.learned_))
    assert "always adds edges" in text and room in text


@pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")
def test_excluded_pairs_ties_and_isolated_variables():
    x = copies(3)
    same = PlanarIsing(family="zero-field").fit(np.column_stack([x[:, 0], x[:, 0], x[:, 1], np.arange(300) % 2]))
    text = words(fit_summary(same.learned_))
    assert "1 pair or field: x1 - x2: x1 and x2 always agree. All are in excluded.csv" in text
    assert "would be infinite (checked exactly) were left out" in text
    assert "isolated 1 variable: x4" in text and "1 step had equally good pairs" in text
    with_prior = words(fit_summary(PlanarIsing(family="zero-field", prior=2.0).fit(x).learned_))
    assert "a prior of 2 pseudo-observations" in with_prior and "ties none" in with_prior


def test_no_edge_and_moments_alone():
    fit = PlanarIsing(family="zero-field").fit_moments(np.eye(3), 50)
    text = words(fit_summary(fit.learned_))
    assert "no pair of variables gains enough" in text and "for comparison" not in text and "3 variables" in text


def test_codings_of_different_columns():
    table = as_spin_table(np.array([["yes", "0"], ["no", "1"]] * 30, dtype=object), names=["a", "b"])
    text = words(fit_summary(PlanarIsing(prior=1.0, family="zero-field").fit(_loosened(table)).learned_))
    assert "+1 is yes, -1 is no, in a" in text and "+1 is 1, -1 is 0, in b" in text


def _loosened(table):
    """The same table without two complementary columns."""
    from dataclasses import replace

    spins = table.spins.copy()
    spins[0] = 1
    return replace(table, spins=spins)


def test_hostile_names_and_width():
    names = ["\x1b[2J", "a\nb", "\u202eevil", "x" * 300, "<b>", "=1+1"]
    fit = PlanarIsing(family="zero-field").fit(as_spin_table(copies(6), names=names))
    words = {"title": "\x07bell" * 50, "command": "isingmap fit " + "y" * 300, "groups": ["\x1b"] * 6}
    hostile = fit.learned_.described(**words)
    for text in (
        fit_summary(hostile),
        model_summary(fit.model_, title="\n"),
    ):
        lines = text.splitlines()
        assert not any(letter in text for letter in "\x1b\x07\u202e")
        assert max(map(len, lines)) <= WIDTH
        assert "\\x1b[2J" in text and "a\\nb" in text


def test_settings_make_the_same_estimator():
    data = np.where(copies(4) > 0, "it's", "not")
    first = PlanarIsing(family="zero-field", criterion="aic", prior=0.5, n_edges=3, positive="it's").fit(data)
    again = eval(settings_text(first.learned_), {"PlanarIsing": PlanarIsing})
    assert again.get_params() == first.get_params()


def test_model_summary_with_and_without_fields():
    flat = words(model_summary(IsingModel([(0, 1)], [-0.5])))
    assert "1 of" not in flat and "all zero" in flat and "Strongest negative couplings (1 in all)" in flat
    assert "Strongest positive" not in flat
    model = IsingModel([(0, 1)], [0.5], [0.3, -0.2])
    text = words(model_summary(model))
    means = model.magnetizations()
    assert f"from {means.min():.4f} (x2) to {means.max():.4f} (x1)" in text
    assert "yes, also together with the auxiliary spin" in text


def test_text_helpers():
    assert printable("a\tb\\") == "a\\tb\\"
    assert entry("label", "") == "  label"
    assert some("abc", 2) == "a, b and 1 more"


def test_cut_texts_stay_different():
    assert distinct(["abc", "abd"], 3) == ["abc", "abd"]
    assert distinct(["x" * 50, "y" * 50], 10) == ["xxxxxxx...", "yyyyyyy..."]
    long = ["the same beginning of all, then one", "the same beginning of all, then two"]
    assert distinct(long, 20) == ["the sa...l, then one", "the sa...l, then two"] or len(set(distinct(long, 20))) == 2
    for texts in (long, ["z" * 60] * 3, ["z" * 60 + str(k) + "z" * 60 for k in range(20)], ["a", "a", "a (2)"]):
        shown = distinct(texts, 12)
        assert len(set(shown)) == len(texts) and max(map(len, shown)) <= 12
    names = [f"a name that is much longer than there is room for, number {k}" for k in range(4)]
    text = fit_summary(PlanarIsing(family="zero-field").fit(as_spin_table(copies(4), names=names)).learned_)
    strongest = text[text.index("Strongest") :]
    assert all(f"number {k}" in strongest for k in range(4))


def test_required_edges_are_told():
    rows = pd.DataFrame(np.random.default_rng(0).integers(0, 2, (60, 3)), columns=["a", "b", "c"])
    learned = PlanarIsing(required_edges=[("a", "b")], n_restarts=0).fit(rows).learned_
    assert "1 of them required, whatever the data say" in fit_summary(learned)
    assert "of them required" not in fit_summary(PlanarIsing(n_restarts=0).fit(rows).learned_)
