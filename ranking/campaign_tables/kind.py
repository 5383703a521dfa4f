"""What a table over the test sets of a campaign is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ranking.analyses.kind import Begin
from ranking.analyses.options import Option, Words, completed
from ranking.campaign_tables.test_sets import TableRow, TableTestSet
from ranking.reports import Report
from ranking.reports.inputs import Input


def _nothing_more(options: Mapping[str, Any]) -> dict[str, Any]:
    return dict(options)


def _never(options: Mapping[str, Any]) -> bool:
    del options
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKind:
    """A kind of table.

    Attributes
    ----------
    name : str
        In addresses, in REST and on the command line.
    title, question : lazy str
    options : sequence of Option
    tell : callable
        ``tell(rows, options)`` puts what was found of each test set in words, those of the language in force.
    find : callable or None
        ``find(test_set, given, options, begin)`` computes what is told of one test set; ValueError, with
        words for organisers, if it cannot be. None where nothing is computed.
    is_live : callable
        ``is_live(options)``: whether the table is of figures and rankings that are stored anyway.
    with_reference : bool
        Whether references count like systems.
    shows_rule : bool
        Whether it shows rankings, and so how far judging is by stopping rules.
    check : callable
        Returns complete options that go together; raises OptionError where they do not.
    """

    name: str
    title: Words
    question: Words
    tell: Callable[[Sequence[TableRow], Mapping[str, Any]], Report]
    options: Sequence[Option] = ()
    find: Callable[[TableTestSet, Input, Mapping[str, Any], Begin], Any] | None = None
    is_live: Callable[[Mapping[str, Any]], bool] = _never
    with_reference: bool = False
    shows_rule: bool = False
    check: Callable[[Mapping[str, Any]], dict[str, Any]] = _nothing_more

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options; raise OptionError where one is unknown, or not allowed."""
        return self.check(completed(self.options, given))
