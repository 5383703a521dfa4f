"""Dates and numbers of each language, as pages write them on the server and in the browser."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from babel import Locale
from django.conf import settings
from django.template.defaultfilters import floatformat
from django.utils import translation
from django.utils.formats import date_format, number_format

from launcher.data_directory import CHECKOUT

NODE = Path(sys.executable).parent / "node"
LANGUAGES = tuple(dict(settings.LANGUAGES))
NUMBERS = (
    -0.5,
    -12345,
    0.05,
    0.645,
    7,
    999,
    1234,
    9999,
    12345,
    1234567,
    1234.5,
    12345.5,
)
MOMENT = datetime(2026, 11, 29, 14, 5, tzinfo=UTC)

# The texts of a judging page in each language, which the module reads once.
_SCRIPT = """
const [languages, numbers] = JSON.parse(process.argv[1]);
const written = {};
for (const lang of languages) {
  globalThis.document = { documentElement: { lang }, getElementById: () => ({ textContent: '{"figure": "{x}"}' }) };
  const { say } = await import(`./static/judge/words.js?${lang}`);
  written[lang] = numbers.map((x) => say("figure", { x }));
}
process.stdout.write(JSON.stringify(written));
"""


def test_numbers_are_the_same_on_the_server_and_in_the_browser() -> None:
    run = subprocess.run(
        [
            NODE,
            "--input-type=module",
            f"--eval={_SCRIPT}",
            "--",
            json.dumps([LANGUAGES, NUMBERS]),
        ],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    of_server = {}
    for language in LANGUAGES:
        with translation.override(language):
            of_server[language] = [number_format(number) for number in NUMBERS]
    assert json.loads(run.stdout) == of_server
    assert of_server["es"][6:10] == ["1234", "9999", "12.345", "1.234.567"]


def test_filter_of_templates_groups_digits_as_other_numbers() -> None:
    with translation.override("es"):
        assert floatformat(-1234.56, "1g") == "-1234,6"
        assert floatformat(12345.6, 1) == "12.345,6"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "name",
    ["DATE_FORMAT", "DATETIME_FORMAT", "SHORT_DATE_FORMAT", "SHORT_DATETIME_FORMAT"],
)
def test_day_month_and_year_have_the_order_of_the_language(
    language: str,
    name: str,
) -> None:
    pattern = Locale.parse(language, sep="-").date_formats["medium"].pattern
    order = re.sub(r"[^dMy]|(.)(?=\1)", "", pattern)
    with translation.override(language):
        written = date_format(MOMENT, name)
        month = date_format(MOMENT, "E")
    places = {"d": written.index("29"), "y": written.index("2026")}
    places["M"] = re.search(rf"{month}|{month[:3]}|(?<!\d)11(?!\d)", written).start()  # type: ignore[union-attr]
    assert "".join(sorted(places, key=places.__getitem__)) == order, written


def test_czech_month_after_a_day_is_in_the_genitive() -> None:
    with translation.override("cs"):
        for name in ("DATE_FORMAT", "DATETIME_FORMAT", "MONTH_DAY_FORMAT"):
            assert "listopadu" in date_format(MOMENT, name)
        assert date_format(MOMENT, "SHORT_DATE_FORMAT") == "29.\u00a011.\u00a02026"
