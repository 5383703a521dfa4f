"""Sections of test sets and their tasks."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any, Final

from django.db.models import QuerySet

from annotation.models import Design, TrainingBlock, TrainingCandidate
from annotation.models.design import PARAMETERS
from annotation.sampling.parameters import DesignKind
from annotation.selectors.designs import design_in_force, is_reference_shown
from annotation.selectors.task_rules import task_rules
from annotation.selectors.training import training_blocks
from annotation.services.planning.designs import LIMITS, design_change
from annotation.services.tasks import task_rules_change, task_segments_again_change
from annotation.services.training import (
    training_block_change,
    training_block_create,
    training_block_remove,
)
from campaign.models import BadReference, Campaign, Output, Protocol, Segment, Task, TestSet
from campaign.models.task import TaskQuerySet
from campaign.services.bad_references import (
    BadReferenceRefusedError,
    GivenBadReference,
    bad_reference_review,
    bad_reference_rewrite,
    bad_references_store,
)
from campaign.services.campaigns import task_change, task_close, task_create, task_reopen
from campaign.texts.damage import Damage
from campaign.texts.languages import language_pair_checked
from ranking.models import RankingSettings, StoppingRule
from ranking.range_choices import RangeChoice
from ranking.selectors.runs import ranking_settings_in_force, stopping_rule_in_force
from ranking.services.settings import ranking_settings_change, stopping_rule_set
from ranking.wording.stopping_rules import CRITERIA
from whole_campaigns.campaign_file.properties import (
    Schema,
    choice,
    flag,
    object_of,
    properties_of,
    property_of,
)
from whole_campaigns.campaign_file.said import Said, tags_checked
from whole_campaigns.campaign_file.sections.people import GROUP, group_property, group_said
from whole_campaigns.campaign_file.sections.section import ListSection, Run, Section, differing
from whole_campaigns.campaign_file.sections.texts import (
    SystemsSection,
    test_set_of_texts,
    texts_refuse_others,
    texts_said,
    texts_schema,
)

_SEGMENT: Final[Schema] = {
    "type": "integer",
    "minimum": 1,
    "maximum": 2**31 - 1,
    "description": "Segment number within the test set, from 1.",
}
_MADE: Final = ("damage", "detail", "seed", "attempt")
_PENDING: Final = BadReference.Status.PENDING


class DamagedReferencesSection(ListSection[Task]):
    """Damaged references by segment number. The user who applies the file becomes the reviewer of changed ones."""

    key, words = "damaged_references", "Attention checks: damaged references, one per segment."
    required = ("segment", "text", "damage")
    fields = {BadReference: (*_MADE, "status")}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a damaged reference."""
        return {
            "segment": _SEGMENT,
            "text": {
                "type": "string",
                "minLength": 1,
                "description": "Text shown to judges. Cannot be changed once approved.",
            },
            **properties_of(BadReference, _MADE, attempt={"minimum": 1}),
            "status": choice(
                BadReference.Status, "Only approved ones are shown to judges. Defaults to pending."
            ),
        }

    def rows(self, owner: Task) -> QuerySet[BadReference]:
        """Return all damaged references by segment, with one query."""
        rows = BadReference.objects.of(owner.test_set_id).in_order()
        return rows.select_related("output__segment")

    def item_read(self, row: BadReference) -> dict[str, Any]:
        """Return the fields of a row, with its segment and text."""
        placed = {"segment": row.output.segment.number, "text": row.output.text}
        return {**placed, **super().item_read(row)}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Store new damaged references, and rewrite and review existing ones."""
        if self.key not in said:
            return
        there = {row.output.segment.number: row for row in self.rows(owner)}
        new: dict[int, Said] = {}
        for each in said.items_of(self.key):
            row = there.get(each.get("segment"))
            if row is None:
                new[each.get("segment")] = each
            else:
                _damaged_change(row, each, run)
        try:
            given = [
                _given(each, status=BadReference.Status(each.get("status", _PENDING)))
                for each in new.values()
            ]
            bad_references_store(test_set=owner.test_set, given=given, reviewer=run.by)
        except BadReferenceRefusedError as error:
            place = said[self.key] if error.segment is None else new[error.segment]
            with place.refusals():
                raise


def _given(said: Said, **more: Any) -> GivenBadReference:
    named = {**more, **said.only(("segment", "text", *_MADE))}
    return GivenBadReference(**{**named, "damage": Damage(named["damage"])})


def _damaged_change(row: BadReference, said: Said, run: Run) -> None:
    if said.get("text") != row.output.text or differing(row, said.only(_MADE)):
        kept = {name: getattr(row, name) for name in ("detail", "seed", "attempt")}
        with said.refusals("text"):
            row = bad_reference_rewrite(bad_reference=row, given=_given(said, **kept))
    status = said.get("status", row.status)
    if status == row.status:
        return
    if status == _PENDING:
        raise said.error(
            f"it has been reviewed and stays {row.status}", f"write status: {row.status}", "status"
        )
    with said.refusals("status"):
        bad_reference_review(
            bad_reference=row, approve=status == BadReference.Status.APPROVED, reviewer=run.by
        )


_SAID: Final = ("position", "explanation", "expected")


class TrainingSection(ListSection[Task]):
    """Training blocks by segment number; outputs by system name."""

    key, words = "training", "Training blocks shown before the first HIT."
    required = ("segment",)
    fields = {
        TrainingBlock: ("segment", "position", "explanation"),
        TrainingCandidate: ("output", "expected"),
    }

    def item(self) -> dict[str, Schema]:
        """Return the schema of a training block."""
        return {
            "segment": _SEGMENT,
            "position": property_of(
                TrainingBlock,
                "position",
                minimum=1,
                description="Position, from 1. New blocks are added at the end if omitted.",
            ),
            "explanation": property_of(TrainingBlock, "explanation", minLength=1),
            "expected": {
                "type": "object",
                "additionalProperties": {"type": ["integer", "null"], "minimum": 1, "maximum": 5},
                "minProperties": 2,
                "description": "Systems shown, each with its expected rank (1 is best, only the order "
                "counts), or null for no expectation.",
            },
            "removed": flag("True if new judges do not receive this block."),
        }

    def rows(self, owner: Task) -> Sequence[TrainingBlock]:
        """Return the blocks in order, with two queries."""
        return list(training_blocks(task_id=owner.pk))

    def item_read(self, row: TrainingBlock) -> dict[str, Any]:
        """Return a block with the names of its systems."""
        return {
            "segment": row.segment.number,
            "position": row.position,
            "explanation": row.explanation,
            "expected": {each.output.system.name: each.expected for each in row.candidates.all()},
        }

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Remove, change and add training blocks."""
        del run
        if self.key not in said:
            return
        there = {block.segment.number: block for block in self.rows(owner)}
        kept = []
        for each in said.items_of(self.key):
            block = there.get(each.get("segment"))
            if not each.get("removed", False):
                kept.append((each, block))
            elif block is not None:
                training_block_remove(training_block=block)
        for each, block in kept:
            if block is None:
                _training_create(owner, each)
            else:
                _training_change(owner, block, each, self.item_read(block))


