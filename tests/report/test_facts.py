"""Facts are data first: the text and model.json show the same ones."""

import json

import numpy as np
import pytest

from isingmap import IsingModel, PlanarIsing
from isingmap.report.facts import Fact, as_text
from isingmap.report.fit_facts import fit_facts
from isingmap.report.model_facts import model_facts
from isingmap.report.results import write_results


@pytest.fixture(scope="module")
def learned():
    rng = np.random.default_rng(0)
    x = rng.choice([-1, 1], (300, 4))
    x[:, 1] = np.where(rng.random(300) < 0.8, x[:, 0], -x[:, 0])
    x[:, 3] = np.where(rng.random(300) < 0.9, 1, -1)
    return (
        PlanarIsing(family="partial", criterion="bic")
        .fit(x)
        .learned_.described(groups=["b", "a", "b", ""], title="four")
    )


def value_of(facts, label):
    (found,) = [fact.value for fact in facts if fact.label == label]
    return found


def test_values_have_all_digits(learned):
    facts = fit_facts(learned)
    result = learned.result
    assert value_of(facts, "log-likelihood") == result.log_likelihood
    assert value_of(facts, "AIC, BIC, EBIC") == [result.aic, result.bic, result.ebic]
    assert value_of(facts, "rows") == 300 and value_of(facts, "fields") == learned.model.free_fields.sum()
    assert value_of(facts, "groups") == {"b": 2, "a": 1, "": 1}
    assert value_of(facts, "isolated") == ["x3", "x4"]
    (coupling,) = [fact.value for fact in facts if fact.section.startswith("Strongest")]
    assert coupling == {
        "source": "x1",
        "target": "x2",
        "coupling": learned.model.couplings[0],
        "standard_error": learned.coupling_errors[0],
    }


def test_model_file_holds_the_facts_of_the_record(learned, tmp_path):
    folder = write_results(learned, tmp_path / "map")
    found = json.loads((folder / "model.json").read_text())["facts"]
    assert found == [fact.record for fact in fit_facts(learned)]


def test_value_of_a_model_without_exact_answers():
    names, pairs = [f"v{k}" for k in range(30)], [(i, j) for j in range(30) for i in range(j)]
    facts = model_facts(IsingModel(pairs, np.ones(435), names=names))
    assert value_of(facts, "planar") == "no" and "K5" in value_of(facts, "none")
    assert value_of(facts, "couplings") == 435


def test_method_of_a_model_that_is_not_planar():
    names, pairs = list("abcdefghijklmnopqrstuvwxyz"), [(i, j) for j in range(5) for i in range(j)]
    facts = list(model_facts(IsingModel(pairs, np.ones(10), names=names)))
    assert value_of(facts, "planar") == "no"
    assert "(elimination of variables)" in next(fact.text for fact in facts if fact.label == "log Z")


def test_text_of_sections_paragraphs_and_items():
    facts = [
        Fact("One", "note", ["a", "b"], "a\nb"),
        Fact("One", "more", 1, "1"),
        Fact("Two", "", None, "an item"),
    ]
    assert as_text("Kind", "t", facts) == (
        "Kind: t\n\nOne\n  note                a\n                      b\n  more                1\n\nTwo\n  an item\n"
    )
    assert as_text("Kind", "", []) == "Kind\n"


def test_ebic_is_given_as_foygel_and_drton_count_it_too():
    rng = np.random.default_rng(0)
    x = rng.choice([-1, 1], (200, 4))
    x[:, 1] = np.where(rng.random(200) < 0.8, x[:, 0], -x[:, 0])
    result = (fit := PlanarIsing(graph=[(0, 1)], gamma=0.5).fit(x)).result_
    theirs = -2 * result.log_likelihood + np.log(200) * 5 + 4 * 0.5 * np.log(4) * 1
    told = next(fact.text for fact in fit_facts(fit.learned_) if fact.label == "AIC, BIC, EBIC")
    assert told.endswith(f"for couplings alone it is {theirs:.2f}")
    zero_field = PlanarIsing(graph=[(0, 1)], family="zero-field").fit(x).learned_
    told = next(fact.text for fact in fit_facts(zero_field) if fact.label == "AIC, BIC, EBIC")
    assert told.endswith("(gamma 0.25; 1 parameter)")
