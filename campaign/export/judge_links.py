"""The links of judges who were just added, as a file: there is no other copy of them."""

from typing import Final

from django.urls import reverse

from campaign.export.csv_lines import csv_line
from campaign.services.judge_lists import AddedList

COLUMNS: Final = ("email", "name", "judge", "link")


def judge_links(added: AddedList, *, base_url: str) -> list[tuple[str, str, str, str]]:
    """Return address, name, pseudonym and link of each new judge; `base_url` is that of this Quintet."""
    return [
        (
            each.judge.address,
            each.row.row.name,
            each.judge.pseudonym,
            base_url.rstrip("/") + reverse("invitation", args=[each.token]),
        )
        for each in added.judges
        if each.token
    ]


def judge_links_csv(links: list[tuple[str, str, str, str]]) -> str:
    """Return the links as CSV with a header."""
    return "".join(csv_line(cells) for cells in (COLUMNS, *links))