def _training_create(owner: Task, said: Said) -> None:
    said.require(("explanation", "expected"), "training block")
    segment = Segment.objects.filter(
        test_set_id=owner.test_set_id, number=said.get("segment")
    ).first()
    if segment is None:
        raise said.error(
            f"segment {said.get('segment')} not found", "correct the number", "segment"
        )
    with said.refusals():
        training_block_create(
            task=owner,
            segment=segment,
            explanation=said.get("explanation"),
            expected=_expected(segment, said),
            position=said.get("position"),
        )


def _training_change(owner: Task, block: TrainingBlock, said: Said, now: Mapping[str, Any]) -> None:
    wanted = said.only(_SAID)
    if "explanation" in wanted:
        wanted["explanation"] = wanted["explanation"].strip()
    if all(now[name] == value for name, value in wanted.items()):
        return
    if "expected" in said:
        expected = _expected(block.segment, said)
    else:
        expected = {each.output: each.expected for each in block.candidates.all()}
    block.task = owner
    with said.refusals():
        training_block_change(
            training_block=block,
            explanation=wanted.get("explanation", block.explanation),
            expected=expected,
            position=wanted.get("position"),
        )


def _expected(segment: Segment, said: Said) -> dict[Output, int | None]:
    outputs = {
        output.system.name: output
        for output in Output.objects.current().filter(segment=segment).select_related("system")
    }
    part = said["expected"]
    for name in part.value:
        if name not in outputs:
            raise part.error(
                f'no system "{name}" has an output of segment {segment.number}',
                "correct the name",
                name,
            )
    return {outputs[name]: rank for name, rank in part.value.items()}


