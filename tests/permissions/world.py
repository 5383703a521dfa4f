"""Two campaigns, and somebody of each role in them, to open every address."""

from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any
from uuid import uuid4

import numpy as np
from django.db.models import QuerySet
from django.utils import timezone
from rest_framework.test import APIClient

from annotation.models import Block, ProblemReport, QualityRule
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import pages_changed
from annotation.services.planning.pool import hits_plan
from annotation.services.quality import quality_rules_suggest
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.services.systems import output_correct
from annotation.services.training import training_propose
from campaign.models import (
    BadReference,
    Campaign,
    Job,
    Judge,
    JudgeGroup,
    Membership,
    Output,
    OutputCorrection,
    Panel,
    Protocol,
    Task,
    Upload,
    User,
)
from campaign.selectors.credentials import links_for_anybody
from campaign.services.bad_references import bad_reference_review, bad_references_make
from campaign.services.campaigns import task_close, task_create
from campaign.services.exported_files import exported_file_keep
from campaign.services.instructions import instructions_accept, instructions_write
from campaign.services.invitations import invitation_create_for_anybody
from campaign.services.judge_groups import (
    judge_group_create,
)
from campaign.services.machines import MachineTerms, machine_add
from campaign.services.uploads import (
    upload_begin,
    upload_check,
    upload_file_add,
    upload_part_store,
)
from campaign.services.webhooks import webhook_create, webhook_test
from protocols.quiz.snippets import snippets_replace
from ranking.models import Analysis, Metric, PublishedResult, RankingRun
from ranking.pages.result_bundles import result_bundle_make
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.metrics import metric_store
from ranking.services.published_results.publish import result_publish
from ranking.services.runs import ranking_run_compute
from tests.at_work import assignment_lend
from tests.factories import (
    make_analyst,
    make_campaign,
    make_judge,
    make_organiser,
    make_task,
)
from tests.permissions.features import MARKUP, features_add
from tests.protocol_tasks import given_snippet
from tests.recruiting import make_panel


