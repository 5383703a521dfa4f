"""Rankings and their settings: the current and the kept ones, test sets to rank, and excluded judges."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import combinations
from typing import Any, NamedTuple

from django.contrib.postgres.functions import TransactionNow
from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from annotation.models import Design, JudgeTally, JudgmentSequence
from annotation.selectors.judges import excluded_judges_by_campaign
from campaign.models import CampaignState, GroupMember, System, SystemKind, Task, User
from ranking.core.ranges import ComparedPair, Correction, corrected_pairs
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.records import (
    RankedRow,
    RecordedRule,
    RuleMet,
    RunParameters,
)
from ranking.models import LatestRanking, RankingRun, RankingSettings, StoppingRule
from ranking.reports.range_choices import ToldApart, count_told_apart
from ranking.reports.wording.ranges import count_clusters, rows_by_group, systems_of
from ranking.reports.wording.stopping_rules import RuleState, rule_state
from version import code_version


def latest_run(*, task_id: int) -> RankingRun | None:
    """Return the current ranking of a test set; it has no primary key unless it is kept."""
    latest = LatestRanking.objects.filter(pk=task_id).first()
    if latest:
        return latest.as_run()
    return None


def run_to_share(*, task: Task) -> RankingRun | None:
    """Return the ranking of a task that holders of a link may see; None if there is none yet.

    While judging is open, it is that of the day before (UTC): a judge who sees scores change after a block
    would know which system wrote which output.
    """
    run = latest_run(task_id=task.pk)
    until = shared_until(task)
    if run is None or until is None or run.finished_at < until:
        return run
    earlier_runs = RankingRun.objects.filter(task=task, finished_at__lt=until)
    return earlier_runs.order_by("-watermark", "-pk").first()


def shared_until(task: Task) -> datetime | None:
    """Return the time before which results are shared while judging is open; None if all are."""
    if task.state != CampaignState.OPEN:
        return None
    now = timezone.now().astimezone(UTC)
    return now.replace(hour=0, minute=0, second=0, microsecond=0)


def latest_version(*, user: User, task_id: int) -> str | None:
    """Return a value that changes with each new ranking of a task and with the code.

    None without a ranking, or if the user is not a member of the campaign. One query, which does not
    load the result.
    """
    readable = Task.objects.open_to(user.pk).filter(pk=task_id)
    marks = readable.values(
        "latest_ranking__finished_at",
        "latest_ranking__watermark",
        "latest_ranking__last_kept",
        "latest_ranking__is_kept",
    ).first()
    if marks is None or marks["latest_ranking__finished_at"] is None:
        return None
    version = repr((*marks.values(), code_version()))
    return blake2b(version.encode(), digest_size=12).hexdigest()


def ranking_basis(*, task_id: int) -> Any:
    """Return a task with the inputs of a new ranking of it. One query.

    `now` is the time of this transaction, `last_number` the number of its last judgment, and `has_active_design` whether
    a design has ever chosen pairs by their judgments.
    """
    active = Design.objects.filter(task=OuterRef("pk"), kind=Design.Kind.ACTIVE)
    tasks = Task.objects.select_related("test_set").annotate(
        now=TransactionNow(),
        last_number=Coalesce(F("judgment_sequence__last_number"), 0),
        has_active_design=Exists(active),
    )
    return tasks.get(pk=task_id)


def system_kinds(*, task_id: int) -> dict[str, str]:
    """Return the kind of each system of a test set, sorted by name. One query."""
    systems = System.objects.filter(test_set__tasks=task_id).order_by("name")
    return dict(systems.values_list("name", "kind"))


def system_of_kind(kinds: Mapping[str, str], kind: SystemKind) -> str | None:
    """Return the first system of a kind by name, given the kinds by system; None without one."""
    return min((name for name in kinds if kinds[name] == kind), default=None)


def live_method(settings: RankingSettings, *, has_active_design: bool) -> str:
    """Return the chosen method, or the default for the designs used so far.

    The default is Expected Wins, or Bradley–Terry if a design has ever chosen pairs by their judgments: an active
    design stops showing pairs that are already separated, and Expected Wins gives their few comparisons as
    much weight as the many comparisons of others (`docs/sampling.md`). Anytime ranges use Expected Wins for any
    design: they do not separate systems with different opponents.
    """
    if settings.method != RankingSettings.Method.BY_DESIGN:
        return settings.method
    if settings.ranges == "anytime":
        return "expected_wins"
    if has_active_design:
        return "bradley_terry"
    return "expected_wins"


def due_tasks() -> list[int]:
    """Return the ids of test sets whose latest ranking is out of date.

    It is out of date if judgments were added or other judges count, if its method or its ranges do not
    follow the test set's settings, or if it was computed under another stopping rule. Four queries for any number of
    test sets; one more per test set with a group of judges.
    """
    return _due(JudgmentSequence.objects.order_by("task_id"))


def ranking_is_due(*, task_id: int) -> bool:
    """Return whether the latest ranking of a test set is out of date, see `due_tasks`."""
    return bool(_due(JudgmentSequence.objects.filter(task=task_id)))


def _due(sequences: QuerySet[JudgmentSequence]) -> list[int]:
    active = Design.objects.filter(task=OuterRef("task"), kind=Design.Kind.ACTIVE)
    judged = sequences.filter(last_number__gt=0)
    related = judged.select_related("task__test_set", "task__latest_ranking")
    without_results = related.defer("task__latest_ranking__result")
    rows: list[Any] = list(without_results.annotate(has_active_design=Exists(active)))
    tasks = [row.task_id for row in rows]
    settings_by_task = _newest_by_task(RankingSettings.objects.filter(task__in=tasks))
    rule_by_task = _newest_by_task(StoppingRule.objects.filter(task__in=tasks))
    excluded = excluded_judges_by_campaign()
    due = []
    for row in rows:
        task = row.task_id
        settings = settings_by_task.get(task) or RankingSettings(task_id=task)
        rule: RecordedRule = {}
        if task in rule_by_task:
            rule = rule_by_task[task].recorded
        not_counted = excluded.get(row.task.test_set.campaign_id, [])
        if settings.judge_group_id is not None:
            outside = judges_outside(task_id=task, group_id=settings.judge_group_id)
            not_counted = sorted({*not_counted, *outside})
        terms = _Terms(
            ranges=settings.choice,
            method=live_method(settings, has_active_design=row.has_active_design),
            rule=rule,
            judges_not_counted=not_counted,
        )
        ranking = getattr(row.task, "latest_ranking", None)
        if (
            ranking is None
            or ranking.watermark < row.last_number
            or terms != _terms_of(ranking)
        ):
            due.append(task)
    return due


class _Terms(NamedTuple):
    """Settings that a ranking is computed with, besides judgments."""

    ranges: RangeOptions
    method: str
    rule: RecordedRule
    judges_not_counted: list[str]


def _terms_of(ranking: LatestRanking) -> _Terms:
    return _Terms(
        ranges=RangeOptions.from_record(ranking.parameters),
        method=ranking.method,
        rule=ranking.rule,
        judges_not_counted=judges_not_counted(ranking.parameters),
    )


def _newest_by_task(rows: QuerySet[Any]) -> dict[int, Any]:
    newest = rows.order_by("task", "-id").distinct("task")
    return {row.task_id: row for row in newest}


def pairs_of_rows(systems: Sequence[RankedRow]) -> list[tuple[str, str]]:
    """Return the pairs of ranked systems in stored order: group by group."""
    pairs: list[tuple[str, str]] = []
    for rows in rows_by_group(systems).values():
        pairs += combinations(systems_of(rows), 2)
    return pairs


def pairs_of(run: RankingRun) -> list[ComparedPair]:
    """Return the pairs of ranked systems of a run, with the correction of its settings."""
    choice = RangeOptions.from_record(run.parameters)
    is_corrected = choice.correction is not Correction.NONE
    names = pairs_of_rows(run.result["systems"])
    pairs = []
    for (better, worse), stored in zip(names, run.result["pairs"], strict=True):
        wins, losses, ties, p, corrected = stored
        pair = ComparedPair(
            better=better,
            worse=worse,
            wins=wins,
            losses=losses,
            ties=ties,
            p_value=p,
            adjusted_p=corrected if is_corrected else None,
            significant=corrected <= choice.level if is_corrected else None,
        )
        pairs.append(pair)
    return pairs


def corrected_pairs_of(run: RankingRun) -> tuple[ComparedPair, ...]:
    """Return the pairs of a run with corrected p-values, by which they are told apart."""
    choice = RangeOptions.from_record(run.parameters)
    return corrected_pairs(pairs_of(run), choice.correction, level=choice.level)


def run_told_apart(run: RankingRun) -> ToldApart:
    """Return the number of pairs that a run tells apart, wherever it is shown."""
    choice = RangeOptions.from_record(run.parameters)
    return count_told_apart(corrected_pairs_of(run), choice)


RUNS_SHOWN = 40


@dataclass(frozen=True, slots=True)
class HistoryPoint:
    """The ranking after a number of comparisons; `systems` is as in a run's result or standings."""

    watermark: int
    comparisons: int
    systems: list[RankedRow]

    @property
    def clusters(self) -> int | None:
        """The number of clusters; None while no rank range is estimable."""
        return count_clusters(self.systems)

    @property
    def is_one_ranking(self) -> bool:
        """True if comparisons connect all systems, so that there is one ranking of all of them."""
        return all(row["group"] == 1 for row in self.systems)