_ASKED: Final = "rank_shown_reference"
_COLUMNS: Final = tuple(name for name in PARAMETERS if name != GROUP)
_PAIR: Final = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0, "maximum": 2**31 - 1},
    "minItems": 2,
    "maxItems": 2,
}
_PLACES: Final = {"type": "integer", "minimum": 1, "maximum": 2**31 - 1}
_LIMITS: Final[dict[str, Schema]] = {
    "kind": {"enum": [str(kind) for kind in DesignKind]},
    "length_limits": {"type": "array", "items": _PAIR},
    "documents": {"items": _PLACES},
    "segments": {"items": _PLACES},
    **{name: {"minimum": low, "maximum": high} for name, (low, high) in LIMITS.items()},
}


class DesignSection(Section[Task]):
    """The active design, including its seed, so that the same texts give the same HITs."""

    fields = {Design: PARAMETERS}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of a design."""
        properties = properties_of(Design, _COLUMNS, **_LIMITS)
        properties[GROUP] = group_property("Only judges of this group receive HITs; null for all.")
        properties[_ASKED] = flag("Judges see the reference and rank it.")
        words = "How new HITs are drawn. A seed is drawn if omitted."
        return {"design": object_of(properties, description=words)}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the design, if there is one."""
        design = design_in_force(task_id=owner.pk)
        if design is None:
            return {}
        said = {name: getattr(design, name) for name in _COLUMNS}
        said[GROUP] = design.judge_group and design.judge_group.name
        if design.reference_rate != 0 and is_reference_shown(task=owner):
            said[_ASKED] = True
        return {"design": said}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Activate a design if there is none, or a different one."""
        if "design" not in said:
            return
        part = said["design"]
        wanted = part.only(_COLUMNS)
        if GROUP in part:
            wanted[GROUP] = group_said(owner.test_set.campaign, part)
        for name in ("documents", "segments", "systems"):
            if name in wanted:
                wanted[name] = sorted(set(wanted[name]))
        now = design_in_force(task_id=owner.pk)
        changes = wanted if now is None else differing(now, wanted)
        if now is not None and not changes:
            return
        with said.refusals("design"):
            design_change(
                task=owner,
                changed_by=run.by,
                rank_shown_reference=part.get(_ASKED, False),
                **changes,
            )


class RankingSettingsSection(Section[Task]):
    """The method of the ranking and of its rank ranges."""

    names = ("method", *RangeChoice.__dataclass_fields__, "reason")
    fields = {RankingSettings: (*names, GROUP)}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of the settings."""
        properties = properties_of(
            RankingSettings,
            self.names,
            sides={"enum": [1, 2]},
            confidence={"exclusiveMinimum": 0, "maximum": 0.999},
        )
        properties[GROUP] = group_property("Only judgments of this group count; null for all.")
        words = (
            "Ranking method and rank ranges. Omitted parts use the defaults of the kind of ranges."
        )
        return {"ranking_settings": object_of(properties, description=words)}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the current settings."""
        return {"ranking_settings": _settings(owner)}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Apply changes, if there are any."""
        if "ranking_settings" not in said:
            return
        part = said["ranking_settings"]
        now = _settings(owner)
        if all(now[name] == value for name, value in part.value.items()):
            return
        wanted = dict(part.value)
        if GROUP in part:
            wanted[GROUP] = group_said(owner.test_set.campaign, part)
        with part.refusals():
            ranking_settings_change(task=owner, changed_by=run.by, **wanted)


def _settings(owner: Task) -> dict[str, Any]:
    settings = ranking_settings_in_force(task_id=owner.pk)
    return {
        "method": settings.method,
        **settings.choice.recorded,
        "reason": settings.reason,
        GROUP: settings.judge_group and settings.judge_group.name,
    }


_TERMS: Final = (*CRITERIA, "tests", "confidence", "reason")
_STOPPING: Final = "stopping_rule"


