"""The house plan: two bars that never change under the hand."""

import pytest

from campaign.models import Campaign, Task, TestSet
from campaign.pages.desk import CAMPAIGN, WITHIN, Desk, Room, Tab, desk_of

MUSEUM = Campaign(pk=1, slug="museum", name="Museum")
ONE, TWO = (
    Task(pk=pk, test_set=TestSet(pk=pk, campaign=MUSEUM, name=f"set {pk}")) for pk in (1, 2)
)
INNER = [(above, room) for above, rooms in WITHIN.items() for room in rooms]


def desk(section: str, task: Task | None = None) -> Desk:
    return desk_of(campaign=MUSEUM, section=section, tasks=[ONE, TWO], task=task)


def current(tabs: "list[Tab] | tuple[Tab, ...]") -> list[str]:
    return [tab.words for tab in tabs if tab.is_current]


@pytest.mark.parametrize("room", CAMPAIGN, ids=lambda room: room.name)
def test_a_page_of_the_campaign_marks_one_tab(room: Room) -> None:
    found = desk(room.name)
    assert current(list(found.tabs)) == [str(room.words)]
    assert [tab.words for tab in found.tabs] == [str(each.words) for each in CAMPAIGN]


@pytest.mark.parametrize(("above", "room"), INNER, ids=lambda each: getattr(each, "name", each))
def test_a_page_within_a_tab_marks_that_and_its_own(above: str, room: Room) -> None:
    found = desk(room.name, TWO)
    top = next(each for each in CAMPAIGN if each.name == above)
    assert current(list(found.tabs)) == [str(top.words)]
    assert current(list(found.rooms)) == [str(room.words)]
    assert [tab.words for tab in found.rooms] == [str(each.words) for each in WITHIN[above]]
    assert found.task == (
        next(tab for tab in found.tasks if tab.words == "set 2") if room.of_task else None
    )


def test_the_switch_leads_to_the_same_room_of_another_task() -> None:
    found = desk("judges", ONE)
    assert [(tab.words, tab.address, tab.is_current) for tab in found.tasks] == [
        ("set 1", "/campaigns/museum/tasks/1/judges/", True),
        ("set 2", "/campaigns/museum/tasks/2/judges/", False),
    ]
    assert found.rooms_of == "Test set"


def test_without_one_looked_at_rooms_of_tasks_are_those_of_the_first() -> None:
    addresses = [tab.address for tab in desk("rules").rooms]
    assert addresses == [
        "/campaigns/museum/rules/",
        "/campaigns/museum/problem-reports/",
        "/campaigns/museum/tasks/1/bad-references/",
        "/campaigns/museum/tasks/1/training/",
    ]
    assert [tab.address for tab in desk("rules", TWO).rooms][2:] == [
        "/campaigns/museum/tasks/2/bad-references/",
        "/campaigns/museum/tasks/2/training/",
    ]


def test_the_switch_names_protocols_where_a_test_set_has_several_tasks() -> None:
    other = Task(pk=3, test_set=TWO.test_set, protocol="two_outputs")
    ranking = Task(pk=2, test_set=TWO.test_set, protocol="ranking")
    found = desk_of(campaign=MUSEUM, section="judges", tasks=[ONE, ranking, other], task=other)
    assert [(tab.words, tab.is_current) for tab in found.tasks] == [
        ("set 1", False),
        ("set 2 · five-way ranking", False),
        ("set 2 · two outputs", True),
    ]
    # Of test sets, whatever is asked about them.
    assert found.tabs[1].count == 2


def test_a_campaign_without_tasks_has_no_rooms_of_them() -> None:
    found = desk_of(campaign=MUSEUM, section="rules", tasks=[])
    assert [tab.words for tab in found.rooms] == ["Rules", "Problem reports"]
    assert found.tasks == []
    counts = [tab.count for tab in found.tabs]
    assert counts == [None, 0, None, None, None, None, None, None]
    assert [tab.count for tab in desk("settings").tabs][1] == 2