def ranking_history(
    *,
    task_id: int,
    latest: RankingRun | None = None,
) -> list[HistoryPoint]:
    """Return at most `RUNS_SHOWN` kept runs, evenly spread over the judgments, and then the latest ranking.

    The first and the last kept run are included. Two queries for any number of kept runs:
    first the watermarks alone, then the standings of the chosen runs.
    """
    runs = RankingRun.objects.filter(task=task_id).order_by("id")
    run_by_watermark = dict(runs.values_list("watermark", "pk"))
    chosen = _evenly_spread(sorted(run_by_watermark))
    rows = RankingRun.objects.filter(
        pk__in=[run_by_watermark[number] for number in chosen],
    )
    points = []
    for row in rows.order_by("watermark").values(
        "watermark",
        "comparisons",
        systems=F("standings"),
    ):
        points.append(HistoryPoint(**row))
    if latest is not None and latest.watermark not in run_by_watermark:
        comparisons = latest.result["input"]["comparisons"]
        systems = latest.result["systems"]
        points.append(HistoryPoint(latest.watermark, comparisons, systems))
    return [point for point in points if point.systems]


def _evenly_spread(numbers: list[int]) -> list[int]:
    """Choose the numbers at or after `RUNS_SHOWN` evenly spaced points from first to last."""
    if len(numbers) <= RUNS_SHOWN:
        return numbers
    first = numbers[0]
    span = numbers[-1] - first
    chosen = set()
    for step in range(RUNS_SHOWN):
        point = first + span * step // (RUNS_SHOWN - 1)
        chosen.add(numbers[bisect_left(numbers, point)])
    return sorted(chosen)