class StoppingRuleSection(Section[Task]):
    """The active stopping rule; null for none."""

    fields = {StoppingRule: _TERMS}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of a stopping rule."""
        properties = properties_of(
            StoppingRule,
            _TERMS,
            judgments={"minimum": 1},
            pairs_share={"exclusiveMinimum": 0, "maximum": 1},
            clusters={"minimum": 2},
            confidence={"exclusiveMinimum": 0, "maximum": 0.999},
        )
        words = "Stopping rule, met when the first criterion is met; null for none."
        rule = object_of(properties, description=words)
        return {_STOPPING: {**rule, "type": ["object", "null"]}}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the active rule, if there is one."""
        rule = stopping_rule_in_force(task_id=owner.pk)
        if rule is None:
            return {}
        said = {name: getattr(rule, name) for name in _TERMS}
        return {_STOPPING: {**said, "until": rule.until and rule.until.isoformat()}}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Activate the rule, unless it is active already."""
        if _STOPPING not in said:
            return
        if said.get(_STOPPING) is None:
            with said.refusals(_STOPPING):
                stopping_rule_set(task=owner, changed_by=run.by)
            return
        part = said[_STOPPING]
        wanted = dict(part.value)
        if wanted.get("until") is not None:
            wanted["until"] = _day(part, wanted["until"])
        with part.refusals():
            stopping_rule_set(task=owner, changed_by=run.by, **wanted)


def _day(said: Said, text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise said.error(f'"{text}" is not a date', "write 2026-12-12", "until") from None


_LANGUAGES: Final = ("source_language", "target_language")
_QUOTAS: Final = ("blocks_wanted", "blocks_per_segment")


_OF_TEST_SET: Final = (*_LANGUAGES, "expertise")


class SettingsSection(Section[Task]):
    """Languages and expertise of a test set, and quotas of its ranking; of another task, its quotas."""

    fields = {TestSet: _OF_TEST_SET, Task: _QUOTAS}

    def __init__(self, *names: str) -> None:
        self._names = names

    def properties(self) -> dict[str, Schema]:
        """Return the settings."""
        of_task = properties_of(Task, _QUOTAS, blocks_per_segment={"minimum": 1})
        known = of_task | properties_of(TestSet, _OF_TEST_SET)
        return {name: known[name] for name in self._names}

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the settings."""
        rows = {name: owner if name in _QUOTAS else owner.test_set for name in self._names}
        return {name: getattr(row, name) for name, row in rows.items()}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Change the settings that differ."""
        del run
        now, wanted = self.read(owner), said.only(self._names)
        if languages := [name for name in _LANGUAGES if name in wanted]:
            with said.refusals(languages[0]):
                pair = language_pair_checked(*({**now, **wanted}[name] for name in _LANGUAGES))
            wanted |= zip(_LANGUAGES, pair, strict=True)
        if "expertise" in wanted:
            wanted["expertise"] = tags_checked(wanted["expertise"])
        changes = {name: value for name, value in wanted.items() if now[name] != value}
        if changes:
            with said.refusals():
                task_change(task=owner, **changes)
            owner.refresh_from_db()


class ClosingSection(Section[Task]):
    """Closing of a task: applied if present, but never written."""

    fields = {Task: ("closed_at",)}

    def properties(self) -> dict[str, Schema]:
        """Return the schema of `closed`."""
        words = "True if judges receive no new work from this task. Unchanged if omitted."
        return {"closed": flag(words)}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Close or reopen the task."""
        del run
        if "closed" not in said or said.get("closed") == (owner.closed_at is not None):
            return
        if said.get("closed"):
            task_close(task=owner)
        else:
            task_reopen(task=owner)
        owner.refresh_from_db()


_RULES: Final = "rules"
_AGAIN: Final = "segments_again"


class TaskRulesSection(Section[Task]):
    """Rules of the protocol of a task, if it has any, and whether segments are shown again."""

    fields = {Task: (_RULES, _AGAIN)}

    def __init__(self, *names: str) -> None:
        self._names = names

    def properties(self) -> dict[str, Schema]:
        """Return the schema of the rules; valid keys depend on the protocol."""
        return properties_of(Task, self._names)

    def read(self, owner: Task) -> dict[str, Any]:
        """Return the rules."""
        values = {_RULES: task_rules(owner), _AGAIN: owner.segments_again}
        return {name: values[name] for name in self._names if values[name] != {}}

    def apply(self, owner: Task, said: Said, run: Run) -> None:
        """Change the rules that differ."""
        del run
        if _RULES in said:
            with said.refusals(_RULES):
                task_rules_change(task=owner, rules=said.get(_RULES))
        if _AGAIN in said:
            with said.refusals(_AGAIN):
                task_segments_again_change(task=owner, segments_again=said.get(_AGAIN))


