"""Files of 200 MB are read in the memory of a few segments."""

import gzip
import json
import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from campaign.formats import InputFile, SegmentTexts, read_test_set

pytestmark = pytest.mark.thorough


_SIZE = 200 * 1000 * 1000
_ALLOWED = 50 * 1000 * 1000


def _count_within_bounds(segments: Iterator[SegmentTexts]) -> int:
    """Count the segments; fail if reading them held more than 50 MB at once."""
    tracemalloc.start()
    try:
        count = sum(1 for _ in segments)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < _ALLOWED
    return count


_TEXT = ("Ein längerer Satz über Äpfel, „Birnen“ und 苹果. " * 400).strip()


@pytest.mark.thorough
def test_a_small_file_that_unpacks_to_200_mb(tmp_path: Path) -> None:
    path = tmp_path / "text.txt.gz"
    line = b"x" * 99_999 + b"\n"
    with gzip.open(path, "wb", compresslevel=1) as stream:
        for _ in range(_SIZE // len(line)):
            stream.write(line)
    assert path.stat().st_size < 2_000_000
    with path.open("rb") as opened:
        segments = read_test_set(source=InputFile(path.name, opened))
        assert _count_within_bounds(segments) == _SIZE // len(line)


def test_wmt_xml(tmp_path: Path) -> None:
    path = tmp_path / "set.xml"
    count = _SIZE // (4 * 10 * len(_TEXT.encode()))
    segments = "\n".join(f'<seg id="{number}">{_TEXT}</seg>' for number in range(10))
    with path.open("w", encoding="utf-8") as stream:
        stream.write('<dataset id="x">\n')
        for number in range(count):
            stream.write(f'<doc id="{number}"><src lang="a">{segments}</src>')
            stream.write(f'<ref lang="b">{segments}</ref>')
            stream.writelines(
                f'<hyp lang="b" system="{name}">{segments}</hyp>' for name in ("A", "B")
            )
            stream.write("</doc>\n")
        stream.write("</dataset>\n")
    with path.open("rb") as stream:
        segments_read = read_test_set(source=InputFile(path.name, stream))
        assert _count_within_bounds(segments_read) == 10 * count


def test_genmt(tmp_path: Path) -> None:
    count = _SIZE // (2 * len(_TEXT.encode()))
    for name, key in (("source.jsonl", "src_text"), ("A.jsonl", "hypothesis")):
        with (tmp_path / name).open("w", encoding="utf-8") as stream:
            for number in range(count):
                line = {"doc_id": f"a-b_#_news_#_{number}", key: _TEXT}
                stream.write(json.dumps(line, ensure_ascii=False) + "\n")
    with (
        (tmp_path / "source.jsonl").open("rb") as source,
        (tmp_path / "A.jsonl").open("rb") as a,
    ):
        segments = read_test_set(
            source=InputFile("source.jsonl", source),
            systems={"A": InputFile("A.jsonl", a)},
        )
        assert _count_within_bounds(segments) == count
