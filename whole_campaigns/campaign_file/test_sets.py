"""Sections of a campaign file about test sets, and about their tasks."""

from collections.abc import Iterable
from typing import Final

from annotation.models.design import PARAMETERS
from annotation.selectors.designs import design_in_force, is_reference_shown
from annotation.selectors.task_rules import task_rules
from annotation.services.planning.designs import design_change
from campaign.models import Campaign, Protocol, Task
from campaign.models.task import TaskQuerySet
from campaign.services.campaigns import task_close, task_create, task_reopen
from ranking.api.ranking_settings import RankingSettingsSerializer, ranking_settings_of
from ranking.api.stopping_rules import StoppingRuleSerializer
from ranking.selectors.runs import ranking_settings_in_force, stopping_rule_in_force
from ranking.services.ranking_settings import ranking_settings_change, stopping_rule_set
from whole_campaigns.api import TaskChangesAndClosingSerializer, task_settings_change
from whole_campaigns.campaign_file.bodies import (
    TASK_SETTINGS,
    DesignInFileSerializer,
    TaskInFileSerializer,
)
from whole_campaigns.campaign_file.damaged_references import DamagedReferencesSection
from whole_campaigns.campaign_file.parts import Body, Part, differing
from whole_campaigns.campaign_file.sections import Section, TaskSection, body
from whole_campaigns.campaign_file.texts import (
    SystemsSection,
    test_set_import,
    texts_compare,
    texts_read,
)
from whole_campaigns.campaign_file.training import TrainingSection


def rankings_in_order(campaign: Campaign) -> TaskQuerySet:
    """Return the ranking task of each test set, which represents it in the file, in the order of the file."""
    rankings = Task.objects.of(campaign).filter(protocol=Protocol.RANKING)
    return rankings.select_related("test_set__campaign").order_by("test_set")


class _TasksSection(Section[Task]):
    """Tasks with their settings and parts."""

    def current(self, row: Task) -> Body:
        """Return the settings of a task and its test set."""
        test_set = row.test_set
        return {
            **_settings_read(row),
            "protocol": row.protocol,
            "name": test_set.name,
            "source_language": test_set.source_language,
            "target_language": test_set.target_language,
            "expertise": test_set.expertise,
            "closed": row.closed_at is not None,
        }

    def update(self, part: Part, row: Task) -> None:
        """Apply the settings and parts of a task."""
        part = part.of(row.test_set.campaign, row)
        changes = self.validated(part, now=self.current(row))
        closed = changes.pop("closed", None)
        # The item was found by it.
        changes.pop("name", None)
        if changes:
            with part.refusals():
                task_settings_change(row, **changes)
            row.refresh_from_db()
        self.update_parts(part, row)
        if closed:
            task_close(task=row)
        elif closed is not None:
            task_reopen(task=row)

    def update_parts(self, part: Part, row: Task) -> None:
        """Apply what the ranking and other tasks have in common."""
        TrainingSection(row).apply(part.items_of("training"))
        if "design" in part:
            _design_apply(part["design"], row)
        if "ranking_settings" in part:
            _ranking_settings_apply(part["ranking_settings"], row)
        if "stopping_rule" in part:
            _stopping_rule_apply(part, row)


class TestSetsSection(_TasksSection):
    """The test sets in order of creation, each with the settings of its ranking."""

    __test__ = False

    serializer = TaskChangesAndClosingSerializer
    lookup = "test_set__name"

    def rows(self) -> TaskQuerySet:
        """Return the rankings of the test sets."""
        return rankings_in_order(self.campaign)

    def read(self) -> list[Body]:
        """Return the test sets."""
        return [_test_set_read(*item) for item in enumerate(self.rows(), 1)]

    def apply(self, parts: Iterable[Part]) -> None:
        """Import missing test sets, and apply the settings and tasks of all."""
        for part in parts:
            values = self.validated(part)
            task = self.row(part)
            if task is None:
                task = test_set_import(part, values, self.campaign)
            else:
                texts_compare(part, values, task)
            task.test_set.campaign = self.campaign
            self.update(part, task)

    def update_parts(self, part: Part, row: Task) -> None:
        """Apply systems and damaged references before, and other tasks after the parts of the ranking."""
        SystemsSection(row).apply(part.items_of("systems"))
        DamagedReferencesSection(row).apply(part.items_of("damaged_references"))
        super().update_parts(part, row)
        OtherTasksSection(row).apply(part.items_of("tasks"))


