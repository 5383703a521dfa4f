"""Measure judges after each ranking, and apply the quality rules of the campaign."""

from collections.abc import Sequence
from time import monotonic
from typing import Any, Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.models.judge_measures import JudgeMeasure
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.words_to_read import block_words
from annotation.services.quality import Decided, JudgeDecision, judges_decide
from campaign.models import Campaign, Judge, SystemKind, Task
from ranking.core.agreement.tallies import AgreementTallies
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.tallies import JudgeTallies, tally_judges, tally_scored_checks
from ranking.models import Analysis, JudgeMeasures, RankingRun, RankingUpkeep
from ranking.reports.judge_measures import (
    MeasureResult,
    MeasuresByJudge,
    add_disagreement,
    add_pace,
    judges_to_measure,
    measures_of_tallies,
)
from ranking.selectors.analyses import evidence_of
from ranking.selectors.judged_columns import (
    attention_blocks,
    judged_blocks,
    judging_times,
)
from ranking.selectors.judges import MeasuredTask, measures_by_judge, scored_checks
from ranking.selectors.quality_rules import pending_acts, rule_acts, rules_in_force
from ranking.selectors.runs import system_kinds, system_of_kind
from ranking.services.quality_rules import rule_acts_take
from ranking.services.run_results import run_agreement


def quality_evaluate(
    *,
    run: RankingRun,
    tallies: JudgeTallies | None = None,
    agreement: AgreementTallies | None = None,
) -> bool:
    """Measure the judges of a ranking, store the measures, and apply the rules in force.

    `tallies` are those of all judges up to the run, and `agreement` its tallies of agreement; by default,
    both are counted from all judgments. Excluded judges are measured too, except for agreement with the
    others. Running it twice is safe, because a rule acts on a judge once. Rules that would stop more than
    one in five judges wait for an organiser: see `pending_acts`.

    Returns False if measures of later judgments are stored already.
    """
    task = run.task
    with transaction.atomic():
        if tallies is None or agreement is None:
            judged = judged_blocks(task=run.task, watermark=run.watermark)
            tallies = judge_tallies(run, judged)
            agreement = run_agreement(run, judged)
        checks = scored_checks(task=task, watermark=run.watermark)
        if checks:
            tallies += tally_scored_checks(checks)
        measures = _measures(run, tallies, agreement, checks_are_scored=bool(checks))
        add_pace(measures, _words_of_a_block(task))
        # Wait for other measurements, and for rules that are being added: otherwise such a rule would seem
        # older than these measures and would never be applied.
        Campaign.objects.select_for_update(no_key=True).get(
            pk=task.test_set.campaign_id,
        )
        if not _report_store(run):
            return False
        judge_measures_store(task=task, measures=measures)
    _rules_apply(task, measures, watermark=run.watermark)
    return True


#: Seconds for which the word counts of a task's blocks are cached: texts and designs rarely change.
_WORDS_KNOWN_SECONDS: Final = 600
_WORDS: dict[int, tuple[float, float | None]] = {}


def _words_of_a_block(task: Task) -> float | None:
    """Return the words of an average block, see `block_words`; cached for ten minutes."""
    cached = _WORDS.get(task.pk)
    if cached is None or monotonic() - cached[0] > _WORDS_KNOWN_SECONDS:
        cached = _WORDS[task.pk] = monotonic(), block_words(task=task)
    return cached[1]


def _report_store(run: RankingRun) -> bool:
    """Record that the judges are measured up to this run; return False if later judgments already are."""
    by_none_later = Q(measured_watermark=None) | Q(
        measured_watermark__lte=run.watermark,
    )
    rows = RankingUpkeep.objects.filter(by_none_later, task=run.task_id)
    # Use the same clock as for the times of rules, which must not seem older.
    now = {"measured_watermark": run.watermark, "measured_at": Now()}
    if rows.update(**now):
        return True
    RankingUpkeep.objects.bulk_create(
        [RankingUpkeep(task_id=run.task_id)],
        ignore_conflicts=True,
    )
    return bool(rows.update(**now))


def judge_tallies(run: RankingRun, judged: Blocks) -> JudgeTallies:
    """Count all judgments up to the run's watermark for the measures of judges."""
    kinds = system_kinds(task_id=run.task_id)
    bad_reference = system_of_kind(kinds, SystemKind.BAD_REFERENCE)
    attention = None
    if bad_reference is not None:
        attention = attention_blocks(task=run.task, watermark=run.watermark)
    return tally_judges(
        judged,
        reference=system_of_kind(kinds, SystemKind.REFERENCE),
        attention=attention,
        bad_reference=bad_reference,
        seconds=judging_times(task_id=run.task_id, watermark=run.watermark),
    )


