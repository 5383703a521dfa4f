"""What a protocol is made of, from its registry: `docs/protocols.md` tells how one is added."""

import json
from pathlib import Path
from random import Random

from django.conf import settings
from django.core.management import get_commands

from annotation.answer_files import answer_files
from annotation.models import Judgment
from annotation.protocols import answer_kind
from campaign.models import Protocol
from ranking.analyses import ANALYSES
from tests.integration.protocols.every import EVERY_PROTOCOL
from tests.integration.protocols.test_files_of_every_protocol import COMMANDS, JUDGMENTS

ROOT = Path(settings.BASE_DIR)


@EVERY_PROTOCOL
def test_it_has_a_screen(protocol: Protocol) -> None:
    screen = answer_kind(protocol).screen or protocol
    assert (ROOT / "templates" / "judge" / screen / "_keys.html").is_file()
    assert (ROOT / "static" / "judge" / screen / "screen.js").is_file()
    if screen != protocol:
        assert f'{protocol}: "{screen}"' in (ROOT / "static/judge/screens.js").read_text()


@EVERY_PROTOCOL
def test_its_answers_are_looked_up_if_it_has_a_table(protocol: Protocol) -> None:
    kind = answer_kind(protocol)
    [trigger] = [t for t in Judgment._meta.triggers if t.name == "judgment_has_its_answer"]  # type: ignore[attr-defined]
    assert (f"WHEN '{protocol}' THEN" in trigger.func) == kind.keeps_answers
    assert not kind.keeps_answers or kind.table._meta.db_table == f"{protocol}_answer"


@EVERY_PROTOCOL
def test_it_has_an_analysis_of_its_own(protocol: Protocol) -> None:
    own = [
        name
        for name, kind in ANALYSES.items()
        if kind.protocols is not None and protocol in kind.protocols and name == protocol
    ]
    # A ranking is what all others are beside.
    assert own == ([] if protocol == Protocol.RANKING else [protocol])


@EVERY_PROTOCOL
def test_its_answers_are_json_lines_in_and_out_with_a_command(protocol: Protocol) -> None:
    files = answer_files(protocol)
    assert files is not None
    _world, file_format, command = COMMANDS[protocol]
    assert file_format in files.formats
    # Judgments with their labels are exported as those of all protocols are.
    assert file_format == JUDGMENTS or file_format in files.written
    assert command in get_commands()
    page = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8")
    assert f"`{file_format}`" in page
    assert f"`{command}`" in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


@EVERY_PROTOCOL
def test_simulated_judges_answer_what_its_serializer_takes(protocol: Protocol) -> None:
    kind = answer_kind(protocol)
    shown = max(kind.candidates)
    qualities, labels = [90.0, 70.0, 50.0, 30.0, 5.0][:shown], list(range(1, shown + 1))
    rules = kind.rules({})
    if kind.simulated_knows is not None:
        rules["expected"] = [True, False]
    said = kind.simulated(qualities, labels, rules, Random(3))
    if kind.simulated_on is not None:
        said = kind.simulated_on(said, ["A text of words."] * shown, rules, Random(3))
    json.dumps(said)
    if kind.serializer is None:
        assert said == labels
        return
    sent = kind.serializer(data=said)
    assert sent.is_valid(), sent.errors


def test_the_page_of_protocols_names_each() -> None:
    text = (ROOT / "docs" / "protocols.md").read_text(encoding="utf-8").lower()
    assert not [each for each in Protocol if str(each.label).lower() not in text]
