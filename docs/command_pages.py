"""The directive `commands`: a section for every command of isingmap, written from its parser at build time.

So the page cannot say anything else than `isingmap COMMAND --help`.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from isingmap.cli.main import build_parser


class Commands(SphinxDirective):
    """What every command does, its example, and its options in their groups."""

    def run(self) -> list[nodes.Node]:
        return [command_section(name, parser) for name, parser in commands_of(build_parser()).items()]


def commands_of(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands by name, in the order in which `isingmap --help` lists them."""
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return dict(commands.choices)


def command_section(name: str, parser: argparse.ArgumentParser) -> nodes.section:
    section = nodes.section("", nodes.title("", f"isingmap {name}"), ids=[f"command-{name}"], names=[])
    section += [nodes.paragraph("", paragraph) for paragraph in (parser.description or "").split("\n\n")]
    section += nodes.literal_block("", parser.epilog or "", language="text")
    for group in parser._action_groups:
        if actions := [action for action in group._group_actions if action.dest != "help"]:
            section += nodes.rubric("", group.title or "")
            section += nodes.definition_list("", *(definition(parser, action) for action in actions))
    return section


def definition(parser: argparse.ArgumentParser, action: argparse.Action) -> nodes.definition_list_item:
    term = nodes.term("", "", nodes.literal("", ", ".join(invocations(action))))
    text = " ".join(parser._get_formatter()._expand_help(action).split()) if action.help else ""
    return nodes.definition_list_item("", term, nodes.definition("", nodes.paragraph("", text)))


def invocations(action: argparse.Action) -> Iterator[str]:
    """How the argument is typed: its options with what follows them, or the name of what is given by its place."""
    if action.choices is not None:
        value = "{" + ", ".join(map(str, action.choices)) + "}"
    elif isinstance(action.metavar, tuple):
        value = " ".join(action.metavar)
    else:
        value = action.metavar or action.dest.upper()
    if not action.option_strings:
        yield value
    for option in action.option_strings:
        yield option if action.nargs == 0 else f"{option} {value}"


def setup(app) -> dict[str, bool]:
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True}