def judges_outside(*, task_id: int, group_id: int) -> list[str]:
    """Return the sorted pseudonyms of judges of a test set who are not in a group. One query."""
    inside = GroupMember.objects.filter(group=group_id).values("judge")
    tallies = JudgeTally.objects.filter(task=task_id).exclude(judge__in=inside)
    return sorted(tallies.values_list("judge__pseudonym", flat=True))


def judges_not_counted(parameters: RunParameters) -> list[str]:
    """Return the pseudonyms of judges excluded by the parameters of a run."""
    # Parameters of a published result contain no names of judges.
    excluded: list[str] = parameters.get("excluded_judges", [])
    if "judge_group" not in parameters:
        return excluded
    return sorted({*excluded, *parameters["judge_group"]["others"]})


def judges_left_out(*runs: RankingRun | LatestRanking) -> dict[int, list[str]]:
    """Return, by task, the pseudonyms of judges whose judgments its run excludes.

    A run records all judges excluded in the campaign; only those who had
    judged this task are returned. One run per task. One query, none without exclusions.
    """
    left_out: dict[int, list[str]] = {}
    judged = Q()
    for run in runs:
        left_out[run.task_id] = []
        excluded = run.parameters["excluded_judges"]
        if excluded:
            judged |= Q(
                task=run.task_id,
                first_number__lte=run.watermark,
                judge__pseudonym__in=excluded,
            )
    if not judged:
        return left_out
    rows = JudgeTally.objects.filter(judged)
    for task_id, name in sorted(rows.values_list("task", "judge__pseudonym")):
        left_out[task_id].append(name)
    return left_out


