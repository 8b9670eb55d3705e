"""What the documentation tells people to type works, and .ci/run types the same."""

import re
import shlex
import shutil
import subprocess
import tomllib
from pathlib import Path

import numpy as np
import pytest

from isingmap import IsingModel
from isingmap.cli.main import build_parser

ROOT = Path(__file__).resolve().parents[1]
DEMO = "python -m venv .venv && .venv/bin/pip install . && .venv/bin/isingmap demo -o demo"
TESTS = "python -m venv .venv && .venv/bin/pip install '.[test]' && .venv/bin/python -m pytest -n 2"
DOCUMENTS = (
    "README.md",
    "docs/tutorial.md",
    "docs/conventions.md",
    "docs/dependencies.md",
    "docs/formats.md",
    "docs/interchange.md",
    "docs/robustness.md",
    "docs/theory.md",
    "docs/architecture.md",
)


def blocks(document: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / document).read_text(encoding="utf-8"), re.DOTALL)


def commands(document: str) -> list[str]:
    """Shell lines of a document."""
    return [line for block in blocks(document, "bash") for line in block.replace("\\\n", " ").splitlines()]


def test_install_commands_come_first():
    assert commands("README.md")[:2] == [DEMO, TESTS]


@pytest.mark.skipif(shutil.which("sed") is None or shutil.which("bash") is None, reason="needs bash and sed")
def test_ci_runs_the_commands_of_the_readme():
    script = (ROOT / ".ci" / "run").read_text()
    assert "set -euo pipefail" in script
    selection = re.search(r"< <\((sed .*README\.md)\)", script).group(1)
    found = subprocess.run(["bash", "-c", selection], cwd=ROOT, capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [DEMO, TESTS]
    subprocess.run(["bash", "-n", ROOT / ".ci" / "run"], check=True)
    assert (ROOT / ".ci" / "run").stat().st_mode & 0o111


@pytest.mark.parametrize(
    "line", [line for document in DOCUMENTS for line in commands(document) if line.startswith("isingmap ")]
)
def test_documented_options_exist(line):
    arguments, unknown = build_parser().parse_known_args(shlex.split(line)[1:])
    assert not unknown and callable(arguments.run)


def run_snippet(document: str, snippet: str) -> dict:
    names = {}
    exec(compile(snippet, document, "exec"), names)
    return names


def test_python_snippets_of_the_readme(tmp_path, monkeypatch, capsys):
    """The second reads what the first wrote."""
    monkeypatch.chdir(tmp_path)
    learn, functions, ask = blocks("README.md", "python")
    names = run_snippet("README.md", learn)
    assert "KENNEDY - KERRY: +" in capsys.readouterr().out
    np.testing.assert_array_equal(names["again"].couplings, names["fit"].couplings_)
    assert (tmp_path / "seven-senators" / "map.svg").exists()

    names = run_snippet("README.md", functions)
    assert names["result"].search == "forward-backward"  # finds the truth, where greedy does not
    assert names["truth"].kl_divergence(names["result"].model) < 1e-9

    names = run_snippet("README.md", ask)
    assert ("KENNEDY", "COLLINS") not in names["model"].edge_names  # as the snippet says
    assert names["ground"].certified
    assert names["model"].log_partition() in names["interval"]
    assert "if Kennedy votes nay:" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::isingmap.errors.DataWarning")
def test_python_snippets_of_the_tutorial(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    in_parts, compare, resample, groups, snippet, evidence, check = blocks("docs/tutorial.md", "python")
    answers = np.random.default_rng(0).integers(0, 2, (200, 4))
    places: dict = {"chunks": np.array_split(answers, 3)}
    exec(in_parts, places)
    assert places["fit"].moments_.n_samples == 200
    run_snippet("docs/tutorial.md", compare)
    assert (tmp_path / "first-again.svg").read_bytes() == (tmp_path / "first" / "map.svg").read_bytes()
    assert run_snippet("docs/tutorial.md", resample)["found"].n_fitted == 20
    assert "KENNEDY - KERRY: 100% of the refits, +" in capsys.readouterr().out
    found = run_snippet("docs/tutorial.md", groups)["found"]
    assert found.n_permutations == 20 and (tmp_path / "first-last" / "last" / "model.json").exists()
    names = run_snippet("docs/tutorial.md", snippet)
    missing = (names["senate"].spins == 0)[names["absent"]]
    assert missing.any(axis=1).all()
    np.testing.assert_array_equal(np.isnan(names["yea"]), ~missing)
    assert names["ground"].certified
    names = run_snippet("docs/tutorial.md", evidence)
    np.testing.assert_array_equal(names["seen"].magnetizations[0, [0, 2]], [1.0, -1.0])
    assert len(run_snippet("docs/tutorial.md", check)["check"].tests) == 5


def test_layers_of_the_architecture_are_those_of_the_test():
    from test_layers import LAYERS

    rows = re.findall(r"^\| (-?[\d.]+) \| ([^|]+) \|", (ROOT / "docs" / "architecture.md").read_text(), re.MULTILINE)
    assert {name.strip("/"): float(layer) for layer, names in rows for name in re.findall(r"`(.+?)`", names)} == LAYERS


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    for target in re.findall(r"\]\(([^)#:]+)\)", (ROOT / document).read_text(encoding="utf-8")):
        assert ((ROOT / document).parent / target).exists(), target


def test_every_dependency_is_justified():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    needed = [*project["dependencies"], *sum(project["optional-dependencies"].values(), [])]
    text = (ROOT / "docs" / "dependencies.md").read_text()
    for name in (re.match(r"[\w-]+", requirement)[0] for requirement in needed):
        assert re.search(rf"^\|.*\b{name}\b.*\|", text, re.MULTILINE), name


def test_readme_lists_the_files_of_the_results():
    from isingmap.report.results import result_names

    rows = re.findall(r"^\| (`.*?`) \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
    listed = [name for row in rows for name in re.findall(r"`(.+?)`", row)]
    assert sorted(listed) == sorted(result_names())


def test_columns_of_the_tutorial_are_those_of_the_tables():
    from isingmap.report import tables

    text = (ROOT / "docs" / "tutorial.md").read_text()
    for name, columns in (
        ("edges", tables.EDGE_COLUMNS),
        ("nodes", tables.NODE_COLUMNS),
        ("path", tables.PATH_COLUMNS),
    ):
        section = re.search(rf"### {name}\.csv(.*?)\n###? ", text + "\n## ", re.DOTALL)[1]
        documented = re.findall(r"^\| ([\w., ]+?) \|", section, re.MULTILINE)[1:]
        assert sorted(", ".join(documented).split(", ")) == sorted(columns)


def test_conversion_to_zero_one_parameters():
    """conventions.md: W = 4 J and tau = 2 h - 2 sum J give the same distribution."""
    model = IsingModel([(0, 1), (1, 2)], [0.3, -0.7], [0.2, -0.1, 0.4])
    y = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
    w = 4 * model.couplings
    tau = 2 * model.fields
    np.subtract.at(tau, model.edges.ravel(), 2 * np.repeat(model.couplings, 2))
    weight = y @ tau + (y[:, model.edges[:, 0]] * y[:, model.edges[:, 1]]) @ w
    log_p = weight - np.log(np.exp(weight).sum())
    np.testing.assert_allclose(log_p, model.log_probability(2 * y - 1), rtol=0, atol=1e-12)
