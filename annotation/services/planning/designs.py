"""Set the design by which a task's HITs are drawn."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Design, HITSequence
from annotation.models.design import PARAMETERS
from annotation.protocols.answer_kinds import (
    MOST_ON_PAGE,
    ScoresOneOutput,
    answer_kind_of,
    outputs_at_a_time,
    shows_documents,
)
from annotation.sampling.parameters import FEWEST_CANDIDATES, DesignKind
from annotation.selectors.designs import (
    design_in_force,
    design_unless_chosen,
    is_reference_shown,
    systems_drawn,
)
from annotation.selectors.passes import has_passes
from annotation.selectors.task_rules import is_lent
from annotation.services.planning.batch import hits_discard, hits_lock
from campaign.database.seeds import seed_draw
from campaign.models import (
    Campaign,
    Document,
    JudgeGroup,
    Segment,
    System,
    SystemKind,
    Task,
    User,
)
from campaign.texts.joining import comma_list, labelled, sentence_list
from campaign.texts.refusals import RefusedError

#: Bounds of a design's numeric parameters, also enforced by constraints of `Design`.
LIMITS: Final[Mapping[str, tuple[float, float]]] = {
    "systems_per_block": (1, 26),
    "segments_per_hit": (1, 50),
    "machine_share": (0, 0.9),
    "reference_rate": (0, 1),
    "bad_reference_rate": (0, 1),
    "active_floor": (0, 1),
    "inter_share": (0, 0.9),
    "intra_share": (0, 0.9),
    "redundancy": (1, 50),
}


class DesignRefusedError(RefusedError):
    """No HIT could be drawn with this design; the message says why, and `field` names the field at fault, if any."""


@transaction.atomic
def design_ensure(*, task: Task, seed: int | None = None) -> Design:
    """Return the design in force; create a uniform one with a random seed if there is none.

    The new design draws the reference like a system, or never if judges see it.
    """
    design = design_in_force(task_id=task.pk)
    if design is None:
        _campaign_lock(task)
        # Checked under the lock, because another worker may have created one.
        design = design_in_force(task_id=task.pk)
        if design is None:
            design = design_unless_chosen(
                task=task,
                seed=seed_draw() if seed is None else seed,
            )
            design.save(force_insert=True)
    return design


@transaction.atomic
def design_change(
    *,
    task: Task,
    changed_by: User | None = None,
    rank_shown_reference: bool = False,
    **parameters: Any,
) -> Design:
    """Create and return a new design for HITs planned from now on.

    `parameters` may be any of `PARAMETERS`; the others keep their values. HITs already planned keep
    the design that drew them; in a task with passes they are planned again. Each change adds a row with its author, time and the whole design.
    Raises `DesignRefusedError` without changing anything if no HIT could be drawn, or if
    `parameters` include a rate at which judges would rank a reference that they see, unless
    `rank_shown_reference` is set. A rate that is not given was accepted earlier.
    """
    _campaign_lock(task)
    # Under the planning lock, so that each batch is drawn with one design.
    HITSequence.objects.get_or_create(task=task)
    HITSequence.objects.select_for_update().get(task=task)
    if has_passes(task):
        hits_lock(task=task)
    design = design_proposed(
        task=task,
        rank_shown_reference=rank_shown_reference,
        **parameters,
    )
    if has_passes(task):
        hits_discard(task=task)
    design.changed_by = changed_by
    design.save(force_insert=True)
    return design


@transaction.atomic
def design_use_again(*, design: Design, changed_by: User | None = None) -> Design:
    """Create and return a copy of an earlier design of the same task, with the current seed.

    The earlier seed may have become public since, which would make draws predictable. Raises
    `DesignRefusedError` like `design_change`: sentences may have been deleted since, or judges may
    now see the reference.
    """
    in_force = design_in_force(task_id=design.task_id)
    chosen = {}
    for name in PARAMETERS:
        if in_force is None or (
            name != "seed" and getattr(design, name) != getattr(in_force, name)
        ):
            chosen[name] = getattr(design, name)
    return design_change(task=design.task, changed_by=changed_by, **chosen)


def design_proposed(
    *,
    task: Task,
    rank_shown_reference: bool = False,
    **parameters: Any,
) -> Design:
    """Return the design that `design_change` would create, not saved. Raises the same errors."""
    unknown = sorted(set(parameters).difference(PARAMETERS))
    if unknown:
        raise DesignRefusedError(f"Unknown design parameter: {', '.join(unknown)}.")
    before = design_in_force(task_id=task.pk) or design_unless_chosen(
        task=task,
        seed=seed_draw(),
    )
    values = {name: getattr(before, name) for name in PARAMETERS} | parameters
    values["systems"] = sorted(set(values["systems"]))
    design = Design(task=task, **values)
    _check(design)
    if has_passes(task) and is_lent(task=task):
        raise DesignRefusedError(_("This cannot be changed: judging has started."))
    if "reference_rate" in parameters and not rank_shown_reference:
        _shown_reference_check(design)
    return design


def _campaign_lock(task: Task) -> None:
    """Lock and reload the campaign, so that its setting to show the reference stays fixed until the commit."""
    campaigns = Campaign.objects.select_for_update(no_key=True)
    task.test_set.campaign = campaigns.get(pk=task.test_set.campaign_id)


def _shown_reference_check(design: Design) -> None:
    if design.reference_rate == 0:
        return
    if is_reference_shown(task=design.task):
        raise DesignRefusedError(
            _(
                "reference_rate: judges in %(slug)s see the reference and can spot it among the outputs. Hide it in the campaign settings, set the rate to 0, or confirm with rank_shown_reference.",
            )
            % {"slug": design.task.test_set.campaign.slug},
            field="reference_rate",
        )


def _check(design: Design) -> None:
    if design.kind == Design.Kind.IMPORTED:
        raise DesignRefusedError(
            "kind: “imported” cannot be used to draw HITs.",
            field="kind",
        )
    limits = design.length_limits
    if not isinstance(limits, list | tuple) or not all(map(_is_length_limit, limits)):
        raise DesignRefusedError(
            "length_limits must be pairs of words and at least two outputs.",
            field="length_limits",
        )
    for name, (low, high) in LIMITS.items():
        value = getattr(design, name)
        if isinstance(value, int | float) and not low <= value <= high:
            raise DesignRefusedError(
                f"{name}: {value} is not between {low} and {high}.",
                field=name,
            )
    if design.attention_every and not design.bad_reference_rate:
        raise DesignRefusedError(
            _(
                "attention_every: attention checks use damaged references. Set bad_reference_rate above 0, or attention_every to 0.",
            ),
            field="attention_every",
        )
    try:
        design.clean_fields(exclude=["task", "changed_by", "judge_group"])
        block_size_check(design)
        _sorting_check(design)
        _systems_check(design)
        _repeats_check(design)
        design.validate_constraints()
    except ValidationError as error:
        raise DesignRefusedError(
            _error_in_words(error),
            field=_field_of(error),
        ) from error
    limit = design.task.blocks_per_segment
    if limit is not None and design.redundancy > limit:
        raise DesignRefusedError(
            _(
                "redundancy: %(redundancy)d exceeds the limit of %(limit)d blocks per segment.",
            )
            % {"redundancy": design.redundancy, "limit": limit},
            field="redundancy",
        )
    _group_check(design)
    test_set_id = design.task.test_set_id
    _subset_check(
        "documents",
        design.documents,
        Document.objects.filter(test_set_id=test_set_id).values_list(
            "position",
            flat=True,
        ),
    )
    _subset_check(
        "segments",
        design.segments,
        Segment.objects.filter(test_set_id=test_set_id).values_list(
            "number",
            flat=True,
        ),
    )


def _is_length_limit(pair: object) -> bool:
    """Return whether this is a pair of a number of words and an allowed number of outputs."""
    if not isinstance(pair, list | tuple) or [type(number) for number in pair] != [
        int,
        int,
    ]:
        return False
    length, size = pair
    return bool(length >= 0 and size >= FEWEST_CANDIDATES)


def block_size_check(design: Design) -> None:
    """Raise `DesignRefusedError` if blocks would show a number of outputs that the protocol does not allow."""
    fitting = answer_kind_of(design.task).candidates
    size = design.parameters.size
    is_by_kind = design.kind in (DesignKind.ALL, DesignKind.BINARY, DesignKind.SORTING)
    if size not in fitting:
        if is_by_kind:
            field = "kind"
        else:
            field = "systems_per_block"
        raise DesignRefusedError(_candidates_refused(size, fitting), field=field)
    if shows_documents(design.task.rules):
        _page_check(design)
    kind = answer_kind_of(design.task)
    scores_one = isinstance(kind, ScoresOneOutput)
    if size == 1 and design.bad_reference_rate and not scores_one:
        raise DesignRefusedError(
            _(
                "bad_reference_rate: attention checks need several outputs per block or a score, and this task has neither.",
            ),
            field="bad_reference_rate",
        )
    if (
        size > 1
        and not kind.orders_outputs
        and (design.bad_reference_rate or design.attention_every)
    ):
        if design.bad_reference_rate:
            field = "bad_reference_rate"
        else:
            field = "attention_every"
        raise DesignRefusedError(
            _(
                "%(field)s: attention checks among several outputs need an order. Give criteria a weight, or show one output per block.",
            )
            % {"field": field},
            field=field,
        )
    if design.kind == DesignKind.ACTIVE and not kind.orders_outputs:
        raise DesignRefusedError(
            _(
                "kind: “active” needs answers that imply an order of outputs. Give criteria a weight, or choose another kind.",
            ),
            field="kind",
        )
    if kind.passes is not None and design.attention_every:
        raise DesignRefusedError(
            _(
                "attention_every: not available for this task, which assigns all texts in advance. Set bad_reference_rate only.",
            ),
            field="attention_every",
        )


def _page_check(design: Design) -> None:
    """Raise `DesignRefusedError` unless HITs of a design fit on a page of a document."""
    if design.parameters.size != 1:
        raise DesignRefusedError(outputs_at_a_time(1), field="systems_per_block")
    if design.segments_per_hit > MOST_ON_PAGE:
        raise DesignRefusedError(
            _("%(name)s: %(value)s is not between %(low)s and %(high)s.")
            % {
                "name": "segments_per_hit",
                "value": design.segments_per_hit,
                "low": 1,
                "high": MOST_ON_PAGE,
            },
            field="segments_per_hit",
        )
    if has_passes(design.task) and design.bad_reference_rate:
        raise DesignRefusedError(
            _(
                "bad_reference_rate: not available for documents that are rated in passes. Ask about all criteria on one screen, or set it to 0.",
            ),
            field="bad_reference_rate",
        )


def _sorting_check(design: Design) -> None:
    """Raise `DesignRefusedError` unless the kind is `sorting` exactly for protocols that sort."""
    is_sort = design.kind == DesignKind.SORTING
    if is_sort != (answer_kind_of(design.task).comparisons is not None):
        raise DesignRefusedError(
            _(
                "kind: tasks that sort systems require “sorting”, and no other task allows it.",
            ),
            field="kind",
        )
    if is_sort and design.reference_rate:
        raise DesignRefusedError(
            _(
                "reference_rate: a sort compares the reference like a system or not at all. Leave it empty or set it to 0.",
            ),
            field="reference_rate",
        )


def _systems_check(design: Design) -> None:
    """Raise `DesignRefusedError` unless all chosen systems are in the test set and the active ones fill a block."""
    if not design.systems:
        return
    kind_by_name = System.objects.filter(
        test_set=design.task.test_set_id,
        name__in=design.systems,
    )
    kinds = dict(
        kind_by_name.exclude(kind=SystemKind.BAD_REFERENCE).values_list("name", "kind"),
    )
    missing = []
    for name in design.systems:
        if name not in kinds:
            missing.append(name)
    if missing:
        raise DesignRefusedError(
            _("%(name)s: not in the test set: %(missing)s.")
            % {"name": "systems", "missing": comma_list(missing[:10])},
            field="systems",
        )
    if design.reference_rate is not None and SystemKind.REFERENCE in kinds.values():
        raise DesignRefusedError(
            _(
                "systems: reference_rate determines how often the reference is drawn. Remove the reference here, or leave reference_rate empty to draw it like a system.",
            ),
            field="systems",
        )
    remaining_count = (
        systems_drawn(task=design.task, design=design)
        .filter(name__in=design.systems)
        .count()
    )
    size = design.parameters.fewest_systems
    if remaining_count < size:
        raise DesignRefusedError(
            _(
                "systems: select more. Outputs per block: %(size)d; selected systems not withdrawn: %(left)d.",
            )
            % {"size": size, "left": remaining_count},
            field="systems",
        )


def _repeats_check(design: Design) -> None:
    """Raise `DesignRefusedError` if judges would be asked about their own answers."""
    if design.intra_share and answer_kind_of(design.task).has_stages:
        raise DesignRefusedError(
            _(
                "intra_share: not available for this task, because its repeated HITs ask about earlier answers.",
            ),
            field="intra_share",
        )


def _candidates_refused(size: int, fitting: range) -> str:
    """Return the error for blocks of a size that the task does not allow."""
    if size < fitting[0] < fitting[-1]:
        return _("%(name)s: %(value)s is not between %(low)s and %(high)s.") % {
            "name": "systems_per_block",
            "value": size,
            "low": fitting[0],
            "high": fitting[-1],
        }
    return outputs_at_a_time(fitting[-1])


def _group_check(design: Design) -> None:
    group = design.judge_group
    if group is None:
        return
    # Groups are deleted under the campaign's lock, which is held here.
    present = JudgeGroup.objects.present().filter(
        campaign=design.task.test_set.campaign_id,
    )
    if not present.filter(pk=group.pk).exists():
        raise DesignRefusedError(f"judge_group: group “{group.name}” not found.")


def _subset_check(name: str, chosen: Sequence[int], existing: Iterable[int]) -> None:
    if chosen:
        missing = sorted(set(chosen).difference(existing))
    else:
        missing = []
    if missing:
        raise DesignRefusedError(
            _("%(name)s: not in the test set: %(missing)s.")
            % {"name": name, "missing": comma_list(map(str, missing[:10]))},
            field=name,
        )


def _field_of(error: ValidationError) -> str:
    """Return the field that an error is about; empty if it is about several, or none."""
    fields = set(getattr(error, "error_dict", ())) - {NON_FIELD_ERRORS}
    return fields.pop() if len(fields) == 1 else ""


def _error_in_words(error: ValidationError) -> str:
    if not hasattr(error, "error_dict"):
        return sentence_list(error.messages)
    sentences = []
    for field, messages in error.message_dict.items():
        for message in messages:
            if field == NON_FIELD_ERRORS:
                sentences.append(message)
            else:
                sentences.append(labelled(field, message))
    return sentence_list(sentences)
