"""What was chosen where something was asked, without what follows from the rest by itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from ranking.analyses import AnalysisKind, Option, OptionError
from ranking.analyses.judgments import EXCLUDED, GROUP, WITHOUT
from ranking.campaign_tables import TableKind
from ranking.pages.analysis_form import said_of
from ranking.reports.tables import plain


def chosen(
    kind: AnalysisKind | TableKind, of: Sequence[Option], choice: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the options of a stored choice that differ from what the others mean, in their order.

    A stored choice has all options written out, those of rank ranges as well that nobody chose.

    Parameters
    ----------
    kind : AnalysisKind or TableKind
    of : sequence of Option
        Those of the kind, and others that choices have.
    choice : mapping
    """
    values = {option.name: choice.get(option.name, option.default) for option in of}
    said = said_of(of, values)
    own = {option.name for option in kind.options}
    complete = {name: value for name, value in values.items() if name in own}
    for name in [each for each in said if each in own]:
        rest = {each: value for each, value in said.items() if each in own and each != name}
        if _means(kind, rest, complete):
            del said[name]
    return said


def is_about_people(choice: Mapping[str, Any]) -> bool:
    """Return whether a stored choice is of some judges.

    Groups are called after teams, and may be one person; and what differs where named judges do not count, or excluded ones
    do, is theirs.
    """
    return bool(
        choice.get(GROUP.name)
        or choice.get(WITHOUT.name)
        or choice.get(EXCLUDED.name, EXCLUDED.default) != EXCLUDED.default
    )


def _means(
    kind: AnalysisKind | TableKind, given: Mapping[str, Any], complete: Mapping[str, Any]
) -> bool:
    """Return whether options mean the same as the complete ones."""
    try:
        return bool(plain(kind.complete(given)) == plain(complete))
    except OptionError:
        return False