#: Sections of a task other than the ranking, in the order in which they are applied and written.
_TASK_SECTIONS: Final[tuple[Section[Task], ...]] = (
    SettingsSection(*_QUOTAS),
    TaskRulesSection(_RULES, _AGAIN),
    TrainingSection(),
    DesignSection(),
    RankingSettingsSection(),
    StoppingRuleSection(),
    ClosingSection(),
)


def _of_sections(sections: Sequence[Section[Task]], first: dict[str, Schema]) -> dict[str, Schema]:
    """Return the schema of these keys and of sections."""
    properties = dict(first)
    for section in sections:
        properties |= section.properties()
    return properties


def _read(sections: Sequence[Section[Task]], task: Task, first: dict[str, Any]) -> dict[str, Any]:
    """Return these values and those of sections."""
    said = dict(first)
    for section in sections:
        said |= section.read(task)
    return said


class OtherTasksSection(ListSection[Task]):
    """The other tasks of a test set, owned here by its ranking. Tasks that are not in the file stay."""

    key = "tasks"
    words = (
        "Other tasks on the same texts, identified by protocol. The ranking is configured above."
    )
    required = ("protocol",)
    fields = {Task: ("protocol", _RULES, _AGAIN)}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a task."""
        others = [str(each) for each in Protocol if each != Protocol.RANKING]
        words = "Protocol of the task."
        protocol = property_of(Task, "protocol", enum=others, description=words)
        return _of_sections(_TASK_SECTIONS, {"protocol": protocol})

    def rows(self, owner: Task) -> TaskQuerySet:
        """Return the tasks in order of creation."""
        rows = Task.objects.filter(test_set=owner.test_set_id).exclude(protocol=Protocol.RANKING)
        return rows.select_related("test_set__campaign").order_by("pk")

    def item_read(self, row: Task) -> dict[str, Any]:
        """Return a task with the values of its sections."""
        return _read(_TASK_SECTIONS, row, {"protocol": row.protocol})

    def item_apply(self, owner: Task, said: Said, run: Run) -> None:
        """Create the task if it is missing, and apply its sections."""
        protocol = said.get("protocol")
        task = self.rows(owner).filter(protocol=protocol).first()
        if task is None:
            with said.refusals():
                task = task_create(test_set=owner.test_set, protocol=protocol, by=run.by)
        task.test_set = owner.test_set
        for section in _TASK_SECTIONS:
            section.apply(task, said, run)


#: In the order in which they are applied and written.
SECTIONS: Final[tuple[Section[Task], ...]] = (
    SettingsSection(*_LANGUAGES, *_QUOTAS, "expertise"),
    TaskRulesSection(_RULES),
    SystemsSection(),
    DamagedReferencesSection(),
    TrainingSection(),
    DesignSection(),
    RankingSettingsSection(),
    StoppingRuleSection(),
    ClosingSection(),
    OtherTasksSection(),
)


class TasksSection(ListSection[Campaign]):
    """Test sets by name. New ones are imported from texts, which never change afterwards."""

    __test__ = False  # keeps pytest from collecting the class because of its name
    key, words = "test_sets", "Test sets, identified by name."
    required = ("name",)
    is_always_written = True
    fields = {TestSet: ("name",)}

    def item(self) -> dict[str, Schema]:
        """Return the schema of a test set."""
        name = property_of(TestSet, "name", minLength=1)
        return _of_sections(SECTIONS, {"name": name, "texts": texts_schema()})

    def rows(self, owner: Campaign) -> Iterable[tuple[int, Task]]:
        """Return the test sets with their places, in order of creation."""
        return enumerate(rankings_in_order(owner), 1)

    def item_read(self, row: tuple[int, Task]) -> dict[str, Any]:
        """Return a test set with the values of its sections."""
        place, task = row
        return _read(SECTIONS, task, {"name": task.test_set.name, **texts_said(task, place)})

    def item_apply(self, owner: Campaign, said: Said, run: Run) -> None:
        """Import the test set if it is missing, and apply its sections."""
        task = rankings_in_order(owner).filter(test_set__name=said.get("name").strip()).first()
        if task is None:
            task = test_set_of_texts(said, run)
        else:
            texts_refuse_others(task, said, run)
        task.test_set.campaign = owner
        for section in SECTIONS:
            section.apply(task, said, run)


def rankings_in_order(campaign: Campaign) -> TaskQuerySet:
    """Return the ranking task of each test set, which represents it in the file, in the order of the file."""
    rankings = Task.objects.of(campaign).filter(protocol=Protocol.RANKING)
    return rankings.select_related("test_set__campaign").order_by("test_set")
