"""Bad usage, bad files, bugs: exit codes and messages."""

import argparse
import os
import re
import shlex
import subprocess
import sys
import warnings

import pytest

import isingmap
from isingmap.cli.wording import in_options
from isingmap.errors import DataWarning
from isingmap.io.csv_table import read_table


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fitt", "x.csv"], "invalid choice: 'fitt'"),
        (["fit"], "the following arguments are required: TABLE, -o/--output"),
        (["fit", "x.csv"], "required: -o/--output"),
        (
            ["fit", "x.csv", "-o", "d", "--famly", "partial"],
            "there is no option --famly; did you mean --family?",
        ),
        (["compare", "x.csv", "y.csv", "-o", "d", "--labels"], "there is no option --labels\nsee"),
        (["fit", "x.csv", "y.csv", "-o", "d"], "'y.csv' is one argument too many"),
        (["fit", "x.csv", "-o", "d", "--crit", "bic"], "there is no option --crit"),
        (["fit", "x.csv", "-o", "d", "--family", "ising"], "invalid choice: 'ising'"),
        (["fit", "x.csv", "-o", "d", "--prior", "some"], "expected a number, got 'some'"),
        (["fit", "x.csv", "-o", "d", "--n-edges", "-3"], "expected a whole number, 0 or more, got '-3'"),
        (["simulate", "-n", "3"], "isingmap simulate --help"),
        (["simulate", "grid", "-n", "3"], "required: -o/--output"),
    ],
)
def test_bad_usage(run, arguments, message):
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ") and message in err and "--help" in err


def test_the_first_page_can_be_followed(run, table, tmp_path, monkeypatch):
    """Its commands run as they stand, in its order, and its table is read; the demo has a test of its own."""
    code, page, err = run()
    assert (code, err) == (0, "")
    monkeypatch.chdir(tmp_path)
    demo, *others = [shlex.split(line)[1:] for line in re.findall(r"^  (isingmap .*?)(?:   |$)", page, re.MULTILINE)]
    assert demo == ["demo", "-o", "demo"] and [command[0] for command in others] == ["fit", "infer"]
    assert table == tmp_path / "table.csv"
    assert all(run(*command)[0] == 0 for command in others)
    assert (tmp_path / "map" / re.search(r"open demo/(\S+)", page)[1]).read_text().startswith("<!DOCTYPE html>")
    (tmp_path / "counts.csv").write_text("a,b\n0,2\n1,0\n0,3\n4,1\n" + "0,0\n2,5\n" * 20)
    threshold = re.search(r"Counts are cut in two \((.*?):", page)[1].split()
    assert run("fit", "counts.csv", *threshold, "-o", "counts", "--quiet")[0] == 0
    lines = re.findall(r"^  ([a-z\d]+(?:,[a-z\d]+)+)$", page, re.MULTILINE)
    (tmp_path / "small.csv").write_text("\n".join(lines) + "\n")
    assert len(lines) == 4 and read_table(tmp_path / "small.csv").names == ("tired", "worried", "sleepless")
    options = run("fit", "--help")[1]
    assert "COLUMN=LABEL" in options and "{column" not in options
    assert all(option in options for option in re.findall(r"--[a-z-]+", page) if option != "--help")
    assert max(map(len, page.splitlines())) <= 86


def test_help_and_version(run):
    assert run("--version") == (0, f"isingmap {isingmap.__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0 and all(f"    {name} " in out for name in ("fit", "voteview", "info", "simulate", "demo"))
    for command in ("fit", "voteview", "info", "simulate", "demo"):
        code, out, _ = run(command, "--help")
        assert code == 0 and f"isingmap {command}" in out.partition("example")[2]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no-such.csv"),
        ("", "the file holds no rows"),
        ("a,b\n0,1\n0\n", "line 3 has 1 field, expected 2"),
        ("a,b\n0,1\n2,0\n1,1\n", "column 'a' has"),
        ("a,b\nx,1\ny,0\n", "--positive LABEL"),
        ("a,a\n0,1\n1,0\n", "used more than once: 'a'"),
    ],
)
def test_bad_tables(run, tmp_path, content, message):
    path = tmp_path / "no-such.csv"
    if content is not None:
        path.write_text(content)
    code, out, err = run("fit", path, "-o", tmp_path / "map")
    assert (code, out) == (2, "") and err.startswith("error: ") and message in err
    assert not (tmp_path / "map").exists()


@pytest.mark.parametrize("name", ["--id-column", "--group-column", "--weight-column"])
def test_absent_column(run, table, tmp_path, name):
    code, _, err = run("fit", table, name, "nobody", "-o", tmp_path / "map")
    assert code == 2 and f"there is no column 'nobody' ({name})" in err


def test_options_that_do_not_fit(run, table, tmp_path):
    for option, value, message in (
        ("--prior", "-1", "prior must be a positive number"),
        ("--positive", "7", "'7' occurs in no column"),
        ("--separator", "::", "separator must be one character"),
        ("--node-groups", table, "no column name, group"),
        ("--constant", "keep", "--prior 1"),
    ):
        code, _, err = run("fit", table, option, value, "-o", tmp_path / "map")
        assert code == 2 and message in err
        assert not (tmp_path / "map").exists()


