"""Analyses of a task and tables over test sets: answers, judges in an answer, and scores of single outputs."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Any, Final, NamedTuple

from django.conf import settings
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import TruncDate
from django.utils.translation import get_language

from annotation.models import (
    Block,
    JudgeTally,
    JudgmentSequence,
    Skip,
    WorkedQuarterHour,
)
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.models import (
    Campaign,
    Document,
    Judge,
    JudgeGroup,
    System,
    SystemKind,
    Task,
)
from ranking.core.beside import OutputScores
from ranking.models import Analysis, LatestRanking
from ranking.models.analysis import AnalysisQuerySet
from ranking.reports import Report
from ranking.reports.analyses.across.agreement import TOTAL
from ranking.reports.analyses.across.rows import (
    NO_JUDGMENT,
    NOT_RANKED,
    ListedSystem,
    TableRow,
    TableTestSet,
    live_test_set,
)
from ranking.reports.analyses.kind import (
    AnalysisChoice,
    AnalysisKind,
    ChosenJudgments,
    ProtocolAnalysis,
    RecordedAnswer,
)
from ranking.reports.analyses.registry import ANALYSES
from ranking.reports.stored import report_in
from ranking.selectors.chosen_judgments import domains_of
from ranking.selectors.dashboards import rule_of_ranking
from ranking.selectors.runs import shared_until

#: Texts of answers, which lists do not show.
ANSWER = ("data", "reports")
#: With more documents than this, users type their names instead of choosing from a list.
_DOCUMENTS_LISTED = 200


@dataclass(frozen=True, slots=True)
class JudgmentsToChoose:
    """Available choices among the judgments of a test set."""

    has_reference: bool = False
    groups: Sequence[str] = ()
    documents: Sequence[str] = ()
    domains: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Answered:
    """The answers to a request. The newest answer is the one with the most judgments, then the latest one.

    Attributes
    ----------
    finished : Analysis or None
        The newest answer.
    pending : Analysis or None
        The newest request for the same choice, if it is newer than the answer.
    last : int
        The number of the last judgment of the test set; for a campaign, the sum over its test sets.
    """

    finished: Analysis | None = None
    pending: Analysis | None = None
    last: int = 0

    @property
    def newer(self) -> int:
        """Number of judgments that are not in the answer."""
        if self.finished is None:
            return 0
        return max(0, self.last - self.finished.watermark)

    @property
    def is_awaited(self) -> bool:
        """True if an answer is being computed."""
        if self.pending is None or self.pending.job is None:
            return False
        return not self.pending.job.has_ended


def analyses_of(*, task: Task) -> dict[str, AnalysisKind]:
    """Return the analyses available for a task, by name, those of its protocol first. At most one query.

    Comparisons of tasks are also available if judges score outputs one at a time.
    """
    compares = judgments_compare(task)
    scores = scores_outputs(task.protocol)
    of_protocol = {}
    others = {}
    for kind in ANALYSES.values():
        if isinstance(kind, ProtocolAnalysis):
            if kind.is_for(task):
                of_protocol[kind.name] = kind
        elif compares or (scores and kind.reads_other_tasks):
            others[kind.name] = kind
    return {**of_protocol, **others}


def judgments_compare(task: Task) -> bool:
    """Return whether judgments of a task compare outputs; all of them may be of single outputs. At most one query.

    The latest ranking has counted them. Before there is one, the blocks that are planned or imported tell; without
    blocks, judgments may compare.
    """
    if not answer_kind_of(task).compares_outputs:
        return False
    blocks = Block.objects.filter(hit__task=OuterRef("pk"))
    rankings = LatestRanking.objects.filter(pk=OuterRef("pk"))
    comparisons, has_blocks, has_several = (
        Task.objects.filter(pk=task.pk)
        .values_list(
            Subquery(rankings.values("result__input__comparisons")),
            Exists(blocks),
            Exists(blocks.filter(outputs__len__gt=1)),
        )
        .get()
    )
    if comparisons is None:
        return has_several or not has_blocks
    return bool(comparisons > 0)


def kind_in_place_of_ranking(*, task: Task) -> AnalysisKind | None:
    """Return the analysis shown instead of a ranking for tasks without comparisons; None if there is none."""
    for kind in ANALYSES.values():
        if not isinstance(kind, ProtocolAnalysis):
            continue
        if kind.stands_for_ranking and kind.is_for(task):
            return kind
    return None


def judgments_to_choose(*, task: Task) -> JudgmentsToChoose:
    """Return the available choices. Four queries."""
    references = task.test_set.systems.filter(kind=SystemKind.REFERENCE)
    documents = Document.objects.filter(test_set_id=task.test_set_id)
    names = documents.order_by("position").values_list("name", flat=True)
    listed = list(names[: _DOCUMENTS_LISTED + 1])
    can_be_chosen = 1 < len(listed) <= _DOCUMENTS_LISTED
    return JudgmentsToChoose(
        has_reference=references.exists(),
        groups=groups_to_choose(campaign_id=task.test_set.campaign_id),
        documents=listed if can_be_chosen else [],
        domains=domains_of(task_id=task.pk),
    )


def groups_to_choose(*, campaign_id: int) -> list[str]:
    """Return the names of the judge groups of a campaign. One query."""
    groups = JudgeGroup.objects.present().filter(campaign=campaign_id).order_by("name")
    return list(groups.values_list("name", flat=True))


def answer_to_share(*, task: Task, kind: AnalysisKind) -> Analysis | None:
    """Return the newest answer with the default options that holders of a link may see, without its content.

    None if there is none. One query.
    """
    choice = AnalysisChoice(kind, kind.complete({}))
    answers = (
        Analysis.objects.of(task.pk).filter(choice_digest=choice.digest).finished()
    )
    until = shared_until(task)
    if until is not None:
        answers = answers.filter(finished_at__lt=until)
    return answers.defer(*ANSWER).order_by("-watermark", "-pk").first()


def answered(
    *,
    task: Task,
    choice_digest: str,
    watermark: int | None = None,
    metrics: Sequence[str] | None = None,
    machines: Sequence[str] | None = None,
) -> Answered:
    """Return the newest answer to a request, on the judgments 1…`watermark` if given. Three queries.

    With `metrics` or `machines`, their digests, answers about others are ignored. The answer's content
    is deferred, because it takes megabytes if there are many judges: see `answer_for_people`; `data` is
    loaded on access.
    """
    requests = Analysis.objects.of(task.pk)
    if watermark is not None:
        requests = requests.filter(watermark=watermark)
    if metrics is not None:
        requests = requests.filter(judgments__metrics=list(metrics))
    if machines is not None:
        requests = requests.filter(of_machines(machines))
    return answered_among(
        requests.order_by("-watermark", "-id"),
        choice_digest,
        last=JudgmentSequence.objects.filter(task=task),
    )


def of_machines(digests: Sequence[str]) -> Q:
    """Return the condition of analyses of these answers of machine judges."""
    if not digests:
        return Q(judgments__machines__isnull=True)
    return Q(judgments__machines=list(digests))


def answered_among(
    requests: AnalysisQuerySet,
    choice_digest: str,
    *,
    last: QuerySet[JudgmentSequence],
) -> Answered:
    """Return the first answer to these requests, and a newer pending one; `last` has the number of judgments."""
    requests = requests.filter(choice_digest=choice_digest)
    requests = requests.select_related("job").defer(*ANSWER)
    newest = requests.first()
    finished = requests.finished().first()
    is_newer = newest is not None and newest != finished
    return Answered(
        finished=finished,
        pending=newest if is_newer else None,
        last=sum(last.values_list("last_number", flat=True)),
    )


def answer_for_people(analysis: Analysis) -> Report:
    """Return a finished answer in the current language, without its data. One query."""
    reports = Analysis.objects.values_list("reports", flat=True).get(pk=analysis.pk)
    return report_in(reports or {}, get_language() or settings.LANGUAGE_CODE)


def requested_analyses(*, task: Task) -> AnalysisQuerySet:
    """Return the analyses requested for a task, newest first, without the answers."""
    requests = Analysis.objects.of(task.pk).select_related("job", "asked_by")
    return requests.defer(*ANSWER).order_by("-id")


def answer_with_data(analysis: Analysis) -> Report:
    """Return a finished answer in the current language, with its data. Two queries."""
    data = Analysis.objects.values_list("data", flat=True).get(pk=analysis.pk)
    return replace(answer_for_people(analysis), data=data or {})


class JudgeInAnswer(NamedTuple):
    """A judge in an answer, with the figures to keep as evidence.

    `kappa`, `low` and `high` are κ with the others, or with `other`; `comparable` is the number of comparison pairs
    behind it, `blocks` the number of blocks that count, `rules` the outlier rules the judge meets, and `below` the
    number of the judge's pairs below the band.
    """

    judge: str
    stands_out: bool
    figures: dict[str, Any]

    @property
    def sort_key(self) -> tuple[bool, float, str]:
        """Outliers first, then by κ."""
        return (not self.stands_out, self.figures.get("kappa", 2.0), self.judge)


def _judge_in_answer(
    judge: str,
    *,
    stands_out: bool,
    below: int = 0,
    **figures: Any,
) -> JudgeInAnswer:
    evidence = {
        name: value for name, value in figures.items() if value not in (None, ())
    }
    evidence["below"] = below
    evidence["stands_out"] = stands_out
    return JudgeInAnswer(judge, stands_out, evidence)


def judges_in_answer(analysis: Analysis) -> list[JudgeInAnswer]:
    """Return the judges in an answer, outliers first; none for kinds of analyses without judges."""
    read = _READERS.get(analysis.kind)
    data = analysis.data
    if read is None or data is None:
        return []
    return sorted(read(data), key=attrgetter("sort_key"))


def evidence_of(analysis: Analysis, judges: list[str]) -> dict[str, dict[str, Any]]:
    """Return the evidence for an action on these judges: the answer, and its figures for each of them."""
    figures = {row.judge: row.figures for row in judges_in_answer(analysis)}
    evidence = {}
    for name in judges:
        evidence[name] = {
            "id": analysis.pk,
            "kind": analysis.kind,
            "watermark": analysis.watermark,
            "figures": figures.get(name, {}),
        }
    return evidence


def _kappa(agreement: Mapping[str, Any]) -> dict[str, Any]:
    return {name: agreement[name] for name in ("kappa", "low", "high", "comparable")}


def _judges_in_diagnosis(data: dict[str, Any]) -> list[JudgeInAnswer]:
    rules: dict[str, list[str]] = defaultdict(list)
    for rule in data["outliers"]:
        for name in rule["outliers"]:
            rules[name].append(rule["rule"])
    judges = []
    for row in data["judges"]:
        name = row["judge"]
        judge = _judge_in_answer(
            name,
            blocks=row["blocks"],
            **_kappa(row["agreement"]),
            rules=tuple(rules.get(name, ())),
            stands_out=name in rules,
        )
        judges.append(judge)
    return judges


def _judges_in_pairs(data: dict[str, Any]) -> list[JudgeInAnswer]:
    """Return each judge with their pair farthest below the band, otherwise their first pair listed."""
    first_pair: dict[str, dict[str, Any]] = {}
    below = Counter[str]()
    # Pairs outside the band come first, farthest first.
    for row in sorted(data["pairs"], key=_is_in_band):
        for name in row["pair"]["judges"]:
            first_pair.setdefault(name, row["pair"])
            below[name] += not _is_in_band(row)
    judges = []
    for name, pair in first_pair.items():
        one, other = pair["judges"]
        judge = _judge_in_answer(
            name,
            **_kappa(pair),
            other=other if name == one else one,
            below=below[name],
            stands_out=below[name] > 0,
        )
        judges.append(judge)
    return judges


def _is_in_band(row: Mapping[str, Any]) -> bool:
    """Return whether a pair of judges in an answer is not below the band."""
    return bool(row["beside"] >= 0)


def _left_out_judges(data: dict[str, Any]) -> list[JudgeInAnswer]:
    judges = data["left_out"].items()
    return [
        _judge_in_answer(name, blocks=blocks, stands_out=True)
        for name, blocks in judges
    ]


_READERS: Final = {
    "judges": _judges_in_diagnosis,
    "judge_pairs": _judges_in_pairs,
    "without": _left_out_judges,
}


#: Called with a task, a watermark and the selection of judgments; returns None if there are no scores.
ScoresReader = Callable[[Task, int, ChosenJudgments], OutputScores | None]
#: Called like `ScoresReader`; yields judge, system, segment number and the errors that the judge marked, as EvalSet folders
#: write them.
ErrorsReader = Callable[
    [Task, int, ChosenJudgments],
    Iterator[tuple[str, str, int, list[dict[str, Any]]]],
]
#: Called with a task, the selection of judgments and answers; returns None if they have no scores.
AnswerScoresReader = Callable[
    [Task, ChosenJudgments, Iterable[RecordedAnswer]],
    OutputScores | None,
]
#: Readers of scores and of error spans by protocol, added in `AppConfig.ready`.
SCORE_READERS: Final[dict[str, ScoresReader]] = {}
ANSWER_SCORE_READERS: Final[dict[str, AnswerScoresReader]] = {}
ERROR_READERS: Final[dict[str, ErrorsReader]] = {}


def scores_outputs(protocol: str) -> bool:
    """Return whether answers of a protocol score outputs individually."""
    return protocol in SCORE_READERS


def output_scores(
    *,
    task: Task,
    watermark: int,
    chosen: ChosenJudgments,
) -> OutputScores | None:
    """Return the scores of a task; None if it has none, or its protocol has no scores."""
    read = SCORE_READERS.get(task.protocol)
    if read is None:
        return None
    return read(task, watermark, chosen)


def table_answer(
    *,
    campaign: Campaign,
    choice: AnalysisChoice,
) -> tuple[Report | None, Answered]:
    """Return a table in the current language, if there is one, and the state of stored answers.

    Tables computed from stored figures are not stored themselves. At most eight queries, whose cost does not grow with
    judgments.
    """
    if choice.is_live:
        rows = live_rows(campaign=campaign, kind=choice.kind)
        return choice.kind.tell(rows, choice.options), Answered()
    stored = answered_among(
        Analysis.objects.of_campaign(campaign.pk).order_by("-id"),
        choice.digest,
        last=JudgmentSequence.objects.filter(task__test_set__campaign=campaign),
    )
    if stored.finished is None:
        return None, stored
    return answer_with_data(stored.finished), stored


def table_tasks(*, campaign: Campaign) -> list[TableTestSet]:
    """Return the test sets of a campaign in order of creation, at their latest watermarks. Two queries."""
    systems = defaultdict(list)
    for row in System.objects.filter(test_set__campaign=campaign).order_by("name"):
        listed = ListedSystem(name=row.name, kind=row.kind, constrained=row.constrained)
        systems[row.test_set_id].append(listed)
    tasks = Task.objects.of(campaign).named()
    numbered = tasks.annotate(last=F("judgment_sequence__last_number"))
    rows: Any = numbered.order_by("test_set__created_at", "test_set", "pk")
    listed_tasks = []
    for task in rows:
        listed_task = TableTestSet(
            pk=task.pk,
            name=task.test_set.name,
            source=task.test_set.source_language,
            target=task.test_set.target_language,
            is_closed=task.closed_at is not None,
            systems=tuple(systems[task.test_set_id]),
            watermark=task.last or 0,
            protocol=task.protocol if task.is_one_of_several else "",
            rules=task.rules if task.is_one_of_several else {},
        )
        listed_tasks.append(listed_task)
    return listed_tasks


def blocks_skipped(*, task: Task, without: Sequence[str]) -> int:
    """Return the number of blocks that judges, except these, skipped and did not rank later. One query."""
    skips = Skip.objects.standing().filter(task=task, block__control="")
    return skips.exclude(judge__pseudonym__in=without).count()


def live_rows(*, campaign: Campaign, kind: AnalysisKind) -> list[TableRow[Any]]:
    """Return the rows of a table of stored figures. At most seven queries."""
    tasks = table_tasks(campaign=campaign)
    if kind.name == "collected":
        return _collected_rows(campaign, tasks)
    return _ranking_rows(campaign, tasks)


def _ranking_rows(
    campaign: Campaign,
    tasks: Sequence[TableTestSet],
) -> list[TableRow[Any]]:
    """Return a row for each task with its latest ranking, or the reason for having none."""
    latest = LatestRanking.objects.filter(task__test_set__campaign=campaign).in_bulk()
    rows: list[TableRow[Any]] = []
    for task in tasks:
        ranking = latest.get(task.pk)
        if ranking is not None:
            at_ranking = replace(task, watermark=ranking.watermark)
            rule = rule_of_ranking(ranking)
            rows.append(TableRow(at_ranking, live_test_set(ranking), rule=rule))
            continue
        reason = NOT_RANKED if task.watermark else NO_JUDGMENT
        rows.append(TableRow(replace(task, watermark=0), None, reason))
    return rows


def _collected_rows(
    campaign: Campaign,
    tasks: Sequence[TableTestSet],
) -> list[TableRow[Any]]:
    of_campaign = {"task__test_set__campaign": campaign}
    sequences = JudgmentSequence.objects.filter(**of_campaign)
    counted = {}
    for sequence in sequences.values("task_id", *_COUNTED):
        counted[sequence["task_id"]] = sequence
    quarters = WorkedQuarterHour.objects.filter(
        **of_campaign,
        judge__origin=Judge.Origin.PERSON,
    ).order_by()
    worked = dict(quarters.values_list("task").annotate(Sum("active_ms")))
    judged = quarters.filter(judged__gt=0).annotate(day=TruncDate("start"))
    # One row per test set and day, not per judgment.
    task_days = list(judged.values_list("task", "day").distinct())
    days_by_task = Counter(task for task, _day in task_days)
    rankings = LatestRanking.objects.filter(**of_campaign).in_bulk()
    rows = []
    for task in tasks:
        counts = counted.get(task.pk, dict.fromkeys(_COUNTED, 0))
        figures: dict[str, Any] = {
            "judges": counts["judges"],
            "blocks": counts["judged"],
            "skipped": counts["skipped"],
            "active_ms": worked.get(task.pk, 0),
            "days": days_by_task[task.pk],
            **_counted_by_ranking(rankings.get(task.pk)),
        }
        rows.append(TableRow(task, figures))
    # Count each judge and day of the campaign once.
    judges = JudgeTally.objects.filter(**of_campaign, judged__gt=0)
    total: dict[str, Any] = {}
    for name in _OF_TASKS:
        total[name] = _sum_known_values(row.computed[name] for row in rows) or 0
    for name in _OF_RANKINGS:
        total[name] = _sum_known_values(row.computed[name] for row in rows)
    total["judges"] = judges.aggregate(count=Count("judge", distinct=True))["count"]
    total["days"] = len({day for _task, day in task_days})
    total["counted_to"] = 0
    nobody = TableTestSet(
        pk=TOTAL,
        name="",
        source="",
        target="",
        is_closed=False,
        systems=(),
        watermark=0,
    )
    return [*rows, TableRow(nobody, total)]


def _counted_by_ranking(ranking: LatestRanking | None) -> dict[str, int | None]:
    """Return the figures in the latest ranking of a task."""
    if ranking is None:
        return {**dict.fromkeys(_OF_RANKINGS), "counted_to": 0}
    counted = ranking.result["input"]
    return {
        "comparisons": counted.get("comparisons"),
        "ties": counted.get("ties"),
        "segments": counted.get("segments"),
        "collapsed": ranking.result["agreement"]["comparisons"],
        "counted_blocks": counted.get("blocks"),
        "counted_systems": counted.get("systems"),
        "counted_to": ranking.watermark,
    }


_COUNTED = ("judges", "judged", "skipped")
_OF_TASKS = ("blocks", "skipped", "active_ms")
#: Figures of the latest ranking; None before there is one.
_OF_RANKINGS = (
    "comparisons",
    "ties",
    "segments",
    "collapsed",
    "counted_blocks",
    "counted_systems",
)


def _sum_known_values(values: Iterable[int | None]) -> int | None:
    numbers = [value for value in values if value is not None]
    if numbers:
        return sum(numbers)
    return None


def systems_of_tasks(*, campaign: Campaign) -> dict[int, dict[str, System]]:
    """Return the systems of each test set of a campaign by name. One query."""
    systems: Any = System.objects.filter(test_set__campaign=campaign)
    by_task: dict[int, dict[str, System]] = defaultdict(dict)
    for system in systems.annotate(task=F("test_set__tasks")).order_by():
        by_task[system.task][system.name] = system
    return by_task


def linked_tasks(*, campaign: Campaign) -> list[tuple[int, str]]:
    """Return the test sets of a campaign, for links to their own pages. One query."""
    tasks = Task.objects.filter(test_set__campaign=campaign)
    in_order = tasks.order_by("created_at", "pk")
    return list(in_order.values_list("pk", "test_set__name"))
