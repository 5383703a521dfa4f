"""Lines of JSON that describe machine judges are read as those of judges with their names and versions."""

import io
import json
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from campaign.formats import FormatError
from campaign.formats.records import FileMachine
from campaign.formats.streams import MAX_LINE_BYTES, StoredFile
from ranking.files.answer_records import json_records
from ranking.files.machine_lines import machine_records


def read(*rows: dict[str, Any]) -> Iterator[Any]:
    return read_text("".join(json.dumps(row) + "\n" for row in rows))


def read_text(text: str) -> Iterator[Any]:
    file = StoredFile("a.jsonl", partial(io.BytesIO, text.encode()))
    return machine_records(partial(json_records, "jsonl"), file, None)


def refusal(text: str) -> tuple[int | None, int | None, str]:
    with pytest.raises(FormatError) as refused:
        list(read_text(text))
    return refused.value.line, refused.value.column, refused.value.problem


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


BOT = '{"judge": "判定者", "machine": true, "version": 1, "prompt": "Rang, \\"gut\\"?", "note": "a b"}'


@pytest.mark.parametrize("place", ["判", "Rang", "a b"])
def test_errors_name_line_and_column_as_written(place: str) -> None:
    damaged = BOT.replace(place, f"\x7f{place}")
    line, column, problem = refusal(f"{BOT}\n\n{damaged}\n")
    assert (line, column) == (3, damaged.index("\x7f") + 1)
    assert "U+007F is not allowed" in problem


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_broken_line_after_machine_judges_is_named_as_written(ending: str) -> None:
    broken = BOT[:-1] + ", }"
    line, column, problem = refusal(ending.join([BOT, BOT, broken, BOT]))
    assert (line, column) == (3, broken.index("}") + 1)
    assert "not valid JSON" in problem


def test_values_of_lines_of_machine_judges_are_read_as_written() -> None:
    text = (
        '\ufeff{"machine": true ,"score": 1e5, "judge":"bot", "version":"1"}\n'
        '{"version": "1","judge": "bot", "\\u006dachine": false, "machine": true}\n'
        '{ "score": [0.10, {"machine": 1, "judge": "x"}], "machine": true, "judge": "bot", "version": "1" }\n'
        '{"machine": true, "version": "1", "judge": "bot"}\n'
    )
    form, machine, first, *rest = read_text(
        text.replace('"\\u006dachine": false, ', ""),
    )
    assert (form, machine.called) == ("jsonl", "bot 1")
    assert first == (1, {"score": 100_000.0, "judge": "bot 1"})
    assert isinstance(first[1]["score"], float)
    assert rest == [
        (2, {"judge": "bot 1"}),
        (3, {"score": [0.1, {"machine": 1, "judge": "x"}], "judge": "bot 1"}),
        (4, {"judge": "bot 1"}),
    ]
    # The same key in other letters is the same key.
    assert "appears twice" in refusal(text)[2]


def test_line_of_a_machine_judge_may_be_as_long_as_any_other() -> None:
    # Written with backslashes, it would be longer than a line may be.
    note = "译" * (MAX_LINE_BYTES // 4)
    row = {"judge": "bot", "machine": True, "version": "1", "note": note}
    *_described, record = read_text(json.dumps(row, ensure_ascii=False) + "\n")
    assert record == (1, {"judge": "bot 1", "note": note})


@pytest.mark.parametrize(
    ("line", "record"),
    [
        ('{"judge": "eve", "machine": false}', {"judge": "eve"}),
        ('{"machine": false, "judge": "eve"}', {"judge": "eve"}),
        ('{"judge": "eve", "machine": false ,"a": 1}', {"judge": "eve", "a": 1}),
        ('{"machine": false}', {}),
    ],
)
def test_person_may_be_marked_as_no_machine(line: str, record: dict[str, Any]) -> None:
    assert list(read_text(line)) == ["jsonl", (1, record)]
