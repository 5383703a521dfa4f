"""Lines of JSON that describe machine judges are read as those of judges with their names and versions."""

import io
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

from campaign.formats.records import FileMachine
from campaign.formats.streams import StoredFile
from ranking.files.answer_records import json_records
from ranking.files.machine_lines import machine_records


def read(*rows: dict[str, Any]) -> Iterator[Any]:
    text = "".join(json.dumps(row) + "\n" for row in rows)
    file = StoredFile("a.jsonl", partial(io.BytesIO, text.encode()))
    return machine_records(partial(json_records, "jsonl"), file, None)


def test_each_machine_judge_is_described_once_before_its_first_record() -> None:
    bot = {"judge": "bot", "machine": True, "version": "1", "prompt": "Rank."}
    other = {**bot, "version": 2}
    assert list(read({"judge": "ada"}, bot, bot, other, bot)) == [
        "jsonl",
        FileMachine(line=2, name="bot", version="1", prompt="Rank."),
        FileMachine(line=4, name="bot", version="2", prompt="Rank."),
        (1, {"judge": "ada"}),
        (2, {"judge": "bot 1"}),
        (3, {"judge": "bot 1"}),
        (4, {"judge": "bot 2"}),
        (5, {"judge": "bot 1"}),
    ]