@dataclass(frozen=True)
class World:
    """Campaign "mine" with a judge, an organiser, an analyst and tasks of all kinds with answers (`features`), and another."""

    campaign: Campaign
    task: Task
    quiz: Task
    rating: Task
    spans: Task
    best_worst: Task
    speech: Task
    run: RankingRun
    users: dict[str, User | None]
    block: Block
    rule: QualityRule
    panel: Panel
    upload: Upload
    report: ProblemReport
    job: Job
    judge: Judge
    membership: Membership
    group: JudgeGroup
    published: PublishedResult

    def client(self, role: str) -> APIClient:
        client = APIClient()
        user = self.users[role]
        if user is not None:
            client.force_login(user)
        return client

    def fill(self, route: str) -> str:
        # A new one each time: what is sent with it is new, too.
        for name in ("<uuid:client_id>", "<uuid:batch>"):
            route = route.replace(name, str(uuid4()))
        if route.endswith("/snippets/"):
            # Only quizzes have snippets, only ratings criteria, and only error spans errors.
            route = route.replace("<int:task_id>", str(self.quiz.pk))
        if route.endswith("/criteria/"):
            route = route.replace("<int:task_id>", str(self.rating.pk))
        if route.endswith(("/error-scheme/", "/errors/", "/suggestions/")):
            route = route.replace("<int:task_id>", str(self.spans.pk))
        for name, part in self._parts.items():
            route = route.replace(name, part)
        return f"/{route}"

    def named_parts(self) -> dict[str, str]:
        """Return the parts of addresses of the API by which something is found, by their names."""
        named = {
            converter.partition(":")[2]: value
            for part, value in self._parts.items()
            if (converter := part.strip("<>")) and ":" in converter
        }
        return named | {"file_id": str(self.upload.files.get().pk)}

    @cached_property
    def _parts(self) -> dict[str, str]:
        return {
            "<slug:slug>": self.campaign.slug,
            "<int:test_set_id>": str(self.task.test_set_id),
            "<path:rest>": "systems/",
            "<int:task_id>": str(self.task.pk),
            "<int:ranking_id>": str(self.run.pk),
            "<int:rule_id>": str(self.rule.pk),
            "<int:panel_id>": str(self.panel.pk),
            "<int:analysis_id>": str(Analysis.objects.get(task=self.task).pk),
            "<slug:kind>": "ranking",
            "<slug:name>": "clusters",
            "<slug:ending>": "json",
            "<str:ending>": "json",
            "<slug:table>": "rankings",
            "<int:judge_id>": str(self.judge.pk),
            "<int:design_id>": str(self.task.designs.earliest("pk").pk),
            "<int:output_id>": str(
                Output.objects.filter(
                    system__test_set=self.task.test_set_id,
                    system__kind="system",
                )
                .earliest("pk")
                .pk,
            ),
            "<int:correction_id>": str(
                OutputCorrection.objects.get(
                    before__system__test_set=self.task.test_set_id,
                ).pk,
            ),
            "<int:system_id>": str(self.task.test_set.systems.earliest("pk").pk),
            "<int:membership_id>": str(self.membership.pk),
            "<int:action_id>": "1",
            "<int:pk>": "1",
            "<int:invitation_id>": str(
                links_for_anybody(campaign=self.campaign).earliest("pk").pk,
            ),
            "<int:version>": "1",
            "<slug:transition>": "pause",
            "<int:number>": "1",
            "<int:report_id>": str(self.report.pk),
            "<int:bad_reference_id>": str(
                _damaged(self.task).filter(approved_at=None)[0].pk,
            ),
            "<uuid:block>": str(self.block.public_id),
            "<int:block_id>": str(self.task.training_blocks.get().pk),
            "<uuid:upload_id>": str(self.upload.pk),
            "<int:file_id>": "1",
            "<int:job_id>": str(self.job.pk),
            "<int:group_id>": str(self.group.pk),
            "<int:request_id>": "1",
            "<int:webhook_id>": str(self.campaign.webhook_endpoints.get().pk),
            "<int:machine_id>": str(self.campaign.machines.get().pk),
            "<int:delivery_id>": str(
                self.campaign.webhook_endpoints.get().deliveries.get().pk,
            ),
            "<int:token_id>": "1",
            "<int:metric_id>": str(
                Metric.objects.get(test_set=self.task.test_set_id).pk,
            ),
            "<int:export_id>": str(
                self.task.exported_files.get(expires_at__isnull=False).pk,
            ),
            "<slug:digest>": self.published.address,
            "<str:file_name>": "ranking.csv",
            "<slug:signature>": "no-such-signature",
            "<str:token>": "no-such-token",
            "<slug:token>": "no-such-token",
        }


