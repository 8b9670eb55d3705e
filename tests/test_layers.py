"""Imports only go down: the layers of docs/architecture.md, checked on the source."""

import ast
from pathlib import Path

import isingmap

ROOT = Path(isingmap.__file__).parent

LAYERS = {
    "errors": 0,
    "option": 1,
    "warned": 1,
    "cached": 0,
    "progress": 0,
    "compiled": 0,
    "files": 1,
    "planar": 1,
    "inference": 2,
    "data": 2,
    "model": 3,
    "sampling": 4,
    "likelihood": 4,
    "structure": 5,
    "learning": 6,
    "io": 7,
    "report": 7,
    "datasets": 8,
    "cli": 9,
    "__main__": 10,
    "__init__": 10,
}


def imported_modules(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("isingmap"):
            if node.module == "isingmap":
                yield from (f"isingmap.{alias.name}" for alias in node.names)
            else:
                yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("isingmap"))


def part_of(path):
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def test_imports_only_go_down():
    upward = []
    for path in ROOT.rglob("*.py"):
        here = LAYERS[part_of(path)]
        for module in imported_modules(path):
            parts = module.split(".")
            if len(parts) > 1 and parts[1] in LAYERS:
                same = parts[1] == part_of(path)
                if not same and LAYERS[parts[1]] >= here:
                    upward.append(f"{path.relative_to(ROOT)} imports {module}")
    assert upward == []


def test_every_part_has_a_layer():
    parts = {part_of(path) for path in ROOT.rglob("*.py")}
    assert parts <= set(LAYERS)


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
            if not compiled_as(function) & {"kernel", *HELPERS}:
                called = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
                crashes += [f"{path.relative_to(ROOT)}: {function.name} uses {name}" for name in called & names]
    assert crashes == []