def ranking_settings_in_force(*, task_id: int) -> RankingSettings:
    """Return the newest settings of a test set; the unsaved defaults if there are none."""
    newest = (
        RankingSettings.objects.filter(task=task_id)
        .select_related("judge_group")
        .order_by("-id")
        .first()
    )
    # Unsaved settings have no time; the default would be a database expression.
    return newest or RankingSettings(task_id=task_id, created_at=None)  # type: ignore[misc]


def ranked_group_of_task(*, task: str, **_sent: Any) -> Subquery:
    """Answer the signal `ranked_group_requested` by the newest settings of the task."""
    settings = RankingSettings.objects.filter(task=OuterRef(task)).order_by("-id")
    return Subquery(settings.values("judge_group")[:1])


def ranking_settings_history(
    *,
    task_id: int,
    until: datetime | None = None,
) -> list[RankingSettings]:
    """Return all settings ever chosen, newest first; empty if the defaults apply. One query."""
    rows = RankingSettings.objects.filter(task=task_id).select_related(
        "judge_group",
        "changed_by",
    )
    if until is not None:
        rows = rows.filter(created_at__lte=until)
    return list(rows.order_by("-id"))


def stopping_rule_in_force(*, task_id: int) -> StoppingRule | None:
    """Return the rule of a test set; None without one. One query."""
    rule = StoppingRule.objects.filter(task=task_id).order_by("-id").first()
    if rule is not None and rule.is_there:
        return rule
    return None


def stopping_rule_history(
    *,
    task_id: int,
    until: datetime | None = None,
) -> list[StoppingRule]:
    """Return all rules, newest first; one without criteria removed its predecessor."""
    rows = StoppingRule.objects.filter(task=task_id).select_related("changed_by")
    if until is not None:
        rows = rows.filter(created_at__lte=until)
    return list(rows.order_by("-id"))


def stopping_rule_state(*, task_id: int) -> RuleState | None:
    """Return the progress of a test set towards its stopping rule, by its latest ranking; None without a rule."""
    rule = stopping_rule_in_force(task_id=task_id)
    if rule is None:
        return None
    latest = LatestRanking.objects.filter(pk=task_id).first()
    if latest is None:
        return rule_state(rule.recorded, progress=None, met=None, judgments=0)
    judgments = latest.result["input"]["blocks"]
    if latest.rule != rule.recorded:
        return rule_state(rule.recorded, progress=None, met=None, judgments=judgments)
    return rule_state(
        rule.recorded,
        progress=latest.result.get("stopping"),
        met=latest.rule_met,
        judgments=judgments,
    )


def rule_first_met(run: RankingRun) -> RuleMet | None:
    """Return the first ranking that met the rule recorded in a ranking. One query.

    None if there is none, or if another rule is in force now.
    """
    rule = run.parameters.get("stopping_rule", {})
    if not rule:
        return None
    latest = LatestRanking.objects.filter(
        pk=run.task_id,
        parameters__stopping_rule=rule,
    )
    met: RuleMet | None = latest.values_list("rule_met", flat=True).first()
    # Ignore it if it has later judgments than an earlier ranking.
    if met is None or met["judgments"] > run.result["input"]["blocks"]:
        return None
    return met
