"""The examples of scored judgments in docs/formats.md are files that can be read."""

import re
from pathlib import Path

import pytest

from protocols.spans.files import SpansFormat, read_spans

FORMATS = Path(__file__).parents[4] / "docs" / "formats.md"


@pytest.mark.parametrize(
    ("heading", "input_format", "outputs", "spans"),
    [
        ("Scored judgments as JSON Lines", SpansFormat.JSONL, 3, 2),
        ("Appraise CSV", SpansFormat.APPRAISE_CSV, 2, 2),
        ("Pearmut logs", SpansFormat.PEARMUT_LOG, 2, 2),
        ("Google’s MQM TSV", SpansFormat.MQM_TSV, 2, 1),
    ],
)
def test_examples(
    heading: str, input_format: SpansFormat, outputs: int, spans: int, tmp_path: Path
) -> None:
    section = FORMATS.read_text(encoding="utf-8").split(f"\n### {heading}\n")[1].split("\n##")[0]
    (example,) = re.findall(r"^```\w+\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    path = tmp_path / "example"
    path.write_text(example, encoding="utf-8")
    read = read_spans([str(path)])
    assert read.input_format is input_format
    marked = [output.spans for judgment in read.judgments for output in judgment.outputs]
    assert (len(marked), sum(len(each or ()) for each in marked)) == (outputs, spans)
