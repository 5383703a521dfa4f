"""Parts of a protocol, from its registry: `docs/protocols.md` tells how one is added."""

import json
import re
from random import Random

from django.conf import settings

from annotation.models import Judgment
from annotation.protocols.answer_kinds import Perceived, answer_kind, answer_kinds
from campaign.models import Protocol
from tests.integration.protocols.every import EVERY_PROTOCOL


@EVERY_PROTOCOL
def test_its_answers_are_looked_up_if_it_has_a_table(protocol: Protocol) -> None:
    kind = answer_kind(protocol)
    triggers = Judgment._meta.triggers  # type: ignore[attr-defined]
    [trigger] = [each for each in triggers if each.name == "judgment_has_its_answer"]
    assert (f"WHEN '{protocol}' THEN" in trigger.func) == kind.keeps_answers
    assert (
        not kind.keeps_answers or f"FROM {kind.table._meta.db_table} a" in trigger.func
    )


@EVERY_PROTOCOL
def test_simulated_judges_answer_what_its_serializer_takes(protocol: Protocol) -> None:
    kind = answer_kind(protocol)
    shown = max(kind.candidates)
    qualities, labels = [90.0, 70.0, 50.0, 30.0, 5.0][:shown], list(range(1, shown + 1))
    known = {"expected": [True, False]}
    said = kind.simulated(Perceived(qualities, labels, known, Random(3)))
    said = kind.simulated_on(said, ["A text of words."] * shown, Random(3))
    json.dumps(said)
    if kind.serializer is None:
        assert said == labels
        return
    sent = kind.serializer(data=said)
    assert sent.is_valid(), sent.errors


@EVERY_PROTOCOL
def test_protocol_has_texts_for_organisers_and_a_screen(
    protocol: Protocol,
) -> None:
    kind = answer_kind(protocol)
    assert str(kind.sentence)
    assert str(kind.work)
    screen = kind.screen or protocol
    assert (settings.BASE_DIR / f"static/judge/{screen}/screen.js").is_file()
    template = f"templates/judge/screens/{screen}.html"
    assert (settings.BASE_DIR / template).is_file()
    assert answer_kind(screen).screen_words


def test_screens_of_other_protocols_are_the_same_in_python_and_javascript() -> None:
    script = (settings.BASE_DIR / "static/judge/screens.js").read_text()
    [declared] = re.findall(r"const SCREENS = \{(.*)\};", script)
    screens = {
        f'{kind.protocol}: "{kind.screen}"' for kind in answer_kinds() if kind.screen
    }
    assert {screen.strip() for screen in declared.split(",")} == screens
