"""Addresses of the pictures, recordings and videos that texts show."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Final, TypedDict

from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext_lazy

from campaign.models import Campaign, KeptFile, Output, Protocol, Segment, TestSet
from campaign.models.upload import MEDIA
from campaign.texts.media import MARK_BEGINS, MarkedText, marked_text, media_kind

#: Returns the address of a file by its name.
MediaAddress = Callable[[str], str]
_KEY_DIGITS: Final = 32


class ShownFile(TypedDict):
    """A file below a text: image, audio or video."""

    kind: str
    address: str


def files_shown(text: MarkedText, address: MediaAddress) -> list[ShownFile]:
    """Return the files that a text shows."""
    return [{"kind": media_kind(name), "address": address(name)} for name in text.media]


def media_of_judge(judge_id: int, campaign: Campaign) -> MediaAddress:
    """Return the function for addresses that only this judge can open, and only once they were given one."""

    def address(name: str) -> str:
        signature = _signature(str(judge_id), name)
        return reverse("judge-media", args=[campaign.slug, signature, name])

    return address


def media_of_machine(machine_id: int) -> MediaAddress:
    """Return the function for addresses that only this machine judge can open, and only once it was given one."""

    def address(name: str) -> str:
        return reverse(
            "judging-media",
            args=[_signature(_machine(machine_id), name), name],
        )

    return address


def media_of_members(campaign: Campaign) -> MediaAddress:
    """Return the function for addresses that members of the campaign can open."""

    def address(name: str) -> str:
        return reverse("campaign-media", args=[campaign.slug, name])

    return address


def has_media(campaign: Campaign) -> bool:
    """Return whether texts of the campaign show pictures, recordings or videos."""
    return KeptFile.objects.filter(campaign=campaign, kind=MEDIA).exists()


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetMedia:
    """Kinds of media (image, audio, video) in the sources and in the outputs of test sets, by test set."""

    sources: Mapping[int, Collection[str]]
    outputs: Mapping[int, Collection[str]]

    __test__ = False

    def of(self, test_set: int) -> set[str]:
        """Return the kinds in the sources and outputs of a test set."""
        return {*self.sources.get(test_set, ()), *self.outputs.get(test_set, ())}


def media_of_test_sets(campaign: Campaign) -> TestSetMedia:
    """Return the media that judges see or hear, by the first segment of each test set, as the others are like it.

    One query if the campaign has no media, otherwise three.
    """
    sources: dict[int, set[str]] = {}
    outputs: dict[int, set[str]] = {}
    if has_media(campaign):
        first = Segment.objects.filter(test_set__campaign=campaign)
        first = first.order_by("test_set", "number").distinct("test_set")
        test_sets = {}
        for segment in first:
            test_sets[segment.pk] = segment.test_set_id
            sources[segment.test_set_id] = _kinds_in(segment.source_text or "")
        for output in Output.objects.filter(segment__in=list(test_sets)):
            kinds = outputs.setdefault(test_sets[output.segment_id], set())
            kinds |= _kinds_in(output.text or "")
    return TestSetMedia(sources=sources, outputs=outputs)


_HEARD_OR_SEEN: Final = {
    "audio": gettext_lazy("You listen to recordings."),
    "image": gettext_lazy("You look at pictures."),
    "video": gettext_lazy("You watch videos."),
}


def media_in_words(kinds: Collection[str]) -> list[str]:
    """Return what judges do with media of these kinds, in sentences for them."""
    return [str(text) for kind, text in _HEARD_OR_SEEN.items() if kind in kinds]


def _kinds_in(text: str) -> set[str]:
    return {media_kind(name) for name in marked_text(text).media}


def media_refused(*, test_set: TestSet, protocol: str) -> bool:
    """Return whether a protocol needs words, but outputs of a test set are or contain files."""
    if not Protocol(protocol).needs_words:
        return False
    return Output.objects.filter(
        segment__test_set=test_set,
        text__contains=MARK_BEGINS,
    ).exists()


def is_media_signature(signature: str, *, judge_id: int, name: str) -> bool:
    """Return whether `signature` is in the address of this file that the judge was given."""
    return constant_time_compare(signature, _signature(str(judge_id), name))


def is_media_signature_of_machine(
    signature: str,
    *,
    machine_id: int,
    name: str,
) -> bool:
    """Return whether `signature` is in the address of this file that the machine judge was given."""
    return constant_time_compare(signature, _signature(_machine(machine_id), name))


def _machine(machine_id: int) -> str:
    return f"machine-{machine_id}"


def _signature(receiver: str, name: str) -> str:
    return salted_hmac(__name__, f"{receiver}/{name}").hexdigest()[:_KEY_DIGITS]
