"""The examples of judgments in docs/formats.md are files that can be read."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ranking.files import InputFormat, read_judgments

MakeFile = Callable[..., str]


@pytest.mark.parametrize(
    ("language", "number", "input_format", "blocks", "systems"),
    [
        ("csv", 0, InputFormat.FIVE_WAY_CSV, 2, 3),
        ("csv", 1, InputFormat.PAIRWISE_CSV, 1, 3),
        ("xml", 1, InputFormat.APPRAISE_XML, 1, 3),
        ("text", 2, InputFormat.RANK, 2, 3),
        ("jsonl", 3, InputFormat.JSONL, 2, 3),
    ],
)
def test_examples(
    make_file: MakeFile,
    language: str,
    number: int,
    input_format: InputFormat,
    blocks: int,
    systems: int,
) -> None:
    text = (Path(__file__).parents[4] / "docs" / "formats.md").read_text(encoding="utf-8")
    examples = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    read = read_judgments([make_file(examples[number])])
    assert read.input_format is input_format
    assert (len(read.blocks), len(read.blocks.systems)) == (blocks, systems)
