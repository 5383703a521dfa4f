"""The house plan: two bars that never change under the hand."""

import pytest

from campaign.models import Campaign, TestSet
from campaign.pages.desk import CAMPAIGN, WITHIN, Desk, Room, Tab, desk_of

MUSEUM = Campaign(pk=1, slug="museum", name="Museum")
ONE, TWO = (TestSet(pk=pk, campaign=MUSEUM, name=f"set {pk}") for pk in (1, 2))
INNER = [(above, room) for above, rooms in WITHIN.items() for room in rooms]


def desk(section: str, test_set: TestSet | None = None) -> Desk:
    return desk_of(campaign=MUSEUM, section=section, test_sets=[ONE, TWO], test_set=test_set)


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
    assert found.test_set == (
        next(tab for tab in found.test_sets if tab.words == "set 2") if room.of_test_set else None
    )


def test_the_switch_leads_to_the_same_room_of_another_test_set() -> None:
    found = desk("judges", ONE)
    assert [(tab.words, tab.address, tab.is_current) for tab in found.test_sets] == [
        ("set 1", "/campaigns/museum/test-sets/1/judges/", True),
        ("set 2", "/campaigns/museum/test-sets/2/judges/", False),
    ]
    assert found.rooms_of == "Test set"


def test_without_one_looked_at_rooms_of_test_sets_are_those_of_the_first() -> None:
    addresses = [tab.address for tab in desk("rules").rooms]
    assert addresses == [
        "/campaigns/museum/rules/",
        "/campaigns/museum/problem-reports/",
        "/campaigns/museum/test-sets/1/bad-references/",
        "/campaigns/museum/test-sets/1/training/",
    ]
    assert [tab.address for tab in desk("rules", TWO).rooms][2:] == [
        "/campaigns/museum/test-sets/2/bad-references/",
        "/campaigns/museum/test-sets/2/training/",
    ]


def test_a_campaign_without_test_sets_has_no_rooms_of_them() -> None:
    found = desk_of(campaign=MUSEUM, section="rules", test_sets=[])
    assert [tab.words for tab in found.rooms] == ["Rules", "Problem reports"]
    assert found.test_sets == []
    counts = [tab.count for tab in found.tabs]
    assert counts == [None, 0, None, None, None, None, None, None]
    assert [tab.count for tab in desk("settings").tabs][1] == 2
