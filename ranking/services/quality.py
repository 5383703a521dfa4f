"""Measure judges after each ranking and apply the quality rules of the campaign."""

from __future__ import annotations

from collections.abc import Sequence
from time import monotonic
from typing import Final

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from annotation.judge_measures import JudgeMeasure
from annotation.selectors.words_to_read import block_words
from annotation.services.quality import quality_rule_apply
from campaign.models import Campaign, SystemKind, Task, User
from ranking.core.agreement.tallies import AgreementTallies
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.tallies import JudgeTallies, tally_judges, tally_scored_checks
from ranking.judge_monitoring import (
    MeasureResult,
    MeasuresByJudge,
    add_disagreement,
    add_pace,
    judges_to_measure,
    measures_of_tallies,
)
from ranking.models import RankingRun, RankingUpkeep
from ranking.selectors.judged_columns import attention_blocks, judged_blocks, judging_times
from ranking.selectors.judges import MeasuredTask
from ranking.selectors.quality import scored_checks
from ranking.selectors.rule_effects import RuleAct, acts_held, rule_acts, rules_in_force
from ranking.selectors.runs import system_kinds
from ranking.services.judges import judge_measures_store
from ranking.services.run_results import run_agreement


def quality_evaluate(
    *,
    run: RankingRun,
    tallies: JudgeTallies | None = None,
    agreement: AgreementTallies | None = None,
) -> bool:
    """Measure the judges of a ranking, store that, and apply the rules in force.

    `tallies` are of the judgments that the run was computed from, of all judges, and `agreement` its
    tallies of agreement; counted from all judgments if not given. Excluded judges
    are measured as well, except for this κ and the test for low agreement. It can run twice: a rule
    acts on a judge once. Rules that would stop more than one in five judges wait for an organiser: see
    `acts_held`.

    Returns whether the measures are stored: not if those of later judgments are already.
    """
    task = Task.objects.get(pk=run.task_id)
    with transaction.atomic():
        if tallies is None or agreement is None:
            judged = judged_blocks(task_id=run.task_id, watermark=run.watermark)
            tallies = judge_tallies(run, judged)
            agreement = run_agreement(run, judged)
        checks = scored_checks(task=task, watermark=run.watermark)
        if checks:
            tallies += tally_scored_checks(checks)
        measures = _measures(run, tallies, agreement, checks_are_scored=bool(checks))
        add_pace(measures, _words_of_a_block(task))
        # Waits for another measurement, and for a rule that is being added: it would count as older than
        # this report, unread.
        Campaign.objects.select_for_update(no_key=True).get(pk=task.test_set.campaign_id)
        if not _report_store(run):
            return False
        judge_measures_store(task=task, measures=measures)
    _rules_apply(task, measures, watermark=run.watermark)
    return True


#: Seconds that the word counts of a task's blocks are cached: texts and designs rarely change.
_WORDS_KNOWN_SECONDS: Final = 600
_WORDS: dict[int, tuple[float, float | None]] = {}


def _words_of_a_block(task: Task) -> float | None:
    """Return the words of an average block, see `block_words`; looked up every ten minutes."""
    known = _WORDS.get(task.pk)
    if known is None or monotonic() - known[0] > _WORDS_KNOWN_SECONDS:
        known = _WORDS[task.pk] = monotonic(), block_words(task=task)
    return known[1]


def _report_store(run: RankingRun) -> bool:
    """Store that the judges are measured by this run's judgments; False if by later ones already."""
    by_none_later = Q(measured_watermark=None) | Q(measured_watermark__lte=run.watermark)
    rows = RankingUpkeep.objects.filter(by_none_later, task=run.task_id)
    # By the same clock as the rules, which must not seem older than this.
    now = {"measured_watermark": run.watermark, "measured_at": Now()}
    if rows.update(**now):
        return True
    RankingUpkeep.objects.bulk_create([RankingUpkeep(task_id=run.task_id)], ignore_conflicts=True)
    return bool(rows.update(**now))


def judge_tallies(run: RankingRun, judged: Blocks) -> JudgeTallies:
    """Count all judgments up to the run's watermark for the measures of judges."""
    kinds = system_kinds(task_id=run.task_id)
    names = {kinds[name]: name for name in sorted(kinds, reverse=True)}
    bad_reference = names.get(SystemKind.BAD_REFERENCE)
    return tally_judges(
        judged,
        reference=names.get(SystemKind.REFERENCE),
        attention=attention_blocks(task_id=run.task_id, watermark=run.watermark)
        if bad_reference is not None
        else None,
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
    measures = _measures_of_tallies(run.task_id, tallies)
    if checks_are_scored:
        # The rate at which attentive judges miss the damage is known only for outputs of the same
        # sentence.
        for results in measures.values():
            results.pop(JudgeMeasure.DAMAGE_IGNORED, None)
    add_disagreement(measures, of_agreement)
    for row in agreement["judges"]:
        if row["kappa"] is not None:
            measures.setdefault(row["judge"], {})[JudgeMeasure.INTER] = MeasureResult(
                row["kappa"], row["comparable"], row["low"], row["high"]
            )
    return measures


def rule_acts_take(*, acts: Sequence[RuleAct], confirmed_by: User | None = None) -> int:
    """Carry out actions of rules; return the number of those not taken before.

    The evidence names the organiser who confirmed them, if confirmation was needed.
    """
    said = {"confirmed_by": confirmed_by.name} if confirmed_by else {}
    tasks = Task.objects.in_bulk({act.task_id for act in acts})
    taken = [
        quality_rule_apply(
            rule=act.rule,
            judge=act.judge,
            task=tasks[act.task_id],
            evidence=act.evidence | said,
        )
        for act in acts
    ]
    return sum(action is not None for action in taken)


def _rules_apply(task: Task, measures: MeasuresByJudge, *, watermark: int) -> None:
    """Carry out the rules in force on these measures, except those that wait for an organiser."""
    campaign_id = task.test_set.campaign_id
    measured = MeasuredTask(campaign_id, task.pk, watermark, measures)
    acts = rule_acts(rules_in_force(campaign_id=campaign_id), [measured])
    held = acts_held(acts, campaign_id=campaign_id, measured=measures.keys())
    rule_acts_take(acts=[act for act in acts if act not in held])


#: Test sets whose measures are held at the same time.
_MOST_HELD = 8


def _measures_of_tallies(task_id: int, tallies: JudgeTallies) -> MeasuresByJudge:
    """Return the same as `measures_of_tallies`, of the judges whose tallies have changed alone.

    A judge's measures follow from the judge's tallies and the number of judges, so that others stay
    as they are, whatever became of the transaction they were computed in.
    """
    before, known = MEASURED.pop(task_id, (JudgeTallies(), {}))
    changed = judges_to_measure(before, tallies) if known else frozenset(tallies.judges)
    new = measures_of_tallies(tallies, judges=changed, p_chance="own")
    found = {name: (new if name in changed else known)[name] for name in tallies.judges}
    MEASURED[task_id] = tallies, found
    if len(MEASURED) > _MOST_HELD:
        MEASURED.pop(next(iter(MEASURED)), None)
    return {name: dict(results) for name, results in found.items()}


#: Tallies and measures of the test sets measured last, in this process.
MEASURED: Final[dict[int, tuple[JudgeTallies, MeasuresByJudge]]] = {}
