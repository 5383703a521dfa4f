"""Sections of a campaign file about test sets, about their tasks, and about the parts of tasks."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any, ClassVar, Final

from django.db.models import Case, QuerySet, When

from annotation.models import Design, TrainingBlock
from annotation.models.design import PARAMETERS
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.designs import design_in_force, is_reference_shown
from annotation.selectors.task_rules import task_rules
from annotation.selectors.training import training_blocks
from annotation.services.planning.designs import design_change
from annotation.services.tasks import task_settings_change, task_with_rules_create
from annotation.services.training import (
    UnknownSystemError,
    ranks_by_output,
    training_block_remove,
    training_block_write,
)
from campaign.models import BadReference, Campaign, Protocol, Task, TestSet
from campaign.models.task import TaskQuerySet
from campaign.services.bad_references import (
    BadReferenceContent,
    BadReferenceRefusedError,
    BadReferenceReviewedError,
    bad_reference_change,
    bad_reference_content,
    bad_references_store,
)
from campaign.services.campaigns import task_close, task_reopen
from ranking.models import RankingSettings, StoppingRule
from ranking.selectors.runs import ranking_settings_in_force, stopping_rule_in_force
from whole_campaigns.campaign_file.bodies import (
    TASK_SETTINGS,
    TEST_SET_SETTINGS,
    DamagedReferenceInFileSerializer,
    DesignInFileSerializer,
    RankingSettingsInFileSerializer,
    StoppingRuleInFileSerializer,
    TaskInFileSerializer,
    TestSetInFileSerializer,
    TrainingInFileSerializer,
)
from whole_campaigns.campaign_file.parts import Body, Part, differing
from whole_campaigns.campaign_file.sections import (
    InForceSection,
    Section,
    TaskSection,
    sections_apply,
    sections_read,
)
from whole_campaigns.campaign_file.texts import (
    SystemsSection,
    test_set_import,
    texts_compare,
    texts_read,
)


class TrainingSection(TaskSection[TrainingBlock]):
    """The training blocks of a task, identified by segment, with their outputs by system."""

    serializer = TrainingInFileSerializer

    def rows(self) -> QuerySet[TrainingBlock]:
        """Return the training blocks in order."""
        return training_blocks(task_id=self.task.pk)

    def body(self, row: TrainingBlock) -> Body:
        """Return a training block with its expected ranks."""
        expected = {}
        for candidate in row.candidates.all():
            expected[candidate.output.system.name] = candidate.expected
        return {
            "segment": row.segment.number,
            "position": row.position,
            "explanation": row.explanation,
            "expected": expected,
        }

    def paired(self, items: list[Part]) -> Iterator[tuple[Part, TrainingBlock | None]]:
        """Remove blocks, which frees their positions; yield the others."""
        remaining: list[Part] = []
        for item in items:
            if not self.validated(item).get("removed", False):
                remaining.append(item)
                continue
            block = self.row(item)
            if block is not None:
                training_block_remove(training_block=block)
        return super().paired(remaining)

    def row(self, part: Part) -> TrainingBlock | None:
        """Return the training block of a segment."""
        number = self.validated(part).get("segment", 0)
        return self.rows().filter(segment__number=number).first()

    def create(self, part: Part, values: Body) -> None:
        """Add a training block."""
        number = values["segment"]
        segment = self.test_set.segments.filter(number=number).first()
        if segment is None:
            raise part.error(
                f"segment {number} not found",
                "correct the number",
                "segment",
            )
        try:
            expected = ranks_by_output(segment=segment, ranks=values["expected"])
        except UnknownSystemError as error:
            raise part.error(
                f'no system "{error.system}" has an output of segment {number}',
                "correct the name",
                "expected",
                error.system,
            ) from error
        training_block_write(
            task=self.task,
            segment=segment,
            explanation=values["explanation"],
            expected=expected,
            position=values.get("position"),
        )

    def change(self, part: Part, row: TrainingBlock, changes: Body) -> None:
        """Change a training block."""
        changes.pop("removed", None)
        if changes:
            self.create(part, self.body(row) | changes)


class DamagedReferencesSection(TaskSection[BadReference]):
    """All damaged references by segment."""

    serializer = DamagedReferenceInFileSerializer

    def rows(self) -> QuerySet[BadReference]:
        """Return the damaged references with their outputs."""
        rows = BadReference.objects.of(self.test_set.pk).in_order()
        return rows.select_related("output__segment")

    def body(self, row: BadReference) -> Body:
        """Return a damaged reference."""
        values = asdict(bad_reference_content(row))
        return {**values, "damage": row.damage, "status": row.status}

    def paired(self, items: list[Part]) -> Iterator[tuple[Part, BadReference | None]]:
        """Yield complete items with the damaged references of their segments."""
        rows = {row.output.segment.number: row for row in self.rows()}
        for item in items:
            values = self.validated(item, is_new=True)
            yield item, rows.get(values["segment"])

    def apply(self, part: Part) -> None:
        """Rewrite and review existing damaged references, and store new ones together."""
        self._new: dict[int, Part] = {}
        self._references: list[BadReferenceContent] = []
        super().apply(part)
        try:
            bad_references_store(
                test_set=self.test_set,
                bad_references=self._references,
                reviewer=part.run.by,
            )
        except BadReferenceRefusedError as error:
            first = next(iter(self._new.values()))
            with self._new.get(error.segment or 0, first).refusals():
                raise

    def create(self, part: Part, values: Body) -> None:
        """Keep a damaged reference, to be stored with the others."""
        self._new[values["segment"]] = part
        self._references.append(BadReferenceContent(**values))

    def change(self, part: Part, row: BadReference, changes: Body) -> None:
        """Rewrite a damaged reference whose text or origin differs, then review it."""
        try:
            bad_reference_change(
                bad_reference=row,
                content=replace(bad_reference_content(row), **changes),
                reviewer=part.run.by,
            )
        except BadReferenceReviewedError as error:
            raise part.error(
                f"it has been reviewed and stays {row.status}",
                f"write status: {row.status}",
                "status",
            ) from error


def representing_tasks(campaign: Campaign) -> TaskQuerySet:
    """Return the task of each test set whose settings the file has as those of the test set, in the order of the file.

    It is the ranking, or the first task of a test set without one.
    """
    is_ranking = Case(When(protocol=Protocol.RANKING, then=0), default=1)
    tasks = Task.objects.of(campaign).select_related("test_set__campaign")
    return tasks.order_by("test_set_id", is_ranking, "pk").distinct("test_set_id")


_LISTS: Final = ("documents", "segments", "systems")


class _TasksSection(Section[Task]):
    """Tasks with their settings and parts."""

    sections: ClassVar[Mapping[str, type[TaskSection[Any]]]]

    def current(self, row: Task) -> Body:
        """Return the settings of a task and its test set."""
        return {
            **_test_set_settings(row.test_set),
            **_settings_read(row),
            "segments_again": row.segments_again,
            "protocol": row.protocol,
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
                task_settings_change(task=row, **changes)
            row.refresh_from_db()
        sections_apply(self.sections, row, part)
        if closed:
            task_close(task=row)
        elif closed is not None:
            task_reopen(task=row)


class DesignSection(InForceSection[Design]):
    """The design of a task, with its seed, so that the same texts give the same HITs."""

    serializer = DesignInFileSerializer
    in_force = staticmethod(design_in_force)

    def body(self, row: Design) -> Body:
        """Return a design, and whether it ranks a reference that is shown."""
        is_ranked = row.reference_rate != 0 and is_reference_shown(task=self.task)
        return {**super().body(row), "rank_shown_reference": is_ranked}

    def create(self, part: Part, values: Body) -> None:
        """Activate a design if there is none, or a different one."""
        may_rank_shown = values.pop("rank_shown_reference", False)
        for name in _LISTS:
            if name in values:
                values[name] = sorted(set(values[name]))
        design = design_in_force(task_id=self.task.pk)
        if design is not None:
            now = {name: getattr(design, name) for name in PARAMETERS}
            values = differing(now, values)
        if values or design is None:
            design_change(
                task=self.task,
                changed_by=part.run.by,
                rank_shown_reference=may_rank_shown,
                **values,
            )


class RankingSettingsSection(InForceSection[RankingSettings]):
    """The ranking settings of a task; none if its answers put outputs in no order."""

    serializer = RankingSettingsInFileSerializer
    in_force = staticmethod(ranking_settings_in_force)

    def read(self) -> Any:
        """Return the ranking settings in force."""
        if not answer_kind_of(self.task).compares_outputs:
            return None
        return super().read()


class StoppingRuleSection(InForceSection[StoppingRule]):
    """The stopping rule of a task, which is replaced as a whole, as in REST."""

    serializer = StoppingRuleInFileSerializer
    in_force = staticmethod(stopping_rule_in_force)
    is_whole = True


_ANALYSIS: Final[Mapping[str, type[TaskSection[Any]]]] = {
    "training": TrainingSection,
    "design": DesignSection,
    "ranking_settings": RankingSettingsSection,
    "stopping_rule": StoppingRuleSection,
}


class OtherTasksSection(_TasksSection, TaskSection[Task]):
    """The other tasks of a test set, in order of creation."""

    serializer = TaskInFileSerializer
    fields = TASK_SETTINGS
    key = lookup = "protocol"
    sections = _ANALYSIS

    def rows(self) -> TaskQuerySet:
        """Return the tasks of the test set other than the one that represents it."""
        tasks = Task.objects.filter(test_set=self.test_set).exclude(pk=self.task.pk)
        return tasks.select_related("test_set__campaign").order_by("pk")

    def body(self, row: Task) -> Body:
        """Return a task with its parts."""
        return {
            "protocol": row.protocol,
            **_settings_read(row),
            "segments_again": row.segments_again,
            **sections_read(self.sections, row),
        }

    def create(self, part: Part, values: Body) -> None:
        """Create a task, and apply its settings and parts."""
        self.update(part, _task_add(part, self.test_set, values["protocol"]))


class TestSetsSection(_TasksSection):
    """The test sets in order of creation, each with the settings of the task that represents it."""

    __test__ = False

    serializer = TestSetInFileSerializer
    fields = TEST_SET_SETTINGS
    lookup = "test_set__name"
    sections = {
        "systems": SystemsSection,
        "damaged_references": DamagedReferencesSection,
        **_ANALYSIS,
        "tasks": OtherTasksSection,
    }

    def rows(self) -> TaskQuerySet:
        """Return the tasks that represent the test sets."""
        return representing_tasks(self.campaign)

    def read(self) -> Any:
        """Return the test sets."""
        return [_test_set_read(*item) for item in enumerate(self.rows(), 1)]

    def apply(self, part: Part) -> None:
        """Import missing test sets, and apply the settings and tasks of all."""
        for item in part.items():
            values = self.validated(item)
            task = self.row(item)
            if task is None:
                task = test_set_import(item, values, self.campaign)
            else:
                texts_compare(item, values, task)
                task = _task_named(item, values, task)
            task.test_set.campaign = self.campaign
            self.update(item, task)


def _task_named(part: Part, values: Body, representing: Task) -> Task:
    """Return the task of a test set with the protocol that its item names; add it if there is none."""
    protocol = values.get("protocol", representing.protocol)
    if protocol == representing.protocol:
        return representing
    tasks = Task.objects.select_related("test_set__campaign")
    task = tasks.filter(test_set=representing.test_set, protocol=protocol).first()
    if task is None:
        with part.refusals():
            task = _task_add(part, representing.test_set, protocol)
    return task


def _task_add(part: Part, test_set: TestSet, protocol: str) -> Task:
    return task_with_rules_create(
        test_set=test_set,
        protocol=protocol,
        by=part.run.by,
        rules={},
    )


def _test_set_read(number: int, task: Task) -> Body:
    """Return the test set that a task represents; `number` is its place in the file, from 1."""
    own: Body = {}
    if task.protocol != Protocol.RANKING:
        own = {"protocol": task.protocol, "segments_again": task.segments_again}
    return {
        "name": task.test_set.name,
        **own,
        **texts_read(task, number),
        **_test_set_settings(task.test_set),
        **_settings_read(task),
        **sections_read(TestSetsSection.sections, task),
    }


def _test_set_settings(test_set: TestSet) -> Body:
    names = ("name", "source_language", "target_language", "expertise")
    return {name: getattr(test_set, name) for name in names}


def _settings_read(task: Task) -> Body:
    """Return the quotas and rules of a task."""
    values: Body = {
        "blocks_wanted": task.blocks_wanted,
        "blocks_per_segment": task.blocks_per_segment,
    }
    rules = task_rules(task)
    if rules:
        values["rules"] = rules
    return values
