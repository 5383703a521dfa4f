"""Walk through templates and code: every time that is shown names its time zone.

The formats below do (`tests/unit/campaign/texts/test_time_zones.py`), so a page or mail that uses another one fails.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from launcher.data_directory import CHECKOUT

APPS = (
    "annotation",
    "campaign",
    "config",
    "demo",
    "desk",
    "protocols",
    "ranking",
    "whole_campaigns",
)
#: Formats of days, of times with their zone, and of ISO 8601 with the offset.
NAMED = {
    *("DATE_FORMAT", "MONTH_DAY_FORMAT"),
    *("DATETIME_FORMAT", "SHORT_DATETIME_FORMAT", "TIME_FORMAT", "c"),
}
# Browsers take the value of a field without a zone, which its label names.
LABELLED = {("templates/published_results/_version.html", r"Y-m-d\TH:i")}
_FILTER = re.compile(
    r"\|\s*(date|time|naturaltime|naturalday)\b(?::(?:\"([^\"]*)\"|'([^']*)'))?",
)
# `%H`, unless the zone follows or the literal is the constant of such a field.
_CLOCK = re.compile(r"%[HIXc](?![^\"']*%Z)")
_FIELDS = ("_CLOCK: Final = ", "DateTimeInput(", "datetime-local")


def test_templates_show_times_only_in_formats_that_name_the_zone() -> None:
    found = list(filters_of_templates())
    assert len(found) > 100
    wrong = [
        (path, name, shape)
        for path, name, shape in found
        if (name != "date" or shape not in NAMED) and (path, shape) not in LABELLED
    ]
    assert not wrong
    assert not [path for path, text in templates() if re.search(r"{%\s*now\b", text)]


def test_code_writes_no_time_without_its_zone() -> None:
    wrong = []
    for path in code():
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            if _CLOCK.search(line) and not any(field in line for field in _FIELDS):
                wrong.append(f"{path.relative_to(CHECKOUT)}:{number}: {line.strip()}")
    # The column “time_zone” is beside it.
    assert [each.partition(":")[0] for each in wrong] == [
        "ranking/pages/page_plots.py",
    ], wrong


def test_scripts_show_times_with_the_zone() -> None:
    scripts = [path.read_text("utf-8") for path in (CHECKOUT / "static").rglob("*.js")]
    formats = [text for text in scripts if "Intl.DateTimeFormat(" in text]
    assert formats
    for text in formats:
        assert 'timeZoneName: "short"' in text
        # They exclude a zone.
        assert "timeStyle" not in text
    assert not [
        text for text in scripts if re.search(r"toLocale(Time|Date)?String", text)
    ]


def templates() -> Iterator[tuple[str, str]]:
    for path in sorted((CHECKOUT / "templates").rglob("*.*")):
        yield str(path.relative_to(CHECKOUT)), path.read_text("utf-8")


def filters_of_templates() -> Iterator[tuple[str, str, str]]:
    """Yield file, name and format of each filter of a time."""
    for path, text in templates():
        for name, double, single in _FILTER.findall(text):
            yield path, name, double or single


def code() -> Iterator[Path]:
    for app in APPS:
        for path in sorted((CHECKOUT / app).rglob("*.py")):
            if "migrations" not in path.parts:
                yield path
