"""The organiser's desk: what a member may do, and the tabs that lead to each page."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Campaign, MembershipRole, Task, Transition

#: Rights of each role in words; the rule itself is in `MembershipRole`.
ROLE_MEANS: Final[Mapping[MembershipRole, Promise]] = {
    MembershipRole.OWNER: gettext_lazy(
        "Owners can change everything, delete the campaign and manage members.",
    ),
    MembershipRole.ORGANISER: gettext_lazy(
        "Organisers can change everything except delete the campaign, remove members or change roles.",
    ),
    MembershipRole.ANALYST: gettext_lazy("Analysts have read-only access."),
}

_KEY = "quintet_role"


def role_remember(request: HttpRequest, role: str) -> None:
    """Store the user's role in the page's campaign, for `rights`."""
    setattr(request, _KEY, MembershipRole(role))


def rights(request: HttpRequest) -> dict[str, bool]:
    """Return for all templates whether the user may change the page's campaign, and whether they own it.

    A context processor. Templates leave out what the user may not do; services refuse it.
    """
    role: MembershipRole | None = getattr(request, _KEY, None)
    return {
        "may_change": role is not None and role.may_change,
        "may_own": role is not None and role.may_own,
    }


def transitions_of(
    role: MembershipRole,
    transitions: Sequence[Transition],
) -> list[Transition]:
    """Return the transitions of a campaign's state that a member in this role may make."""
    if role.may_own:
        return list(transitions)
    deleted = Transition.DELETE
    return [
        transition
        for transition in transitions
        if role.may_change and transition != deleted
    ]


@dataclass(frozen=True, slots=True)
class Room:
    """A place that a tab leads to.

    Attributes
    ----------
    name : str
        The `section` of its pages.
    label : lazy str
        Label of its tab.
    page : str
        URL name of its first page.
    of_task : bool
        Whether the URL of that page contains a test set.
    rooms : sequence of Room
        Tabs of the bar below; the first leads to the same page.
    """

    name: str
    label: Promise
    page: str
    of_task: bool = False
    rooms: Sequence["Room"] = ()


def _task_room(name: str, label: Promise, page: str) -> Room:
    return Room(name, label, page, of_task=True)


def _group(label: Promise, first: Room, *rooms: Room) -> Room:
    """Return a tab that leads to the first of its rooms, with their bar below."""
    return Room(first.name, label, first.page, first.of_task, (first, *rooms))


#: The tabs of a test set.
TEST_SET: Final = (
    _group(
        gettext_lazy("Ranking"),
        _task_room("ranking", gettext_lazy("Results"), "test-set-dashboard"),
        _task_room("systems", gettext_lazy("Systems"), "systems"),
        _task_room("metrics", gettext_lazy("Metrics"), "metrics"),
        _task_room(
            "ranking-settings",
            gettext_lazy("Ranking settings"),
            "ranking-settings",
        ),
        _task_room("publish", gettext_lazy("Publish"), "publish"),
    ),
    _group(
        gettext_lazy("Progress"),
        _task_room("progress", gettext_lazy("Pace and forecast"), "test-set-progress"),
        _task_room("stopping-rule", gettext_lazy("Stopping rule"), "stopping-rule"),
        _task_room("design", gettext_lazy("Design"), "design"),
    ),
    _task_room("agreement", gettext_lazy("Agreement"), "test-set-agreement"),
    _group(
        gettext_lazy("Judges"),
        _task_room("judges", gettext_lazy("Quality"), "judge-quality"),
        _task_room("training", gettext_lazy("Training"), "training"),
        _task_room(
            "bad-references",
            gettext_lazy("Damaged references"),
            "bad-references",
        ),
    ),
    _group(
        gettext_lazy("Data"),
        _task_room("data", gettext_lazy("Collected data"), "test-set-data"),
        _task_room("judgments", gettext_lazy("Judgments"), "judgments"),
        _task_room("skips", gettext_lazy("Skips"), "skips"),
        _task_room("hits", gettext_lazy("HITs"), "hits"),
        _task_room("texts", gettext_lazy("Texts"), "test-set-texts"),
        _task_room("answers", gettext_lazy("Import"), "answers"),
        _task_room("exports", gettext_lazy("Export"), "exports"),
    ),
)
#: The tabs of a campaign. Every organiser page is in one of these rooms.
CAMPAIGN: Final = (
    _group(
        gettext_lazy("Overview"),
        Room("overview", gettext_lazy("Summary"), "campaign-detail"),
        Room("tables", gettext_lazy("Tables"), "campaign-tables"),
        Room("activity", gettext_lazy("Activity"), "activity"),
    ),
    Room("test-sets", gettext_lazy("Test sets"), "test-sets", rooms=TEST_SET),
    _group(
        gettext_lazy("People"),
        Room("people", gettext_lazy("Members"), "people"),
        Room("campaign-judges", gettext_lazy("Judges"), "campaign-judges"),
        Room("invitations", gettext_lazy("Invite judges"), "invitations"),
        Room("judge-groups", gettext_lazy("Groups"), "judge-groups"),
        Room("questions", gettext_lazy("Questions"), "questions"),
        Room("panels", gettext_lazy("Panels"), "panels"),
        Room("time", gettext_lazy("Time"), "time-sheet"),
    ),
    Room("instructions", gettext_lazy("Instructions"), "instructions"),
    _group(
        gettext_lazy("Quality"),
        Room("rules", gettext_lazy("Rules"), "quality-rules"),
        Room("problem-reports", gettext_lazy("Problem reports"), "problem-reports"),
    ),
    _group(
        gettext_lazy("Settings"),
        Room("settings", gettext_lazy("General"), "campaign-settings"),
        Room("state", gettext_lazy("State"), "campaign-state"),
        Room("work", gettext_lazy("Background jobs"), "jobs"),
        Room("webhooks", gettext_lazy("Webhooks"), "webhooks"),
    ),
)


