"""Counters that pages read are what the judgments say, whatever happened."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.models import (
    Assignment,
    BlockControl,
    Judgment,
    JudgmentSequence,
    Skip,
    WorkedQuarterHour,
)
from annotation.selectors.counted import Counters, counters_counted, counters_stored
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import counters_check, judgments_number
from tests.at_work import lend
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
    return counters_counted(task_id=task_id) == counters_stored(task_id=task_id)


def test_counters_are_what_the_judgments_say(writer: TestSetWriter) -> None:
    for name, origin in ORIGINS.items():
        writer.judge(name, origin)
    two, six = writer.block(1, ["A", "B"]), writer.block(2, ["A", "B", "C", "D", "E", "F"])
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
    judged = {key: each[-1] for key, each in stored.worked.items() if key[0] in by_people}
    assert judged == {
        (by_people[0], NOON): 1,
        (by_people[1], NOON): 1,
        (by_people[1], NOON + timedelta(minutes=15)): 1,
    }
    ann, other = (stored.tallies[writer.judge(name).pk] for name in ("ann", "only checked"))
    assert ann == (1, 1, NOON, 0, NOON + timedelta(hours=2))
    assert other == (0, None, None, 0, NOON)


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
def test_they_are_right_after_each_batch(done: list[tuple[str, int, int, bool, bool]]) -> None:
    """Judges judge, revise and skip four blocks, one of them a control, counted sometimes at once."""
    writer = TestSetWriter(make_campaign(f"drawn-{uuid4()}"), "drawn", ["A", "B"])
    for name, origin in ORIGINS.items():
        writer.judge(name, origin)
    blocks = {k: writer.block(k, ["A", "B"]) for k in (1, 2, 3)} | {4: control(writer, 4)}
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
    assert [worked[0] for worked in stored.worked.values()] == [1]
    assert stored == counters_counted(task_id=task.pk)


@pytest.fixture
def spoilt(writer: TestSetWriter) -> TestSetWriter:
    writer.judgment("ann", writer.block(1, ["A", "B"]), [1, 2], at=NOON)
    JudgmentSequence.objects.update(judged=7)
    WorkedQuarterHour.objects.all().delete()
    return writer


@pytest.mark.django_db(transaction=True)
def test_what_is_wrong_is_named_and_changed_by_nobody_who_only_looks(spoilt: TestSetWriter) -> None:
    assert counters_check(task_id=spoilt.task.pk) == ["judged", "worked"]
    assert JudgmentSequence.objects.get().judged == 7


@pytest.mark.django_db(transaction=True)
def test_numbers_are_given_while_somebody_looks_and_no_difference_is_seen(
    writer: TestSetWriter, monkeypatch: pytest.MonkeyPatch
) -> None:
    block = writer.block(1, ["A", "B"])
    writer.judgment("ann", block, [1, 2])
    writer.judgment("ben", block, [1, 2], is_numbered=False)

    def give_numbers() -> int:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")
            return judgments_number(task_id=writer.task.pk)
        finally:
            connection.close()

    def counted_and_then_numbered(*, task_id: int) -> Counters:
        counted = counters_counted(task_id=task_id)
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(give_numbers).result() == 2
        return counted

    monkeypatch.setattr("annotation.services.numbers.counters_counted", counted_and_then_numbered)
    assert counters_check(task_id=writer.task.pk) == []
    assert agree(writer)


@pytest.mark.django_db(transaction=True)
def test_the_command_says_what_it_would_do_and_does_it(spoilt: TestSetWriter) -> None:
    said = StringIO()
    with pytest.raises(CommandError, match="Nothing was changed"):
        call_command("recount", check=True, stdout=said)
    assert "wrong: judged, worked" in said.getvalue()
    assert JudgmentSequence.objects.get().judged == 7
    call_command("recount", campaign=spoilt.campaign.slug, stdout=said)
    assert "corrected: judged, worked" in said.getvalue()
    call_command("recount", check=True, stdout=said)
    assert said.getvalue().endswith("counted: correct.\n")
    with pytest.raises(CommandError, match="has no test set"):
        call_command("recount", campaign="nowhere")
