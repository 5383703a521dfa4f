"""What is read of a replica, how far behind it may be, and what is never asked of it."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import OperationalError, connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import Settings

from annotation.models import JudgmentSequence, QualityActionKind
from annotation.services.quality import quality_action_take
from campaign.database import replica
from campaign.models import Judge, Membership, User
from launcher.services import Services
from ranking.selectors.judges import judges_listed
from ranking.tasks import rank_task
from tests.integration.ranking.pages import addresses
from tests.integration.ranking.writing import TestSetWriter
from tests.standby_server import Standby, standby_server

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(scope="module")
def server(services: Services) -> Iterator[Standby]:
    if services.postgres is None:
        pytest.skip("DATABASE_URL names a PostgreSQL that is not ours to copy")
    with standby_server(services.postgres) as standby:
        yield standby


@pytest.fixture
def standby(
    server: Standby, judged: TestSetWriter, organiser: User, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Standby]:
    """A replica that has all there is, until it is told to pause."""
    monkeypatch.setattr(replica._Resting, "until", 0.0)
    own = connections.settings["default"]
    options = {name: value for name, value in own["OPTIONS"].items() if name != "host"}
    connections.settings["replica"] = {**own, "HOST": str(server.sockets), "OPTIONS": options}
    server.follow()
    # Django's tests forbid to connect later, by a name that their settings do not have.
    connections["replica"].connect()
    yield server
    connections["replica"].close()
    del connections["replica"]
    del connections.settings["replica"]
    server.follow()


@pytest.fixture
def paths(judged: TestSetWriter) -> dict[str, str]:
    """The addresses that a replica may answer, each with what differs by a judgment."""
    api = f"/api/v1/tasks/{judged.task.pk}"
    asked = "?kind=with-skips&file_format=five-way-csv"
    pages = addresses(judged)
    return {
        "judgments": f"{api}/judgments/",
        "file": f"{api}/exports/stream/{asked}",
        "latest": f"{api}/rankings/latest/",
        "judges": f"{api}/judges/",
        "actions": f"{api}/quality-actions/",
        "dashboard": pages["dashboard"],
        "live": pages["live"],
        "download": reverse("exports", args=[judged.campaign.slug, judged.task.pk])
        + f"{asked}&stream=on",
        "page of judges": reverse("judge-quality", args=[judged.campaign.slug, judged.task.pk]),
    }


def text_of(response: Any) -> str:
    if response.streaming:
        return b"".join(response.streaming_content).decode()
    return str(response.content.decode())


def judge_one(writer: TestSetWriter) -> None:
    writer.judgment("newcomer", writer.block(9, ["A", "B"]), [1, 2])
    rank_task(writer.task.pk)


FILES = ["judgments", "file", "latest", "judges", "download"]
NAMES = [*FILES, "dashboard", "live", "page of judges"]


@pytest.mark.thorough
def test_an_answer_is_that_of_a_moment_and_says_of_which(
    standby: Standby, as_organiser: Client, judged: TestSetWriter, paths: dict[str, str]
) -> None:
    standby.pause()
    before = {name: text_of(as_organiser.get(paths[name])) for name in NAMES}
    judge_one(judged)
    for name in NAMES:
        response = as_organiser.get(paths[name])
        told = (response["Quintet-Watermark"], response["Quintet-Behind"])
        assert told == ("10", "1"), name
        shown = text_of(response)
        if name in FILES:
            assert shown == before[name]
        else:
            assert "newcomer" not in shown
            assert "As of judgment 10. 1 newer judgment is not included yet." in shown
    standby.follow()
    for name in NAMES:
        response = as_organiser.get(paths[name])
        assert (response["Quintet-Watermark"], response["Quintet-Behind"]) == ("11", "0"), name
        assert "newer" not in text_of(response)


@pytest.mark.thorough
def test_the_primary_is_asked_who_may_read_and_nothing_more(
    standby: Standby, as_organiser: Client, paths: dict[str, str]
) -> None:
    for path in paths.values():
        as_organiser.get(path)
        with (
            CaptureQueriesContext(connections["default"]) as primary,
            CaptureQueriesContext(connections["replica"]) as there,
        ):
            text_of(as_organiser.get(path))
        asked = [query["sql"] for query in primary]
        assert len(asked) <= 4, asked
        assert not any('"annotation_judgment"' in sql for sql in asked), path
        assert len(there) > 1, path


def test_whoever_decides_sees_it_at_once(
    standby: Standby,
    as_organiser: Client,
    organiser: User,
    judged: TestSetWriter,
    paths: dict[str, str],
) -> None:
    standby.pause()
    quality_action_take(
        judge=Judge.objects.get(pseudonym="j1"),
        task=judged.task,
        action=QualityActionKind.EXCLUDE,
        user=organiser,
    )
    response = as_organiser.get(paths["actions"])
    assert "Quintet-Behind" not in response
    assert [row["judge"] for row in response.json()["results"]] == ["j1"]


@pytest.mark.thorough
def test_who_lost_the_right_reads_nothing_however_late_the_replica_hears_of_it(
    standby: Standby, as_organiser: Client, organiser: User, paths: dict[str, str]
) -> None:
    standby.pause()
    Membership.objects.filter(user=organiser).delete()
    assert {as_organiser.get(path).status_code for path in paths.values()} == {404}


@pytest.mark.thorough
def test_a_replica_too_far_behind_is_not_asked(
    standby: Standby,
    as_organiser: Client,
    judged: TestSetWriter,
    paths: dict[str, str],
    settings: Settings,
) -> None:
    settings.REPLICA_JUDGMENTS_BEHIND = 1
    standby.pause()
    for segment in (9, 10):
        judged.judgment("newcomer", judged.block(segment, ["A", "B"]), [1, 2])
    response = as_organiser.get(paths["judgments"])
    assert "Quintet-Behind" not in response
    assert len(response.json()["results"]) == 12


@pytest.mark.thorough
def test_what_the_replica_has_not_heard_of_is_asked_of_the_primary(
    standby: Standby, as_organiser: Client, judged: TestSetWriter
) -> None:
    standby.pause()
    other = TestSetWriter(judged.campaign, "two", ["A", "B"])
    other.judgment("j1", other.block(1, ["A", "B"]), [1, 2])
    rank_task(other.task.pk)
    for path in ("rankings/latest", "judgments"):
        response = as_organiser.get(f"/api/v1/tasks/{other.task.pk}/{path}/")
        assert response.status_code == 200
        assert "Quintet-Behind" not in response
    assert as_organiser.get(addresses(other)["dashboard"]).status_code == 200


def test_without_an_answer_of_the_replica_the_primary_answers(
    standby: Standby, as_organiser: Client, judged: TestSetWriter, paths: dict[str, str]
) -> None:
    standby.stop()
    try:
        response = as_organiser.get(paths["dashboard"])
        assert response.status_code == 200
        assert "Quintet-Behind" not in response
        assert text_of(response)
        assert not replica.replica_is_there()
    finally:
        standby.start()


@pytest.mark.thorough
def test_a_statement_that_the_replica_gives_up_is_asked_of_the_primary(
    standby: Standby, as_organiser: Client, paths: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As it does where it must replay what a reader still needs."""
    asked = []

    def given_up(**named: Any) -> Any:
        asked.append(replica.replica_is_asked())
        if asked[-1]:
            raise OperationalError("canceling statement due to conflict with recovery")
        return judges_listed(**named)

    monkeypatch.setattr("ranking.views.judge.judges_listed", given_up)
    assert as_organiser.get(paths["page of judges"]).status_code == 200
    assert asked == [True, False]


@pytest.mark.thorough
def test_nothing_is_written_to_it_and_the_primary_is_asked_again_afterwards(
    standby: Standby, judged: TestSetWriter
) -> None:
    def written() -> None:
        JudgmentSequence.objects.update(last_number=7)

    with pytest.raises(Exception, match="read-only"):
        replica.replica_read(written, otherwise=lambda: None)
    assert not replica.replica_is_asked()
    assert JudgmentSequence.objects.get().last_number == 10
