"""Answers of every protocol as files: on the page and over REST, and what comes in again of what goes out."""

import json
import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.answer_files import answer_files, protocols_with_files
from annotation.export.answers import answers_written, formats_written
from annotation.models import HIT, Judgment
from annotation.services import judgments_number
from campaign.models import Campaign, Protocol, Task
from campaign.services import task_create
from protocols.rating.models import Answer
from ranking.services.analyses import (
    AnalysisRefusedError,
    analysis_ask,
    analysis_choice,
    analysis_compute,
)
from tests.factories import make_campaign, make_organiser, make_task
from tests.integration.protocols.every import EVERY_PROTOCOL
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
    "two_outputs": (judged_task, "choices-jsonl", "compare_choices"),
    "top": (topped_task, JUDGMENTS, "rank_judgments"),
    "spans": (scored_task, "spans-jsonl", "score_spans"),
    "rating": (rated_task, "ratings-jsonl", "rate_judgments"),
    "editing": (edited_task, "edits-jsonl", "measure_edits"),
    "quiz": (quizzed_task, "quiz-jsonl", "score_quiz"),
    "sorting": (sorted_task, "comparisons-jsonl", "sort_systems"),
}


def lines_of(task: Task, file_format: str) -> list[str]:
    written = answers_written(task=task, file_format=file_format)
    assert written is not None
    return list(written.lines)


@EVERY_PROTOCOL
def test_answers_are_downloaded_by_page_and_rest(protocol: Protocol, client: Client) -> None:
    task = WORLDS[protocol](make_campaign())
    judgments_number(task_id=task.pk)
    client.force_login(make_organiser(task.test_set.campaign))
    page = f"/campaigns/museum/tasks/{task.pk}/answers/"
    rest = f"/api/v1/tasks/{task.pk}/answers/"
    known = client.get(rest).json()
    files = answer_files(protocol)
    assert files is not None
    assert known == {"read": list(files.formats), "written": formats_written(task)}
    shown = client.get(page).content.decode()
    assert ('type="file"' in shown) is (protocol in protocols_with_files())
    for file_format in known["written"]:
        expected = "".join(lines_of(task, file_format))
        assert expected
        for address, asked in ((page, {"download": ""}), (rest, {})):
            got = client.get(address, {"as": file_format, **asked})
            assert (got.status_code, got.content.decode()) == (200, expected), address
        assert file_format in client.get(page, {"as": file_format}).content.decode()
    assert known["written"] or protocol == Protocol.RANKING


def file_of(protocol: Protocol, path: Path) -> list[str]:
    """Write the answers of a task, as the command of its protocol reads them."""
    world, file_format, _command = COMMANDS[protocol]
    task = world(make_campaign())
    judgments_number(task_id=task.pk)
    if file_format == JUDGMENTS:
        test_set = task.test_set
        call_command(
            *("export_judgments", str(path)),
            campaign=test_set.campaign.slug,
            test_set=test_set.name,
            protocol=protocol,
            kind="counted",
            verbosity=0,
        )
    else:
        path.write_text("".join(lines_of(task, file_format)), encoding="utf-8")
    return path.read_text(encoding="utf-8").splitlines(keepends=True)


#: What is missing; of two outputs, only agreement is told.
WORDS = ("not estimable yet", "have no percentage", "nothing to compare")
#: What few answers do not support: ends of intervals and rank ranges, clusters, and p-values.
PROMISES = re.compile(
    r"(.*_)?(low|high)|clusters?|p_value|adjusted_p|p_(normal|exact|judges)|p|ranges|(standard_)?error"
)


def promised(data: Any, key: str = "") -> Iterator[str]:
    """Yield the keys of numbers that promise something of other answers."""
    if isinstance(data, dict):
        for name, value in data.items():
            yield from promised(value, name if not PROMISES.fullmatch(key) else key)
    elif isinstance(data, list):
        for value in data:
            yield from promised(value, key)
    elif isinstance(data, int | float) and not isinstance(data, bool) and PROMISES.fullmatch(key):
        yield f"{key}: {data}"


@EVERY_PROTOCOL
def test_one_answer_has_no_range_cluster_interval_or_p_value(
    protocol: Protocol, tmp_path: Path
) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_text(file_of(protocol, path)[0], encoding="utf-8")
    command = COMMANDS[protocol][2]
    said, read = StringIO(), StringIO()
    call_command(command, str(path), "--format", "json", stdout=said, stderr=StringIO())
    call_command(command, str(path), stdout=read, stderr=StringIO())
    assert list(promised(json.loads(said.getvalue()))) == []
    assert any(each in read.getvalue().lower() for each in WORDS), read.getvalue()