def test_occupied_folder(run, table, tmp_path):
    folder = tmp_path / "map"
    folder.mkdir()
    (folder / "thesis.txt").write_text("precious")
    code, _, err = run("fit", "no-such-table.csv", "-o", folder)
    assert code == 2 and "is not empty (it holds thesis.txt)" in err and "--force" in err
    assert run("fit", table, "-o", folder, "--force", "--quiet") == (0, "", "")
    assert (folder / "thesis.txt").read_text() == "precious" and (folder / "model.json").exists()


def test_output_that_is_a_file(run, table, tmp_path):
    for target in (table, table / "below"):
        code, _, err = run("fit", table, "-o", target, "--force")
        assert code == 2 and "is a file" in err
    assert table.read_text().startswith('"a","b"')


def test_a_bug_asks_for_a_report(run, table, tmp_path, monkeypatch, capsys):
    def broken(*args, **options):
        raise RuntimeError("the cat")

    monkeypatch.setattr("isingmap.report.results.draw_map", broken)
    code, out, err = run("fit", table, "-o", tmp_path / "map")
    assert (code, out) == (1, "") and "RuntimeError: the cat" in err and "--debug" in err
    assert not (tmp_path / "map").exists()
    from isingmap.cli.main import main

    assert main(["fit", str(table), "-o", str(tmp_path / "map"), "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_full_disk_is_not_called_a_bug(run, table, tmp_path, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device", "map.svg")

    monkeypatch.setattr("isingmap.report.results.draw_map", full)
    code, _, err = run("fit", table, "-o", tmp_path / "map")
    assert code == 2 and err == "error: map.svg: No space left on device\n"


def test_warnings_outside_are_untouched(run, table, tmp_path):
    before = (warnings.showwarning, list(warnings.filters))
    run("fit", table, "-o", tmp_path / "map", "--quiet")
    assert (warnings.showwarning, list(warnings.filters)) == before
    with pytest.raises(DataWarning):
        warnings.warn("still an error in tests", DataWarning, stacklevel=1)


def test_messages_speak_of_options():
    assert in_options("Use family=\"partial\"; missing='drop' or prior=1") == (
        "Use --family partial; --missing drop or --prior 1"
    )
    assert in_options("congress= and chamber=. Use separator=' '. (id_column=); force=True, read_histogram") == (
        "--congress and --chamber. Use --separator ' '. (--id-column); --force, --histogram"
    )
    assert in_options("gamma must be a number, got 3") == "--gamma must be a number, got 3"
    assert in_options("n_edges=3, positive={a: b}, checkpoint=/tmp/a-b.npz.") == (
        "--n-edges 3, positive={a: b}, --checkpoint /tmp/a-b.npz."
    )
    assert in_options("name \x1b[0m\nnext line") == "name \\x1b[0m\nnext line"


def subprocess_run(command, **options):
    return subprocess.run([sys.executable, "-m", "isingmap", *command], capture_output=True, timeout=120, **options)


def test_module_and_ascii_terminal(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("é,b\n" + "0,0\n1,1\n" * 30 + "0,1\n1,0\n" * 10, encoding="utf-8")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    done = subprocess_run(["fit", str(path), "-o", str(tmp_path / "map")], env=environment)
    assert (done.returncode, done.stderr) == (0, b"") and b"\\xe9 - b" in done.stdout


@pytest.mark.skipif(os.name != "posix", reason="needs a shell with pipes")
def test_closed_pipe_is_quiet(tmp_path, table, run):
    run("fit", table, "-o", tmp_path / "map")
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "isingmap", "info", str(tmp_path / "map" / "model.json")],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=120,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_repeated_warning_is_printed_once(run, table, tmp_path, monkeypatch):
    def talkative(*args, **options):
        for text in ("prior=1 helps", "prior=1 helps", "another"):
            warnings.warn(text, DataWarning, stacklevel=1)
        warnings.warn("noise of another library", RuntimeWarning, stacklevel=1)
        return ""

    run("fit", table, "-o", tmp_path / "map")
    monkeypatch.setattr("isingmap.report.summary.model_summary", talkative)
    code, out, err = run("info", tmp_path / "map" / "model.json")
    assert (code, out, err) == (0, "", "warning: prior=1 (in Python) helps\nwarning: another\n")


def test_a_switch_of_the_table_is_an_option_without_a_value():
    from isingmap.cli import options
    from isingmap.option import Option

    parser = argparse.ArgumentParser()
    options.add_setting(parser, Option("loud", False, "make noise", "switch", flag="--loud"))
    assert parser.parse_args(["--loud"]).loud is True
    assert parser.parse_args([]).loud is False


@pytest.mark.skipif(sys.platform != "linux", reason="names of files as bytes")
def test_a_file_name_that_is_not_utf_8(tmp_path):
    path = os.fsencode(tmp_path) + b"/\xff.csv"
    with open(path, "wb") as stream:
        stream.write(b"a,b\n" + b"0,0\n1,1\n" * 30 + b"0,1\n1,0\n" * 10)
    done = subprocess_run(["fit", path, "-o", str(tmp_path / "map")])
    assert (done.returncode, done.stderr) == (0, b"") and (tmp_path / "map/model.json").exists()
