"""Answers of every protocol as files: on the page and over REST, written and read again."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.importing.stored_answers import blocks_withdraw
from annotation.models import Judgment
from annotation.protocols.answer_files import answer_files
from annotation.services.numbers import judgments_number
from campaign.models import Campaign, Protocol, Task
from campaign.services.campaigns import task_create
from tests.exporting import export_of, exported
from tests.factories import make_campaign, make_organiser, make_task
from tests.integration.protocols.every import TWO_PROTOCOLS
from tests.integration.protocols.judging import (
    edited_task,
    judged_task,
    quizzed_task,
    rated_task,
    scored_task,
    sorted_task,
    topped_task,
)
from tests.integration.protocols.test_controls_of_every_protocol import WORLDS
from tests.integration.ranking.two_tasks import two_tasks

pytestmark = pytest.mark.django_db

#: Judgments that count, with their labels.
JUDGMENTS = "jsonl"

#: The command that computes a protocol's statistics of a file of a task: of its own format, or of judgments, where labels say all.
COMMANDS: dict[str, tuple[Callable[[Campaign], Task], str, str]] = {
    "ranking": (two_tasks, JUDGMENTS, "rank_judgments"),
    "two_outputs": (judged_task, "choices-jsonl", "analyse two_outputs"),
    "top": (topped_task, JUDGMENTS, "rank_judgments"),
    "spans": (scored_task, "spans-jsonl", "analyse spans"),
    "rating": (rated_task, "ratings-jsonl", "analyse rating"),
    "editing": (edited_task, "edits-jsonl", "analyse editing"),
    "quiz": (quizzed_task, "quiz-jsonl", "analyse quiz"),
    "sorting": (sorted_task, "comparisons-jsonl", "analyse sorting"),
}


@TWO_PROTOCOLS
def test_answers_are_downloaded_by_page_and_rest(
    protocol: Protocol,
    client: Client,
) -> None:
    task = WORLDS[protocol](make_campaign())
    client.force_login(make_organiser(task.test_set.campaign))
    pages, rest = f"/campaigns/museum/tasks/{task.pk}", f"/api/v1/tasks/{task.pk}"
    files = answer_files(protocol)
    assert files is not None
    known = client.get(f"{rest}/answers/").json()
    assert known == {"read": list(files.formats), "imports": []}
    assert 'type="file"' in client.get(f"{pages}/answers/").content.decode()
    kinds = client.get(f"{rest}/exports/kinds/").json()["results"]
    offered = {each["name"]: each["formats"] for each in kinds}
    assert [each["name"] for each in offered.get("answers", [])] == list(files.writers)
    for file_format in files.writers:
        asked = {"kind": "answers", "file_format": file_format}
        expected = exported(task, file_format)
        assert expected
        for address, more in (("exports/", {"stream": "on"}), ("exports/stream/", {})):
            root = pages if more else rest
            got = client.get(f"{root}/{address}", {**asked, **more})
            # Tables from pages begin with a byte order mark, for spreadsheets.
            assert b"".join(got).decode().removeprefix("\ufeff") == expected, address
            assert "Not-Carried-Over" in got
        assert (
            f"{file_format} omits"
            in client.get(f"{pages}/exports/", asked).content.decode()
        )


# --- Ratings, in and out --------------------------------------------------------------------------


@pytest.fixture
def other() -> Task:
    """A task of ratings without answers."""
    texts = make_task(make_campaign("other"), documents=(6, 6)).test_set
    return task_create(test_set=texts, protocol=Protocol.RATING, by=None)


@pytest.fixture
def imported(other: Task, tmp_path: Path) -> Callable[..., str]:
    def imports(*lines: str) -> str:
        path = tmp_path / "ratings.jsonl"
        path.write_text("".join(lines), encoding="utf-8")
        said = StringIO()
        call_command(
            "import_answers",
            str(path),
            campaign="other",
            test_set=other.test_set.name,
            protocol="rating",
            stdout=said,
            stderr=StringIO(),
        )
        return said.getvalue()

    return imports


def line(criterion: str, value: int = 4, judge: str = "ada", **more: Any) -> str:
    rating = {"segment": 2, "systems": ["dune"], "judge": judge, "criterion": criterion}
    return json.dumps({**rating, "value": value, **more}) + "\n"


def test_adequacy_follows_fluency_in_files_too(
    other: Task,
    imported: Callable[..., str],
) -> None:
    for lines in (
        [line("adequacy")],
        [line("fluency", judge="ben"), line("adequacy")],
        [line("fluency", systems=["ember"]), line("adequacy")],
    ):
        with pytest.raises(CommandError) as error:
            imported(*lines)
        assert (
            "rates the adequacy of a text whose fluency this judge does not rate"
            in str(error.value)
        )
        assert f"line {len(lines)}" in str(error.value)
    assert not Judgment.objects.filter(task=other).exists()
    Task.objects.filter(pk=other.pk).update(rules={"order_free": True})
    imported(line("adequacy"), line("fluency", judge="ben"))
    assert Judgment.objects.filter(task=other).count() == 2


def test_losses_of_imported_answers_are_reported(
    other: Task,
    imported: Callable[..., str],
) -> None:
    said = imported(line("fluency", condition="ASR", duration_ms=900))
    assert "input conditions, which belong to systems (1 times" in said
    assert Judgment.objects.get(task=other).duration_ms == 900
    with pytest.raises(
        CommandError,
        match="the answer differs from that of the same judge in",
    ):
        imported(line("fluency"), line("fluency", 3))
    with pytest.raises(CommandError, match="6 is out of range"):
        imported(line("fluency", 6))


def test_ratings_whose_earlier_pass_was_taken_back_are_a_loss_of_the_export() -> None:
    """They count, but cannot be imported into a task of the same rules."""
    task = rated_task(make_campaign())
    judgments_number(task_id=task.pk)
    fluency = Judgment.objects.filter(task=task, ratinganswer__criteria=["fluency"])
    written = export_of(task, "ratings-csv").answers
    assert written is not None
    assert written.losses == []
    blocks_withdraw(task=task, blocks=[fluency.earliest("pk").block_id])
    written = export_of(task, "ratings-csv").answers
    assert written is not None
    assert [loss.count for loss in written.losses] == [1]
