"""Damaged references: made by hash, and drawn after an organiser's review."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, overload

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.database.seeds import seed_draw
from campaign.models import BadReference, Output, Reference, System, SystemKind, TestSet, User
from campaign.refusals import RefusedError
from campaign.texts.damage import USUAL_DAMAGES, BadText, Damage, bad_text, damage_draw
from campaign.texts.normalisation import normalise_text

BAD_REFERENCE_SYSTEM: Final = "_badref"
_BATCH: Final = 1_000
# The attempt number of the hash that chooses segments, different from those that damage them.
_CHOICE: Final = 0


class BadReferenceRefusedError(RefusedError):
    """The action is not possible for this damaged reference or test set; the message says why.

    `segment` is the number of that of several, where it is one of several.
    """

    def __init__(self, message: str, segment: int | None = None) -> None:
        super().__init__(message)
        self.segment = segment


@dataclass(frozen=True, slots=True)
class GivenBadReference:
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
    """Damage the first reference of a `share` of segments; return the number made.

    Segments without a reference are not counted, and those with a damaged reference keep it. The
    choice of segments and the damage are a function of (seed, segment number, texts). Without a
    seed, one is drawn and recorded with every row. All damaged references wait for a review. Raises
    `BadReferenceRefusedError` if the name of their system is taken.
    """
    seed = seed_draw() if seed is None else seed
    references = _References(test_set)
    system = _system(test_set)
    there = set(system.outputs.values_list("segment__number", flat=True))
    chosen = [
        number
        for number in references.numbers
        if number not in there
        and damage_draw(seed=seed, segment=number, attempt=_CHOICE).below(10**9, "choice")
        < share * 10**9
    ]
    for start in range(0, len(chosen), _BATCH):
        _store(system, references, chosen[start : start + _BATCH], seed, damages)
    if not chosen and not there:
        system.delete()
    return len(chosen)


@transaction.atomic
def bad_references_store(
    *, test_set: TestSet, given: Sequence[GivenBadReference], reviewer: User | None
) -> None:
    """Store damaged references for segments that have none yet; of those approved, HITs draw from now on.

    Raises `BadReferenceRefusedError`, with the `segment`, for one without a reference, or whose text is blank
    or that of a reference or another output; nothing is stored then.
    """
    if not given:
        return
    system = _system(test_set)
    known = set(_References(test_set).numbers)
    taken = _texts_of([each.segment for each in given], system)
    for each in given:
        if each.segment not in known:
            raise BadReferenceRefusedError(_("The segment has no reference."), each.segment)
        _text_check(each.segment, each.text, taken[each.segment])
    numbers = [each.segment for each in given]
    segments = dict(test_set.segments.filter(number__in=numbers).values_list("number", "id"))
    outputs = Output.objects.bulk_create(
        Output(system=system, segment_id=segments[each.segment], text=each.text) for each in given
    )
    seed = seed_draw()
    BadReference.objects.bulk_create(
        BadReference(
            output=output,
            damage=each.damage.value,
            detail=each.detail,
            seed=seed if each.seed is None else each.seed,
            attempt=each.attempt,
            status=each.status,
            **_reviewed(each.status, reviewer),
        )
        for each, output in zip(given, outputs, strict=True)
    )


def _reviewed(status: BadReference.Status, reviewer: User | None) -> dict[str, Any]:
    if status == BadReference.Status.PENDING:
        return {}
    reviewed = {"reviewed_by": reviewer, "reviewed_at": Now()}
    return reviewed | ({"approved_at": Now()} if status == BadReference.Status.APPROVED else {})


def _text_check(segment: int, text: str, taken: Collection[str]) -> None:
    """Refuse a text that is none, or that judges could not tell from another one of the segment."""
    if not text.strip() or normalise_text(text) in {normalise_text(each) for each in taken}:
        raise BadReferenceRefusedError(
            _("The text is empty or identical to a reference or another output."), segment
        )


@transaction.atomic
def bad_reference_rewrite(*, bad_reference: BadReference, given: GivenBadReference) -> BadReference:
    """Replace the text of a damaged reference that no judge has seen, and return it; it waits for a new review.

    Raises `BadReferenceRefusedError` if judges may have seen the text it has, or cannot tell the new one from another.
    """
    row = (
        BadReference.objects.select_for_update(of=("self",))
        .select_related("output__segment", "output__system__test_set")
        .get(pk=bad_reference.pk)
    )
    _unseen_check(row)
    segment = row.output.segment.number
    _text_check(segment, given.text, _texts_of([segment], row.output.system)[segment])
    row.output.text = given.text
    row.output.save(update_fields=["text"])
    row.damage, row.detail, row.attempt = given.damage.value, given.detail, given.attempt
    row.seed = row.seed if given.seed is None else given.seed
    _review_anew(row)
    return row


@transaction.atomic
def bad_reference_review(
    *, bad_reference: BadReference, approve: bool, reviewer: User | None
) -> BadReference:
    """Approve or reject a damaged reference, and return it; repeating it changes nothing.

    Rejecting an approved one withdraws it for ever: it is no longer drawn, and its judgments
    remain. Raises `BadReferenceRefusedError` if a withdrawn one is approved.
    """
    row = BadReference.objects.select_for_update().get(pk=bad_reference.pk)
    status = BadReference.Status.APPROVED if approve else BadReference.Status.REJECTED
    if row.status == status:
        return row
    if approve and row.withdrawn_at is not None:
        raise BadReferenceRefusedError(_("This damaged reference was withdrawn permanently."))
    # By the clock of planning, which uses the references approved at the time.
    if approve:
        row.approved_at = Now()
    elif row.approved_at is not None:
        row.withdrawn_at = Now()
    row.status, row.reviewed_by, row.reviewed_at = status, reviewer, Now()
    row.save()
    row.refresh_from_db(fields=["approved_at", "withdrawn_at", "reviewed_at"])
    return row


@transaction.atomic
def bad_reference_redraw(
    *, bad_reference: BadReference, damages: Sequence[Damage] = USUAL_DAMAGES
) -> BadReference:
    """Damage the reference again by the next attempt, and return it; it waits for a new review.

    Raises `BadReferenceRefusedError` if judges may have seen the text.
    """
    row = (
        BadReference.objects.select_for_update(of=("self",))
        .select_related("output__segment", "output__system__test_set")
        .get(pk=bad_reference.pk)
    )
    _unseen_check(row)
    output, segment = row.output, row.output.segment
    references = _References(output.system.test_set)
    forbidden = {*_texts_of([segment.number], output.system)[segment.number], output.text or ""}
    made = _damaged(
        references.others(segment.number),
        segment.number,
        forbidden,
        row.seed,
        row.attempt + 1,
        damages,
    )
    output.text = made.text
    output.save(update_fields=["text"])
    row.attempt += 1
    row.damage, row.detail = made.damage.value, made.detail
    _review_anew(row)
    return row


def _unseen_check(row: BadReference) -> None:
    if row.approved_at is not None:
        raise BadReferenceRefusedError(
            _(
                "This damaged reference was approved and may have been shown to judges, so its text cannot be changed."
            )
        )


def _review_anew(row: BadReference) -> None:
    row.status, row.reviewed_by, row.reviewed_at = BadReference.Status.PENDING, None, None
    row.save()


def _system(test_set: TestSet) -> System:
    system, _created = System.objects.get_or_create(
        test_set=test_set,
        name=BAD_REFERENCE_SYSTEM,
        defaults={"kind": SystemKind.BAD_REFERENCE},
    )
    if system.kind != SystemKind.BAD_REFERENCE:
        raise BadReferenceRefusedError(
            _("A system is called %(name)s, the name reserved for damaged references. Rename it.")
            % {"name": BAD_REFERENCE_SYSTEM}
        )
    return system


class _References:
    """The first reference of each segment, in the order of the segments."""

    def __init__(self, test_set: TestSet) -> None:
        rows = (
            Reference.objects.filter(segment__test_set=test_set, segment__source_text__isnull=False)
            .order_by("segment__number", "number")
            .distinct("segment__number")
            .values_list("segment__number", "text")
        )
        known = [(number, text) for number, text in rows if text.strip()]
        self.numbers = [number for number, _text in known]
        self.texts = [text for _number, text in known]
        self._places = {number: place for place, number in enumerate(self.numbers)}

    def others(self, number: int) -> "_Others":
        return _Others(self.texts, self._places[number])


class _Others(Sequence[str]):
    """All texts except one, without a copy for each segment."""

    def __init__(self, texts: list[str], without: int) -> None:
        self._texts = texts
        self.without = without

    def __len__(self) -> int:
        return len(self._texts) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        if isinstance(index, slice):
            return [self[each] for each in range(len(self))[index]]
        place = range(len(self))[index]
        return self._texts[place + (place >= self.without)]

    @property
    def own(self) -> str:
        """The text left out."""
        return self._texts[self.without]


def _texts_of(numbers: Collection[int], system: System) -> dict[int, set[str]]:
    """Return all outputs and references of the segments, except those of `system`."""
    texts: dict[int, set[str]] = {number: set() for number in numbers}
    here = {"segment__test_set": system.test_set_id, "segment__number__in": numbers}
    outputs = Output.objects.current().filter(**here, text__isnull=False).exclude(system=system)
    references = Reference.objects.filter(**here)
    rows: Iterable[tuple[int, str | None]] = [
        *outputs.values_list("segment__number", "text"),
        *references.values_list("segment__number", "text"),
    ]
    for number, text in rows:
        texts[number].add(text or "")
    return texts


def _damaged(
    others: _Others,
    number: int,
    forbidden: Collection[str],
    seed: int,
    attempt: int,
    damages: Sequence[Damage],
) -> BadText:
    return bad_text(
        others.own,
        others=others,
        forbidden=forbidden,
        draw=damage_draw(seed=seed, segment=number, attempt=attempt),
        damages=damages,
    )


def _store(
    system: System,
    references: _References,
    numbers: Sequence[int],
    seed: int,
    damages: Sequence[Damage],
) -> None:
    forbidden = _texts_of(numbers, system)
    segments = dict(system.test_set.segments.filter(number__in=numbers).values_list("number", "id"))
    made = {
        number: _damaged(references.others(number), number, forbidden[number], seed, 1, damages)
        for number in numbers
    }
    outputs = Output.objects.bulk_create(
        Output(system=system, segment_id=segments[number], text=made[number].text)
        for number in numbers
    )
    BadReference.objects.bulk_create(
        BadReference(
            output=output,
            damage=made[number].damage.value,
            detail=made[number].detail,
            seed=seed,
        )
        for number, output in zip(numbers, outputs, strict=True)
    )
