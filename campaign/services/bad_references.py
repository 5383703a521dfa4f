"""Damaged references: generated from a hash, and shown once an organiser has approved them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypedDict

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.database.seeds import seed_draw
from campaign.models import (
    BadReference,
    Output,
    Reference,
    System,
    SystemKind,
    TestSet,
    User,
)
from campaign.texts.damage import USUAL_DAMAGES, Damage, bad_text, damage_draw
from campaign.texts.media import MARK_BEGINS
from campaign.texts.normalisation import normalise_text
from campaign.texts.refusals import RefusedError

BAD_REFERENCE_SYSTEM: Final = "_badref"
# The attempt number of the hash that chooses segments, different from those that damage them.
_CHOICE: Final = 0


class BadReferenceRefusedError(RefusedError):
    """The action is not possible for this damaged reference or test set; the message says why.

    `segment` is the number of the segment at fault, if several were given.
    """

    def __init__(self, message: str, segment: int | None = None) -> None:
        super().__init__(message)
        self.segment = segment


class BadReferenceReviewedError(BadReferenceRefusedError):
    """A damaged reference that has been reviewed cannot be pending again."""

    field = "status"


@dataclass(frozen=True, slots=True)
class BadReferenceContent:
    """A damaged reference made elsewhere: its text, origin and review.

    Without a seed, one is drawn.
    """

    segment: int
    text: str
    damage: Damage
    detail: str = ""
    seed: int | None = None
    attempt: int = 1
    status: BadReference.Status = BadReference.Status.PENDING


@transaction.atomic
def bad_references_make(
    *,
    test_set: TestSet,
    seed: int | None = None,
    share: float = 1.0,
    damages: Sequence[Damage] = USUAL_DAMAGES,
) -> int:
    """Damage the first reference of a `share` of the segments; return the number of new damaged references.

    Segments without a reference are not counted, and those with a damaged reference keep it. The
    choice of segments and the damage are a function of (seed, segment number, texts). Without a
    seed, one is drawn and recorded with every row. All damaged references wait for a review. Raises
    `BadReferenceRefusedError` if the name of their system is taken.
    """
    seed = seed_draw() if seed is None else seed
    references = _first_references(test_set)
    system = _system(test_set)
    there = set(system.outputs.values_list("segment__number", flat=True))
    chosen = []
    for number in references:
        draw = damage_draw(seed=seed, segment=number, attempt=_CHOICE)
        is_drawn = draw.below(10**9, "choice") < share * 10**9
        if is_drawn and number not in there:
            chosen.append(number)
    texts_by_segment = _texts_of(chosen, system)
    contents = [
        _bad_reference_content(
            references,
            number,
            texts_by_segment[number],
            seed,
            1,
            damages,
        )
        for number in chosen
    ]
    _rows_create(system, contents, reviewer=None)
    if not chosen and not there:
        system.delete()
    return len(chosen)


@transaction.atomic
def bad_references_store(
    *,
    test_set: TestSet,
    bad_references: Sequence[BadReferenceContent],
    reviewer: User | None,
) -> None:
    """Store damaged references for segments that have none yet; HITs use the approved ones from now on.

    Raises `BadReferenceRefusedError`, with the `segment`, for a segment without a reference, and for a text that
    is blank or equal to a reference or another output; nothing is stored then.
    """
    if not bad_references:
        return
    system = _system(test_set)
    first_references = _first_references(test_set)
    texts_by_segment = _texts_of(
        [bad_reference.segment for bad_reference in bad_references],
        system,
    )
    for bad_reference in bad_references:
        if bad_reference.segment not in first_references:
            raise BadReferenceRefusedError(
                _("The segment has no reference."),
                bad_reference.segment,
            )
        _text_check(
            bad_reference.segment,
            bad_reference.text,
            texts_by_segment[bad_reference.segment],
        )
    _rows_create(system, bad_references, reviewer)


def _rows_create(
    system: System,
    bad_references: Sequence[BadReferenceContent],
    reviewer: User | None,
) -> None:
    numbers = [bad_reference.segment for bad_reference in bad_references]
    segments = dict(
        system.test_set.segments.filter(number__in=numbers).values_list("number", "id"),
    )
    outputs = Output.objects.bulk_create(
        Output(
            system=system,
            segment_id=segments[bad_reference.segment],
            text=bad_reference.text,
        )
        for bad_reference in bad_references
    )
    seed = seed_draw()
    BadReference.objects.bulk_create(
        BadReference(
            output=output,
            damage=bad_reference.damage.value,
            detail=bad_reference.detail,
            seed=seed if bad_reference.seed is None else bad_reference.seed,
            attempt=bad_reference.attempt,
            status=bad_reference.status,
            **_review_fields(bad_reference.status, reviewer),
        )
        for bad_reference, output in zip(bad_references, outputs, strict=True)
    )


class _Review(TypedDict, total=False):
    """Fields of a damaged reference that was reviewed."""

    reviewed_by: User | None
    reviewed_at: Now
    approved_at: Now


def _review_fields(status: BadReference.Status, reviewer: User | None) -> _Review:
    if status == BadReference.Status.PENDING:
        return {}
    review: _Review = {"reviewed_by": reviewer, "reviewed_at": Now()}
    if status == BadReference.Status.APPROVED:
        review["approved_at"] = Now()
    return review


def _text_check(segment: int, text: str, other_texts: Collection[str]) -> None:
    """Refuse a blank text, or one that judges could not tell from another text of the segment."""
    normalised = {normalise_text(other_text) for other_text in other_texts}
    if not text.strip() or normalise_text(text) in normalised:
        raise BadReferenceRefusedError(
            _("The text is empty or identical to a reference or another output."),
            segment,
        )


@transaction.atomic
def bad_reference_rewrite(
    *,
    bad_reference: BadReference,
    rewritten: BadReferenceContent,
) -> BadReference:
    """Replace the text of a damaged reference that no judge has seen, and return it; it waits for a new review.

    Raises `BadReferenceRefusedError` if judges may have seen the present text, or could not tell the new one from
    another text.
    """
    row = _unseen_locked(bad_reference)
    segment = row.output.segment.number
    _text_check(
        segment,
        rewritten.text,
        _texts_of([segment], row.output.system)[segment],
    )
    return _replace_text(row, rewritten)


@transaction.atomic
def bad_reference_change(
    *,
    bad_reference: BadReference,
    content: BadReferenceContent,
    reviewer: User | None,
) -> BadReference:
    """Rewrite a damaged reference if its text or origin differs, review it if its status does, and return it.

    Raises `BadReferenceRefusedError`, with the `field`, as `bad_reference_rewrite` and `bad_reference_review` do, and
    `BadReferenceReviewedError`.
    """
    row = bad_reference
    field = "text"
    try:
        current = bad_reference_content(row)
        if replace(content, status=current.status) != current:
            row = bad_reference_rewrite(bad_reference=row, rewritten=content)
        if content.status == row.status:
            return row
        field = "status"
        if content.status == BadReference.Status.PENDING:
            raise BadReferenceReviewedError(
                f"This damaged reference has been reviewed and stays {row.status}.",
            )
        return bad_reference_review(
            bad_reference=row,
            approve=content.status == BadReference.Status.APPROVED,
            reviewer=reviewer,
        )
    except BadReferenceRefusedError as error:
        error.field = field
        raise


def bad_reference_content(row: BadReference) -> BadReferenceContent:
    """Return the text, origin and review of a damaged reference; `output__segment` should be selected."""
    return BadReferenceContent(
        segment=row.output.segment.number,
        text=row.output.text or "",
        damage=Damage(row.damage),
        detail=row.detail,
        seed=row.seed,
        attempt=row.attempt,
        status=BadReference.Status(row.status),
    )


@transaction.atomic
def bad_reference_review(
    *,
    bad_reference: BadReference,
    approve: bool,
    reviewer: User | None,
) -> BadReference:
    """Approve or reject a damaged reference, and return it; repeating it changes nothing.

    Rejecting an approved one withdraws it permanently: it is no longer drawn, and its judgments
    remain. Raises `BadReferenceRefusedError` if a withdrawn one is approved.
    """
    row = BadReference.objects.select_for_update().get(pk=bad_reference.pk)
    if approve:
        status = BadReference.Status.APPROVED
    else:
        status = BadReference.Status.REJECTED
    if row.status == status:
        return row
    if approve and row.withdrawn_at is not None:
        raise BadReferenceRefusedError(
            _("This damaged reference was withdrawn permanently."),
        )
    # By the database's clock, because planning looks up which references were approved at a time.
    if approve:
        row.approved_at = Now()
    elif row.approved_at is not None:
        row.withdrawn_at = Now()
    row.status = status
    row.reviewed_by = reviewer
    row.reviewed_at = Now()
    row.save()
    row.refresh_from_db(fields=["approved_at", "withdrawn_at", "reviewed_at"])
    return row


@transaction.atomic
def bad_reference_redraw(*, bad_reference: BadReference) -> BadReference:
    """Damage the reference again by the next attempt, and return it; it waits for a new review.

    Raises `BadReferenceRefusedError` if judges may have seen the text.
    """
    row = _unseen_locked(bad_reference)
    output = row.output
    number = row.output.segment.number
    other_texts = {*_texts_of([number], output.system)[number], output.text or ""}
    references = _first_references(output.system.test_set)
    return _replace_text(
        row,
        _bad_reference_content(
            references,
            number,
            other_texts,
            row.seed,
            row.attempt + 1,
        ),
    )


def _unseen_locked(bad_reference: BadReference) -> BadReference:
    """Lock and return a damaged reference whose text may change."""
    row = (
        BadReference.objects.select_for_update(of=("self",))
        .select_related("output__segment", "output__system__test_set")
        .get(pk=bad_reference.pk)
    )
    if row.approved_at is not None:
        raise BadReferenceRefusedError(
            _(
                "This damaged reference was approved and may have been shown to judges, so its text cannot be changed.",
            ),
        )
    return row


def _replace_text(row: BadReference, rewritten: BadReferenceContent) -> BadReference:
    """Store another text, which waits for a review; return the row."""
    row.output.text = rewritten.text
    row.output.save(update_fields=["text"])
    row.damage = rewritten.damage.value
    row.detail = rewritten.detail
    row.attempt = rewritten.attempt
    if rewritten.seed is not None:
        row.seed = rewritten.seed
    row.status = BadReference.Status.PENDING
    row.reviewed_by = None
    row.reviewed_at = None
    row.save()
    return row


def _system(test_set: TestSet) -> System:
    system, _created = System.objects.get_or_create(
        test_set=test_set,
        name=BAD_REFERENCE_SYSTEM,
        defaults={"kind": SystemKind.BAD_REFERENCE},
    )
    if system.kind != SystemKind.BAD_REFERENCE:
        raise BadReferenceRefusedError(
            _(
                "A system is called %(name)s, which is reserved for damaged references. Rename it.",
            )
            % {"name": BAD_REFERENCE_SYSTEM},
        )
    return system


def _first_references(test_set: TestSet) -> dict[int, str]:
    """Return the first reference of each segment by its number, in the order of the segments."""
    rows = (
        Reference.objects.filter(
            segment__test_set=test_set,
            segment__source_text__isnull=False,
        )
        # Recordings and pictures cannot be damaged.
        .exclude(text__contains=MARK_BEGINS)
        .order_by("segment__number", "number")
        .distinct("segment__number")
        .values_list("segment__number", "text")
    )
    return {number: text for number, text in rows if text.strip()}


def _texts_of(numbers: Collection[int], system: System) -> dict[int, set[str]]:
    """Return all outputs and references of the segments, except those of `system`."""
    texts: dict[int, set[str]] = {number: set() for number in numbers}
    here = {"segment__test_set": system.test_set_id, "segment__number__in": numbers}
    outputs = (
        Output.objects.current()
        .filter(**here, text__isnull=False)
        .exclude(system=system)
    )
    references = Reference.objects.filter(**here)
    rows: Iterable[tuple[int, str | None]] = [
        *outputs.values_list("segment__number", "text"),
        *references.values_list("segment__number", "text"),
    ]
    for number, text in rows:
        texts[number].add(text or "")
    return texts


def _bad_reference_content(
    references: Mapping[int, str],
    number: int,
    forbidden: Collection[str],
    seed: int,
    attempt: int,
    damages: Sequence[Damage] = USUAL_DAMAGES,
) -> BadReferenceContent:
    damaged = bad_text(
        references[number],
        others=[text for other, text in references.items() if other != number],
        forbidden=forbidden,
        draw=damage_draw(seed=seed, segment=number, attempt=attempt),
        damages=damages,
    )
    return BadReferenceContent(
        number,
        damaged.text,
        damaged.damage,
        damaged.detail,
        seed,
        attempt,
    )
