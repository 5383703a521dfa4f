"""Every use of a draw is declared, with the secret that predicts it, in the table of docs/judging-guarantees.md."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from launcher.data_directory import CHECKOUT

#: Functions that draw by a seed.
DRAWS = {"HashDraw", "damage_draw"}
#: The draw of sorts has a root of its own.
SORTING = "ranking.core.sorting"
APPS = (
    *("annotation", "campaign", "demo", "desk", "launcher", "protocols"),
    *("ranking", "whole_campaigns"),
)
_ROW = re.compile(r"^\| (?P<draw>.+?) \| (?P<where>.+?) \| (?P<secret>.+?) \|$")
_PLACE = re.compile(r"`([\w/]+\.py)` \(((?:`\w+`(?:, )?)+)\)")

Place = tuple[str, str]


def declared() -> dict[Place, str]:
    """Return the secret of each function that draws."""
    page = (CHECKOUT / "docs/judging-guarantees.md").read_text(encoding="utf-8")
    section = page.partition("## Draws that judges must not predict")[2]
    secrets = {}
    for line in section.partition("\n## ")[0].splitlines():
        row = _ROW.match(line)
        if row is None:
            continue
        for path, functions in _PLACE.findall(row["where"]):
            for function in re.findall(r"\w+", functions):
                secrets[path, function] = row["secret"]
    return secrets


class Use(NamedTuple):
    """A call that draws, and the function that it is in."""

    place: Place
    function: ast.FunctionDef
    call: ast.Call


@cache
def uses() -> tuple[Use, ...]:
    return tuple(_uses())


def _uses() -> Iterator[Use]:
    for app in APPS:
        for path in sorted((CHECKOUT / app).rglob("*.py")):
            source = path.read_text(encoding="utf-8")
            name = str(path.relative_to(CHECKOUT))
            if not any(word in source for word in (*DRAWS, "sorting")):
                continue
            tree = ast.parse(source)
            names = draws_of(name, tree)
            for function in ast.walk(tree):
                if isinstance(function, ast.FunctionDef):
                    for call in calls_in(function, names):
                        yield Use((name, function.name), function, call)


def draws_of(name: str, tree: ast.AST) -> set[str]:
    """Return the functions that draw in a module, by the names it has for them."""
    names = set(DRAWS)
    if name == f"{SORTING.replace('.', '/')}.py":
        names.add("draw")
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                is_sorting = node.module == SORTING and alias.name == "draw"
                if alias.name in DRAWS or is_sorting:
                    names.add(alias.asname or alias.name)
    return names


def calls_in(function: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(function):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        if node.func.id in names:
            yield node


def test_every_draw_is_declared_with_its_secret() -> None:
    assert {use.place for use in uses()} == set(declared())


def test_no_draw_has_a_public_seed_unless_only_members_see_it() -> None:
    public = set()
    for use in uses():
        seeds = [
            keyword.value for keyword in use.call.keywords if keyword.arg == "seed"
        ]
        for seed in [*seeds, *use.call.args[:1]]:
            if isinstance(seed, ast.Constant):
                public.add(use.place)
    secrets = declared()
    assert {place for place in public if "none needed" not in secrets[place]} == set()


def test_no_seed_defaults_to_a_public_number() -> None:
    """A function that draws has no default seed, with which every campaign would draw alike."""
    defaults = set()
    for use in uses():
        arguments = use.function.args
        named = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        for argument, default in named:
            value = getattr(default, "value", None)
            if argument.arg == "seed" and isinstance(value, int):
                defaults.add(use.place)
    assert defaults == set()
