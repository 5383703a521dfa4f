"""Lock a judge's row and read everything lending needs to know about them, in one round trip."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from annotation.selectors.judge_status import JudgeStatus, status_from_actions
from annotation.selectors.progress import PACE, PROGRESS, JudgeProgress
from campaign.database.prepared import Statement
from campaign.models import Judge


@dataclass(frozen=True, slots=True)
class OpenTestSet:
    """A test set whose HITs the judge may be lent, and how many of its HITs they were lent."""

    id: int
    hits_lent: int
    intra_lent: int
    has_training: bool
    has_reserved: bool
    # From the design in force; None and 0 before there is one.
    seed: int | None
    intra_share: float
    attention_every: int


@dataclass(frozen=True, slots=True)
class LendingContext:
    """What lending knows of a judge who asks for a HIT.

    Attributes
    ----------
    now : datetime
        By the database's clock.
    judge_status : JudgeStatus
    owes_acceptance : bool
        Whether they must accept instructions first.
    lease_minutes : int
    progress : JudgeProgress
    blocks_held : int
        Blocks lent to them and not done.
    conflicts : tuple of int
        Systems they must not see.
    begun : dict of UUID to int
        Assignments they hold, or held until the lease ran out, whose HITs are incomplete: public id
        to id.
    test_sets : tuple of OpenTestSet
        If the judge chose one of them, only that one, for `begun` too: other assignments end with
        their lease, or go on when the judge comes back to their test set.
    """

    now: datetime
    judge_status: JudgeStatus
    owes_acceptance: bool
    lease_minutes: int
    progress: JudgeProgress
    blocks_held: int
    conflicts: tuple[int, ...]
    begun: dict[UUID, int]
    test_sets: tuple[OpenTestSet, ...]

    @property
    def is_quota_reached(self) -> bool:
        """Whether the judge has done or holds all blocks they are asked for."""
        wanted = self.progress.wanted
        return wanted is not None and self.progress.done + self.blocks_held >= wanted


_LOCK = Statement(
    "judge_lock", "bigint", "SELECT FROM campaign_judge WHERE id = $1 FOR NO KEY UPDATE"
)
# Test sets as in `test_sets_open_to_judge`, designs as in `design_in_force`, actions as in
# `QualityAction.objects.in_force`, what they must accept as in `Instructions.objects.demanded_of`.
_READ = Statement(
    "lending_context",
    "bigint",
    f"""
    SELECT statement_timestamp(),
        ARRAY(
            SELECT q.action FROM annotation_qualityaction q WHERE q.judge_id = j.id
                AND NOT EXISTS (SELECT FROM annotation_qualityreversal r WHERE r.action_id = q.id)
        ),
        j.user_id IS NOT NULL AND EXISTS (
            SELECT FROM campaign_instructions i
            WHERE i.campaign_id = j.campaign_id AND i.demands_acceptance AND NOT EXISTS (
                SELECT FROM campaign_acceptance p JOIN campaign_instructions k ON k.id = p.instructions_id
                WHERE p.judge_id = j.id AND k.version >= i.version
            )
        ),
        m.lease_minutes,
        coalesce(j.blocks_asked, m.blocks_per_judge), p.done, p.held, p.pace,
        j.chosen_test_set_id,
        ARRAY(SELECT c.system_id FROM campaign_conflictofinterest c WHERE c.judge_id = j.id),
        ARRAY(
            SELECT json_build_array(a.public_id, a.id, h.test_set_id) FROM annotation_assignment a
            JOIN annotation_hit h ON h.id = a.hit_id
            WHERE a.judge_id = j.id AND a.completed_at IS NULL
                AND (a.released_at IS NULL OR h.completed_at IS NULL)
            ORDER BY a.id
        ),
        ARRAY(
            SELECT json_build_array(
                t.id, coalesce(c.hits_lent, 0), coalesce(c.intra_lent, 0),
                EXISTS (SELECT FROM annotation_trainingblock b WHERE b.test_set_id = t.id),
                EXISTS (
                    SELECT FROM annotation_hit h
                    WHERE h.reserved_for_id = j.id AND h.test_set_id = t.id
                        AND h.completed_at IS NULL
                ),
                d.seed, coalesce(d.intra_share, 0), coalesce(d.attention_every, 0)
            )
            FROM campaign_testset t
            LEFT JOIN annotation_judgeaccount c ON c.judge_id = j.id AND c.test_set_id = t.id
            LEFT JOIN LATERAL (
                SELECT d.seed, d.intra_share, d.attention_every FROM annotation_design d
                WHERE d.test_set_id = t.id AND d.kind <> 'imported' ORDER BY d.id DESC LIMIT 1
            ) d ON true
            WHERE t.campaign_id = j.campaign_id
                AND EXISTS (
                    SELECT FROM campaign_segment s
                    WHERE s.test_set_id = t.id AND s.number = 1 AND s.source_text IS NOT NULL
                )
                AND t.expertise <@ j.expertise
                AND (
                    j.languages = '{{}}'
                    OR ARRAY[t.source_language, t.target_language] <@ j.languages
                )
            ORDER BY t.id
        )
    FROM campaign_judge j
    JOIN campaign_campaign m ON m.id = j.campaign_id
    CROSS JOIN LATERAL ({PROGRESS.format(judge="j.id", pace=PACE.format(judge="j.id"))}) p
    WHERE j.id = $1
    """,  # noqa: S608  constants alone
    first=_LOCK,
)


def lending_context_lock(judge: Judge) -> LendingContext:
    """Lock the judge's row until the commit and return what lending needs to know about them.

    One round trip, however many test sets there are.
    """
    row = _READ.rows(judge.pk, judge.pk)[0]
    now, actions, owes_acceptance, minutes, *counts = row[:8]
    wanted, done, held, pace = counts
    chosen, conflicts, begun, test_sets = row[8:]
    mine = tuple(OpenTestSet(*each) for each in test_sets)
    if any(test_set.id == chosen for test_set in mine):
        mine = tuple(test_set for test_set in mine if test_set.id == chosen)
        begun = [each for each in begun if each[2] == chosen]
    return LendingContext(
        now=now,
        judge_status=status_from_actions(actions),
        owes_acceptance=owes_acceptance,
        lease_minutes=minutes,
        progress=JudgeProgress.at(done=int(done), wanted=wanted, pace=pace),
        blocks_held=held,
        conflicts=tuple(conflicts),
        begun={UUID(public_id): assignment_id for public_id, assignment_id, _test_set in begun},
        test_sets=mine,
    )
