"""A filled database of each released version is taken to this one, and everything in it works."""

import re
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
import redis
from django.core.management import call_command
from django.db import connection, transaction
from django.test import Client
from pytest_django import DjangoDbBlocker

from annotation.models import HIT, Assignment, Judgment
from annotation.selectors.hits import plans_read
from annotation.services.planning.for_judge import judge_plan
from campaign.database.catalogue import Catalogue, catalogue_for
from campaign.models import (
    Campaign,
    Job,
    JobKind,
    JobState,
    Judge,
    Protocol,
    Task,
    User,
)
from campaign.services.campaigns import rehearsal_begin, rehearsal_end_later, task_close
from campaign.services.jobs import jobs_run_waiting
from campaign.services.uploads import (
    upload_begin,
    upload_change,
    upload_check,
    upload_file_add,
    upload_import,
    upload_part_store,
)
from protocols.models import SpansAnswer
from ranking.export.asked import export_queue, requested_export
from ranking.models import LatestRanking, RankingRun
from ranking.services.analyses import analysis_ask, analysis_choice
from ranking.services.metrics import metrics_ask
from ranking.services.published_results.publish import result_publish
from tests.at_work import expire, judge_one_hit
from tests.redrawn_hits import hits_redraw
from tests.roles import connected_as, owner_cursor, owner_role
from tests.upgrades.dump import dump_read, dumps
from tests.walked_pages import broken_links
from whole_campaigns.cloning import campaign_clone

import annotation.tasks  # noqa: F401  isort: skip  the worker's handlers

FILES = {
    "source.en.txt": b"A cat.\n",
    "alpha.de.txt": b"Eine Katze.\n",
    "beta.de.txt": b"Katz.\n",
}
SYSTEMS = {
    "source.en.txt": {"role": "source"},
    "alpha.de.txt": {"role": "system", "system": "alpha"},
    "beta.de.txt": {"role": "system", "system": "beta"},
}


@pytest.fixture(
    scope="module",
    params=dumps(),
    ids=lambda path: path.name.removesuffix(".sql.xz"),
)
def upgraded(
    request: pytest.FixtureRequest,
    django_db_blocker: DjangoDbBlocker,
    patient_broker: redis.Redis,
) -> Iterator[Path]:
    """Connect to a database of an older version that `migrate` brought to this one; yield its dump."""
    before = connection.settings_dict["NAME"]
    name = f"{before}_upgraded"
    with django_db_blocker.unblock():
        connection.close()
        with owner_cursor() as cursor:
            cursor.execute(f'CREATE DATABASE "{name}" TEMPLATE template0')
        connection.settings_dict["NAME"] = name
        try:
            with owner_cursor() as cursor:
                cursor.execute(dump_read(request.param))
            with connected_as(owner_role()):
                call_command("migrate", verbosity=0)
            yield request.param
        finally:
            connection.close()
            connection.settings_dict["NAME"] = before
            with owner_cursor() as cursor:
                cursor.execute(f'DROP DATABASE "{name}" WITH (FORCE)')
            patient_broker.flushdb()


