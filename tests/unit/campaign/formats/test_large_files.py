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


def _write(path: Path, unit: bytes, start: bytes = b"", end: bytes = b"") -> int:
    """Fill the file to 200 MB with `unit`; return how many units went in."""
    together = max(1, 1_000_000 // len(unit))
    rounds = _SIZE // (together * len(unit)) + 1
    with path.open("wb") as stream:
        stream.write(start)
        for _ in range(rounds):
            stream.write(unit * together)
        stream.write(end)
    return rounds * together


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


def test_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "text.txt"
    lines = _write(path, _TEXT.encode() + b"\r\n")
    streams = [path.open("rb") for _ in range(2)]
    assert path.stat().st_size >= _SIZE
    source, output = (InputFile("text.txt", stream) for stream in streams)
    segments = read_test_set(source=source, systems={"A": output})
    assert _count_within_bounds(segments) == lines
    for stream in streams:
        stream.close()


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    values = {"source": _TEXT, "references": [_TEXT], "outputs": {"A": _TEXT, "B": _TEXT}}
    lines = _write(path, json.dumps(values, ensure_ascii=False).encode() + b"\n")
    with path.open("rb") as stream:
        assert _count_within_bounds(read_test_set(source=InputFile(path.name, stream))) == lines


def test_tsv(tmp_path: Path) -> None:
    path = tmp_path / "set.tsv"
    row = "\t".join([_TEXT] * 4).encode() + b"\n"
    rows = _write(path, row, start=b"source\treference\tA\tB\n")
    with path.open("rb") as stream:
        assert _count_within_bounds(read_test_set(source=InputFile(path.name, stream))) == rows


def test_sgml(tmp_path: Path) -> None:
    path = tmp_path / "source.sgm"
    # A segment of many lines: its id must be new each time, its content need not.
    segments = 2000
    content = "\n".join([_TEXT] * 5)
    with path.open("w", encoding="utf-8") as stream:
        stream.write('<srcset setid="x">\n<doc docid="d">\n')
        for number in range(segments):
            stream.write(f'<p><seg id="{number}">{content}</seg></p>\n')
        stream.write("</doc>\n</srcset>\n")
    assert path.stat().st_size >= _SIZE
    with path.open("rb") as opened:
        assert _count_within_bounds(read_test_set(source=InputFile(path.name, opened))) == segments


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
    with (tmp_path / "source.jsonl").open("rb") as source, (tmp_path / "A.jsonl").open("rb") as a:
        segments = read_test_set(
            source=InputFile("source.jsonl", source), systems={"A": InputFile("A.jsonl", a)}
        )
        assert _count_within_bounds(segments) == count
