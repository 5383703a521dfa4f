"""Change how the HITs of a test set are drawn."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Design, HITSequence
from annotation.selectors.designs import design_in_force
from campaign.database.seeds import seed_draw
from campaign.models import Document, Segment, TestSet, User

# Fields of a design that an organiser chooses; the others say who changed it, when and for which
# test set.
PARAMETERS = (
    "kind",
    "seed",
    "systems_per_block",
    "segments_per_hit",
    "segment_order",
    "documents",
    "segments",
    "reference_rate",
    "bad_reference_rate",
    "attention_every",
    "length_limits",
    "normalisation",
    "active_floor",
    "inter_share",
    "intra_share",
    "repeat_gap",
    "redundancy",
)


class DesignRefusedError(Exception):
    """No HIT could be drawn by such a design; the message says why."""


@transaction.atomic
def design_change(
    *, test_set: TestSet, changed_by: User | None = None, **parameters: Any
) -> Design:
    """Create and return a new design; it applies to HITs planned from now on.

    `parameters` are some of `PARAMETERS`; the others stay as they were. HITs
    that are planned already keep the design that drew them. Each change is a
    row: who made it, when, and the whole design. Raises `DesignRefusedError`,
    and changes nothing, if no HIT could be drawn.
    """
    unknown = sorted(set(parameters).difference(PARAMETERS))
    if unknown:
        raise DesignRefusedError(_("A design has no %(name)s.") % {"name": ", ".join(unknown)})
    # Under the lock of planning: a batch is drawn by one design.
    HITSequence.objects.get_or_create(test_set=test_set)
    HITSequence.objects.select_for_update().get(test_set=test_set)
    before = design_in_force(test_set_id=test_set.pk) or Design(seed=seed_draw())
    values = {name: getattr(before, name) for name in PARAMETERS} | parameters
    design = Design(test_set=test_set, changed_by=changed_by, **values)
    _check(design)
    design.save(force_insert=True)
    return design


def _check(design: Design) -> None:
    limits = design.length_limits
    pairs = isinstance(limits, list | tuple) and all(
        isinstance(pair, list | tuple) and [type(number) for number in pair] == [int, int]
        for pair in limits
    )
    if not pairs:
        raise DesignRefusedError(_("length_limits are pairs of words and candidates."))
    try:
        design.clean_fields(exclude=["test_set", "changed_by"])
        design.validate_constraints()
        # The drawing refuses what it cannot draw.
        redundancy = design.parameters.redundancy
    except ValidationError as error:
        raise DesignRefusedError(_in_words(error)) from error
    except (ValueError, TypeError) as error:
        raise DesignRefusedError(str(error)) from error
    limit = design.test_set.blocks_per_segment
    if limit is not None and redundancy > limit:
        raise DesignRefusedError(
            _("redundancy is %(redundancy)d, but no segment may be in more than %(limit)d blocks.")
            % {"redundancy": redundancy, "limit": limit}
        )
    test_set = design.test_set_id
    _subset_check(
        "documents",
        design.documents,
        Document.objects.filter(test_set=test_set).values_list("position", flat=True),
    )
    _subset_check(
        "segments",
        design.segments,
        Segment.objects.filter(test_set=test_set).values_list("number", flat=True),
    )


def _subset_check(name: str, wanted: Sequence[int], known: Iterable[int]) -> None:
    missing = sorted(set(wanted).difference(known)) if wanted else []
    if missing:
        raise DesignRefusedError(
            _("%(name)s: the test set has no %(missing)s.")
            % {"name": name, "missing": ", ".join(map(str, missing[:10]))}
        )


def _in_words(error: ValidationError) -> str:
    if not hasattr(error, "error_dict"):
        return " ".join(error.messages)
    return " ".join(
        message if field == NON_FIELD_ERRORS else f"{field}: {message}"
        for field, messages in error.message_dict.items()
        for message in messages
    )
