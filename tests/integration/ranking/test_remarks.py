"""Comments and skips: what is asked, what is frozen with the question, and what the page says."""

import json

import pytest
from django.test import Client

from campaign.models import Segment
from ranking.services.analyses import (
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

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


def test_counts_by_system_and_length_follow_from_what_was_recorded(remarked: TestSetWriter) -> None:
    asked = analysis_ask(
        test_set=remarked.test_set, choice=analysis_choice("remarks", {}), is_queued=False
    )
    found = analysis_compute(analysis=asked)
    assert found.data is not None
    assert (found.data["shown"], found.data["skipped"], found.data["commented"]) == (5, 1, 2)
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


def test_judges_and_documents_that_do_not_count_are_left_out(remarked: TestSetWriter) -> None:
    choice = analysis_choice("remarks", {"without": ["ben"]})
    asked = analysis_ask(test_set=remarked.test_set, choice=choice, is_queued=False)
    found = analysis_compute(analysis=asked)
    assert found.data is not None
    assert (found.data["shown"], found.data["skipped"], found.data["commented"]) == (3, 0, 1)


def test_the_page_shows_both_tables(remarked: TestSetWriter, as_organiser: Client) -> None:
    analysis_compute(
        analysis=analysis_ask(
            test_set=remarked.test_set, choice=analysis_choice("remarks", {}), is_queued=False
        )
    )
    at = f"/campaigns/{remarked.campaign.slug}/test-sets/{remarked.test_set.pk}/analyses/remarks/"
    page = as_organiser.get(at, {"confidence": "0.95"})
    words = text_of(page)
    assert "5 blocks answered: 1 skipped, 2 with a comment." in words
    assert "By system" in words
    assert "By length of the source" in words
    assert page.content.decode().count('<svg class="figure"') == 2
