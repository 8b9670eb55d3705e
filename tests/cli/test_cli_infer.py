"""isingmap infer and convert."""

import csv
import json
import subprocess
import sys
import warnings

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.inference.planar_solution import PlanarSolution
from isingmap.io.formats import FORMATS
from isingmap.io.model_file import read_model_file, write_model_file
from isingmap.io.networkx_graph import to_networkx


@pytest.fixture
def model():
    return IsingModel([(0, 1), (1, 2)], [0.8, -0.5], [0.0, 0.25, 0.0, 0.0], names=["=1+1", "a,b", "NA", "alone"])


def test_the_help_knows_every_format(run):
    for command in ("infer", "convert"):
        code, out, _ = run(command, "--help")
        text = " ".join(out.split())
        assert code == 0
        for format in FORMATS.values():
            assert f"{format.name} ({', '.join(format.endings)})" in text
    assert "OUT in bqpjson, COO" in text and "variables of a COO file" in text


def test_the_help_imports_no_numbers():
    command = "import sys; from isingmap.cli.main import main; main(['convert', '--help']); print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True).stdout
    loaded = out.splitlines()[-1].split()
    assert "isingmap.io.formats" in loaded and not {"numpy", "networkx", "isingmap.io.coo"} & set(loaded)


def test_summary_with_the_offset_of_the_file(run, tmp_path):
    document = {
        "version": "1.0.0", "id": 0, "metadata": {}, "variable_ids": [4, 9], "variable_domain": "boolean",
        "scale": 2.0, "offset": 0.5, "linear_terms": [{"id": 4, "coeff": -1.0}],
        "quadratic_terms": [{"id_tail": 4, "id_head": 9, "coeff": 0.75}],
    }  # fmt: skip
    (tmp_path / "m.json").write_text(json.dumps(document))
    code, out, err = run("infer", tmp_path / "m.json")
    log_z = np.logaddexp.reduce([-1.0, -1.0, 1.0, -0.5])
    assert (code, err) == (0, "") and f"with it log Z = {log_z:.12g}" in " ".join(out.split())
    assert "0/1 in the file" in out and "scale               2," in out


