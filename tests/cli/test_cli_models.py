"""isingmap voteview, info, simulate and demo."""

import csv
import json

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.datasets import senate106
from isingmap.io.model_file import ModelFile, write_model_file


def votes_folder(folder, n_rolls=200, n_members=6, seed=0):
    """A small chamber in Voteview's files: two parties, a President, one absence."""
    rng = np.random.default_rng(seed)
    members = ["congress,chamber,icpsr,party_code,bioname,state_abbrev,bioguide_id"]
    members += [f'90,Senate,{k},{100 if k < 3 else 200},"NAME{k}, Ann",OH,B{k}' for k in range(n_members)]
    members += ['90,President,99900,100,"CHIEF, Bob",USA,']
    rows = ["congress,chamber,rollnumber,icpsr,cast_code,prob"]
    for roll in range(1, n_rolls + 1):
        line = rng.integers(0, 2)
        for k in range(n_members):
            yea = (line ^ (k >= 3)) if rng.random() < 0.8 else rng.integers(0, 2)
            rows.append(f"90,Senate,{roll},{k},{9 if (roll, k) == (1, 0) else (1 if yea else 6)},")
        rows.append(f"90,Senate,{roll},99900,1,")
    (folder / "votes.csv").write_text("\n".join(rows) + "\n")
    (folder / "members.csv").write_text("\n".join(members) + "\n")
    return folder / "votes.csv", folder / "members.csv"


def test_voteview_groups_members_by_party(run, tmp_path):
    code, out, err = run("voteview", *votes_folder(tmp_path), "--participation", "0.75", "-o", tmp_path / "map")
    assert (code, err) == (0, "")
    assert "D 3, R 3" in out and "Left out the President" in out and "1 cell without a vote read as Nay" in out
    with open(tmp_path / "map" / "nodes.csv") as stream:
        nodes = list(csv.DictReader(stream))
    assert [node["group"] for node in nodes] == list("DDDRRR") and nodes[0]["positive_label"] == "Yea"


def test_participation_0_keeps_everybody(run, tmp_path):
    votes, members = votes_folder(tmp_path)
    rows = votes.read_text().splitlines()
    votes.write_text("\n".join(row for row in rows if row.split(",")[3] != "0" or int(row.split(",")[2]) < 9) + "\n")
    for share, kept in ((0.75, 5), (0, 6)):
        code, out, _ = run("voteview", votes, members, "--participation", share, "-o", tmp_path / f"map{share}")
        assert code == 0 and f"variables           {kept}" in out


def test_voteview_non_votes_as_missing(run, tmp_path):
    code, out, _ = run("voteview", *votes_folder(tmp_path), "--non-vote", "missing", "-o", tmp_path / "map")
    assert code == 0 and "each pair of columns uses the rows where both are known" in " ".join(out.split())


def test_voteview_errors(run, tmp_path):
    votes, members = votes_folder(tmp_path)
    for options, message in (
        (("--congress", "91"), "the file holds Senate of congress 90"),
        (("--participation", "75"), "participation must be a share"),
        (("--rollcalls", members), "no column rollnumber"),
    ):
        code, out, err = run("voteview", votes, members, *options, "-o", tmp_path / "map")
        assert (code, out) == (2, "") and message in err
    code, _, err = run("voteview", members, votes, "-o", tmp_path / "map")
    assert code == 2 and "members.csv: no column" in err
    assert not (tmp_path / "map").exists()


def test_info(run, table, tmp_path):
    run("fit", table, "-o", tmp_path / "map")
    path = tmp_path / "map" / "model.json"
    code, out, err = run("info", path)
    model = IsingModel.load(path)
    assert (code, err) == (0, "")
    assert f"log Z               {model.log_partition():.12g} nats (elimination of variables)" in out
    assert f"{model.entropy():.10g} nats" in out and "a - b" in out


def test_info_of_a_model_beyond_exact_methods(run, tmp_path):
    edges = [(i, j) for i in range(30) for j in range(i)]
    IsingModel(edges, [0.1] * 435).save(tmp_path / "k30.json")
    code, out, _ = run("info", tmp_path / "k30.json")
    assert code == 0 and "planar              no" in out and "K5" in out
    IsingModel(edges[:10], [0.1] * 10, names=list("abcde")).save(tmp_path / "small.json")
    code, out, _ = run("info", tmp_path / "small.json")
    assert code == 0 and "elimination of variables" in out
    star = [(0, k) for k in range(1, 25)] + [(k, k + 1) for k in range(1, 24)] + [(24, 1)]
    IsingModel(star, [0.1] * len(star), [0.2] * 25).save(tmp_path / "wheel.json")
    code, out, _ = run("info", tmp_path / "wheel.json")
    assert code == 0 and "yes, but not together with the auxiliary spin" in " ".join(out.split())


@pytest.mark.parametrize("content", ["", "[]", '{"format": "isingmap-model", "version": 99}', "{" * 5000])
def test_info_refuses_other_files(run, tmp_path, content):
    path = tmp_path / "m.json"
    path.write_text(content)
    code, out, err = run("info", path)
    assert (code, out) == (2, "") and "m.json" in err


def test_info_of_an_absent_file(run, tmp_path):
    code, _, err = run("info", tmp_path / "none.json")
    assert code == 2 and err == f"error: {tmp_path / 'none.json'}: cannot be read (No such file or directory)\n"
    code, _, err = run("info", tmp_path)
    assert code == 2 and "is a folder; give a file" in err


def read_samples(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, dtype=int)


