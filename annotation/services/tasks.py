"""Change the rules that a task sets for its protocol, and the name of a test set."""
# ruff takes `test_set_…` for test functions

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import HITPurpose
from annotation.protocols.answer_kinds import (
    MOST_ON_PAGE,
    Rules,
    answer_kind,
    answer_kind_of,
    shows_documents,
)
from annotation.selectors.designs import design_in_force
from annotation.selectors.task_rules import (
    is_lent,
    name_settled_in_words,
    rules_settled_in_words,
    task_rules,
)
from annotation.services.numbers import ranking_request
from annotation.services.planning.batch import hits_discard, hits_lock
from annotation.services.planning.designs import block_size_check, design_change
from campaign.database.many_rows import row_locked
from campaign.models import Judge, Protocol, SystemKind, Task, TestSet, User
from campaign.services.campaigns import TaskRefusedError, task_change, task_create
from campaign.texts.refusals import refused_if_broken
from campaign.texts.studies import Preset, study_checked


@transaction.atomic
def task_rules_change(*, task: Task, rules: Rules) -> Task:
    """Set rules of a task; omitted rules stay, and unchanged ones are not written.

    HITs planned by other rules are planned anew. Locks the task's row, and before judging its HITs. Raises ValidationError for rules that its protocol does not have, and once
    a HIT of the task is lent, because judgments would then answer different questions, except for
    rules that change no answer; DesignRefusedError if the design in force does not fit them.
    """
    if not is_lent(task=task):
        hits_lock(task=task)
    locked = row_locked(task)
    kind = answer_kind_of(locked)
    before = task_rules(locked)
    chosen = answer_kind(locked.protocol, {**locked.rules, **rules}).rules
    task.rules = locked.rules
    changed = set()
    for name, value in chosen.items():
        if value != before[name]:
            changed.add(name)
    if not changed:
        return task
    if changed <= kind.changeable_rules:
        task.rules = chosen
        task.save(update_fields=["rules"])
        # What is computed from answers and these rules.
        ranking_request(task_id=task.pk)
        return task
    settled = rules_settled_in_words(task=locked)
    if settled:
        raise ValidationError(settled)
    # HITs drawn for blocks fit no pass and no page, and those of a pass or page fit nothing else.
    had_passes = kind.passes is not None
    has_passes = answer_kind(locked.protocol, chosen).passes is not None
    has_pages = shows_documents(chosen)
    changes_pages = has_pages != shows_documents(before)
    if had_passes or has_passes or changes_pages:
        _hits_discard(locked)
    task.rules = locked.rules = chosen
    task.save(update_fields=["rules"])
    design = design_in_force(task_id=task.pk)
    if design is None:
        return task
    if changes_pages and has_pages:
        design_change(task=task, segments_per_hit=MOST_ON_PAGE)
    else:
        # Attention checks, for instance, may need the order that the criteria gave.
        design.task = locked
        block_size_check(design)
    return task


def _hits_discard(task: Task) -> None:
    """Delete the HITs of a task, which are locked and not lent. Raises ValidationError if it has training."""
    if task.hits.filter(purpose=HITPurpose.TRAINING).exists():
        raise ValidationError(
            _("This cannot be changed while the task has training items."),
        )
    hits_discard(task=task)


@transaction.atomic
def task_segments_again_change(*, task: Task, segments_again: bool) -> Task:
    """Choose whether a task shows judges segments that they saw in other tasks of its test set, and vice versa.

    Bojar et al. (2011) compared protocols on the same sentences. Locks the rows of the task and of the campaign's
    judges, as lending does, so that nothing is lent meanwhile. Raises ValidationError for the ranking task, and once a
    HIT of the task is lent, because the record of seen segments depends on the choice.
    """
    locked = Task.objects.select_for_update().get(pk=task.pk)
    task.segments_again = locked.segments_again
    if segments_again == locked.segments_again:
        return task
    if segments_again and locked.protocol == Protocol.RANKING:
        raise ValidationError(
            _("Not available for the ranking task. Set it for the other tasks."),
        )
    judges = Judge.objects.filter(campaign__test_sets=locked.test_set_id).order_by("pk")
    list(
        judges.select_for_update(no_key=True, of=("self",)).values_list(
            "pk",
            flat=True,
        ),
    )
    if is_lent(task=locked):
        raise ValidationError(_("This cannot be changed: judging has started."))
    task.segments_again = segments_again
    task.save(update_fields=["segments_again"])
    return task


