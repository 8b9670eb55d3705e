"""Pipes and standard streams: read from, written into, closed, full."""

import json
import os
import subprocess
import sys
import threading

import pytest

from isingmap import IsingModel
from isingmap.files.reading import read_bytes
from isingmap.io.model_file import read_model_file, write_model_file

pytestmark = pytest.mark.skipif(os.name != "posix", reason="a POSIX shell and its streams")
PROGRAM = f'set -o pipefail; isingmap() {{ {sys.executable} -m isingmap "$@"; }}; '


@pytest.fixture
def shell(tmp_path):
    """Run a line of a shell in which `isingmap` and m.json are at hand; (exit code, stdout, stderr)."""
    IsingModel([(0, 1), (1, 2), (0, 2)], [0.5, -0.25, 1.0], [0.0, 0.25, 0.0]).save(tmp_path / "m.json")

    def run(line: str) -> tuple[int, str, str]:
        found = subprocess.run(
            ["bash", "-c", PROGRAM + line], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert "Traceback" not in found.stderr and "bug" not in found.stderr and "Exception ignored" not in found.stderr
        return found.returncode, found.stdout, found.stderr

    return run


@pytest.mark.parametrize("format", ["isingmap", "bqpjson", "graphml", "coo", "uai", "edges"])
def test_a_pipe_is_read_once_whatever_its_format(format, tmp_path):
    model = IsingModel([(0, 1), (1, 2)], [0.5, -0.25], [0.0, 0.25, 0.5], names=["0", "1", "2"])
    plain, pipe = tmp_path / "plain", tmp_path / "pipe"
    write_model_file(model, plain, format)
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(read_bytes(plain)))
    writer.start()
    given = None if format in ("isingmap", "bqpjson", "uai") else format
    found = read_model_file(pipe, given, domain="spin" if format == "coo" else None).model
    writer.join()
    assert found.couplings.tolist() == pytest.approx([0.5, -0.25])


def test_models_come_through_pipes(shell):
    code, out, _ = shell("cat m.json | isingmap infer /dev/stdin")
    assert code == 0 and "log Z" in out
    assert shell("isingmap infer - < m.json")[1] == out
    code, out, _ = shell("isingmap convert m.json - --to bqpjson | isingmap convert - - --to isingmap --format bqpjson")
    assert code == 0
    assert json.loads(out)["couplings"] == [0.5, -0.25, 1.0]


def test_a_picture_goes_to_standard_output(shell, tmp_path):
    code, out, err = shell("isingmap draw m.json -o m.svg && isingmap draw m.json -o - | cmp m.svg - && echo same")
    assert code == 0, err
    assert "the map of m.json in /dev/stdout" in err and out.endswith("same\n")


def test_tables_come_through_pipes(shell, tmp_path):
    rows = "0,0,0\n1,1,1\n" * 30 + "0,1,1\n1,0,0\n" * 10
    (tmp_path / "t.csv").write_text("x1,x2,x3\n" + rows)
    options = "--constant keep --prior 1 --quiet"
    line = f"isingmap fit t.csv -o one {options} && cat t.csv | isingmap fit - -o two {options}"
    code, _, err = shell(f"{line} && cmp one/edges.csv two/edges.csv")
    assert code == 0, err
    line = "isingmap predict m.json t.csv -o p.csv && cat t.csv | isingmap predict m.json - -o - | cmp p.csv -"
    code, _, err = shell(line)
    assert code == 0 and "80 rows of P(+1) in /dev/stdout" in err


def test_standard_output_holds_the_table_alone(shell):
    code, out, err = shell("isingmap sample m.json -n 5 --seed 1 -o -")
    assert (code, len(out.splitlines())) == (0, 6)
    assert "seed 1" in err
    for line in (
        "isingmap infer m.json -o -",
        "isingmap correlations m.json -o -",
        "isingmap ground-state m.json -o -",
        "isingmap simulate grid --rows 2 --columns 2 -n 3 --burn-in 1 --thin 1 -o -",
    ):
        code, out, _ = shell(line)
        assert code == 0
        assert len({row.count(",") for row in out.splitlines()}) == 1, out


def test_standard_output_that_is_a_file_keeps_what_is_in_it(shell):
    code, out, _ = shell("echo first > t.csv; isingmap sample m.json -n 2 --seed 1 -o - >> t.csv; cat t.csv")
    assert code == 0
    assert out.splitlines()[:2] == ["first", "x1,x2,x3"]


def test_two_files_do_not_go_into_one_stream(shell):
    code, _, err = shell("isingmap convert m.json - --to uai")
    assert code == 2
    assert "comes as two files" in err
    code, _, err = shell("isingmap convert m.json -")
    assert code == 2
    assert "Give --to NAME" in err


def test_closed_streams_are_no_error(shell):
    assert shell("isingmap info m.json >&-") == (0, "", "")
    assert shell("isingmap info m.json <&- >&- 2>&-") == (0, "", "")
    assert shell("isingmap info none.json 2>&-") == (2, "", "")
    assert shell("isingmap none >&- 2>&-") == (2, "", "")
    code, _, err = shell("isingmap sample m.json -n 3 --seed 1 -o - >&-")
    assert code == 2 and "standard output is closed; name a file instead of -" in err
    code, _, err = shell("isingmap simulate grid -n 3 --seed 1 -o t.csv --model t.json >&- && isingmap info t.json")
    assert (code, err) == (0, "")


def test_readers_that_have_enough(shell):
    code, out, err = shell("isingmap info m.json | head -1")
    assert (out, err) == ("Ising model: m.json\n", "")
    code, out, _ = shell("isingmap sample m.json -n 300000 --seed 1 -o - | head -1")
    assert (code, out) == (0, "x1,x2,x3\n")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no full device")
def test_full_streams(shell):
    code, _, err = shell("isingmap info m.json > /dev/full")
    assert (code, err) == (2, "error: the output cannot be written: No space left on device\n")
    code, _, err = shell("export PYTHONUNBUFFERED=; isingmap --version > /dev/full")
    assert (code, err) == (2, "error: the output cannot be written: No space left on device\n")
    code, _, err = shell("isingmap sample m.json -n 3 --seed 1 -o /dev/full")
    assert (code, err) == (2, "error: /dev/full: No space left on device\n")
    assert shell("isingmap info none.json 2> /dev/full")[0] == 2


def test_folders_are_made_and_errors_name_the_file_that_was_asked_for(shell, tmp_path):
    assert shell("isingmap convert m.json new/folder/m.uai && isingmap draw m.json -o new/other/m.svg")[0] == 0
    assert (tmp_path / "new" / "other" / "m.svg").exists()
    with pytest.raises(FileNotFoundError) as caught:
        IsingModel([(0, 1)], [1.0]).save(tmp_path / "none" / "m.json")
    assert caught.value.filename == str(tmp_path / "none" / "m.json")


def test_escapes_in_the_names_of_files_are_written_out(shell):
    """A terminal obeys them, and names of files may come from a stranger's archive."""
    line = "name=$(printf 'a\\033[31mb'); isingmap sample m.json -n 3 --seed 1 -o $name.csv"
    line += " && isingmap convert m.json $name.graphml && isingmap correlations m.json -o $name.tsv"
    code, out, err = shell(line)
    assert code == 0, err
    assert "\x1b" not in out and out.count("a\\x1b[31mb") == 3
