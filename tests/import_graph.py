"""Which module of a package imports which, read from the source: every import, wherever it stands."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import networkx as nx


def modules(root: Path) -> dict[str, Path]:
    """Module name -> file of the package in the folder `root`."""
    names = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def import_graph(root: Path) -> nx.DiGraph:
    """An arrow from each module to each that it names in an import.

    Those inside functions, those for type checkers only and those by name (`import_module`) count like the others. A
    module that calls `import_module` is taken to import every module of the package that it names in a string, whole
    or, after f"package.{...}", in part.
    """
    files = modules(root)
    graph = nx.DiGraph()
    graph.add_nodes_from(files)
    for module, path in files.items():
        package = module if path.name == "__init__.py" else module.rpartition(".")[0]
        tree = ast.parse(path.read_text(encoding="utf-8"))
        graph.add_edges_from((module, imported) for imported in _imported(tree, package, files))
    return graph


def _imported(tree: ast.AST, package: str, files: Mapping[str, Path]) -> Iterator[str]:
    nodes = list(ast.walk(tree))
    for node in nodes:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in files)
        elif isinstance(node, ast.ImportFrom):
            yield from _imported_from(node, package, files)
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    for prefix in {_fixed_start(node) for node in nodes if isinstance(node, ast.Call) and _imports_by_name(node)}:
        yield from (prefix + text for text in texts if "." in prefix + text and prefix + text in files)


def _imported_from(node: ast.ImportFrom, package: str, files: Mapping[str, Path]) -> Iterator[str]:
    """`from a import b` is an import of the module a.b if there is one, else of a."""
    base = node.module or ""
    if node.level:
        above = package.split(".")[: package.count(".") + 2 - node.level]
        base = ".".join([*above, base] if base else above)
    for alias in node.names:
        whole = f"{base}.{alias.name}"
        if whole in files:
            yield whole
        elif base in files and alias.name != "__version__":  # a constant, there before anything is imported
            yield base


def _imports_by_name(node: ast.Call) -> bool:
    return getattr(node.func, "id", getattr(node.func, "attr", "")) in ("import_module", "__import__")


def _fixed_start(node: ast.Call) -> str:
    """The text "package." of import_module(f"package.{name}"), else nothing."""
    start = node.args[0].values[0] if isinstance(node.args[0], ast.JoinedStr) else None
    return start.value if isinstance(start, ast.Constant) else ""


def circles(graph: nx.DiGraph) -> list[list[str]]:
    """For each knot of modules that import each other a shortest circle in it."""
    found = []
    for knot in nx.strongly_connected_components(graph):
        inside = graph.subgraph(knot)
        if inside.number_of_edges():
            found.append(min(_circles_through_each(inside), key=lambda circle: (len(circle), circle)))
    return sorted(found)


def _circles_through_each(graph: nx.DiGraph) -> Iterator[list[str]]:
    for first, second in graph.edges:
        yield nx.shortest_path(graph, second, first)