@transaction.atomic
def test_set_rename(*, test_set: TestSet, name: str) -> TestSet:
    """Give a test set another name, and return it; changes nothing if it has this name.

    Locks the row. Raises `TaskRefusedError` for an empty or overlong name, for one that another test set of the campaign
    has in any case, and once a HIT was lent, because files and rankings name the test set.
    """
    locked = row_locked(test_set)
    name = name.strip()
    if name == locked.name:
        return locked
    settled = name_settled_in_words(test_set=locked)
    if settled:
        raise TaskRefusedError(settled, field="name")
    if not name or len(name) > (TestSet._meta.get_field("name").max_length or 0):
        raise TaskRefusedError(
            _("Enter a name of at most 200 characters."),
            field="name",
        )
    locked.name = name
    locked.differs_only_in_case = False
    message = _("A test set named “%(name)s” already exists.") % {"name": name}
    with refused_if_broken(
        "test_set_name_unique_in_campaign",
        TaskRefusedError(message, field="name"),
    ):
        locked.save(update_fields=["name", "differs_only_in_case"])
    return locked


@transaction.atomic
def task_with_rules_create(
    *,
    test_set: TestSet,
    protocol: str,
    by: User | None,
    rules: Mapping[str, object],
    segments_again: bool = False,
    **quotas: int | None,
) -> Task:
    """Create a task, as `campaign.services.campaigns.task_create` does, and set its rules, in one transaction.

    Also raises `TaskRefusedError` for invalid rules, and if the test set has fewer systems than a block of the protocol
    shows.
    """
    task = task_create(test_set=test_set, protocol=protocol, by=by, **quotas)
    fewest = answer_kind(protocol).fewest_systems
    if test_set.systems.filter(kind=SystemKind.SYSTEM).count() < fewest:
        raise TaskRefusedError(
            _(
                "“%(name)s” has one system, but this protocol compares outputs. Add a system, or choose ratings or error spans.",
            )
            % {"name": test_set.name},
            field="protocol",
        )
    with _refused_at("segments_again"):
        task_segments_again_change(task=task, segments_again=segments_again)
    with _refused_at("rules"):
        return task_rules_change(task=task, rules=rules)


@transaction.atomic
def task_of_study_create(
    *,
    test_set: TestSet,
    by: User | None,
    protocol: str = "",
    preset: str = "",
    rules: Mapping[str, object],
    segments_again: bool = False,
    **quotas: int | None,
) -> Task:
    """Create a task, as `task_with_rules_create` does, which becomes the study named `preset`; return it.

    `rules` replace those of the study. Also raises `TaskRefusedError` without a protocol and a study, for an unknown study,
    and for a protocol that is not that of the study.
    """
    study = Preset(name="", label="", sentence="", protocol=protocol)
    if preset:
        study = study_checked(preset)
    if not study.protocol:
        raise TaskRefusedError(_("Choose a protocol or a preset."), field="protocol")
    if protocol not in ("", study.protocol):
        raise TaskRefusedError(
            _("“%(name)s” has the protocol “%(protocol)s”.")
            % {"name": preset, "protocol": study.protocol},
            field="protocol",
        )
    task = task_with_rules_create(
        test_set=test_set,
        protocol=study.protocol,
        by=by,
        rules={**study.rules, **rules},
        segments_again=segments_again,
        **quotas,
    )
    if study.design:
        design_change(task=task, changed_by=by, **study.design)
    return task


@transaction.atomic
def study_apply(*, task: Task, preset: Preset, by: User | None = None) -> Task:
    """Give a task of the preset's protocol the rules and the design of a study; return it.

    Raises what `task_rules_change` and `design_change` raise.
    """
    task = task_rules_change(task=task, rules=preset.rules)
    if preset.design:
        design_change(task=task, changed_by=by, **preset.design)
    return task


@transaction.atomic
def task_settings_change(
    *,
    task: Task,
    name: str | None = None,
    rules: Rules | None = None,
    segments_again: bool | None = None,
    **changes: Any,
) -> None:
    """Change the given settings of a task and its test set; `changes` are those of `task_change`.

    Raises `TaskRefusedError`, or what `task_change` raises, for the first setting that is refused; nothing is changed then.
    """
    if name is not None:
        test_set_rename(test_set=task.test_set, name=name)
    if rules is not None:
        with _refused_at("rules"):
            task_rules_change(task=task, rules=rules)
    if segments_again is not None:
        with _refused_at("segments_again"):
            task_segments_again_change(task=task, segments_again=segments_again)
    task_change(task=task, **changes)


@contextmanager
def _refused_at(field: str) -> Iterator[None]:
    """Raise invalid values as the refusal of this field."""
    try:
        yield
    except ValidationError as error:
        raise TaskRefusedError(" ".join(error.messages), field=field) from error
