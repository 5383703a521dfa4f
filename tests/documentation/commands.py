"""The commands that exist, and the options of each: what the documentation may name."""

import argparse
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from django.apps import apps
from django.core.management import get_commands, load_command_class

from launcher import __main__ as launcher
from launcher.data_directory import CHECKOUT

#: Django's commands that the documentation may name.
_OF_DJANGO = {
    "check",
    "collectstatic",
    "makemigrations",
    "migrate",
    "sendtestemail",
    "shell",
    "pgtrigger",
}
_LITERAL_OPTION = re.compile(r"[\"'](--[a-z][a-z-]*)[\"'= ]")
_TARGET = re.compile(r"^([a-z][a-z-]*):", re.MULTILINE)


@dataclass(frozen=True)
class NamedCommand:
    """A command in the documentation, with the words that follow its name.

    Attributes
    ----------
    kind : str
        ``management``, ``module`` or ``make``.
    """

    kind: str
    name: str
    arguments: tuple[str, ...]


@cache
def own_options() -> Mapping[str, frozenset[str]]:
    """Return the options of our management commands and of the commands of `quintet`."""
    found: dict[str, frozenset[str]] = {}
    own = {config.name for config in apps.get_app_configs() if _is_ours(config.path)}
    for name, app in get_commands().items():
        if app in own:
            found[name] = _options_of_management(name)
    for name, parser in _subparsers(launcher._parser()):
        found[name] = frozenset(_options(parser)) | found.get(name, frozenset())
    for short, (name, *_rest) in launcher._SHORT.items():
        found[short] = found[name]
    return found


@cache
def management_options() -> Mapping[str, frozenset[str]]:
    """Return the options of these and of Django's commands; `check` is one of each."""
    of_django = {name: _options_of_management(name) for name in _OF_DJANGO}
    both = {
        name: options | own_options().get(name, frozenset())
        for name, options in of_django.items()
    }
    return {**own_options(), **both}


def _options_of_management(name: str) -> frozenset[str]:
    app = get_commands()[name]
    command = load_command_class(app, name) if isinstance(app, str) else app
    return frozenset(_options(command.create_parser("manage.py", name)))


def _is_ours(path: str) -> bool:
    return Path(path).is_relative_to(CHECKOUT) and ".venv" not in path


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    """Yield the options of a parser and its subcommands."""
    yield from (name for action in parser._actions for name in action.option_strings)
    for _name, below in _subparsers(parser):
        yield from _options(below)


def _subparsers(
    parser: argparse.ArgumentParser,
) -> Iterator[tuple[str, argparse.ArgumentParser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from action.choices.items()


@cache
def make_targets() -> frozenset[str]:
    """Return the targets of the Makefile."""
    return frozenset(_TARGET.findall((CHECKOUT / "Makefile").read_text()))


@cache
def module_options(module: str) -> frozenset[str] | None:
    """Return the options that the source of a module or package names; None if there is no such module."""
    if not (CHECKOUT / module.partition(".")[0]).is_dir():
        return None
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return None
    origin = Path(spec.origin)
    files = origin.parent.glob("*.py") if spec.submodule_search_locations else [origin]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files)
    return frozenset(_LITERAL_OPTION.findall(text))


def named_commands(text: str) -> Iterator[NamedCommand]:
    """Yield our commands in a line of a terminal, or in words in code style."""
    for part in re.split(r"\s*(?:&&|\||;|\$\()\s*", text):
        words = part.split()
        while words and re.fullmatch(r"[A-Z_]+=\S*|\$|exec|sh|nice|pipx|run", words[0]):
            words = words[1:]
        yield from _command(words)


def _command(words: list[str]) -> Iterator[NamedCommand]:
    if not words:
        return
    first, *rest = words
    program = first.rpartition("/")[2]
    if first == "make":
        targets = [word for word in rest if re.fullmatch(r"[a-z][a-z-]*", word)]
        yield from (NamedCommand("make", target, ()) for target in targets)
    elif program.startswith("python") and rest[:1] == ["-m"] and rest[1:] != ["…"]:
        yield NamedCommand("module", rest[1], tuple(rest[2:]))
        yield from named_commands(" ".join(rest).partition(" -- ")[2])
    elif program == "quintet" and rest and re.match(r"[a-z]", rest[0]):
        yield NamedCommand("management", rest[0], tuple(rest[1:]))
    elif "manage.py" in (word.rpartition("/")[2] for word in words):
        names = [word.rpartition("/")[2] for word in words]
        following = words[names.index("manage.py") + 1 :]
        if following and re.match(r"[a-z]", following[0]):
            yield NamedCommand("management", following[0], tuple(following[1:]))
    elif first in management_options():
        yield NamedCommand("management", first, tuple(rest))
