"""How far a judge is: blocks done and held, of those they are asked for."""

from dataclasses import dataclass

from campaign.database.prepared import Statement
from campaign.models import Judge

# A judge's pace is that of their latest blocks.
PACE_BLOCKS = 20


@dataclass(frozen=True, slots=True)
class JudgeProgress:
    """Blocks done and wanted of a judge, and minutes left at their pace; None if not known."""

    done: int
    wanted: int | None
    minutes_left: int | None

    @classmethod
    def at(cls, *, done: int, wanted: int | None, pace: float | None) -> "JudgeProgress":
        """Return the progress at a pace in milliseconds of active time a block."""
        minutes = None
        if wanted is not None and pace is not None:
            minutes = round(max(0, wanted - done) * pace / 60_000)
        return cls(done=done, wanted=wanted, minutes_left=minutes)


# Blocks done, blocks held and the pace of judge `{judge}`. Blocks of closed assignments are counted
# as these close, so that the cost does not grow with the history. `begun` are the blocks of the
# others, of which a judge has few.
PROGRESS = """
    WITH begun AS MATERIALIZED (
        SELECT a.released_at IS NULL AS is_held, EXISTS (
                SELECT FROM annotation_judgment j
                WHERE j.block_id = b.id AND j.judge_id = a.judge_id
            ) OR EXISTS (
                SELECT FROM annotation_skip s
                WHERE s.block_id = b.id AND s.judge_id = a.judge_id
            ) AS is_done
        FROM annotation_assignment a JOIN annotation_block b ON b.hit_id = a.hit_id
        WHERE a.judge_id = {judge} AND a.completed_at IS NULL
    )
    SELECT
        coalesce((SELECT sum(c.blocks_closed) FROM annotation_judgeaccount c
                  WHERE c.judge_id = {judge}), 0)
            + (SELECT count(*) FROM begun WHERE is_done) AS done,
        (SELECT count(*) FROM begun WHERE is_held AND NOT is_done) AS held,
        {pace} AS pace
"""
PACE = f"""
    (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY latest.active_ms) FROM (
        SELECT own.active_ms FROM annotation_judgment own
        WHERE own.judge_id = {{judge}} AND own.active_ms > 0
        ORDER BY own.submitted_at DESC LIMIT {PACE_BLOCKS}) latest)
"""  # noqa: S608  constants alone
_READ = Statement(
    "judge_progress", "bigint", PROGRESS.format(judge="$1", pace=PACE.format(judge="$1"))
)
_DONE_AND_HELD = Statement(
    "judge_done_and_held", "bigint", PROGRESS.format(judge="$1", pace="NULL")
)


def judge_progress(judge: Judge) -> JudgeProgress:
    """Return a judge's progress. A skipped block is done; skipped and judged later, it counts once.

    One query, however much the judge has done.
    """
    done, _held, pace = _READ.rows(judge.pk)[0]
    return JudgeProgress.at(done=int(done), wanted=blocks_wanted(judge), pace=pace)


def blocks_wanted(judge: Judge) -> int | None:
    """Return the number of blocks this judge is asked for: their own, or the campaign's; or None."""
    return judge.campaign.blocks_per_judge if judge.blocks_asked is None else judge.blocks_asked


def blocks_done_or_held(judge: Judge) -> int:
    """Return the number of blocks done or held, which `blocks_wanted` limits. One query."""
    done, held, _pace = _DONE_AND_HELD.rows(judge.pk)[0]
    return int(done) + int(held)


def quota_reached(judge: Judge) -> bool:
    """Return whether the judge has done or holds all the blocks they are asked for."""
    wanted = blocks_wanted(judge)
    return wanted is not None and blocks_done_or_held(judge) >= wanted


def blocks_done(judge: Judge) -> int:
    """Return the number of blocks judged or skipped. One query."""
    done, _held, _pace = _DONE_AND_HELD.rows(judge.pk)[0]
    return int(done)
