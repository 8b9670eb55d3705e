"""bqpjson: scale, offset, sparse ids, both domains, and files that lie."""

import json

import numpy as np
import pytest
from file_cases import assert_energies, assert_same, damaged, energies_of, models, read_or_refuse, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from isingmap import IsingModel
from isingmap.errors import FileFormatError, ModelError
from isingmap.io.bqpjson import read_bqpjson, write_bqpjson

SLOW_FIXTURE = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
DOMAINS = pytest.mark.parametrize("domain", ["spin", "boolean"])


def document(**changes) -> dict:
    """A file as the tools of bqpjson write them, with sparse ids."""
    return {
        "version": "1.0.0",
        "id": 7,
        "description": "a small one",
        "metadata": {"dw_url": "https://example.org"},
        "variable_ids": [3, 40, 5, 12],
        "variable_domain": "spin",
        "scale": 2.5,
        "offset": 1.25,
        "linear_terms": [{"id": 40, "coeff": -0.75}, {"id": 5, "coeff": 2}],
        "quadratic_terms": [
            {"id_tail": 3, "id_head": 40, "coeff": 1.5},
            {"id_tail": 5, "id_head": 3, "coeff": -0.5},
        ],
        "solutions": [{"id": 0, "assignment": [], "evaluation": 0}],
    } | changes


def energy_of(content: dict):
    """The definition, term by term."""

    def energy(x):
        value = dict(zip(content["variable_ids"], x.tolist(), strict=True))
        terms = sum(term["coeff"] * value[term["id"]] for term in content["linear_terms"])
        for term in content["quadratic_terms"]:
            terms += term["coeff"] * value[term["id_tail"]] * value[term["id_head"]]
        return content["scale"] * (terms + content["offset"])

    return energy


@DOMAINS
def test_energies_of_a_file_of_others(write, domain):
    content = document(variable_domain=domain)
    file = read_bqpjson(write(json.dumps(content)))
    assert file.model.names == ("3", "40", "5", "12") and (file.scale, file.domain) == (2.5, domain)
    assert_energies(file, energy_of(content), domain)


@DOMAINS
@SLOW_FIXTURE
@given(model=models(names=st.text(max_size=4)), offset=st.floats(-9, 9), scale=st.sampled_from([1.0, 0.3, 8.0]))
def test_round_trip_and_energies_of_our_own_files(tmp_path, domain, model, offset, scale):
    path = tmp_path / "model.json"
    write_bqpjson(model, path, offset=offset, scale=scale, domain=domain)
    file = read_bqpjson(path)
    assert_same(file.model, model, rtol=1e-14, atol=0 if domain == "spin" else 1e-11)
    assert (file.scale, file.domain) == (scale, domain)
    assert_energies(file, energy_of(json.loads(path.read_text())), domain, rtol=1e-11)
    np.testing.assert_allclose(energies_of(file), offset - model.log_weight(_states(model)), atol=1e-10)


def _states(model):
    from file_cases import states

    return states(model.n_spins)


def test_a_zero_field_model_comes_back_without_fields(tmp_path):
    rng = np.random.default_rng(1)
    edges = [(i, (i + 1) % 9) for i in range(9)] + [(0, 4), (0, 6)]
    model = IsingModel(edges, rng.normal(size=len(edges)) * rng.choice([1e-6, 1.0, 30.0], len(edges)))
    write_bqpjson(model, tmp_path / "m.json", domain="boolean")
    back = read_bqpjson(tmp_path / "m.json")
    assert not back.model.free_fields.any() and "rounding" in back.notes[0]
    np.testing.assert_array_equal(back.model.couplings, model.couplings)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": "2.0.0"}, 'expected "version": "1.0.0"'),
        ({"variable_domain": "qubit"}, "variable_domain"),
        ({"variable_domain": ["spin"]}, "variable_domain"),
        ({"scale": 0}, '"scale" must be positive'),
        ({"scale": True}, 'expected a number under "scale", got True'),
        ({"offset": None}, 'expected a number under "offset", got None'),
        ({"offset": 1e300}, "the offset is 1e\\+300"),
        ({"variable_ids": []}, "at least one spin|must be one of"),
        ({"variable_ids": [3, 40, 5, 3]}, '"variable_ids" holds 3 more than once'),
        ({"variable_ids": [3, 40, 5, "12"]}, r"variable_ids\[3\] must be a whole number"),
        ({"variable_ids": [3, 40, 5, -1]}, r"variable_ids\[3\]"),
        ({"linear_terms": {}}, 'expected a list under "linear_terms"'),
        ({"linear_terms": [3]}, r"linear_terms\[0\] must be an object"),
        ({"linear_terms": [{"id": 4, "coeff": 1}]}, r'linear_terms\[0\]: "id" must be one of variable_ids, got 4'),
        ({"linear_terms": [{"id": 3}]}, r'linear_terms\[0\]: expected a number under "coeff"'),
        ({"linear_terms": [{"id": 3, "coeff": 1}] * 2}, r"linear_terms\[1\]: a second term for variable 3"),
        ({"quadratic_terms": [{"id_tail": 3, "id_head": 3, "coeff": 1}]}, "are both 3"),
        (
            {"quadratic_terms": [{"id_tail": a, "id_head": b, "coeff": 1} for a, b in ((3, 5), (5, 3))]},
            r"quadratic_terms\[1\]: a second term for this pair",
        ),
        ({"quadratic_terms": [{"id_tail": 3, "id_head": [], "coeff": 1}]}, '"id_head" must be one of'),
    ],
)
def test_refused(write, tmp_path, changes, message):
    with refused(message, tmp_path, "bad.json"):
        read_bqpjson(write(json.dumps(document(**changes)), "bad.json"))


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999", "9" * 400, "9" * 5000])
def test_numbers_that_are_none(write, number):
    text = json.dumps(document()).replace("1.25", number)
    with pytest.raises(FileFormatError, match="not finite"):
        read_bqpjson(write(text))


def test_deep_nesting_and_other_json(write):
    for text in ("[" * 100_000, "[1]", '"x"', "{"):
        with pytest.raises(FileFormatError, match="not a valid JSON file|expected a JSON object"):
            read_bqpjson(write(text))


def test_stored_names_that_do_not_fit_are_not_used(write):
    for names in (["a"], ["a", "a", "b", "c"], [1, 2, 3, 4], "abcd"):
        file = read_bqpjson(write(json.dumps(document(metadata={"isingmap_names": names}))))
        assert file.model.names == ("3", "40", "5", "12")


def test_refused_on_writing(tmp_path):
    with pytest.raises(ModelError, match="above 1e.290 overflow"):
        IsingModel([(0, 1)], [1e308])
    model = IsingModel([(0, 1)], [1e289])
    for options, message in (
        ({"scale": 0.0}, "scale must be a positive"),
        ({"domain": "qubit"}, "domain must be one of"),
        ({"offset": np.nan}, "too large"),
    ):
        with pytest.raises(ModelError, match=message):
            write_bqpjson(model, tmp_path / "m.json", **options)
    assert list(tmp_path.iterdir()) == []


@SLOW_FIXTURE
@given(content=damaged(json.dumps(document())))
def test_hostile_files(tmp_path, content):
    read_or_refuse(read_bqpjson, tmp_path / "hostile.json", content)
