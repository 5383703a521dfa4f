"""Plain-text mails in programs that join lines, or show all of them from left to right."""

import pytest

from campaign.texts.mail_lines import mail_lines

LINK = "https://judge.example.org/i/aLA6qIcWeS7shkR-rc9mIA/"


def test_each_line_that_another_follows_ends_in_three_spaces() -> None:
    """containrrr/watchtower 1082, openaustralia 649: Outlook showed lines of plain text as one."""
    body = "Type of output: answers of an assistant\nYou rate one item at a time.\n\nThe end\n"
    assert mail_lines(body) == (
        "Type of output: answers of an assistant   \nYou rate one item at a time.\n\nThe end\n"
    )


@pytest.mark.parametrize(
    "line",
    [
        "أنت مدعو إلى التقييم في «Museum».",
        "Quintet: رابطك الشخصي للتقييم.",
        "הקישור פג ב-29 במאי 2027 (UTC).",
    ],
)
def test_line_in_a_script_from_the_right_is_embedded(line: str) -> None:
    """galangster/maru 59, nextcloud/mail 11494: the full stop stood on the wrong side, and words in the wrong order."""
    assert mail_lines(line) == f"\u202b{line}\u202c"


@pytest.mark.parametrize(
    "line",
    [
        "You are invited to judge in “متحف”.",
        "您受邀在“博物馆”中进行评判。",
        LINK,
        f"افتح: {LINK}",
        "",
    ],
)
def test_other_lines_and_links_get_no_marks(line: str) -> None:
    assert mail_lines(line) == line
