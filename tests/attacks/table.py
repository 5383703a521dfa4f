"""What an attack found, as a plain table."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from tests.benchmarks.web_server import prepare_django, with_services


@dataclass(frozen=True)
class Figure:
    """One figure of an attack.

    Attributes:
        what: what was measured, with its unit.
        now: the figure now.
        limit: what it must be, in words.
        held: whether it is.
    """

    what: str
    now: str
    limit: str
    held: bool


def table_print(attack: str, figures: Sequence[Figure]) -> None:
    """Print the figures of an attack, a row each."""
    rows = [("what", "now", "must be", "held")]
    rows += [(f.what, f.now, f.limit, "yes" if f.held else "NO") for f in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    ]
    sys.stdout.write("\n".join([f"== {attack}", *lines, ""]))
    sys.stdout.flush()


def attack_run(module: str, attack: Callable[[], Sequence[Figure]], **settings: str) -> NoReturn:
    """Run an attack with services of its own; print its table and exit with 1 if it was not held.

    Args:
        module: the program's name, `tests.attacks.…`.
        attack: does it and returns its figures.
        settings: environment variables for the web server and this process.
    """
    with_services(module)
    prepare_django(has_tables=False, STATIC_HASHED="0", **settings)
    figures = attack()
    table_print(module.rpartition(".")[2], figures)
    sys.exit(0 if all(figure.held for figure in figures) else 1)
