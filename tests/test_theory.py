"""The table of docs/theory.md names files and tests that exist."""

import ast
import re
from pathlib import Path

import pytest

import isingmap

PACKAGE = Path(isingmap.__file__).parent
TESTS = Path(__file__).parent
THEORY = (TESTS.parent / "docs" / "theory.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([^|]+) \| `([^|`]+)` \| `([^|`]+)` \|$", THEORY, re.MULTILINE)


def functions(path):
    """Names of a file's functions as pytest writes them."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            yield node.name
        elif isinstance(node, ast.ClassDef):
            yield from (f"{node.name}::{inner.name}" for inner in node.body if isinstance(inner, ast.FunctionDef))


def test_every_row_of_the_table_is_read():
    lines = [line for line in THEORY.splitlines() if line.startswith("|") and "`" in line]
    assert len(lines) == len(ROWS) > 40
    assert len({statement for statement, _, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("statement", "file", "test"), ROWS, ids=[row[0] for row in ROWS])
def test_files_and_tests_of_the_table_exist(statement, file, test):
    assert (PACKAGE / file).is_file()
    path, _, name = test.partition("::")
    assert name.split("::")[-1].startswith("test_")
    assert name in functions(TESTS / path)


def test_files_named_in_the_text_exist():
    named = set(re.findall(r"`([a-z_]+/[a-z_/]+\.py)`", THEORY))
    assert [file for file in named if not (PACKAGE / file).is_file()] == []