@EVERY_PROTOCOL
def test_pages_and_rest_say_of_one_answer_what_is_missing(
    protocol: Protocol, client: Client
) -> None:
    if protocol == Protocol.RANKING:
        return
    task = COMMANDS[protocol][0](make_campaign())
    judgments_number(task_id=task.pk)
    choice = analysis_choice(protocol, {})
    asked = analysis_ask(task=task, choice=choice, watermark=1, is_queued=False)
    try:
        analysis_compute(analysis=asked)
    except AnalysisRefusedError:
        # The first answer of a quiz is a sentence that is read, without a question.
        assert protocol == Protocol.QUIZ
        return
    client.force_login(make_organiser(task.test_set.campaign))
    rest = client.get(f"/api/v1/tasks/{task.pk}/analyses/{asked.pk}/").json()
    assert list(promised(rest["answer"])) == []
    page = client.get(f"/campaigns/museum/tasks/{task.pk}/analyses/{protocol}/")
    assert any(each in page.content.decode().lower() for each in WORDS)


@EVERY_PROTOCOL
def test_a_file_is_read_by_the_command_of_its_protocol(protocol: Protocol, tmp_path: Path) -> None:
    _world, file_format, command = COMMANDS[protocol]
    path = tmp_path / "answers.jsonl"
    lines = file_of(protocol, path)
    # JSON Lines come in again, too.
    files = answer_files(protocol)
    assert files is not None
    assert file_format in files.formats
    said = StringIO()
    call_command(command, str(path), "--format", "json", stdout=said, stderr=StringIO())
    read = json.loads(said.getvalue())
    assert read["version"]
    assert len(lines) > 3


# --- Ratings, in and out --------------------------------------------------------------------------


@pytest.fixture
def rated() -> Task:
    task = rated_task(make_campaign())
    judgments_number(task_id=task.pk)
    return task


@pytest.fixture
def other(rated: Task) -> Task:
    """A task of the same texts in another campaign, without answers."""
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


def test_ratings_that_go_out_come_in_again(
    rated: Task, other: Task, imported: Callable[..., str]
) -> None:
    lines = lines_of(rated, "ratings-jsonl")
    # Whatever the order of a file: fluency comes before adequacy.
    imported(*reversed(lines))
    assert sorted(lines_of(other, "ratings-jsonl")) == sorted(lines)
    assert {
        (hit.part, criterion)
        for hit in HIT.objects.filter(task=other)
        for criterion in Answer.objects.filter(judgment__block__hit=hit).values_list(
            "criterion", flat=True
        )
    } == {(1, "fluency"), (2, "adequacy")}
    figures = [
        {
            name: value
            for name, value in (
                analysis_compute(
                    analysis=analysis_ask(
                        task=task, choice=analysis_choice("rating", {}), is_queued=False
                    )
                ).data
                or {}
            ).items()
            if name != "input"
        }
        for task in (rated, other)
    ]
    assert figures[0] == figures[1]
    # The same file again adds nothing.
    assert imported(*reversed(lines))
    assert Judgment.objects.filter(task=other).count() == len(lines)


def test_adequacy_follows_fluency_in_files_too(other: Task, imported: Callable[..., str]) -> None:
    for lines in (
        [line("adequacy")],
        [line("fluency", judge="ben"), line("adequacy")],
        [line("fluency", systems=["ember"]), line("adequacy")],
    ):
        with pytest.raises(CommandError) as error:
            imported(*lines)
        assert "rates adequacy of a text whose fluency this judge does not rate" in str(error.value)
        assert f"line {len(lines)}" in str(error.value)
    assert not Judgment.objects.filter(task=other).exists()
    Task.objects.filter(pk=other.pk).update(rules={"order_free": True})
    imported(line("adequacy"), line("fluency", judge="ben"))
    assert Judgment.objects.filter(task=other).count() == 2


def test_what_an_answer_cannot_carry_is_said(other: Task, imported: Callable[..., str]) -> None:
    said = imported(line("fluency", condition="ASR", duration_ms=900))
    assert "kinds of input, which are said of systems (1 times" in said
    assert Judgment.objects.get(task=other).duration_ms == 900
    with pytest.raises(CommandError, match="rates this text a second time by fluency"):
        imported(line("fluency"), line("fluency", 3))
    with pytest.raises(CommandError, match="6 is out of range"):
        imported(line("fluency", 6))