@pytest.mark.parametrize("name", ["m.json", "m.csv", "m.graphml", "m.uai"])
def test_moments_as_a_table(run, tmp_path, model, name):
    write_model_file(model, tmp_path / name)
    code, out, err = run("infer", tmp_path / name, "-o", tmp_path / "moments.csv")
    assert (code, err) == (0, "") and f"{model.log_partition():.12g} nats" in out
    with open(tmp_path / "moments.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [(row["source"], row["target"]) for row in rows[:2]] == [("'=1+1", "a,b"), ("a,b", "NA")]
    assert [row["target"] for row in rows[2:]] == [""] * 4
    found = [[float(row[key]) for row in rows] for key in ("parameter", "moment")]
    np.testing.assert_allclose(found[0], [*model.couplings, *model.fields], rtol=1e-14, atol=1e-15)
    np.testing.assert_allclose(found[1], [*model.moments(), *model.magnetizations()], rtol=1e-12, atol=1e-14)
    code, _, err = run("infer", tmp_path / name, "-o", tmp_path / "moments.csv")
    assert code == 2 and "exists and was not overwritten" in err


def test_models_without_exact_answers_are_errors(run, tmp_path):
    n = 30
    pairs = [(i, j) for i in range(n) for j in range(i)]
    write_model_file(IsingModel(pairs, [0.1] * len(pairs)), tmp_path / "k30.json")
    for output in ((), ("-o", tmp_path / "out.csv")):
        code, out, err = run("infer", tmp_path / "k30.json", *output)
        assert (code, out) == (2, "") and ("K5" in err or "K3,3" in err)
    assert not (tmp_path / "out.csv").exists()


def test_files_that_are_none(run, tmp_path):
    (tmp_path / "m.coo").write_text("0 1 2.0\n")
    (tmp_path / "m.dat").write_text("0 1 2.0\n")
    assert run("infer", tmp_path / "m.coo")[2].count("--domain spin") == 1
    assert "--format" in run("infer", tmp_path / "m.dat")[2]
    assert run("infer", tmp_path / "m.dat", "--format", "coo", "--domain", "spin")[0] == 0
    assert "cannot be read" in run("infer", tmp_path / "none.json")[2]
    assert run("infer", tmp_path / "m.dat", "--format", "pdf")[0] == 2


def test_convert_there_and_back(run, tmp_path, model):
    model.save(tmp_path / "m.json")
    chain = ["m.json", "a.bqpjson", "b.uai", "c.graphml", "d.csv", "e.json"]
    for source, target in zip(chain[:-1], chain[1:], strict=True):
        code, out, err = run("convert", tmp_path / source, tmp_path / target)
        assert (code, err) == (0, "") and target in out
    back = read_model_file(tmp_path / "e.json").model
    assert back.names == model.names and back.edges.tolist() == model.edges.tolist()
    np.testing.assert_allclose(back.couplings, model.couplings, rtol=1e-14)
    assert set(to_networkx(back)) == set(model.names) and (tmp_path / "b.names").exists()


def test_convert_says_what_is_lost_and_overwrites_nothing(run, tmp_path, model):
    model.save(tmp_path / "m.json")
    code, _, err = run("convert", tmp_path / "m.json", tmp_path / "m.coo", "--to-domain", "boolean")
    assert code == 0 and "COO files have no names" in err and "offset" in err
    assert read_model_file(tmp_path / "m.coo").domain == "boolean"
    (tmp_path / "x.names").write_text("precious")
    code, _, err = run("convert", tmp_path / "m.json", tmp_path / "x.uai")
    assert code == 2 and "x.names exists" in err and not (tmp_path / "x.uai").exists()
    assert run("convert", tmp_path / "m.json", tmp_path / "x.uai", "--force")[0] == 0
    code, _, err = run("convert", tmp_path / "m.json", tmp_path / "m.json")
    assert code == 2 and "not overwritten" in err
    code, _, err = run("convert", tmp_path / "m.json", tmp_path)
    assert code == 2
    code, _, err = run("convert", tmp_path / "m.json", tmp_path / "y.dat")
    assert code == 2 and "y.dat: the format is not clear" in err and "Give --to NAME" in err
    assert run("convert", tmp_path / "m.json", tmp_path / "y.dat", "--to", "uai")[0] == 0


@pytest.mark.usefixtures("determinants")
def test_the_summary_is_paid_for_once(run, tmp_path, monkeypatch):
    """Magnetizations of spins without a field cost most; entropy does without them, and they are kept."""
    asked = []
    ask = PlanarSolution._ask
    monkeypatch.setattr(PlanarSolution, "_ask", lambda *question: asked.append(1) or ask(*question))
    model = IsingModel([(0, 1), (1, 2)], [0.8, -0.5], [0.25, 0, 0], free_fields=[True, False, False])
    model.entropy()
    assert asked == []
    model.save(tmp_path / "m.json")
    code, out, _ = run("infer", tmp_path / "m.json", "-o", tmp_path / "moments.csv")
    assert code == 0 and len(asked) == 1
    p = np.exp(model.log_probability(np.array(np.meshgrid(*[[-1, 1]] * 3)).reshape(3, -1).T))
    assert model.entropy() == pytest.approx(-(p * np.log(p)).sum(), abs=1e-12)


@pytest.mark.parametrize("name", ["m.json", "m.bqpjson", "m.csv", "m.graphml", "m.uai", "m.coo"])
def test_info_reads_every_format(run, tmp_path, name):
    model = IsingModel([(0, 1), (1, 2)], [0.8, -0.5], [0.0, 0.25, 0.0])
    with warnings.catch_warnings(action="ignore"):  # COO has no names
        write_model_file(model, tmp_path / name, domain="spin" if name.endswith(("bqpjson", "coo")) else None)
    code, out, _ = run("info", tmp_path / name, *(["--domain", "spin"] if name.endswith("coo") else []))
    assert code == 0 and f"{model.log_partition():.12g} nats" in out


def test_many_temperatures_as_a_table(run, tmp_path, model):
    model.save(tmp_path / "m.json")
    code, out, err = run("infer", tmp_path / "m.json", "--beta", "0.5,1:1.2:0.1", "-o", tmp_path / "t.csv")
    lines = out.splitlines()
    assert (code, err) == (0, "") and len(lines) == 5 and max(map(len, lines)) <= 100
    with open(tmp_path / "t.csv", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["beta"] for row in rows] == ["0.5", "1.0", "1.1", "1.2"]
    table = model.thermodynamics([0.5, 1, 1.1, 1.2])
    assert [float(row["log_z"]) for row in rows] == table.log_partition.tolist()
    assert [float(row["specific_heat"]) for row in rows] == table.specific_heat.tolist()
    assert [float(row["heat_capacity"]) for row in rows] == (4 * table.specific_heat).tolist()
    assert lines[2].split()[1] == f"{model.log_partition():.6g}" and float(rows[1]["entropy"]) == model.entropy()


@pytest.mark.parametrize(
    ("beta", "message"),
    [
        ("1:2", "a range is start:stop:step, such as 0.1:2:0.1; got '1:2'"),
        ("2:1:0.5", "a range goes up, with a step above 0"),
        ("1:2:0", "a range goes up, with a step above 0"),
        ("0.5,,1", "expected numbers such as 0.5,1,2 or a range such as 0.1:2:0.1; got ''"),
        ("inf", "inverse temperatures are finite numbers, 0 or more; got 'inf'"),
        ("0:1:1e-9", "'0:1:1e-9' are too many inverse temperatures; at most 10000"),
    ],
)
def test_wrong_temperatures(run, tmp_path, model, beta, message):
    model.save(tmp_path / "m.json")
    code, out, err = run("infer", tmp_path / "m.json", "--beta", beta)
    assert (code, out) == (2, "") and message in err


def test_temperatures_leave_out_what_they_cannot_have(run, tmp_path, model):
    model.save(tmp_path / "m.json")
    code, _, err = run("infer", tmp_path / "m.json", "--beta", "1", "--certified")
    assert code == 2 and "--certified is about the model as it is" in err
    (tmp_path / "o.json").write_text(
        json.dumps({
            "version": "1.0.0", "id": 0, "metadata": {}, "variable_ids": [1, 2], "variable_domain": "spin",
            "scale": 1.0, "offset": 0.5, "linear_terms": [],
            "quadratic_terms": [{"id_tail": 1, "id_head": 2, "coeff": -1.0}],
        })
    )  # fmt: skip
    code, out, err = run("infer", tmp_path / "o.json", "--beta", "1")
    assert (code, err) == (0, "") and "the energy offset of the file, 0.5, is not in log Z and energy" in out


@pytest.mark.parametrize("betas", ["0:1:1e-9999999", "0:1e9999999:1", "1e400", "1e-400", "0:1:0"])
def test_odd_temperatures_have_a_message(run, tmp_path, betas):
    IsingModel([(0, 1)], [0.5]).save(tmp_path / "m.json")
    code, _, err = run("infer", tmp_path / "m.json", "--beta", betas)
    assert code == 2 and "--beta" in err and "bug" not in err