class OtherTasksSection(_TasksSection, TaskSection[Task]):
    """The other tasks of a test set, in order of creation."""

    serializer = TaskInFileSerializer
    fields = TASK_SETTINGS
    key = lookup = "protocol"

    def rows(self) -> TaskQuerySet:
        """Return the tasks of the test set other than the ranking."""
        tasks = Task.objects.filter(test_set=self.test_set)
        tasks = tasks.exclude(protocol=Protocol.RANKING)
        return tasks.select_related("test_set__campaign").order_by("pk")

    def body(self, row: Task) -> Body:
        """Return a task with its parts."""
        return {"protocol": row.protocol, **_settings_read(row), **_parts_read(row)}

    def create(self, part: Part, values: Body) -> None:
        """Create a task, and apply its settings and parts."""
        task = task_create(
            test_set=self.test_set, protocol=values["protocol"], by=part.run.by
        )
        self.update(part, task)


def _test_set_read(number: int, task: Task) -> Body:
    """Return the test set of a ranking; `number` is its place in the file, from 1."""
    settings = _settings_read(task)
    del settings["segments_again"]
    test_set = task.test_set
    values: Body = {
        "name": test_set.name,
        **texts_read(task, number),
        "source_language": test_set.source_language,
        "target_language": test_set.target_language,
        "expertise": test_set.expertise,
        **settings,
        "systems": SystemsSection(task).read(),
    }
    damaged_references = DamagedReferencesSection(task).read()
    if damaged_references:
        values["damaged_references"] = damaged_references
    values |= _parts_read(task)
    tasks = OtherTasksSection(task).read()
    if tasks:
        values["tasks"] = tasks
    return values


def _settings_read(task: Task) -> Body:
    """Return the quotas and rules of a task."""
    values: Body = {
        "blocks_wanted": task.blocks_wanted,
        "blocks_per_segment": task.blocks_per_segment,
    }
    rules = task_rules(task)
    if rules:
        values["rules"] = rules
    values["segments_again"] = task.segments_again
    return values


def _parts_read(task: Task) -> Body:
    """Return training, design, ranking settings and stopping rule of a task, if it has them."""
    values: Body = {}
    training = TrainingSection(task).read()
    if training:
        values["training"] = training
    design = design_in_force(task_id=task.pk)
    if design is not None:
        # With its seed, so that the same texts give the same HITs.
        is_ranked = design.reference_rate != 0 and is_reference_shown(task=task)
        values["design"] = body(DesignInFileSerializer(design))
        values["design"]["rank_shown_reference"] = is_ranked
    settings = ranking_settings_in_force(task_id=task.pk)
    values["ranking_settings"] = body(RankingSettingsSerializer(settings))
    stopping_rule = stopping_rule_in_force(task_id=task.pk)
    if stopping_rule is not None:
        values["stopping_rule"] = body(StoppingRuleSerializer(stopping_rule))
    return values


_LISTS: Final = ("documents", "segments", "systems")


def _design_apply(part: Part, task: Task) -> None:
    """Activate a design if there is none, or a different one."""
    design = design_in_force(task_id=task.pk)
    values = part.validated(DesignInFileSerializer)
    may_rank_shown = values.pop("rank_shown_reference", False)
    for name in _LISTS:
        if name in values:
            values[name] = sorted(set(values[name]))
    if design is not None:
        values = differing({name: getattr(design, name) for name in PARAMETERS}, values)
    if values or design is None:
        with part.refusals():
            design_change(
                task=task,
                changed_by=part.run.by,
                rank_shown_reference=may_rank_shown,
                **values,
            )


def _ranking_settings_apply(part: Part, task: Task) -> None:
    values = part.validated(RankingSettingsSerializer)
    with part.refusals():
        ranking_settings_change(
            task=task, changed_by=part.run.by, **ranking_settings_of(values)
        )


def _stopping_rule_apply(part: Part, task: Task) -> None:
    """Replace the stopping rule, which is whole as in REST; null removes it."""
    values: Body = {}
    if part.get("stopping_rule") is not None:
        values = part["stopping_rule"].validated(StoppingRuleSerializer, is_new=True)
    with part.refusals("stopping_rule"):
        stopping_rule_set(task=task, changed_by=part.run.by, **values)