def make_world() -> World:
    mine = make_task(
        make_campaign("mine"),
        name="SECRET-NEWS",
        systems=("secretron", "b"),
    )
    scored: dict[str, Any] = {"systems": ["secretron", "b"], "values": np.zeros((7, 2))}
    metric_store(test_set=mine.test_set, name="COMET", file_name="scores.tsv", **scored)
    closing = timezone.now() + timedelta(days=9)
    Campaign.objects.filter(slug="mine").update(
        closes_at=closing,
        time_zone="Etc/GMT+12",
    )
    other = make_task(make_campaign("other"))
    judge = make_judge(mine.test_set.campaign, "secret-judge")
    instructions = instructions_write(
        campaign=mine.test_set.campaign,
        language="en",
        text=f"SECRET-WORDS {MARKUP}",
        demands_acceptance=True,
    )
    instructions_accept(judge=judge, instructions=instructions)
    hits_plan(task_id=mine.pk, count=3)
    block = _judge_one_block(judge)
    report = ProblemReport.objects.create(
        client_id=uuid4(),
        judge=judge,
        block=block,
        task=mine,
        kind="page",
    )
    pages_changed([mine.pk], problem_reports=1)
    run = ranking_run_compute(task_id=mine.pk)
    assert run is not None
    make_organiser(mine.test_set.campaign, "owner@example.org")
    organiser = make_organiser(mine.test_set.campaign)
    analyst = make_analyst(mine.test_set.campaign)
    asked = analysis_choice("diagnosis", {})
    analysis_compute(analysis=analysis_ask(task=mine, choice=asked, is_queued=False))
    upload = upload_begin(campaign=mine.test_set.campaign)
    file = upload_file_add(upload=upload, name="SECRET-FILE.txt", size=2)
    upload_part_store(file=file, offset=0, content=b"a\n")
    invitation_create_for_anybody(
        campaign=mine.test_set.campaign,
        cap=3,
        created_by=organiser,
    )
    machine, _token = machine_add(
        campaign=mine.test_set.campaign,
        by=organiser,
        terms=MachineTerms(
            name="SECRET-MACHINE",
            version="1",
            prompt=f"SECRET-PROMPT {MARKUP}",
        ),
    )
    endpoint = webhook_create(
        campaign=mine.test_set.campaign,
        url="https://example.org/SECRET-FILE",
        events=["campaign.closed"],
    )
    webhook_test(endpoint=endpoint)
    exported_file_keep(
        task=mine,
        content=[b"SECRET-EXPORT"],
        by=None,
        kind="counted",
        file_format="five-way-csv",
        name="SECRET-EXPORT.csv",
        until=1,
        watermark=1,
    )
    published = result_publish(
        task=mine,
        by=organiser,
        embargo_until=timezone.now() + timedelta(days=1),
    )
    result_bundle_make(result=published)
    bad_references_make(test_set=mine.test_set, seed=1)
    bad_reference_review(
        bad_reference=_damaged(mine)[0],
        approve=True,
        reviewer=organiser,
    )
    training_propose(task=mine, count=1)
    wrong = Output.objects.filter(system__name="secretron").latest("pk")
    output_correct(output=wrong, text=f"SECRET-CORRECTION {MARKUP}", leave_out=False)
    features = features_add(ranking=mine, judge=judge, machine=machine)
    return World(
        judge=judge,
        membership=Membership.objects.get(user=organiser),
        group=judge_group_create(
            campaign=mine.test_set.campaign,
            name=f"SECRET-GROUP {MARKUP}",
        ),
        campaign=mine.test_set.campaign,
        task=mine,
        quiz=_make_quiz(mine),
        rating=features.rating,
        spans=features.spans,
        best_worst=features.best_worst,
        speech=features.speech,
        run=run,
        block=block,
        rule=quality_rules_suggest(campaign=mine.test_set.campaign, user=None)[0],
        panel=make_panel(mine.test_set.campaign, name="SECRET-PANEL"),
        published=published,
        upload=upload,
        report=report,
        job=upload_check(upload=upload),
        users={
            "visitor": None,
            "judge": judge.user,
            "organiser": organiser,
            "analyst": analyst,
            "other judge": make_judge(other.test_set.campaign).user,
            "other organiser": make_organiser(
                other.test_set.campaign,
                "other@example.org",
            ),
        },
    )


def _make_quiz(ranking: Task) -> Task:
    """Make a quiz of the same texts, closed: judges are asked nothing else than before."""
    quiz = task_create(test_set=ranking.test_set, protocol=Protocol.QUIZ, by=None)
    snippet = given_snippet(
        name="SECRET-SNIPPET",
        document=ranking.test_set.documents.earliest("position").name,
        first=1,
        last=2,
        statements=(f"SECRET-STATEMENT {MARKUP}",),
        expected=(True,),
    )
    snippets_replace(task=quiz, snippets=[snippet])
    task_close(task=quiz)
    return quiz


def _damaged(task: Task) -> QuerySet[BadReference]:
    return BadReference.objects.of(task.test_set_id).in_order()


def _judge_one_block(judge: Judge) -> Block:
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    assigned = assigned_blocks(assignment)[0]
    labels = list(range(1, len(assigned.candidates) + 1))
    judgment_submit(
        assigned=assigned,
        client_id=uuid4(),
        sent=SentJudgment(labels=labels),
    )
    return Block.objects.get(pk=assigned.block_id)