def _measures(
    run: RankingRun,
    tallies: JudgeTallies,
    of_agreement: AgreementTallies,
    *,
    checks_are_scored: bool,
) -> MeasuresByJudge:
    agreement = run.result["agreement"]
    measures = _measures_of_tallies(run.task, tallies)
    if checks_are_scored:
        # The rate at which attentive judges miss the damage is known only for outputs of the same
        # sentence.
        for results in measures.values():
            results.pop(JudgeMeasure.DAMAGE_IGNORED, None)
    add_disagreement(measures, of_agreement)
    for row in agreement["judges"]:
        if row["kappa"] is None:
            continue
        of_judge = measures.setdefault(row["judge"], {})
        of_judge[JudgeMeasure.INTER] = MeasureResult(
            row["kappa"],
            row["comparable"],
            row["low"],
            row["high"],
        )
    return measures


def _rules_apply(task: Task, measures: MeasuresByJudge, *, watermark: int) -> None:
    """Apply the rules in force to these measures, except acts that wait for an organiser."""
    campaign_id = task.test_set.campaign_id
    measured = MeasuredTask(campaign_id, task.pk, watermark, measures)
    acts = rule_acts(rules_in_force(campaign_id=campaign_id), [measured])
    pending = pending_acts(acts, campaign_id=campaign_id, measured=measures.keys())
    rule_acts_take(acts=[act for act in acts if act not in pending])


#: Number of test sets whose measures are held in memory.
_MOST_CACHED = 8


def _measures_of_tallies(task: Task, tallies: JudgeTallies) -> MeasuresByJudge:
    """Return `measures_of_tallies`, computed only for the judges whose tallies have changed.

    Measures depend only on a judge's tallies and the number of judges, so those of other judges remain
    valid even if the transaction that computed them failed.
    """
    before, measured = MEASURED.pop(task.pk, (JudgeTallies(), {}))
    changed = frozenset(tallies.judges)
    if measured:
        changed = judges_to_measure(before, tallies)
    best_worst = answer_kind_of(task).best_worst
    new = measures_of_tallies(tallies, judges=changed, best_worst=best_worst)
    measures = {}
    for name in tallies.judges:
        measures[name] = new[name] if name in changed else measured[name]
    MEASURED[task.pk] = tallies, measures
    if len(MEASURED) > _MOST_CACHED:
        MEASURED.pop(next(iter(MEASURED)), None)
    return {name: dict(results) for name, results in measures.items()}


#: Tallies and measures of recently measured test sets, in this process.
MEASURED: Final[dict[int, tuple[JudgeTallies, MeasuresByJudge]]] = {}


def decision_take(
    *,
    judges: Sequence[Judge],
    task: Task,
    decision: JudgeDecision,
    analysis: Analysis | None = None,
) -> Decided:
    """Apply a decision to judges of a task as `judges_decide` does, and return the result.

    The evidence of each action is the judge's latest measures, and the figures of the analysis that
    the organiser came from, if any.
    """
    measured = measures_by_judge(task_id=task.pk, judges=[judge.pk for judge in judges])
    figures = {}
    if analysis is not None:
        figures = evidence_of(analysis, [judge.pseudonym for judge in judges])
    evidence: dict[int, dict[str, Any]] = {}
    for judge in judges:
        name = judge.pseudonym
        evidence[judge.pk] = {"measures": measured.get(name, {})}
        if name in figures:
            evidence[judge.pk]["analysis"] = figures[name]
    return judges_decide(judges=judges, task=task, decision=decision, evidence=evidence)


def judge_measures_store(*, task: Task, measures: MeasuresByJudge) -> int:
    """Replace the stored measures; return the number of rows written.

    Only rows that change are written. Call it in a transaction that holds the lock on the campaign.
    """
    rows = JudgeMeasures.objects.filter(task=task)
    before = dict(rows.values_list("judge__pseudonym", "measures"))
    now: dict[str, dict[str, Any]] = {}
    for name, results in measures.items():
        now[name] = {}
        for measure, result in results.items():
            now[name][str(measure)] = result._asdict()
    changed = [name for name in now if now[name] != before.get(name)]
    judges = Judge.objects.filter(
        campaign=task.test_set.campaign_id,
        pseudonym__in=changed,
    )
    changed_rows = []
    for judge in judges:
        measured = JudgeMeasures(task=task, judge=judge, measures=now[judge.pseudonym])
        changed_rows.append(measured)
    written = JudgeMeasures.objects.bulk_create(
        changed_rows,
        update_conflicts=True,
        unique_fields=["task", "judge"],
        update_fields=["measures"],
    )
    if before.keys() - now.keys():
        rows.exclude(judge__pseudonym__in=now).delete()
    return len(written)
