"""The house plan of the organiser's pages: which rooms there are, and in which one a page is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Campaign, TestSet


@dataclass(frozen=True, slots=True)
class Room:
    """A place that a tab leads to.

    Attributes
    ----------
    name : str
        What pages in it call their `section`.
    words : lazy str
        What its tab says.
    page : str
        Name of the address of its first page.
    of_test_set : bool
        Whether that address names a test set.
    """

    name: str
    words: Promise
    page: str
    of_test_set: bool = False


#: The tabs of a campaign.
CAMPAIGN: Final = (
    Room("overview", gettext_lazy("Overview"), "campaign-detail"),
    Room("test-sets", gettext_lazy("Test sets"), "test-sets"),
    Room("tables", gettext_lazy("Tables"), "campaign-tables"),
    Room("people", gettext_lazy("People"), "people"),
    Room("instructions", gettext_lazy("Instructions"), "instructions"),
    Room("quality", gettext_lazy("Quality"), "quality-rules"),
    Room("settings", gettext_lazy("Settings"), "campaign-settings"),
    Room("activity", gettext_lazy("Activity"), "activity"),
)
#: The tabs below some of these. Every page of organisers is in one room, here or above.
WITHIN: Final[Mapping[str, Sequence[Room]]] = {
    "test-sets": (
        Room("ranking", gettext_lazy("Ranking"), "test-set-dashboard", of_test_set=True),
        Room("judgments", gettext_lazy("Judgments"), "judgments", of_test_set=True),
        Room("judges", gettext_lazy("Judges"), "judge-quality", of_test_set=True),
        Room("design", gettext_lazy("Design"), "design", of_test_set=True),
        Room("texts", gettext_lazy("Texts"), "test-set-texts", of_test_set=True),
        Room("systems", gettext_lazy("Systems"), "systems", of_test_set=True),
        Room("publish", gettext_lazy("Publish"), "publish", of_test_set=True),
    ),
    "people": (
        Room("people", gettext_lazy("Members"), "people"),
        Room("campaign-judges", gettext_lazy("Judges"), "campaign-judges"),
        Room("judge-groups", gettext_lazy("Groups"), "judge-groups"),
        Room("invitations", gettext_lazy("Invitations"), "invitations"),
        Room("panels", gettext_lazy("Panels"), "panels"),
        Room("time", gettext_lazy("Time"), "time-sheet"),
    ),
    "settings": (
        Room("settings", gettext_lazy("General"), "campaign-settings"),
        Room("state", gettext_lazy("State"), "campaign-state"),
        Room("copies", gettext_lazy("Copies"), "campaign-copies"),
        Room("work", gettext_lazy("Long work"), "jobs"),
    ),
    "quality": (
        Room("rules", gettext_lazy("Rules"), "quality-rules"),
        Room("problem-reports", gettext_lazy("Problem reports"), "problem-reports"),
        Room(
            "bad-references",
            gettext_lazy("Damaged references"),
            "bad-references",
            of_test_set=True,
        ),
        Room("training", gettext_lazy("Training"), "training", of_test_set=True),
    ),
}
_ABOVE: Final = {room.name: above for above, rooms in WITHIN.items() for room in rooms}


@dataclass(frozen=True, slots=True)
class Tab:
    """A link of a bar; `count` is of what lies behind it, if that is known."""

    words: str
    address: str
    is_current: bool
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Desk:
    """The bars above a page of organisers.

    Attributes
    ----------
    tabs : sequence of Tab
        Of the campaign.
    rooms : sequence of Tab
        Of the test set, or of the room of the campaign; empty where that is one page.
    rooms_of : str
        What these rooms belong to, in words.
    test_sets : sequence of Tab
        The same room of each test set, where the page is of one.
    """

    tabs: Sequence[Tab]
    rooms: Sequence[Tab]
    rooms_of: str
    test_sets: Sequence[Tab]

    @property
    def test_set(self) -> Tab | None:
        """The test set that the page is of."""
        return next((tab for tab in self.test_sets if tab.is_current), None)


def desk_of(
    *,
    campaign: Campaign,
    section: str,
    test_sets: Sequence[TestSet],
    test_set: TestSet | None = None,
) -> Desk:
    """Return the bars above a page.

    Parameters
    ----------
    campaign : Campaign
    section : str
        The name of the page's room.
    test_sets : sequence of TestSet
        All of the campaign, in order.
    test_set : TestSet or None
        The one that the page is of, or that the organiser looked at last.
    """
    above = _ABOVE.get(section, section)
    shown = test_set or (test_sets[0] if test_sets else None)
    rooms = [room for room in WITHIN.get(above, ()) if section in _ABOVE]
    here = next((room for room in rooms if room.name == section), None)
    top = next(room for room in CAMPAIGN if room.name == above)
    return Desk(
        tabs=[
            Tab(
                words=str(room.words),
                address=_address(room, campaign, shown),
                is_current=room == top,
                count=len(test_sets) if room.name == "test-sets" else None,
            )
            for room in CAMPAIGN
        ],
        rooms=[
            Tab(str(room.words), _address(room, campaign, shown), is_current=room == here)
            for room in rooms
            if shown is not None or not room.of_test_set
        ],
        rooms_of=_("Test set") if above == "test-sets" else str(top.words),
        test_sets=[
            Tab(each.name, _address(here, campaign, each), is_current=each == shown)
            for each in test_sets
        ]
        if here is not None and here.of_test_set
        else [],
    )


def _address(room: Room, campaign: Campaign, test_set: TestSet | None) -> str:
    named = [test_set.pk] if room.of_test_set and test_set is not None else []
    return reverse(room.page, args=[campaign.slug, *named])
