"""Comments and skips: what is asked, what is frozen with the question, and what the page says."""

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from campaign.models import Segment
from ranking.models import Analysis
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def remarked(write_test_set: WriteTestSet) -> TestSetWriter:
    """Ann judges three sentences, one with a comment; ben skips two of them and takes one of these back."""
    writer = write_test_set(("A", "B", "C"))
    blocks = [
        writer.block(1, ["A", "B"]),
        writer.block(2, ["A", "C"]),
        writer.block(3, ["A,B", "C"]),
    ]
    for number, block in enumerate(blocks):
        writer.judgment("ann", block, [1, 2], comment="odd" if number == 1 else "")
    writer.skip("ben", blocks[0], comment="no idea")
    writer.skip("ben", blocks[2])
    writer.judgment("ben", blocks[2], [2, 1])
    Segment.objects.filter(number=1).update(source_text="one two three")
    Segment.objects.filter(number__gt=1).update(source_text="w " * 15)
    return writer


def test_counts_by_system_and_length_follow_from_what_was_recorded(
    remarked: TestSetWriter,
) -> None:
    asked = analysis_ask(
        task=remarked.task,
        choice=analysis_choice("remarks", {}),
        is_queued=False,
    )
    found = analysis_compute(analysis=asked)
    assert found.data is not None
    assert (found.data["shown"], found.data["skipped"], found.data["commented"]) == (
        5,
        1,
        2,
    )
    counts = {
        row["part"]: (row["shown"], row["skipped"]["count"], row["commented"]["count"])
        for row in (*found.data["systems"], *found.data["lengths"])
    }
    assert counts == {
        "A": (5, 1, 2),
        "B": (4, 1, 1),
        "C": (3, 0, 1),
        "1–10": (2, 1, 1),
        "11–20": (3, 0, 1),
    }
    # What is said later makes no difference.
    remarked.skip("cleo", remarked.block(4, ["A", "B"]), comment="later")
    data, _reports = analysis_reproduce(found)
    assert json.loads(json.dumps(data)) == found.data


def computed(
    writer: TestSetWriter,
    watermark: int | None = None,
    **given: Any,
) -> Analysis:
    asked = analysis_ask(
        task=writer.task,
        choice=analysis_choice("remarks", given),
        watermark=watermark,
        is_queued=False,
    )
    return analysis_compute(analysis=asked)


def totals(found: Analysis) -> tuple[int, int, int]:
    assert found.data is not None
    return found.data["shown"], found.data["skipped"], found.data["commented"]


def test_judges_and_documents_that_do_not_count_are_left_out(
    remarked: TestSetWriter,
) -> None:
    remarked.judgment("dan", remarked.block(1, ["A", "B"]), [1, 2], comment="good")
    documents_of(remarked, 2)
    found = computed(remarked, without=["ben", "dan"])
    assert totals(found) == (3, 0, 1)
    # Nor is it recorded what they said.
    assert found.judgments["remarks"] == {
        "skips": [],
        "comments": [[2, "ann", ["A", "C"]]],
    }
    found = computed(remarked, documents=["d98"])
    assert totals(found) == (2, 0, 0)
    assert found.judgments["remarks"] == {"skips": [], "comments": []}


def test_comments_and_skips_are_those_of_the_judgments_asked_for(
    write_test_set: WriteTestSet,
) -> None:
    """Of ten judgments one a minute, with a skip half a minute after the second, the fifth and the last one."""
    writer = write_test_set(("A", "B"))
    start = datetime(2026, 10, 1, tzinfo=UTC)
    blocks = [writer.block(number, ["A", "B"]) for number in range(1, 11)]
    for minute, block in enumerate(blocks, 1):
        comment = "odd" if minute in (2, 6) else ""
        at = start + timedelta(minutes=minute)
        writer.judgment("ann", block, [1, 2], comment=comment, at=at)
        if minute in (2, 5, 10):
            writer.skip("ben", block, at=at + timedelta(seconds=30), comment="hm")
    # After all of these the first skip is taken back, and the first comment.
    late = start + timedelta(hours=1)
    writer.judgment("ben", blocks[1], [2, 1], at=late)
    first = writer.task.judgments.get(judge__pseudonym="ann", block=blocks[1])
    writer.judgment("ann", blocks[1], [1, 2], supersedes=first, at=late)
    assert totals(computed(writer, 2)) == (2, 0, 1)
    assert totals(computed(writer, 5)) == (6, 1, 2)
    assert totals(computed(writer, 6)) == (8, 2, 4)
    assert totals(computed(writer, 11)) == (13, 2, 4)
    assert totals(computed(writer, 12)) == totals(computed(writer)) == (13, 2, 3)
    # What the newest judgments come to has all skips, though none of them came earlier.
    writer.skip("cleo", blocks[2], at=late + timedelta(hours=1))
    assert totals(computed(writer, 12)) == (14, 3, 3)
