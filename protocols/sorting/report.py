"""Report on the progress of a task's sort and the evidence for its order, for page, REST and command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.frame.scale.report import CORRECTION
from protocols.models import SystemSort
from protocols.sorting.files import ComparisonsRead, read_comparisons
from protocols.sorting.sorts import DEFAULTS, MOST, answers_given, sort_decided, verdict_rule
from protocols.sorting.statistics.chain import SortSettings, sort_judged
from protocols.sorting.statistics.merge_insertion import pair_of
from protocols.sorting.statistics.verdicts import VerdictRule
from protocols.sorting.tables import METHODS, SORT, SortFound, SortRead, sort_report
from ranking.analyses.kind import AnalysisKind, Begin, ChosenJudgments
from ranking.analyses.options import RESAMPLES, SEED, Option, OptionError
from ranking.core.beside import orders_beside
from ranking.core.ranges import Correction
from ranking.core.rankings.two_systems import PairJudgments, blocks_of
from ranking.files.sources import ReadingProgress
from ranking.reports.inputs import AnswersOfFiles, Input

TEST = Option(
    name="test",
    label=gettext_lazy("Test"),
    default="normal",
    choices={
        "normal": gettext_lazy("|R| > z · se[R] (as in the paper)"),
        "exact": gettext_lazy("exact sign test"),
    },
    help=gettext_lazy("Test that decides significance between neighbours; both are shown."),
)
ERROR = Option(
    name="error",
    label=gettext_lazy("se[R] accounts for"),
    default="auto",
    choices={
        "auto": gettext_lazy("Segments and judges if judges share segments"),
        "two_way": gettext_lazy("Segments and judges"),
        "judgments": gettext_lazy("Judgments"),
    },
)


#: `docs/commands.md` describes them; 0 and "" mean that an option is not given.
_OF_FILES = (
    Option(name="systems", default=""),
    Option(name="quota", default=0, low=0, high=MOST),
    Option(name="extension", default=DEFAULTS["extension"], low=0, high=MOST),
    Option(name="on_undecided", default="sign", choices={"sign": "", "extend": ""}),
    Option(name="cap", default=0, low=0, high=MOST),
    Option(name="level", default=SortSettings().level, low=0, high=1, is_open=True),
    Option(name="verify", default=False),
    Option(name="beside", default=()),
    RESAMPLES,
    SEED,
)


def _read_files(
    names: Sequence[str],
    options: Mapping[str, Any],
    excluded: Sequence[str],
    progress: ReadingProgress,
) -> SortRead:
    read = read_comparisons(names, exclude_judges=excluded, progress=progress)
    rule = None
    if options["quota"]:
        rule = VerdictRule(
            quota=options["quota"],
            cap=options["cap"] or None,
            **{name: options[name] for name in ("extension", "on_undecided", "test", "level")},
        )
    elif options["on_undecided"] == "extend" or options["cap"]:
        raise OptionError("on_undecided and cap need a quota.", field="quota")
    named = options["systems"]
    return SortRead(
        systems=_names(named) if named else {name for pair in read.judged for name in pair},
        settings=_settings(options, options[SEED.name], rule),
        read=read,
        others=dict(map(_named_order, options["beside"])),
        verify=options["verify"],
    )


def _settings(options: Mapping[str, Any], seed: int, rule: VerdictRule | None) -> SortSettings:
    of_files = {name: options[name] for name in ("level", "resamples") if name in options}
    return SortSettings(
        seed=seed,
        rule=rule,
        test=options[TEST.name],
        correction=Correction(options[CORRECTION.name]),
        error=options[ERROR.name],
        **of_files,
    )


def _named_order(text: str) -> tuple[str, tuple[str, ...]]:
    name, equals, systems = text.partition("=")
    if not name or not equals:
        raise OptionError("Write NAME=A,B,…", field="beside")
    return name, _names(systems)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(","))
    if not all(names):
        raise OptionError("Remove the empty name between commas.", field="systems")
    return names


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, options: Mapping[str, Any]
) -> SortRead:
    sort = (
        SystemSort.objects.filter(task=task, watermark__lte=watermark).order_by("-number").first()
    )
    if sort is None:
        raise ValueError(_("Nothing sorted yet: no comparison has started."))
    without = judgments.without
    rows = list(sort.verdicts.filter(watermark__lte=watermark).order_by("step"))
    decided, answers = sort_decided(sort, rows, watermark=watermark, without=without)
    used = {pair_of(row.winner, row.loser): set(row.judgments) for row in rows}
    used |= {pair: {each.number for each in own} for pair, own in answers.items()}
    given = answers_given(
        task=task,
        watermark=watermark,
        pairs=decided,
        without=without,
        documents=judgments.documents,
    )
    judged, late = {}, {}
    for pair, decision in decided.items():
        counted = [each for each in given.get(pair, ()) if each.number in used[pair]]
        if counted or decision.winner:
            judged[pair] = PairJudgments.of_rows(
                pair, [(each.judge, each.segment, each.answer) for each in counted]
            )
        if decision.winner:
            others = (each for each in given.get(pair, ()) if each.number not in used[pair])
            late[pair] = sum(each.is_current for each in others)
    return SortRead(
        systems=sort.systems,
        settings=_settings(options, sort.seed, verdict_rule(task)),
        decisions=decided,
        late=late,
        last={pair: max(used[pair], default=0) for pair in late},
        read=ComparisonsRead(judged),
    )


def _find(given: Input | AnswersOfFiles, _options: Mapping[str, Any], begin: Begin) -> SortFound:
    begin(_("Sorting"))
    read: SortRead = given.answers
    judged = read.read.judged
    chain = sort_judged(read.systems, judged, read.settings, decisions=read.decisions)
    beside = None
    if chain.order is not None:
        blocks = blocks_of(list(judged.values()), chain.order)
        beside = orders_beside(SORT, chain.order, read.others, blocks=blocks, methods=METHODS)
    return SortFound(read, chain, beside)


ANALYSIS = AnalysisKind(
    name="sorting",
    title=gettext_lazy("Sorting"),
    question=gettext_lazy("How far is the sort, and which neighbours differ significantly?"),
    options=(TEST, ERROR, CORRECTION),
    protocols=frozenset({Protocol.SORTING}),
    read=_read,
    find=_find,
    tell=sort_report,
    read_files=_read_files,
    file_options=_OF_FILES,
)