@pytest.mark.parametrize(
    ("graph", "n_spins", "n_edges"),
    [
        (("grid", "--rows", "3", "--columns", "4"), 12, 17),
        (("outer-planar", "--variables", "5"), 5, 6),
        (("outer-planar", "--paper"), 12, 21),
        (("planar", "--variables", "20", "--density", "0.5"), 20, None),
    ],
)
def test_simulate(run, tmp_path, graph, n_spins, n_edges):
    options = ("-n", "30", "--seed", "7", "-o", tmp_path / "x.csv", "--model", tmp_path / "m.json")
    code, out, err = run("simulate", *graph, *options)
    assert (code, err) == (0, "") and "seed 7" in out and "30 samples" in out
    model = IsingModel.load(tmp_path / "m.json")
    assert model.n_spins == n_spins and n_edges in (None, model.n_edges)
    samples = read_samples(tmp_path / "x.csv")
    assert samples.shape == (30, n_spins) and set(np.unique(samples)) == {-1, 1}
    assert (tmp_path / "x.csv").read_text().splitlines()[0] == ",".join(model.names)
    assert json.loads((tmp_path / "m.json").read_text())["simulation"]["seed"] == 7


def test_simulate_repeats_with_its_seed(run, tmp_path):
    _, out, _ = run("simulate", "grid", "-n", "20", "-o", tmp_path / "x.csv", "--quiet")
    seed = out.split()[1]
    run("simulate", "grid", "-n", "20", "-o", tmp_path / "y.csv", "--seed", seed)
    assert (tmp_path / "x.csv").read_bytes() == (tmp_path / "y.csv").read_bytes()


def test_simulate_errors(run, tmp_path):
    (tmp_path / "x.csv").write_text("mine")
    code, _, err = run("simulate", "grid", "-n", "5", "-o", tmp_path / "x.csv", "--model", tmp_path / "m.json")
    assert code == 2 and "exists and was not overwritten" in err and (tmp_path / "x.csv").read_text() == "mine"
    code, _, err = run("simulate", "grid", "-n", "5", "-o", tmp_path)
    assert code == 2 and "is a folder" in err
    code, _, err = run("simulate", "grid", "--rows", "0", "-n", "5", "-o", tmp_path / "z.csv")
    assert code == 2 and "--rows must be at least 1" in err
    code, _, err = run("simulate", "grid", "-n", "5", "-o", tmp_path / "z.csv", "--model", tmp_path / "z.csv")
    assert code == 2 and "are the same file" in err
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.csv"]
    code, _, _ = run("simulate", "grid", "-n", "5", "-o", tmp_path / "x.csv", "--force")
    assert code == 0 and read_samples(tmp_path / "x.csv").shape == (5, 49)


def test_demo_runs_offline_on_the_senate(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = run("demo", "--n-edges", "12")
    text = " ".join(out.split())
    assert (code, err) == (0, "") and "variables 98" in text and "rows 672" in text
    assert "R 53, D 45" in text and "read as -1" in text and "Left out 4 who voted in less than 75%" in text
    assert (tmp_path / "isingmap-demo" / "map.svg").exists()
    code, _, err = run("demo")
    assert code == 2 and "isingmap-demo is not empty" in err


def test_demo_reads_the_data_of_the_package():
    assert senate106.load_senate106().n_spins == 102


def test_max_cut_on_the_command_line(run, tmp_path):
    """The file of counts leads to --sign, and that to the maximum cut."""
    path = tmp_path / "triangle.mc"
    path.write_text("# triangle\n3 3\n1 2 1\n2 3 1\n1 3 1\n")
    code, _, err = run("ground-state", path)
    assert code != 0 and "--sign -1" in err
    code, out, err = run("ground-state", path, "--sign", "-1")
    assert code == 0 and "-1" in out, err


def test_what_a_fit_wrote_outlives_a_conversion(run, table, tmp_path):
    folder, copy = tmp_path / "map", tmp_path / "copy.json"
    run("fit", table, "-o", folder, "--quiet")
    code, out, err = run("convert", folder / "model.json", copy)
    assert (code, err, "Left out" in out) == (0, "", False)
    assert copy.read_bytes() == (folder / "model.json").read_bytes()
    assert run("convert", copy, copy, "--force")[0] == 0
    assert copy.read_bytes() == (folder / "model.json").read_bytes()
    _, out, _ = run("convert", copy, tmp_path / "m.uai")
    assert "Left out, for want of a place in UAI: fit, facts, positions." in out


def test_a_conversion_names_what_is_left_behind(run, tmp_path):
    problem = tmp_path / "p.bqpjson"
    model = IsingModel([(0, 1)], [1.0], [0.0, 0.5], free_fields=[True, True], names=["0", "1"])
    write_model_file(ModelFile(model, scale=2.0, domain="boolean"), tmp_path / "p.json")
    _, out, _ = run("convert", tmp_path / "p.json", problem)
    assert "No parameter in the new file: 1 field of value 0." in out and "scale" not in out
    _, out, _ = run("convert", problem, tmp_path / "p.graphml")
    assert "The scale 2 is multiplied into the new numbers." in out
    assert "Read again, the new file has variables -1/+1; -1 is what was 0." in out


def test_a_model_of_another_format_is_drawn_after_the_advice(run, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target,coupling\na,b,0.5\nb,c,-0.5\n")
    code, _, err = run("draw", tmp_path / "edges.csv", "-o", tmp_path / "map.svg")
    assert code == 2 and "isingmap convert MODEL model.json" in err
    assert run("convert", tmp_path / "edges.csv", tmp_path / "model.json")[0] == 0
    assert run("draw", tmp_path / "model.json", "-o", tmp_path / "map.svg")[0] == 0
    (tmp_path / "model.json").write_text("{")
    assert "convert" not in run("draw", tmp_path / "model.json", "-o", tmp_path / "other.svg")[2]
