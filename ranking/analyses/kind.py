"""What an analysis is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from campaign.models import Task
from ranking.analyses.judgments import ChosenJudgments
from ranking.analyses.options import Option, Words, completed
from ranking.reports import Report
from ranking.reports.inputs import Input

#: Called with (done, total) of what is being done.
Progress = Callable[[int, int], None]
#: Names what is done next, and returns what to tell its progress.
Begin = Callable[[str], Progress]


def _nothing_more(options: Mapping[str, Any]) -> dict[str, Any]:
    return dict(options)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisKind:
    """A kind of analysis.

    Attributes
    ----------
    name : str
        In addresses, in REST and on the command line.
    title : lazy str
    question : lazy str
        What it answers, in a sentence.
    options : sequence of Option
        Beside those of which judgments count.
    find : callable
        ``find(given, options, begin)`` computes the answer; options are complete. It raises ValueError, with
        words for organisers, if these judgments cannot be analysed so.
    tell : callable
        ``tell(given, options, found)`` puts it in words, those of the language in force.
    check : callable
        Returns complete options that go together; raises OptionError where they do not.
    needs_work : bool
        Whether it asks how fast judges are; that is recorded with the question.
    needs_remarks : bool
        Whether it asks what judges skipped and commented; that is recorded, too.
    shows_rule : bool
        Whether one might stop judging by its answer. How far judging is by the stopping rule is then recorded, and part
        of the answer.
    needs_beside : bool
        Whether it looks at the other tasks of the test set, too; up to which judgment is recorded with the question, and
        which of them count.
    stands_for_ranking : bool
        Whether its first table says how good systems are where judgments compare none. Dashboards then show it, and a
        worker keeps it up to date (`ranking.services.answers_kept_up`).
    protocols : frozenset of str or None
        Whose tasks it is for; None for all whose judgments compare outputs.
    beside : str
        The option that names the protocol of another task of the test set, whose judgments are looked at, too; how many
        there were is recorded with the question. Empty: there is none.
    read : callable or None
        ``read(task, watermark, judgments, options)`` reads what answers of the protocol say beside labels, which is then
        the ``answers`` of what is given to `find`. It raises ValueError as `find` does.
    """

    name: str
    title: Words
    question: Words
    options: Sequence[Option]
    find: Callable[[Input, Mapping[str, Any], Begin], Any]
    tell: Callable[[Input, Mapping[str, Any], Any], Report]
    check: Callable[[Mapping[str, Any]], dict[str, Any]] = _nothing_more
    needs_work: bool = False
    needs_remarks: bool = False
    shows_rule: bool = False
    needs_beside: bool = False
    stands_for_ranking: bool = False
    protocols: frozenset[str] | None = None
    beside: str = ""
    read: Callable[[Task, int, ChosenJudgments, Mapping[str, Any]], Any] | None = None

    def complete(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all options; raise OptionError where one is unknown, or not allowed."""
        return self.check(completed(self.options, given))
