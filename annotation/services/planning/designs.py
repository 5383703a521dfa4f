"""Choose how the HITs of a test set are drawn."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.models import Design, HITSequence
from annotation.selectors.designs import design_in_force
from annotation.selectors.reference_use import is_reference_shown
from campaign.database.seeds import seed_draw
from campaign.models import Campaign, Document, Segment, TestSet, User

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
def design_ensure(*, test_set: TestSet, seed: int | None = None) -> Design:
    """Return the design in force; create a uniform one with a random seed if there is none.

    It draws the reference like a system, unless judges see it: then never.
    """
    design = design_in_force(test_set_id=test_set.pk)
    if design is None:
        campaign = _campaign_lock(test_set)
        # Under the lock: another worker may have been here.
        design = design_in_force(test_set_id=test_set.pk)
        if design is None:
            design = _first(test_set, campaign, seed)
            design.save(force_insert=True)
    return design


@transaction.atomic
def design_change(
    *,
    test_set: TestSet,
    changed_by: User | None = None,
    rank_shown_reference: bool = False,
    **parameters: Any,
) -> Design:
    """Create and return a new design; it applies to HITs planned from now on.

    `parameters` are some of `PARAMETERS`; the others stay as they were. HITs
    that are planned already keep the design that drew them. Each change is a
    row: who made it, when, and the whole design. Raises `DesignRefusedError`,
    and changes nothing, if no HIT could be drawn, or if `parameters` name a rate
    at which judges would rank a reference that they see, unless
    `rank_shown_reference` asks for that. A rate that is not named was asked for
    before.
    """
    unknown = sorted(set(parameters).difference(PARAMETERS))
    if unknown:
        raise DesignRefusedError(_("A design has no %(name)s.") % {"name": ", ".join(unknown)})
    campaign = _campaign_lock(test_set)
    # Under the lock of planning: a batch is drawn by one design.
    HITSequence.objects.get_or_create(test_set=test_set)
    HITSequence.objects.select_for_update().get(test_set=test_set)
    before = design_in_force(test_set_id=test_set.pk) or _first(test_set, campaign)
    values = {name: getattr(before, name) for name in PARAMETERS} | parameters
    design = Design(test_set=test_set, changed_by=changed_by, **values)
    _check(design)
    if "reference_rate" in parameters and not rank_shown_reference:
        _shown_reference_check(design, campaign)
    design.save(force_insert=True)
    return design


def _campaign_lock(test_set: TestSet) -> Campaign:
    """Lock and return the campaign: whether judges see the reference does not change until the commit."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=test_set.campaign_id)


def _first(test_set: TestSet, campaign: Campaign, seed: int | None = None) -> Design:
    """Return the design of a test set where nothing is said, not saved."""
    seed = seed_draw() if seed is None else seed
    return Design(
        test_set=test_set,
        seed=seed,
        reference_rate=0.0 if is_reference_shown(test_set=test_set, campaign=campaign) else None,
    )


def _shown_reference_check(design: Design, campaign: Campaign) -> None:
    if design.reference_rate == 0:
        return
    if is_reference_shown(test_set=design.test_set, campaign=campaign):
        raise DesignRefusedError(
            _(
                "reference_rate: judges of %(slug)s see the reference, and would find the same text among "
                "the outputs by looking. Hide it (change_campaign %(slug)s --no-show-reference), set the "
                "rate to 0, or, if judges are to rank what they see, add --rank-shown-reference."
            )
            % {"slug": campaign.slug}
        )


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
