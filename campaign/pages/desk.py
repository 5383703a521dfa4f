"""The house plan of the organiser's pages: which rooms there are, and in which one a page is."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Campaign, Task


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
    of_task : bool
        Whether that address names a test set.
    """

    name: str
    words: Promise
    page: str
    of_task: bool = False


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
        Room("ranking", gettext_lazy("Ranking"), "test-set-dashboard", of_task=True),
        Room("judgments", gettext_lazy("Judgments"), "judgments", of_task=True),
        Room("judges", gettext_lazy("Judges"), "judge-quality", of_task=True),
        Room("design", gettext_lazy("Design"), "design", of_task=True),
        Room("texts", gettext_lazy("Texts"), "test-set-texts", of_task=True),
        Room("systems", gettext_lazy("Systems"), "systems", of_task=True),
        Room("publish", gettext_lazy("Publish"), "publish", of_task=True),
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
        Room("work", gettext_lazy("Long work"), "jobs"),
        Room("webhooks", gettext_lazy("Webhooks"), "webhooks"),
    ),
    "quality": (
        Room("rules", gettext_lazy("Rules"), "quality-rules"),
        Room("problem-reports", gettext_lazy("Problem reports"), "problem-reports"),
        Room(
            "bad-references",
            gettext_lazy("Damaged references"),
            "bad-references",
            of_task=True,
        ),
        Room("training", gettext_lazy("Training"), "training", of_task=True),
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
    tasks : sequence of Tab
        The same room of each task, where the page is of one: by the names of test sets, and by protocols where a
        test set has several.
    """

    tabs: Sequence[Tab]
    rooms: Sequence[Tab]
    rooms_of: str
    tasks: Sequence[Tab]

    @property
    def task(self) -> Tab | None:
        """The test set that the page is of."""
        return next((tab for tab in self.tasks if tab.is_current), None)


def desk_of(
    *,
    campaign: Campaign,
    section: str,
    tasks: Sequence[Task],
    task: Task | None = None,
) -> Desk:
    """Return the bars above a page.

    Parameters
    ----------
    campaign : Campaign
    section : str
        The name of the page's room.
    tasks : sequence of Task
        All of the campaign, in order.
    task : Task or None
        The one that the page is of, or that the organiser looked at last.
    """
    above = _ABOVE.get(section, section)
    shown = task or (tasks[0] if tasks else None)
    of_test_set = Counter(each.test_set_id for each in tasks)
    rooms = [room for room in WITHIN.get(above, ()) if section in _ABOVE]
    here = next((room for room in rooms if room.name == section), None)
    top = next(room for room in CAMPAIGN if room.name == above)
    return Desk(
        tabs=[
            Tab(
                words=str(room.words),
                address=_address(room, campaign, shown),
                is_current=room == top,
                count=len(of_test_set) if room.name == "test-sets" else None,
            )
            for room in CAMPAIGN
        ],
        rooms=[
            Tab(str(room.words), _address(room, campaign, shown), is_current=room == here)
            for room in rooms
            if shown is not None or not room.of_task
        ],
        rooms_of=_("Test set") if above == "test-sets" else str(top.words),
        tasks=[
            Tab(
                each.called_in_full if of_test_set[each.test_set_id] > 1 else each.test_set.name,
                _address(here, campaign, each),
                is_current=each == shown,
            )
            for each in tasks
        ]
        if here is not None and here.of_task
        else [],
    )


def _address(room: Room, campaign: Campaign, task: Task | None) -> str:
    named = [task.pk] if room.of_task and task is not None else []
    return reverse(room.page, args=[campaign.slug, *named])
