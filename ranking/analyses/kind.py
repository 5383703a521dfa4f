"""What an analysis is: of the judgments of a task, or a table over the test sets of a campaign."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from campaign.models import Task
from ranking.analyses.judgments import JUDGMENT_OPTIONS, ChosenJudgments
from ranking.analyses.options import Option, Words, completed
from ranking.reports import Report
from ranking.reports.inputs import Input

#: Called with (done, total) of what is being done.
Progress = Callable[[int, int], None]
#: Names what is done next, and returns what to tell its progress.
Begin = Callable[[str], Progress]


def _nothing_more(options: Mapping[str, Any]) -> dict[str, Any]:
    return dict(options)


def _never(options: Mapping[str, Any]) -> bool:
    del options
    return False


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
    find : callable or None
        ``find(given, options, begin)`` computes the answer; options are complete. It raises ValueError, with
        words for organisers, if these judgments cannot be analysed so. Of a campaign it is called for each test
        set; None where nothing is computed.
    tell : callable
        ``tell(given, options, found)`` puts it in words, those of the language in force; of a campaign
        ``tell(rows, options)``, with a `TableRow` for each test set.
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
        worker keeps it up to date (`ranking.services.analyses`).
    protocols : frozenset of str or None
        Whose tasks it is for; None for all whose judgments compare outputs.
    beside : str
        The option that names the protocol of another task of the test set, whose judgments are looked at, too; how many
        there were is recorded with the question. Empty: there is none.
    of_campaign : bool
        Whether it is of all test sets of a campaign.
    is_live : callable
        ``is_live(options)``: whether a table is of figures and rankings that are stored anyway.
    with_reference : bool
        Whether references count like systems in a table.
    read : callable or None
        ``read(task, watermark, judgments, options)`` reads what answers of the protocol say beside labels, which is then
        the ``answers`` of what is given to `find`. It raises ValueError as `find` does.
    of_files : callable or None
        ``of_files(names, options, excluded, begin)`` tells the answers in files of the protocol, without those of the
        judges `excluded`; None where the protocol's answers, or its files, are read otherwise.
    """

    name: str
    title: Words
    question: Words
    options: Sequence[Option] = ()
    find: Callable[[Input, Mapping[str, Any], Begin], Any] | None = None
    tell: Callable[..., Report]
    check: Callable[[Mapping[str, Any]], dict[str, Any]] = _nothing_more
    needs_work: bool = False
    needs_remarks: bool = False
    shows_rule: bool = False
    needs_beside: bool = False
    stands_for_ranking: bool = False
    protocols: frozenset[str] | None = None
    beside: str = ""
    of_campaign: bool = False
    is_live: Callable[[Mapping[str, Any]], bool] = _never
    with_reference: bool = False
    read: Callable[[Task, int, ChosenJudgments, Mapping[str, Any]], Any] | None = None
    of_files: Callable[[Sequence[str], Mapping[str, Any], Sequence[str], Begin], Report] | None = (
        None
    )

    @property
    def every_option(self) -> tuple[Option, ...]:
        """Its own options, then those of which judgments of a task count."""
        return (*self.options, *(() if self.of_campaign else JUDGMENT_OPTIONS))

    @property
    def is_of_compared_files(self) -> bool:
        """Whether files of judgments that compare outputs say all that it asks."""
        return self.protocols is None and not (self.needs_remarks or self.needs_beside)

    def complete(self, given: Mapping[str, Any], *, of_files: bool = False) -> dict[str, Any]:
        """Return every option; raise OptionError where one is unknown, or not allowed.

        Which judgments in files count is no option: the command's arguments say it.
        """
        values = completed(self.options if of_files else self.every_option, given)
        return {**values, **self.check({each.name: values[each.name] for each in self.options})}


@dataclass(frozen=True, slots=True)
class AnalysisChoice:
    """A complete question: its kind, and all options, those of judgments among them."""

    kind: AnalysisKind
    options: Mapping[str, Any]

    @property
    def is_live(self) -> bool:
        """Whether it is a table of what is stored anyway, so that nothing has to be computed."""
        return self.kind.is_live(self.options)

    @property
    def digest(self) -> str:
        """The same for the same question."""
        return values_digest({"kind": self.kind.name, "options": self.recorded})

    @property
    def recorded(self) -> dict[str, Any]:
        """The options as plain values."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.options.items()
        }


def values_digest(values: Mapping[str, Any]) -> str:
    """Return a digest of plain values."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=True)
    return blake2b(text.encode(), digest_size=16, person=b"quintet-analysis").hexdigest()
