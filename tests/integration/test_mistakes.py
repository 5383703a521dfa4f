"""Mistakes that organisers made when they tried Quintet: each is answered in words, and changes nothing."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from campaign.models import Campaign
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.some_now import some_now
from tests.unchanged import nothing_changes

pytestmark = pytest.mark.django_db

#: Texts in a folder; each mistake writes its own over one of them.
FILES: Mapping[str, bytes] = {
    "source.de": b"Das Museum \xc3\xb6ffnet.\nTaschen bleiben hier.\n",
    "amber.en": b"The museum opens.\nBags stay here.\n",
    "birch.en": b"A museum opens.\nLeave bags.\n",
}
TEXTS = ("--source=source.de", "--system=amber=amber.en", "--system=birch=birch.en")
NAMES = {
    "campaign": "museum",
    "name": "visit",
    "source_language": "de",
    "target_language": "en",
}


@dataclass(frozen=True)
class Mistake:
    """A command as it was given, the files beside it, and words of the answer."""

    said: str
    command: str
    arguments: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


def imported(
    said: str,
    *arguments: str,
    files: Mapping[str, bytes] | None = None,
    **names: str,
) -> Mistake:
    return Mistake(
        said,
        "import_test_set",
        arguments or TEXTS,
        NAMES | names,
        files or {},
    )


_SGML = b'<%s setid="x" srclang="de" trglang="en"%s><doc docid="d"><seg id="1">%s</seg></doc></%s>'
COMMANDS = {
    "binary": imported(
        "NUL bytes",
        files={"amber.en": b"\x7fELF\x00\x01\xd0\xff\x00\x00"},
    ),
    "latin-1": imported("0xE9 is not UTF-8", files={"amber.en": b"caf\xe9\nBags.\n"}),
    "two lines for three": imported("2 lines", files={"source.de": b"A\nB\nC\n"}),
    "empty file": imported("amber.en", files={"amber.en": b""}),
    "system twice": imported(
        "given twice",
        "--source=source.de",
        "--system=a=amber.en",
        "--system=a=birch.en",
    ),
    "system twice in a header": imported(
        "column 3",
        "visit.tsv",
        files={"visit.tsv": b"source\tamber\tamber\nS\tA\tB\n"},
    ),
    "missing file": imported("No such file", "nowhere.tsv"),
    "comma in a name": imported(
        "comma",
        "--source=source.de",
        "--system=a,b=amber.en",
        "--system=c=birch.en",
    ),
    "comma-separated, one system": imported(
        "there is only one system, amber",
        "visit.csv",
        files={"visit.csv": b"source,amber\nS,A\n"},
    ),
    "no source": imported(
        "source",
        "visit.tsv",
        files={"visit.tsv": b"amber\tbirch\nA\tB\n"},
    ),
    "reference set as source": imported(
        "is a refset, not a srcset",
        *("--source=source.sgm", "--system=amber=amber.sgm"),
        files={
            "source.sgm": _SGML % (b"refset", b' refid="r"', b"A", b"refset"),
            "amber.sgm": _SGML % (b"tstset", b' sysid="s"', b"B", b"tstset"),
        },
    ),
    "one system": imported(
        "only one system",
        "--source=source.de",
        "--system=amber=amber.en",
    ),
    "language english": imported("English", source_language="english"),
    "language with a blank": imported("en glish", source_language="en glish"),
    "language klingon": imported("klingon", target_language="klingon"),
    "language xx": imported("xx", target_language="xx"),
    "slug with a blank": imported(
        "my museum",
        create_campaign="M",
        campaign="my museum",
    ),
    "unknown campaign": imported("museum", campaign="musuem"),
    "test set again": imported("already", name="newstest"),
    "judge again": Mistake(
        "already",
        "add_judge",
        ("judge01",),
        {"campaign": "museum"},
    ),
    "judge of klingon": Mistake(
        "klingon",
        "add_judge",
        ("judge02", "--campaign=museum", "--languages", "klingon"),
    ),
}


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign()
    make_task(campaign, name="newstest")
    make_judge(campaign, "judge01")
    return campaign


@pytest.mark.parametrize("mistake", some_now(COMMANDS.values(), most=9), ids=COMMANDS)
def test_a_command_says_what_is_wrong_and_changes_nothing(
    campaign: Campaign,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mistake: Mistake,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in {**FILES, **mistake.files}.items():
        (tmp_path / name).write_bytes(content)
    with nothing_changes(), pytest.raises(CommandError) as caught:
        call_command(
            mistake.command,
            *mistake.arguments,
            stdout=StringIO(),
            stderr=StringIO(),
            **dict(mistake.options),
        )
    answer = str(caught.value)
    assert mistake.said in answer
    assert "is violated" not in answer
    assert ".." not in answer
    assert len(answer) < 700


@dataclass(frozen=True)
class Filled:
    """A form as it was filled in, and words of the answer."""

    said: str
    page: str
    data: Mapping[str, str]


_RULES = {
    "judged_0": "translations",
    "show_source": "on",
    "show_reference": "on",
    "lease_minutes": "120",
}
PAGES = {
    "quota of 0": Filled("1", "settings/", _RULES | {"blocks_per_judge": "0"}),
    "quota of 1.5": Filled(
        "whole number",
        "settings/",
        _RULES | {"blocks_per_judge": "1.5"},
    ),
    "quota of a billion": Filled(
        "less than",
        "settings/",
        _RULES | {"blocks_per_judge": "9999999999"},
    ),
    "no lease": Filled("required", "settings/", _RULES | {"lease_minutes": ""}),
    "lease without end": Filled(
        "525600",
        "settings/",
        _RULES | {"lease_minutes": "99999999"},
    ),
    "both hidden": Filled(
        "the source, the reference, or both",
        "settings/",
        {"judged_0": "translations", "lease_minutes": "120"},
    ),
    "no address": Filled("Line 1", "invitations/mails/", {"mail-addresses": "foo bar"}),
    "5,000 letters": Filled(
        "Line 1",
        "invitations/mails/",
        {"mail-addresses": "a" * 5000},
    ),
    "second line": Filled(
        "Line 2",
        "invitations/mails/",
        {"mail-addresses": "a@example.org\nfoo"},
    ),
    "cap of 0": Filled("1", "invitations/links/", {"link-cap": "0"}),
    "cap of -4": Filled("1", "invitations/links/", {"link-cap": "-4"}),
    "cap of 1e10": Filled(
        "less than",
        "invitations/links/",
        {"link-cap": "10000000000"},
    ),
    "day over": Filled(
        "past",
        "invitations/links/",
        {"link-cap": "1", "link-expires": "2020-01-01"},
    ),
    # encode/django-rest-framework 5545, ronaldgrn/django-link-shortener 8: the ends of the calendar lack hours in some zones.
    "link for ever": Filled(
        "between 2000 and 2999",
        "invitations/links/",
        {"link-cap": "1", "link-expires": "9999-12-31"},
    ),
    "open for ever": Filled(
        "between 2000 and 2999",
        "state/",
        {"closes_at": "9999-12-31T23:59", "time_zone": "America/New_York"},
    ),
    "year not typed to its end": Filled(
        "between 2000 and 2999",
        "state/",
        {"closes_at": "0001-01-01T00:00", "time_zone": "Asia/Tokyo"},
    ),
    "200 kB of instructions": Filled(
        "characters",
        "instructions/",
        {"language": "en", "text": "x" * 200_000},
    ),
    "panel of 0": Filled(
        "1",
        "panels/",
        {"kind": "prolific", "name": "P", "blocks_asked": "0"},
    ),
    "slug of a campaign": Filled("required", "/new-campaign/", {"name": ""}),
}


@pytest.mark.parametrize("filled", some_now(PAGES.values(), most=6), ids=PAGES)
def test_a_page_says_what_is_wrong_at_the_field_and_changes_nothing(
    campaign: Campaign,
    client: Client,
    filled: Filled,
) -> None:
    client.force_login(make_organiser(campaign))
    address = (
        filled.page
        if filled.page.startswith("/")
        else f"/campaigns/museum/{filled.page}"
    )
    with nothing_changes():
        answer = client.post(address, filled.data)
    assert answer.status_code in {200, 400}
    said = re.findall(
        r'class="field-error[^"]*"[^>]*>(.*?)</(?:p|div|ul)>',
        answer.content.decode(),
        re.DOTALL,
    )
    assert filled.said in " ".join(said)


@pytest.mark.thorough
@pytest.mark.parametrize("size", [3_000_000, 10_000_000])
def test_instructions_of_megabytes_are_answered_by_a_page(
    campaign: Campaign,
    client: Client,
    size: int,
) -> None:
    client.force_login(make_organiser(campaign))
    with nothing_changes():
        answer = client.post(
            "/campaigns/museum/instructions/",
            {"language": "en", "text": "x" * size},
        )
    assert answer.status_code == 413
    assert "Quintet" in answer.content.decode()
