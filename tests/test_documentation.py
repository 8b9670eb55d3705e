"""Every snippet of every page runs: commands and Python, in the order of the page, on small tables."""

import ast
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from isingmap import PlanarIsing, datasets
from isingmap.cli import demo
from isingmap.cli.main import main
from isingmap.datasets import load_senate106, senate106
from isingmap.report import check_results, comparison_results, plots, results

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(str(page.relative_to(ROOT)) for page in (ROOT / "docs").rglob("*.md"))
BLOCK = re.compile(r"^```(bash|python)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# What sets up a machine is run by .ci/run or by nobody; the rest of a page does not need it.
SET_UP = (
    "python -m venv",
    "git clone",
    ".venv/bin/",
    "cd ",
    "find src",
    "pip install",
    "python examples",
    "python bench",
)
# Enough to see that a command works; the number given last counts.
SMALL = {
    "stability": ["--n-resamples", "3", "--n-jobs", "1"],
    "compare": ["--n-permutations", "3", "--n-jobs", "1"],
    "check": ["--n-tables", "19"],
}
SEARCHING = ("fit", "stability", "voteview", "demo")
FEW = ["KENNEDY", "KERRY", "HATCH", "BENNETT", "COLLINS", "SNOWE", "LEVIN"]


def blocks(page: str) -> list[tuple[str, str]]:
    """(language, text) of the snippets of a page."""
    return BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))


def answers(n_rows, n_columns, seed):
    """-1 and +1; each column takes after the one before."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-1, 1], (n_rows, n_columns))
    for j in range(1, n_columns):
        x[:, j] = np.where(rng.random(n_rows) < 0.7, x[:, j - 1], x[:, j])
    return x


def write_survey(path, *, gaps=0.0, seed=0, sex=False, row="respondent"):
    rng = np.random.default_rng(seed)
    lines = [",".join([row, "dreams", "flashbacks", "upset", "avoids", *(["sex"] if sex else [])])]
    for k, spins in enumerate(answers(120, 4, seed)):
        cells = ["" if rng.random() < gaps else ("no", "yes")[(spin + 1) // 2] for spin in spins]
        lines.append(",".join([f"r{k}", *cells, *([("f", "m")[k % 2]] if sex else [])]))
    path.write_text("\n".join(lines) + "\n")


def write_voteview(folder):
    """Roll calls of five members in Voteview's two files of a chamber."""
    x = answers(40, 5, 3)
    codes = {1: 1, -1: 6}
    votes = [f"111,Senate,{roll + 1},{100 + j},{codes[x[roll, j]]},99.0" for roll in range(40) for j in range(5)]
    (folder / "S111_votes.csv").write_text("\n".join(["congress,chamber,rollnumber,icpsr,cast_code,prob", *votes]))
    members = [f'111,Senate,{100 + j},ME,{(100, 200)[j % 2]},"NAME{j}, First"' for j in range(5)]
    heads = "congress,chamber,icpsr,state_abbrev,party_code,bioname"
    (folder / "S111_members.csv").write_text("\n".join([heads, *members]))


def write_species(folder):
    """Counts, the same with species and with sites as rows."""
    counts = np.maximum(answers(40, 4, 7), 0) * np.arange(1, 41)[:, None]
    names = ["oak", "ash", "elm", "fir"]
    rows = [["site", *names], *([f"site{k}", *row] for k, row in enumerate(counts.tolist()))]
    for name, lines in (("sites", rows), ("species", [["species", *rows[0][1:]], *rows[1:]])):
        cells = lines if name == "sites" else zip(*lines, strict=True)
        (folder / f"{name}.csv").write_text("\n".join(",".join(map(str, line)) for line in cells))


def write_members(folder):
    """Thirty votes of twelve members, one of which was not cast."""
    votes = np.random.default_rng(11).integers(0, 2, (12, 30))
    votes[::2] = np.where(np.random.default_rng(9).random((6, 30)) < 0.5, votes[1::2], votes[::2])
    lines = [",".join(["member", "party", *(f"vote{k}" for k in range(30))])]
    for k, row in enumerate(votes.tolist()):
        lines.append(",".join([f"m{k}", "DR"[k % 2], *map(str, row[:-1]), "" if k == 4 else str(row[-1])]))
    (folder / "members.csv").write_text("\n".join(lines))


