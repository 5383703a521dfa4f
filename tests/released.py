"""The judgments WMT released, which ship in `tests/data/released`, and texts of our own for them.

The texts of WMT are not ours to ship. Those made here have the shape of WMT12 Czech–English: as many
documents and segments, the same outputs identical, and the same oddities in their SGML.
"""

import csv
import gzip
import json
import os
import shutil
import tarfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import time
from itertools import groupby
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

FOLDER = Path(__file__).parent / "data" / "released"
SYSTEMS = ("cu-bojar", "jhu-heiro", "onlineA", "onlineB", "uedin-wmt12", "uk-dan-moses")
#: Segments whose source and reference hold an ampersand that nobody escaped.
AMPERSANDS = {988: "S&P", 1618: "AT&T"}
#: Who escaped the ampersands of their outputs twice.
TWICE = "uk-dan-moses"


def released_unpack(into: Path) -> None:
    """Write the files that ship, uncompressed, into a folder for each set of judgments."""
    for packed in FOLDER.glob("*/*"):
        folder = into / packed.parent.name
        folder.mkdir(exist_ok=True)
        if packed.suffix == ".gz":
            (folder / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
        else:
            shutil.copyfile(packed, folder / packed.name)


def released_texts() -> Path:
    """The folder of the released texts, which do not ship; `make test-released` needs it."""
    folder = os.environ.get("QUINTET_REAL_DATA")
    if not folder:
        pytest.fail("QUINTET_REAL_DATA does not name the folder of the released texts")
    return Path(folder)


def evalset_unpack(archive: Path, into: Path) -> None:
    """Unpack an evaluation set. Python checks its paths from 3.11.4 on; the released texts are trusted."""
    with tarfile.open(archive) as files:
        files.extraction_filter = getattr(tarfile, "data_filter", None)
        files.extractall(into)


def wmt12_texts_write(into: Path) -> None:
    """Write SGML of the shape of WMT12 Czech–English, under the names of the released files."""
    shape = json.loads(
        (FOLDER / "wmt12-cs-en" / "shape.json").read_text(encoding="utf-8"),
    )
    count = sum(length for _, length in shape["documents"])
    source = [f"Věta {number}{_ampersand(number)}." for number in range(1, count + 1)]
    reference = [
        f"Sentence {number} as we &quot;tell&quot; it{_ampersand(number)}."
        for number in range(1, count + 1)
    ]
    _write(
        into / "newstest2012-src.cs.sgm",
        "srcset",
        "doc",
        shape["documents"],
        source,
    )
    _write(
        into / "newstest2012-ref.en.sgm",
        "refset",
        "doc",
        shape["documents"],
        reference,
    )
    (into / "systems").mkdir()
    for system in SYSTEMS:
        outputs = [
            _output(number, system, shape["identical"].get(str(number), ()))
            for number in range(1, count + 1)
        ]
        path = into / "systems" / f"newstest2012.cs-en.{system}.sgm"
        _write(path, "tstset", "DOC", shape["documents"], outputs)


def _ampersand(number: int) -> str:
    return f" of {AMPERSANDS[number]}" if number in AMPERSANDS else ""


def _output(number: int, system: str, identical: Sequence[Sequence[str]]) -> str:
    writer = next((group[0] for group in identical if system in group), system)
    told = (
        f"The sentence {number}, it&#39;s told in wording {SYSTEMS.index(writer) + 1}."
    )
    return f"{told} R&amp;amp;D" if system == TWICE and number in AMPERSANDS else told


def _write(
    path: Path,
    kind: str,
    tag: str,
    documents: Sequence[tuple[str, int]],
    texts: Sequence[str],
) -> None:
    remaining = iter(texts)
    lines = [f'<{kind} setid="newstest2012" srclang="any">']
    for name, length in documents:
        lines.append(
            f'<{tag} sysid="another" docid="{name}" genre="news" origlang="cs">',
        )
        for number in range(1, length + 1):
            around = "h1" if number == 1 else "p"
            lines += [
                f"<{around}>",
                f'<seg id="{number}">{next(remaining)}</seg>',
                f"</{around}>",
            ]
        lines.append("</doc>")
    path.write_text("\n".join([*lines, f"</{kind}>", ""]), encoding="utf-8")


def five_way(path: Path) -> Iterator[BlockRow]:
    """Read the released five-way CSV by other means than the program's own."""
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            shown = [k for k in range(1, 6) if line[f"system{k}Id"]]
            labels = [int(line[f"system{k}rank"]) for k in shown]
            yield BlockRow(
                judge=line["judgeId"],
                segment=int(line["srcIndex"]),
                candidates=[line[f"system{k}Id"].split(",") for k in shown],
                labels=[label if label > 0 else None for label in labels],
            )


def appraise_timed(path: Path) -> Iterator[tuple[BlockRow, float]]:
    """Yield judged blocks of Appraise and the seconds each took; an empty result is a skipped block."""
    for task in ET.parse(path).iter("ranking-task"):
        for result in task.iter("ranking-result"):
            if shown := list(result.iter("translation")):
                row = BlockRow(
                    judge=result.attrib["user"],
                    segment=int(task.attrib["id"]),
                    candidates=[each.attrib["system"].split(",") for each in shown],
                    labels=[int(each.attrib["rank"]) for each in shown],
                )
                took = time.fromisoformat(result.attrib["duration"])
                seconds = (
                    took.hour * 3600
                    + took.minute * 60
                    + took.second
                    + took.microsecond / 1e6
                )
                yield row, seconds


def appraise(path: Path) -> Iterator[BlockRow]:
    return (row for row, _seconds in appraise_timed(path))


def pairwise(path: Path) -> Iterator[BlockRow]:
    """Read the pairwise CSV: rows of one ranking form a block."""
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    for _, group in groupby(lines, key=lambda line: line["rankingID"]):
        ranks: dict[str, int] = {}
        for line in group:
            for side in "12":
                ranks[line[f"system{side}Id"]] = int(line[f"system{side}rank"])
        names = [(name,) for name in ranks]
        yield BlockRow(
            line["judgeID"],
            int(line["srcIndex"]),
            names,
            list(ranks.values()),
        )


def blocks_of(rows: Iterable[BlockRow]) -> Blocks:
    listed = list(rows)
    return blocks_from_rows(
        listed,
        {name for row in listed for shown in row.candidates for name in shown},
    )


def expected_of(folder: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads(
        (folder / "expected.json").read_text(encoding="utf-8"),
    )
    return expected
