"""How often each system beats each other one: the matrix of a published result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.pages.published.reading import Content
from ranking.range_choices import recorded_choice
from ranking.wording.numbers import p_in_figures

#: The largest adjusted p-value of each mark, the strictest first.
MARKS: Final = ((0.01, "‡"), (0.05, "†"), (0.10, "*"))
#: Shares from which a cell is a tone darker.
_TONES: Final = (0.6, 0.7, 0.8)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell: the row's share of decided comparisons with the column.

    `tone` is "ahead-4" where the row wins by far, "behind-4" where the column does, "even" where the two are not
    told apart. `words` say all of it, for who does not see it.
    """

    share: str
    decided: str
    mark: str
    tone: str
    words: str


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A system and its cells, by rank; None on the diagonal."""

    system: str
    cells: Sequence[Cell | None]


def pair_matrix(content: Content) -> list[MatrixRow]:
    """Return the rows of the matrix, best first; none of a single system."""
    pairs = content["ranking"]["pairs"]
    if not pairs:
        return []
    names = [row["system"] for row in content["ranking"]["systems"]]
    by_names = {(pair["better"], pair["worse"]): pair for pair in pairs}
    level = recorded_choice(content["method"]["parameters"]).level
    return [
        MatrixRow(
            system=row,
            cells=[
                None if row == column else _cell(row, column, by_names, level) for column in names
            ],
        )
        for row in names
    ]


def _cell(
    row: str, column: str, pairs: Mapping[tuple[str, str], Mapping[str, Any]], level: float
) -> Cell:
    pair, wins = pairs.get((row, column)), "wins"
    if pair is None:
        pair, wins = pairs.get((column, row)), "losses"
    decided = 0 if pair is None else pair["wins"] + pair["losses"]
    names = {"row": row, "column": column}
    if pair is None or not decided:
        return Cell("–", "0", "", "even", _("%(row)s and %(column)s: not compared") % names)
    share = pair[wins] / decided
    p = pair["adjusted_p"]
    shown = number_format(round(100 * share))
    said = {
        **names,
        "share": shown,
        "decided": number_format(decided),
        "p": _("not estimable yet") if p is None else p_in_figures(p),
    }
    return Cell(
        share=shown,
        decided=number_format(decided),
        mark="" if p is None else mark_of(p),
        tone=_tone(share) if p is not None and p <= level else "even",
        words=_(
            "%(row)s beats %(column)s in %(share)s %% of %(decided)s decided comparisons, "
            "adjusted p %(p)s"
        )
        % said,
    )


def mark_of(p: float) -> str:
    """Return the mark of an adjusted p-value; "" for a large one."""
    return next((mark for most, mark in MARKS if p <= most), "")


def _tone(share: float) -> str:
    """Return the tone of a cell whose systems are told apart; one that hardly wins has the lightest."""
    if share == 0.5:
        return "even"
    ahead = max(share, 1 - share)
    tone = 1 + sum(ahead >= least for least in _TONES)
    return f"ahead-{tone}" if share > 0.5 else f"behind-{tone}"
