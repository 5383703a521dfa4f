"""Counters that pages read are what the judgments say, whatever happened."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import (
    Assignment,
    BlockControl,
    Judgment,
    Skip,
)
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from tests.at_work import lend
from tests.counters import counters_by_row, counters_stored
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.ranking.writing import TestSetWriter
from tests.properties import examples

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)
ORIGINS = {"ann": "person", "ben": "person", "robot": "simulated", "file": "imported"}


@pytest.fixture
def writer() -> TestSetWriter:
    return TestSetWriter(make_campaign(), "counted", ["A", "B", "C", "D", "E", "F"])


def control(writer: TestSetWriter, segment: int) -> Any:
    block = writer.block(segment, ["A", "B"])
    block.control, block.expected = BlockControl.ATTENTION, [1, 2]
    block.save()
    return block


def agree(writer: TestSetWriter) -> bool:
    task_id = writer.task.pk
    return counters_stored(task_id=task_id) == counters_by_row(task_id=task_id)


def test_counters_are_what_the_judgments_say(writer: TestSetWriter) -> None:
    for name, origin in ORIGINS.items():
        writer.judge(name, origin)
    two, six = (
        writer.block(1, ["A", "B"]),
        writer.block(2, ["A", "B", "C", "D", "E", "F"]),
    )
    first = writer.judgment("ann", two, [1, 2], at=NOON)
    writer.judgment("ben", two, [1, 2], at=NOON + timedelta(minutes=14))
    writer.judgment("ben", six, [1, 2, 3, 4, 5, 5], at=NOON + timedelta(minutes=15))
    writer.judgment("robot", two, [1, 2], at=NOON)
    writer.judgment("file", two, [1, 2], at=NOON)
    writer.judgment("ann", two, [2, 1], at=NOON + timedelta(hours=1), supersedes=first)
    checked = control(writer, 3)
    writer.judgment("ann", checked, [1, 2], at=NOON + timedelta(hours=2))
    writer.judgment("only checked", checked, [1, 2], at=NOON)

    stored = counters_stored(task_id=writer.task.pk)

    assert agree(writer)
    assert (stored.judged, stored.judges, stored.most_candidates) == (5, 4, 6)
    by_people = [writer.judge(name).pk for name in ("ann", "ben")]
    judged = {
        key: row.judged for key, row in stored.worked.items() if key[0] in by_people
    }
    assert judged == {
        (by_people[0], NOON): 1,
        (by_people[1], NOON): 1,
        (by_people[1], NOON + timedelta(minutes=15)): 1,
    }
    ann, other = (
        stored.tallies[writer.judge(name).pk] for name in ("ann", "only checked")
    )
    assert ann[1:] == (1, 1, NOON, 0, NOON + timedelta(hours=2))
    assert other[1:] == (0, None, None, 0, NOON)


def test_skip_of_a_judge_without_judgments_is_counted(writer: TestSetWriter) -> None:
    writer.skip("ann", writer.block(1, ["A", "B"]), at=NOON)
    stored = counters_stored(task_id=writer.task.pk)
    assert stored.skipped == 1
    assert stored == counters_by_row(task_id=writer.task.pk)


DONE = st.tuples(
    st.sampled_from(list(ORIGINS)),
    st.integers(1, 4),
    st.integers(0, 50),
    st.booleans(),
    st.booleans(),
)


@pytest.mark.thorough
@given(st.lists(DONE, max_size=12))
@settings(examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_they_are_right_after_each_batch(
    done: list[tuple[str, int, int, bool, bool]],
) -> None:
    """Judges judge, revise and skip four blocks, one of them a control, counted sometimes at once."""
    writer = TestSetWriter(make_campaign(f"drawn-{uuid4()}"), "drawn", ["A", "B"])
    for name, origin in ORIGINS.items():
        writer.judge(name, origin)
    blocks = {k: writer.block(k, ["A", "B"]) for k in (1, 2, 3)} | {
        4: control(writer, 4),
    }
    latest: dict[tuple[str, int], Judgment] = {}
    skipped: set[tuple[str, int]] = set()
    for name, block, minutes, is_skip, is_numbered in done:
        at = NOON + timedelta(minutes=minutes)
        if is_skip:
            if (name, block) not in skipped:
                skipped.add((name, block))
                writer.skip(name, blocks[block], at=at, is_counted=is_numbered)
                assert agree(writer)
            continue
        latest[name, block] = writer.judgment(
            name,
            blocks[block],
            [1, 2],
            at=at,
            supersedes=latest.get((name, block)),
            is_numbered=is_numbered,
        )
        assert agree(writer)
    judgments = sum(not is_skip for *_done, is_skip, _is_numbered in done)
    assert judgments_number(task_id=writer.task.pk) == judgments
    assert agree(writer)
    standing = Skip.objects.standing().filter(task=writer.task, block__control="")
    assert counters_stored(task_id=writer.task.pk).skipped == standing.count()


def test_a_block_skipped_and_judged_in_one_moment_is_one_sentence() -> None:
    task = make_task(make_campaign())
    [block, *_more] = assigned_blocks(lend(make_judge(task.test_set.campaign)))
    lent = Assignment.objects.get()
    done = {
        "task": task,
        "judge": lent.judge,
        "assignment": lent,
        "block_id": block.block_id,
    }
    labels = [1] * len(block.candidates)
    Skip.objects.create(client_id=uuid4(), reason="other", created_at=NOON, **done)
    Judgment.objects.create(client_id=uuid4(), labels=labels, submitted_at=NOON, **done)
    judgments_number(task_id=task.pk)
    stored = counters_stored(task_id=task.pk)
    assert [quarter.sentences for quarter in stored.worked.values()] == [1]
    assert stored == counters_by_row(task_id=task.pk)