@pytest.mark.usefixtures("upgraded")
class TestAnUpgradedDatabase:
    """The tests share its rows, and run in this order."""

    def test_upgraded_database_has_the_tables_of_a_new_one(self) -> None:
        found = Catalogue.of(connection)
        kept = catalogue_for(found.migrations)
        assert kept is not None
        assert (kept.differences(found), kept.missing_functions(found)) == ([], [])
        call_command("check", databases=["default"])

    def test_hits_that_were_not_lent_before_have_the_blocks_that_were_drawn(
        self,
    ) -> None:
        not_lent = HIT.objects.filter(assignments=None, batch__isnull=False)
        hits = list(not_lent.select_related("batch", "design", "task"))
        assert len(hits) > 100
        assert {hit.holds_check for hit in hits} == {False, True}
        plans = plans_read([hit.pk for hit in hits])
        redrawn = hits_redraw(hits)
        for hit in hits:
            assert plans[hit.pk] == redrawn[hit.pk]
            expected = list(hit.blocks.values_list("expected", flat=True))
            assert expected == [block.expected for block in plans[hit.pk].blocks]

    def test_errors_kept_their_severities(self, upgraded: Path) -> None:
        # Before, each error was major or not.
        [rows] = re.findall(
            r"^INSERT INTO public\.protocols_spansanswer VALUES\n(.*?);$",
            dump_read(upgraded),
            re.MULTILINE | re.DOTALL,
        )
        before = {
            int(key): [2 if major == "t" else 1 for major in re.findall("[tf]", majors)]
            for key, majors in re.findall(r"\((\d+), .*'\{([tf,]*)\}'\)", rows)
        }
        assert {severity for own in before.values() for severity in own} == {1, 2}
        answers = SpansAnswer.objects.filter(pk__in=before)
        assert dict(answers.values_list("pk", "span_severities")) == before

    def test_every_ranking_is_the_same_bit_for_bit(self) -> None:
        output = StringIO()
        call_command("check_rankings", stdout=output)
        said = output.getvalue()
        assert "not recomputed" not in said
        # Scores and order are the same in every bit; methods for ranges and agreement may have changed since.
        checked = sum(
            int(number) for number in re.findall(r": (\d+)\.$", said, re.MULTILINE)
        )
        assert checked == RankingRun.objects.count() + LatestRanking.objects.count()
        assert checked > 20

    def test_every_page_of_a_campaign_opens(self) -> None:
        organiser = Client()
        organiser.force_login(User.objects.get(email="organiser@demo.invalid"))
        assert broken_links(organiser, "/campaigns/museum-protocols/") == {}
        for campaign in Campaign.objects.all():
            for member in User.objects.filter(memberships__campaign=campaign):
                organiser.force_login(member)
                page = organiser.get(f"/campaigns/{campaign.slug}/")
                assert page.status_code == 200

    def test_judges_of_every_protocol_get_and_do_work(self) -> None:
        judged = set()
        for judge in Judge.objects.filter(
            campaign__slug="museum-protocols",
            origin="person",
        ):
            browser = Client()
            assert judge.user is not None
            browser.force_login(judge.user)
            assert browser.get("/judge/museum-protocols/").status_code == 200
            for conflict in judge.conflicts.all():
                # A worker draws HITs for this judge alone.
                task = conflict.system.test_set.tasks.get(protocol=Protocol.RANKING)
                assert judge_plan(task_id=task.pk, judge_id=judge.pk)
            lent = browser.post(
                "/api/v1/judging/assignments/",
                {},
                content_type="application/json",
            )
            assert lent.status_code == 200, (judge.pseudonym, lent.json())
            judged.add(lent.json()["protocol"])
        assert judged == set(Protocol)
        ada = Judge.objects.get(campaign__slug="museum", pseudonym="Ada")
        before = Judgment.objects.filter(judge=ada).count()
        with transaction.atomic():
            assert judge_one_hit(ada) is not None
        assert Judgment.objects.filter(judge=ada).count() > before

    def test_every_kind_of_job_is_done(self) -> None:
        kinds = {Job.objects.waiting().get().kind}
        kinds |= _done(
            *_jobs_of_a_task(
                Task.objects.get(test_set__name="SECRET-NEWS", protocol="ranking"),
            ),
        )
        kinds |= _done(*_jobs_of_an_upload())
        draft = _draft()
        kinds |= _done(
            rehearsal_begin(
                campaign=draft,
                bots=2,
                skill=1.0,
                share=0.1,
                seed=1,
                by=None,
            ),
        )
        kinds |= _done(rehearsal_end_later(campaign=draft, by=None))
        assert kinds == set(JobKind)


def _done(*jobs: Job | None) -> set[str]:
    """Run all waiting jobs; return the kinds of these, all of which must have ended well."""
    jobs_run_waiting()
    kinds = set()
    for job in jobs:
        assert job is not None
        job.refresh_from_db()
        assert (job.kind, job.state, job.error) == (job.kind, JobState.DONE, "")
        kinds.add(job.kind)
    return kinds


def _jobs_of_a_task(task: Task) -> list[Job | None]:
    export = requested_export(task=task, kind="counted", file_format="five-way-csv")
    analyses = [
        analysis_ask(task=task, choice=analysis_choice(kind, {}))
        for kind in ("agreement", "firmness")
    ]
    # A bundle is made once judging has ended.
    for other in task.test_set.tasks.all():
        task_close(task=other)
    for assignment in Assignment.objects.filter(
        hit__task__test_set=task.test_set_id,
        completed_at=None,
    ):
        expire(assignment)
    published = result_publish(task=task, by=None)
    return [
        *(analysis.job for analysis in analyses),
        export_queue(export=export, by=None),
        metrics_ask(test_set=task.test_set, metrics=["BLEU"]),
        published.bundle_job,
    ]


def _jobs_of_an_upload() -> list[Job | None]:
    upload = upload_begin(campaign=Campaign.objects.get(slug="museum"))
    for name, content in FILES.items():
        file = upload_file_add(upload=upload, name=name, size=len(content))
        upload_part_store(file=file, offset=0, content=content)
    upload_change(
        upload=upload,
        name="New",
        roles=SYSTEMS,
        source_language="en",
        target_language="de",
    )
    check = upload_check(upload=upload)
    _done(check)
    return [check, upload_import(upload=upload)]


def _draft() -> Campaign:
    source = Campaign.objects.get(slug="museum-hidden")
    clone = campaign_clone(
        source=source,
        slug="draft",
        name="Draft",
        texts=True,
        people=False,
        by=None,
    )
    return clone.campaign
