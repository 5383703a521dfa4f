"""The tabs of organisers: few, and every page below one of them."""

from campaign.pages.desk import CAMPAIGN, TEST_SET


def test_a_campaign_has_six_tabs_at_most_and_a_test_set_five() -> None:
    assert len(CAMPAIGN) <= 6
    assert len(TEST_SET) <= 5


def test_the_pages_of_a_tab_begin_with_its_own() -> None:
    for room in (*CAMPAIGN, *TEST_SET):
        if room.rooms and room.name != "test-sets":
            assert room.rooms[0].page == room.page
