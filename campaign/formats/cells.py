"""Read cells that all judgment files share: ranks, names of systems and judges, and segment numbers."""

import re
from collections.abc import Callable
from functools import partial
from typing import Final, NoReturn

from campaign.formats.errors import FormatError
from campaign.formats.records import MAX_JUDGE_NAME, system_name_problem, unseen_problem
from campaign.formats.tables import integer, is_blank, whole_name

LARGEST_LABEL = 5
_LONGEST_NAME: Final = 1_000

#: Raise the error for (field, problem, remedy), with the file and the line.
Refuse = Callable[[str | None, str, str], NoReturn]

#: Names that begin with the same test set, as newstest2016.alpha+newstest2016.beta.
_JOINED: Final = re.compile(r"([a-z-]+[0-9]{4}\.)[^+]+(\+\1[^+]+)+")


def refuse_at(file: str, line: int | None) -> Refuse:
    """Return a function that raises the error for (field, problem, remedy) at a line; None if the file has no lines."""
    return partial(_refuse, file, line)


def _refuse(
    file: str,
    line: int | None,
    field: str | None,
    problem: str,
    remedy: str,
) -> NoReturn:
    raise FormatError(file, problem, remedy, line=line, field=field)


#: What R writes in place of a missing value.
NOT_AVAILABLE: Final = "NA"


def label_of(text: str, field: str, refuse: Refuse) -> int | None:
    """Read a rank from 1 to 5; None for -1, NA and an empty cell."""
    stripped = text.strip()
    if is_blank(stripped) or stripped == NOT_AVAILABLE:
        return None
    label = integer(stripped, 1)
    if label is None or label > LARGEST_LABEL:
        refuse(
            field,
            f"the rank {stripped!r} is not 1, 2, 3, 4, 5 or -1",
            "give a rank from 1 (best) to 5, or -1 if the judge gave none",
        )
    return label


def systems_of(
    text: str,
    field: str,
    block_systems: set[str],
    refuse: Refuse,
) -> tuple[str, ...]:
    """Read the systems of one candidate, "A,B", and add them to those seen in the block."""
    systems = tuple(_names(text))
    for system in systems:
        problem = system_name_problem(system)
        if problem:
            refuse(
                field,
                problem,
                'write the systems of one candidate as "A,B", none of them empty',
            )
        if system in block_systems:
            refuse(
                field,
                f"the system {system} appears twice in the block",
                "name each system once per block",
            )
        block_systems.add(system)
    return systems


def _names(text: str) -> list[str]:
    """Return the names in a cell; WMT16 joined those of one test set with plus signs, too."""
    names = [name.strip() for name in text.split(",")]
    if "+" in text and len(names) == 1 and _JOINED.fullmatch(names[0]):
        return names[0].split("+")
    return names


def segment_of(text: str, field: str, refuse: Refuse) -> int:
    """Read the number of a segment in the test set, from 1."""
    stripped = text.strip()
    number = integer(stripped, 1)
    if number is None:
        refuse(
            field,
            f"the segment number {stripped!r} is not a whole number of 1 or more",
            "count the segments of the test set from 1",
        )
    return number


def filled(text: str, field: str, refuse: Refuse) -> str:
    """Return a name or a number unchanged; refuse it if it is empty or as long as a text."""
    if not text.strip():
        refuse(field, "the cell is empty", "fill it in")
    if len(text) > _LONGEST_NAME:
        refuse(
            field,
            f"the cell has {len(text):,} characters",
            "write a name or a number",
        )
    return text


def judge_of(text: str, field: str, refuse: Refuse) -> str:
    """Return a judge's pseudonym, a whole number without ".0"; refuse it if it is empty, too long, rounded or not visible."""
    filled(text, field, refuse)
    refuse_rounded(text, field, refuse)
    if len(text) > MAX_JUDGE_NAME:
        refuse(
            field,
            f"the name of the judge is longer than {MAX_JUDGE_NAME} characters",
            "use a shorter pseudonym",
        )
    if problem := unseen_problem(text, "name of the judge"):
        refuse(field, problem, "write the name without that character")
    if "." in text:
        return whole_name(text)
    return text


# Also with the decimal comma of many languages.
_ROUNDED: Final = re.compile(r"[0-9](?:[.,][0-9]+)?[eE]\+[0-9]{2,3}")


def refuse_rounded(text: str, field: str, refuse: Refuse) -> None:
    """Refuse an id as spreadsheets and pandas write long numbers: different ones are then the same."""
    if "+" in text and _ROUNDED.fullmatch(text.strip()):
        refuse(
            field,
            f"the id {text.strip()} is a number that a spreadsheet has rounded",
            "use the file as it was before, or read ids as text",
        )
