"""Parts of a protocol, from its registry: `docs/protocols.md` tells how one is added."""

import json
from random import Random

from annotation.models import Judgment
from annotation.protocols.answer_kinds import Perceived, answer_kind
from campaign.models import Protocol
from tests.integration.protocols.every import EVERY_PROTOCOL


@EVERY_PROTOCOL
def test_its_answers_are_looked_up_if_it_has_a_table(protocol: Protocol) -> None:
    kind = answer_kind(protocol)
    [trigger] = [t for t in Judgment._meta.triggers if t.name == "judgment_has_its_answer"]  # type: ignore[attr-defined]
    assert (f"WHEN '{protocol}' THEN" in trigger.func) == kind.keeps_answers
    assert not kind.keeps_answers or f"FROM {kind.table._meta.db_table} a" in trigger.func


@EVERY_PROTOCOL
def test_simulated_judges_answer_what_its_serializer_takes(protocol: Protocol) -> None:
    kind = answer_kind(protocol)
    shown = max(kind.candidates)
    qualities, labels = [90.0, 70.0, 50.0, 30.0, 5.0][:shown], list(range(1, shown + 1))
    rules = kind.rules({})
    if kind.simulated_knows is not None:
        rules["expected"] = [True, False]
    said = kind.simulated(Perceived(qualities, labels, rules, Random(3)))
    if kind.simulated_on is not None:
        said = kind.simulated_on(said, ["A text of words."] * shown, rules, Random(3))
    json.dumps(said)
    if kind.serializer is None:
        assert said == labels
        return
    sent = kind.serializer(data=said)
    assert sent.is_valid(), sent.errors
