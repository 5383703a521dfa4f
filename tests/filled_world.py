"""A campaign with all content that pages can show, and the reads of its pages."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Block, ProblemReport, QualityRule
from annotation.services.planning.for_judge import judge_plan
from annotation.services.planning.pool import hits_plan
from annotation.services.quality import JudgeDecision, quality_rules_suggest
from campaign.models import (
    Campaign,
    Judge,
    JudgeGroup,
    MachineJudge,
    Membership,
    Output,
    Panel,
    Task,
    Upload,
    User,
    WebhookEndpoint,
)
from campaign.services.instructions import instructions_accept, instructions_write
from campaign.services.invitations import invitation_create_for_anybody
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from campaign.services.machines import MachineTerms, machine_add
from campaign.services.uploads import (
    upload_begin,
    upload_check,
    upload_file_add,
    upload_part_store,
)
from campaign.services.webhooks import webhook_create
from ranking.models import PublishedResult, RankingRun
from ranking.services.published_results.publish import result_publish
from ranking.services.quality import decision_take, quality_evaluate
from ranking.services.runs import ranking_compute
from tests.at_work import assignment_lend
from tests.factories import make_analyst, make_campaign, make_organiser, make_task
from tests.filling import Filling, filled_task
from tests.recruiting import make_panel


@dataclass(frozen=True)
class FilledWorld:
    """A campaign with a filled and ranked test set, and a user of each role."""

    campaign: Campaign
    task: Task
    run: RankingRun
    rule: QualityRule
    panel: Panel
    judge: Judge
    membership: Membership
    upload: Upload
    group: JudgeGroup
    report: ProblemReport
    users: dict[str, User]
    published: PublishedResult
    decided: UUID
    webhook: WebhookEndpoint
    machine: MachineJudge

    def address(self, route: str) -> str:
        """Return the address of a route of the URL registry in this campaign."""
        parts: dict[str, Any] = {
            "<slug:slug>": self.campaign.slug,
            "<int:task_id>": self.task.pk,
            "<int:ranking_id>": self.run.pk,
            "<int:rule_id>": self.rule.pk,
            "<int:panel_id>": self.panel.pk,
            "<int:judge_id>": self.judge.pk,
            "<int:report_id>": self.report.pk,
            "<int:design_id>": self.task.designs.earliest("pk").pk,
            "<int:system_id>": self.task.test_set.systems.earliest("pk").pk,
            # One that was judged.
            "<int:output_id>": Output.objects.filter(
                pk__in=self.report.block.outputs,
                system__kind="system",
            )
            .earliest("pk")
            .pk,
            "<int:version>": 1,
            "<slug:transition>": "pause",
            "<slug:kind>": "ranking",
            "<slug:name>": "collected",
            "<slug:ending>": "json",
            "<str:ending>": "json",
            "<int:number>": 1,
            "<uuid:upload_id>": self.upload.pk,
            "<uuid:batch>": self.decided,
            "<int:group_id>": self.group.pk,
            "<int:webhook_id>": self.webhook.pk,
            "<int:machine_id>": self.machine.pk,
            "<slug:digest>": self.published.address,
            "<str:file_name>": "ranking.csv",
        }
        for name, value in parts.items():
            route = route.replace(name, str(value))
        return f"/{route}"


def filled_world(slug: str, filling: Filling, *, further: int = 0) -> FilledWorld:
    """Fill a campaign, rank it and measure its judges. As the owner of the tables.

    `further`: panels, groups, members, links, webhooks, machine judges and reports beside the one of each.
    """
    campaign = make_campaign(slug)
    task = filled_task(campaign, filling)
    make_task(campaign, name="another", planned=0)
    computed = ranking_compute(task_id=task.pk)
    assert computed is not None
    quality_evaluate(
        run=computed.run,
        tallies=computed.judges,
        agreement=computed.agreement,
    )
    organiser = make_organiser(campaign, f"organiser@{slug}.example.org")
    analyst = make_analyst(campaign, f"rita@{slug}.example.org")
    judge = campaign.judges.select_related("user").earliest("pk")
    instructions = instructions_write(
        campaign=campaign,
        language="en",
        text="Rank.",
        demands_acceptance=True,
    )
    instructions_accept(judge=judge, instructions=instructions)
    hits_plan(task_id=task.pk, count=3)
    # Of many blocks the judge has seen most segments: one is found for them.
    judge_plan(task_id=task.pk, judge_id=judge.pk)
    assert assignment_lend(judge=judge) is not None
    assert judge.user is not None
    invitation_create_for_anybody(campaign=campaign, cap=3)
    for number in range(further):
        make_panel(campaign, name=f"panel {number}")
        _group(campaign, f"experts {number}")
        make_analyst(campaign, f"analyst{number}@{slug}.example.org")
        invitation_create_for_anybody(campaign=campaign, cap=3)
        webhook_create(
            campaign=campaign,
            url=f"https://example.org/{number}",
            events=["campaign.closed"],
        )
        _machine(campaign, organiser, f"0.{number}")
        _report(task, judge)
    return FilledWorld(
        campaign=campaign,
        task=task,
        run=computed.run,
        rule=quality_rules_suggest(campaign=campaign, user=None)[0],
        panel=make_panel(campaign, name="panel"),
        judge=judge,
        membership=Membership.objects.get(user=organiser, campaign=campaign),
        upload=_upload(campaign),
        group=_group(campaign),
        report=_report(task, judge),
        users={"organiser": organiser, "analyst": analyst, "judge": judge.user},
        published=result_publish(task=task, by=organiser),
        decided=decision_take(
            judges=[judge],
            task=task,
            decision=JudgeDecision(action="warn", user=organiser),
        ).batch,
        webhook=webhook_create(
            campaign=campaign,
            url="https://example.org/",
            events=["campaign.closed"],
        ),
        machine=_machine(campaign, organiser),
    )


def _machine(campaign: Campaign, by: User, version: str = "1") -> MachineJudge:
    return machine_add(
        campaign=campaign,
        by=by,
        terms=MachineTerms(name="judgebot", version=version),
    )[0]


def _group(campaign: Campaign, name: str = "experts") -> JudgeGroup:
    group = judge_group_create(campaign=campaign, name=name)
    judge_group_members_change(group=group, add=list(campaign.judges.all()))
    return group


def _report(task: Task, judge: Judge) -> ProblemReport:
    block = Block.objects.filter(hit__task=task).earliest("pk")
    return ProblemReport.objects.create(
        client_id=uuid4(),
        judge=judge,
        block=block,
        task=task,
        kind="page",
    )


def _upload(campaign: Campaign) -> Upload:
    upload = upload_begin(campaign=campaign)
    file = upload_file_add(upload=upload, name="source.txt", size=2)
    upload_part_store(file=file, offset=0, content=b"a\n")
    upload_check(upload=upload)
    return upload


@dataclass
class Cost:
    """Queries and reads of a request: rows and 8 kB blocks by (table, table or index)."""

    queries: int = 0
    rows: dict[tuple[str, str], int] = field(default_factory=dict)
    blocks: dict[tuple[str, str], int] = field(default_factory=dict)


# Of the transaction so far: exact, and known at once.
_READ = """
SELECT coalesce(i.indrelid, c.oid)::regclass::text, c.oid::regclass::text,
    greatest(pg_stat_get_xact_tuples_returned(c.oid), pg_stat_get_xact_tuples_fetched(c.oid)),
    pg_stat_get_xact_blocks_fetched(c.oid)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_index i ON i.indexrelid = c.oid
WHERE n.nspname = 'public' AND c.relkind IN ('r', 'i')
"""


@contextmanager
def costs() -> Iterator[Cost]:
    """Count reads within the test's transaction."""
    cost = Cost()
    before = _read()
    # It holds so many, and warns of more.
    connection.queries_log.clear()
    with CaptureQueriesContext(connection) as queries:
        yield cost
    cost.queries = len(queries)
    for name, (rows, blocks) in _read().items():
        earlier = before.get(name, (0, 0))
        cost.rows[name], cost.blocks[name] = rows - earlier[0], blocks - earlier[1]


def _read() -> dict[tuple[str, str], tuple[int, int]]:
    with connection.cursor() as cursor:
        cursor.execute(_READ)
        return {
            (table, name): (rows, blocks)
            for table, name, rows, blocks in cursor.fetchall()
        }
