"""How many mutants tests noticed, by module and by package."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Score:
    """What became of the mutants of one module."""

    module: str
    made: int
    survived: int

    @property
    def noticed(self) -> int:
        """The mutants that a test noticed."""
        return self.made - self.survived


def table(scores: Sequence[Score]) -> str:
    """Return a table in Markdown with a line for each package, and one for all of them."""
    packages: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        packages[str(Path(score.module).parent)].append(score)
    lines = [_line(name, packages[name]) for name in sorted(packages)]
    head = ["| package | modules | mutants | noticed | score |", "|---|--:|--:|--:|--:|"]
    return "\n".join([*head, *lines, _line("all", scores)])


def _line(name: str, scores: Sequence[Score]) -> str:
    made = sum(score.made for score in scores)
    noticed = sum(score.noticed for score in scores)
    share = f"{noticed / made:.0%}" if made else "–"
    return f"| {name} | {len(scores)} | {made} | {noticed} | {share} |"
