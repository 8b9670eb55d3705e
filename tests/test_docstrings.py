"""Whoever may raise an error of the package says so: a `Raises` section that names its class."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path

import pytest

import isingmap
from isingmap import errors

ROOT = Path(isingmap.__file__).parent
# The parts that people call from outside; of two of them only some modules.
PUBLIC = ("model", "learning", "data", "io", "files", "report", "sampling", "datasets")
PUBLIC_MODULES = ("likelihood/fit.py", "structure/learn.py", "structure/problem.py", "structure/options.py")
ERRORS = {name for name, value in vars(errors).items() if inspect.isclass(value) and issubclass(value, Exception)}
CONSTRUCTORS = ("__init__", "__post_init__", "__new__")


def undocumented(source):
    """(function, error) for each public function of a module that raises an error which its docstring does not name.

    An error counts where the function raises it itself or uses a function of the same module that does, unless it
    catches errors of this class, which it then turns into others. What
    constructors raise belongs into the docstring of their class.
    """
    functions = dict(_functions(ast.parse(source)))
    raised = {name: set(_raised(function)) for name, (function, _) in functions.items()}
    used = {name: set(_used(function, name, functions)) for name, (function, _) in functions.items()}
    caught = {name: set(_caught(function)) for name, (function, _) in functions.items()}
    passed_on = True
    while passed_on:
        passed_on = False
        for name in functions:
            more = set().union(*(raised[other] for other in used[name])) - caught[name] - raised[name]
            raised[name] |= more
            passed_on |= bool(more)
    return [
        (name, error)
        for name, (_, docstring) in functions.items()
        if _is_public(name)
        for error in sorted(raised[name] - _documented(docstring))
    ]


def _functions(tree):
    """Qualified name -> (function, docstring that speaks for it)."""
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, (node, ast.get_docstring(node))
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    speaks = node if method.name in CONSTRUCTORS else method
                    yield f"{node.name}.{method.name}", (method, ast.get_docstring(speaks))


def _is_public(name):
    return not any(part.startswith("_") and part not in CONSTRUCTORS for part in name.split("."))


def _raised(function):
    """Errors of the package that stand after `raise`."""
    for node in ast.walk(function):
        if isinstance(node, ast.Raise) and node.exc is not None:
            called = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            if isinstance(called, ast.Name) and called.id in ERRORS:
                yield called.id


def _caught(function):
    """Errors of the package after `except`."""
    for node in ast.walk(function):
        if isinstance(node, ast.ExceptHandler) and node.type is not None:
            yield from (part.id for part in ast.walk(node.type) if isinstance(part, ast.Name) and part.id in ERRORS)


def _used(function, name, functions):
    """Functions of the module that are named in the body of this one; methods where they are read from an object."""
    nodes = [node for statement in function.body for node in ast.walk(statement)]
    own_variables = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    names = {node.id for node in nodes if isinstance(node, ast.Name)} - own_variables
    attributes = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    own = name.rpartition(".")[0]
    for other in functions:
        owner, _, last = other.rpartition(".")
        if last in CONSTRUCTORS:
            is_used = owner in called or (owner == own and "cls" in called)
        elif owner:
            is_used = last in attributes and (owner == own or owner.startswith("_"))
        else:
            is_used = last in names
        if is_used:
            yield other


def _documented(docstring):
    """Classes named in the section `Raises`."""
    section = re.search(r"^Raises\n-+\n(.*?)(?=^\S[^\n]*\n-{3,}$|\Z)", docstring or "", re.MULTILINE | re.DOTALL)
    heads = re.findall(r"^\S.*$", section.group(1), re.MULTILINE) if section else []
    return {word for head in heads for word in re.findall(r"\w+", head)}


def public_files():
    return [path for part in PUBLIC for path in sorted((ROOT / part).rglob("*.py"))] + [
        ROOT / m for m in PUBLIC_MODULES
    ]


def test_all_files_are_there():
    assert all(path.exists() for path in public_files())
    assert all((ROOT / part / "__init__.py").exists() for part in PUBLIC)


@pytest.mark.parametrize("path", public_files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_raises_are_documented(path):
    assert undocumented(path.read_text(encoding="utf-8")) == []


RAISES = """
Raises
------
{}
    When it must.
"""


@pytest.mark.parametrize(
    "source",
    [
        "def ask():\n    {doc}\n    raise DataError('no')",
        "def ask():\n    {doc}\n    return {{1: _refuse}}[1]()\ndef _refuse():\n    raise DataError",
        "def ask():\n    {doc}\n    return _first()\ndef _first():\n    _refuse()\ndef _refuse():\n    raise DataError",
        "class Box:\n    def ask(self):\n        {doc}\n        self._refuse()\n"
        "    def _refuse(self):\n        raise DataError('no')",
        "class Box:\n    {doc}\n    def __post_init__(self):\n        raise DataError('no')",
        "def ask():\n    {doc}\n    return _Box()\nclass _Box:\n    def __init__(self):\n        raise DataError('no')",
    ],
)
def test_an_error_that_nobody_mentions_is_found(source):
    def found(docstring):
        return [error for _, error in undocumented(source.format(doc=repr(docstring)))]

    assert found("Ask.") == found("Ask." + RAISES.format("ModelError")) == ["DataError"]
    assert found("Ask." + RAISES.format("DataError, ModelError")) == []
    assert found("Ask." + RAISES.format("ModelError") + "\nNotes\n-----\nDataError\n") == ["DataError"]
