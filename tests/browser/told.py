"""What a judge must not learn, so named and numbered that it is known by its looks in whatever a browser got."""

import re
from typing import Final

from tests.browser.crawler import Crawler
from tests.roles import owner_cursor

#: All that must not be learnt begins so: names of systems, of the reference, of other people.
SECRET: Final = re.compile(r"qx[-_ ]", re.IGNORECASE)
SYSTEMS: Final = (
    "qx-amber",
    "qx-birch",
    "qx-cobalt",
    "qx-dune",
    "qx-ember",
    "qx-fjord",
)
# Rows that would tell are numbered from here on.
_FIRST_ROW: Final = 771_230_000
_ROW: Final = re.compile(r"(?<![\w.])771,?23\d,?\d{3}(?![\w.])")
_TABLES_THAT_TELL: Final = (
    "campaign_system",
    "campaign_output",
    "campaign_badreference",
    "annotation_hit",
    "annotation_block",
    "annotation_assignment",
    "annotation_judgment",
    "annotation_machinejudgment",
    "protocols_suggestedspans",
    "ranking_metric",
)


def number_rows_to_be_known() -> None:
    """Number rows that would tell from one on by which they are known; before the campaign is made."""
    with owner_cursor() as cursor:
        for table in _TABLES_THAT_TELL:
            cursor.execute(
                "SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)",
                [table, _FIRST_ROW],
            )


def told(crawler: Crawler) -> dict[str, list[str]]:
    """Return what was told, by where it came from."""
    return {
        name: sorted({*SECRET.findall(got), *_ROW.findall(got)})
        for name, got in (
            (name, _but_asked(name, got)) for name, got in crawler.got.items()
        )
        if SECRET.search(got) or _ROW.search(got)
    }


def _but_asked(name: str, got: str) -> str:
    """Leave out the address that was asked where a problem repeats it: it tells nothing new."""
    _status, _method, address, *_ = [*name.split(" "), "", "", ""]
    return got.replace(f'"instance": "{address.partition("?")[0]}"', "")
