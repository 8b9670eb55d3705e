"""The R lines of the documentation read what isingmap writes, whatever the variables are called."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from hostile_names import LABELS, NAMES
from isingmap import IsingModel
from isingmap.io.model_file import write_model_file

LINES = re.findall(
    r"```r\n(.*?)```", (Path(__file__).parents[2] / "docs" / "interchange.md").read_text("utf-8"), re.DOTALL
)
# R makes \n of \r, and does not know \x1b written out.
HELD = [name for name in LABELS + NAMES if name == name.strip() and not {"\r", "\x1b", "\\"} & set(name)]
# Counted in bytes, so that nothing is lost on the way back.
SAY = """
say <- function(name, texts) {
  out <- file(name, "wb")
  writeBin(unlist(lapply(enc2utf8(texts), function(x) c(charToRaw(x), as.raw(0)))), out)
  close(out)
}
"""


def run_r(script: str, folder: Path, package: str) -> None:
    """Run a script in a folder; skip where R or the package is not there."""
    if shutil.which("Rscript") is None:
        pytest.skip("R is not installed (no Rscript on the path)")
    asked = subprocess.run(["Rscript", "-e", f"find.package('{package}')"], capture_output=True)
    if asked.returncode:
        pytest.skip(f"the R package {package} is not installed")
    (folder / "script.R").write_text(SAY + script, encoding="utf-8")
    told = {"cwd": folder, "env": os.environ | {"LC_ALL": "C.UTF-8"}}  # igraph itself reads GraphML by the locale
    done = subprocess.run(["Rscript", "script.R"], capture_output=True, text=True, check=False, **told)
    assert done.returncode == 0, done.stderr


def said(path: Path) -> list[str]:
    return path.read_bytes().decode().split("\0")[:-1]


@pytest.fixture
def model(tmp_path):
    couplings = np.linspace(-1, 1, len(HELD) - 1)
    model = IsingModel([(k, k + 1) for k in range(len(HELD) - 1)], couplings, names=HELD)
    (tmp_path / "map").mkdir()
    write_model_file(model, tmp_path / "map" / "edges.csv")
    write_model_file(model, tmp_path / "map.matrix.csv")
    return model


def test_edges_in_igraph(tmp_path, model):
    ask = """
    say("names", igraph::V(map)$name)
    say("pairs", t(igraph::as_edgelist(map)))
    say("numbers", sprintf("%.17g", igraph::E(map)$coupling))
    """
    run_r(LINES[0] + ask, tmp_path, "igraph")
    assert said(tmp_path / "names") == HELD
    assert said(tmp_path / "pairs") == [end for pair in model.edge_names for end in pair]
    assert [float(number) for number in said(tmp_path / "numbers")] == model.couplings.tolist()


def test_graphml_in_igraph(tmp_path, model):
    write_model_file(model, tmp_path / "map.graphml")
    ask = """
    map <- igraph::read_graph("map.graphml", format = "graphml")
    say("names", igraph::V(map)$label)
    say("numbers", sprintf("%.17g", igraph::E(map)$coupling))
    """
    run_r(ask, tmp_path, "igraph")
    assert said(tmp_path / "names") == HELD
    assert [float(number) for number in said(tmp_path / "numbers")] == model.couplings.tolist()


def test_matrix_in_qgraph(tmp_path, model):
    ask = """
    say("names", rownames(J))
    say("numbers", sprintf("%.17g", J[cbind(2:nrow(J), 2:nrow(J) - 1)]))
    say("edges", format(length(picture$Edgelist$weight)))
    """
    run_r(LINES[0].split("\n\n")[0] + "\n" + LINES[1] + ask, tmp_path, "qgraph")
    assert said(tmp_path / "names") == HELD
    assert [float(number) for number in said(tmp_path / "numbers")] == model.couplings.tolist()
    assert said(tmp_path / "edges") == [str(np.count_nonzero(model.couplings))]
