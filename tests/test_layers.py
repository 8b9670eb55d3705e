"""Imports only go down: the layers of docs/architecture.md, checked on the source."""

import ast
from pathlib import Path

import numpy as np
import pytest

import isingmap
from import_graph import circles, import_graph

ROOT = Path(isingmap.__file__).parent

LAYERS = {
    "errors": -1,
    "option": 1,
    "warned": 1,
    "cached": 0,
    "progress": 0,
    "printable": 0,
    "interruption": 0,
    "compiled": 0,
    "holm": 0,
    "notebooks": 0,
    "files": 1,
    "planar": 1,
    "inference": 2,
    "data": 2,
    "model": 3,
    "sampling": 4,
    "likelihood": 4,
    "structure": 5,
    "missing_cells": 6,
    "resampling": 7,
    "selection": 7,
    "uncertainty": 7,
    "learning": 8,
    "checking": 9,
    "comparing": 9,
    "io": 10,
    "report": 10,
    "datasets": 11,
    "plots": 11,
    "cli": 12,
    "__main__": 13,
    "__init__": 13,
}


# Inside a part, a folder or a module of it; the longest name counts. Imports within one of them are free.
SUBLAYERS = {
    "inference": {
        "precision": -1,
        "extended": 0,
        "variance": 0,
        "pfaffian": 0,
        "kac_ward": 0,
        "enumeration": 1,
        "elimination": 1,
        "zero_field": 1,
        "planned_graph": 2,
        "proofs": 2,
        "proofs.tight_joins": 4,
        "proofs.degeneracy": 5,
        "proofs.proof": 6,
        "ground_states": 3,
        "word_solution": 3,
        "word_variance": 4,
        "rungs": 4,
        "samples": 5,
        "cancelling": 5,
        "planar_solution": 6,
        "parts": 6,
        "engine": 7,
    },
    "missing_cells": {
        "parts": 0,
        "start": 1,
        "expectation": 1,
        "information": 2,
        "climb": 2,
        "edge_refits": 3,
        "structural": 3,
    },
    "resampling": {
        "options": 0,
        "resamples": 1,
        "permutations": 2,
        "refit": 2,
        "pairs": 3,
        "finished": 3,
        "run": 4,
        "stability": 4,
    },
    "structure": {
        "criteria": 0,
        "families": 0,
        "search_methods": 0,
        "edge_gain": 0,
        "options": 1,
        "asked_by_name": 1,
        "result": 1,
        "along_path": 2,
        "problem": 2,
        "fixed_graphs": 3,
        "state": 3,
        "edge_losses": 4,
        "moves": 4,
        "checkpoint": 4,
        "audit": 4,
        "searches": 5,
        "compared_families": 6,
        "learn": 7,
    },
}

IMPORTS = import_graph(ROOT)


def part_of(module):
    return module.split(".")[1] if "." in module else "__init__"


def level_in_part(module):
    """The height of a module in its part; the part's own `__init__` stands above all."""
    levels = SUBLAYERS[part_of(module)]
    names = module.split(".")[2:]
    known = [".".join(names[:k]) for k in range(len(names), 0, -1) if ".".join(names[:k]) in levels]
    return (levels[known[0]], known[0]) if known else (np.inf, module)


def test_imports_only_go_down():
    upward = [
        f"{module} imports {imported}"
        for module, imported in IMPORTS.edges
        if part_of(module) != part_of(imported) and LAYERS[part_of(imported)] >= LAYERS[part_of(module)]
    ]
    assert upward == []


@pytest.mark.parametrize("part", SUBLAYERS)
def test_imports_only_go_down_within_a_part(part):
    upward = []
    for module, imported in IMPORTS.edges:
        if part_of(module) == part_of(imported) == part:
            (here, ours), (there, theirs) = level_in_part(module), level_in_part(imported)
            if ours != theirs and there >= here:
                upward.append(f"{module} imports {imported}")
    assert upward == []


def test_no_modules_import_each_other_in_a_circle():
    assert circles(IMPORTS) == []


def test_every_part_and_module_has_a_layer():
    assert {part_of(module) for module in IMPORTS} == set(LAYERS)
    for part, levels in SUBLAYERS.items():
        inside = [module for module in IMPORTS if module.startswith(f"isingmap.{part}.")]
        assert {level_in_part(module)[1] for module in inside} == set(levels)


@pytest.mark.parametrize(
    "source",
    [
        "import box.deep.low",
        "from box.deep import low",
        "from box.deep.low import anything",
        "from . import low",
        "from .low import anything",
        "from ..deep import low",
        "def late():\n    from box.deep import low",
        "if TYPE_CHECKING:\n    from box.deep.low import Anything",
        "importlib.import_module('box.deep.low')",
        "HOMES = {'low': 'box.deep.low'}\ndef late(name):\n    return import_module(HOMES[name])",
        "HOMES = ('low',)\ndef late(name):\n    return import_module(f'box.deep.{name}').thing",
    ],
)
def test_every_import_and_every_circle_is_seen(tmp_path, source):
    deep = tmp_path / "box" / "deep"
    deep.mkdir(parents=True)
    for path, text in ((deep.parent / "__init__.py", ""), (deep / "__init__.py", ""), (deep / "high.py", source)):
        path.write_text(text)
    (deep / "low.py").write_text("import os")
    graph = import_graph(tmp_path / "box")
    assert list(graph.edges) == [("box.deep.high", "box.deep.low")]
    assert circles(graph) == []
    (deep / "low.py").write_text("def late():\n    import box.deep.high")
    assert [set(circle) for circle in circles(import_graph(tmp_path / "box"))] == [{"box.deep.high", "box.deep.low"}]


def test_the_public_names_are_few_and_there():
    assert len(isingmap.__all__) <= 20
    assert all(hasattr(isingmap, name) for name in isingmap.__all__)


HELPERS = {"helper", "inlined", "HELPER"}


def compiled_as(function):
    """The names in a function's decorators; if it is compiled, one of those below."""
    return {
        node.id for decorator in function.decorator_list for node in ast.walk(decorator) if isinstance(node, ast.Name)
    }


def test_only_compiled_functions_call_helpers():
    trees = {path: ast.parse(path.read_text()) for path in ROOT.rglob("*.py")}
    functions = {path: [f for f in ast.walk(tree) if isinstance(f, ast.FunctionDef)] for path, tree in trees.items()}
    helpers = {(path, f.name) for path in trees for f in functions[path] if compiled_as(f) & HELPERS}
    assert len(helpers) > 50
    crashes = []
    for path, tree in trees.items():
        imported = {
            (ROOT.parent / f"{node.module.replace('.', '/')}.py", alias.name)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }
        names = {name for where, name in helpers if where == path or (where, name) in imported}
        for function in functions[path]:
            if not compiled_as(function) & {"kernel", "dividing_kernel", *HELPERS}:
                called = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
                crashes += [f"{path.relative_to(ROOT)}: {function.name} uses {name}" for name in called & names]
    assert crashes == []