def write_files(folder, page):
    """What the snippets of a page read and do not write themselves."""
    text = "\n".join(text for _, text in blocks(page))
    gaps = 0.05 if page.endswith(("missing_cells.md", "symptoms.md")) else 0.0
    write_survey(folder / "survey.csv", gaps=gaps, sex="--split-by sex" in text)
    for k, name in enumerate(("women", "men", "before", "after")):
        write_survey(folder / f"{name}.csv", seed=k + 1, row="respondent" if k < 2 else "person")
    write_voteview(folder)
    write_species(folder)
    write_members(folder)
    if "survey-map" in text and "-o survey-map" not in text:
        write_survey(folder / "whole.csv")
        run_command("isingmap fit whole.csv --id-column respondent -o survey-map")


def run_command(line: str) -> None:
    arguments = shlex.split(line, comments=True)[1:]
    if "--split-by" in arguments:
        arguments += SMALL["compare"]
    elif arguments[0] in SEARCHING and not {"--graph", "--search", "--resamples"} & set(arguments):
        arguments += ["--restarts", "0"]
    if "-o" in arguments:
        shutil.rmtree(arguments[arguments.index("-o") + 1], ignore_errors=True)
    assert main([*arguments, *SMALL.get(arguments[0], [])]) == 0, line


def run_bash(text: str) -> None:
    for line in text.replace("\\\n", " ").splitlines():
        if line.startswith("isingmap "):
            run_command(line)
        elif line.strip() and not line.startswith(SET_UP):
            subprocess.run(["bash", "-c", line], check=True)


@pytest.fixture(scope="module")
def senate():
    return load_senate106()


@pytest.fixture
def small(monkeypatch, senate):
    """The demo has seven senators; pictures are not drawn, which takes longer than all else."""
    monkeypatch.setattr(datasets, "load_senate106", lambda: senate)
    monkeypatch.setattr(senate106, "load_senate106", lambda: senate.select(FEW))
    for module in (plots, results, comparison_results, check_results):
        monkeypatch.setattr(module, "write_figure", lambda paths, draw: [path.write_text("<svg/>") for path in paths])


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.filterwarnings("ignore::isingmap.errors.IsingMapWarning")
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)])
def test_snippets_run(page, tmp_path, monkeypatch, small):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, page)
    names: dict = {"__name__": page, "chunks": np.array_split(answers(200, 4, 5), 3)}
    for language, text in blocks(page):
        if language == "bash":
            if ".venv/bin/isingmap demo" in text:
                run_command("isingmap demo -o demo")
            run_bash(text)
        else:
            exec(compile(text, page, "exec"), names)


def texts_of_the_package() -> str:
    """Every text in the source of the package; where a value is put in, a gap."""
    found = []
    for path in (ROOT / "src" / "isingmap").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr):
                found.append(
                    "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
                )
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                found.append(node.value)
    return "\n".join(found)


def test_messages_that_are_explained_exist():
    rows = re.findall(r"^\| (`.*?) \| .* \| .*\|$", (ROOT / "docs" / "messages.md").read_text(), re.MULTILINE)
    quoted = [text for row in rows for text in re.findall(r"`(.+?)`", row)]
    package = texts_of_the_package()
    assert len(quoted) > 70
    assert [text for text in quoted if text not in package] == []


@pytest.mark.parametrize("search", ["chow-liu", "tmfg", "pmfg"])
def test_figures_of_the_senate_are_those_of_today(search):
    """The quick rows of the table of docs/choosing.md: edges and BIC."""
    table = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    found = re.search(rf"\| `--search {search}` \| (\d+) \| (\d+) (\d+) \|", table)
    assert found is not None
    result = PlanarIsing(search=search, missing="minus").fit(demo._frequent_voters()).result_
    assert (result.model.n_edges, round(result.bic)) == (int(found[1]), int(found[2] + found[3]))


def test_the_tutorial_says_of_the_coding_what_the_summary_says():
    told = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    for coding in set(demo._frequent_voters().codings):
        assert f"+1 is {coding.positive}, -1 is {coding.negative}" in told