def _path(rooms: Sequence[Room], section: str) -> list[Room]:
    """Return the rooms that lead to a section, outermost first; empty if it is in none."""
    for room in rooms:
        within = _path(room.rooms, section)
        if within or room.name == section:
            return [room, *within]
    return []


@dataclass(frozen=True, slots=True)
class Tab:
    """A link of a bar; `count` is the number of objects behind it, if known."""

    words: str
    address: str
    is_current: bool
    count: int | None = None


class Desk(TypedDict):
    """The bars above a page of organisers; see `desk_of`."""

    tabs: list[Tab]
    rooms: list[Tab]
    rooms_of: str
    pages: list[Tab]
    pages_of: str
    tasks: list[Tab]
    task: Tab | None
    task_shown: Task | None
    above: Tab | None


def desk_of(
    *,
    campaign: Campaign,
    section: str,
    tasks: Sequence[Task],
    task: Task | None = None,
    path: str,
) -> Desk:
    """Return the bars above a page of organisers, each a list of `Tab`.

    `tabs` are the rooms of the campaign, `rooms` those within the current room, and `pages` those one level further
    down; `rooms_of` and `pages_of` are labels of the last two bars. `tasks` lead to the same room of each task, and `task`
    is the tab of the page's own task, `task_shown`. `above` leads to the parent page, if the page is not itself a room's first page.

    Parameters
    ----------
    campaign : Campaign
    section : str
        The name of the page's room.
    tasks : sequence of Task
        All of the campaign, in order.
    task : Task or None
        The page's task, or the one that the organiser viewed last.
    path : str
        The address of the page.
    """
    current_task = task
    if current_task is None and tasks:
        current_task = tasks[0]
    test_sets = {task_of_campaign.test_set_id for task_of_campaign in tasks}
    way = _path(CAMPAIGN, section)
    top, *below = way
    home = _address(way[-1], campaign, current_task)

    def tabs(rooms: Sequence[Room], current: Room) -> list[Tab]:
        offered = []
        for room in rooms:
            if room.of_task and current_task is None:
                continue
            count = None
            if room.name == "test-sets":
                count = len(test_sets)
            address = _address(room, campaign, current_task)
            offered.append(Tab(str(room.label), address, room == current, count))
        return offered

    task_tabs: list[Tab] = []
    if below and below[-1].of_task:
        task_tabs = _task_tabs(below[-1], campaign, tasks, current_task)
    desk: Desk = {
        "tabs": tabs(CAMPAIGN, top),
        "rooms": [],
        "rooms_of": str(top.label),
        "pages": [],
        "pages_of": "",
        "tasks": task_tabs,
        "task": next((tab for tab in task_tabs if tab.is_current), None),
        "task_shown": current_task,
        "above": None,
    }
    if top.name == "test-sets":
        desk["rooms_of"] = _("Test set")
    if below:
        desk["rooms"] = tabs(top.rooms, below[0])
        desk["pages"] = tabs(below[0].rooms, below[-1])
        desk["pages_of"] = str(below[0].label)
    if path != home:
        # A room and its first inner room share a page, which is named after the outer room.
        named = next(room for room in way if room.page == way[-1].page)
        desk["above"] = Tab(str(named.label), home, is_current=False)
    return desk


def _task_tabs(
    room: Room,
    campaign: Campaign,
    tasks: Sequence[Task],
    current: Task | None,
) -> list[Tab]:
    """Return a tab for each task, named after its test set, and its protocol if the test set has several tasks."""
    tasks_by_test_set = Counter(task.test_set_id for task in tasks)
    tabs = []
    for task in tasks:
        name = task.test_set.name
        if tasks_by_test_set[task.test_set_id] > 1:
            name = task.called_in_full
        address = _address(room, campaign, task)
        tabs.append(Tab(name, address, is_current=task == current))
    return tabs


def _address(room: Room, campaign: Campaign, task: Task | None) -> str:
    if room.of_task and task is not None:
        return reverse(room.page, args=[campaign.slug, task.pk])
    return reverse(room.page, args=[campaign.slug])
