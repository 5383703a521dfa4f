"""pyarrow reads what the strict readers read; what is not plain is left to them."""

import csv
import io
from collections.abc import Callable, Iterator
from itertools import pairwise as pairwise_of
from pathlib import Path

import numpy as np
import pytest

from campaign.formats import FormatError, InputFile
from ranking.core.judged.blocks import Blocks
from ranking.files import InputFormat, JudgmentsRead, build, read_judgments, reading, scan
from ranking.files.vocabulary import Columns

MakeFile = Callable[..., str]
ALWAYS, NEVER = 0, 1 << 60


@pytest.fixture(autouse=True)
def _compiled_for_small_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "COMPILED_FROM", 1)


def blocks(random: np.random.Generator, count: int) -> Iterator[tuple[int, str, list[list[str]]]]:
    systems = ["A", "system-with-a-name-of-more-than-sixteen-bytes", "Ünï", "d", "e f", "g.1", "h"]
    for _ in range(count):
        shown = random.permutation(systems)[: random.integers(2, 6)].tolist()
        candidates = [[name] for name in shown]
        if random.random() < 0.3 and len(candidates) > 2:
            candidates[0] += candidates.pop()
        yield int(random.integers(1, 40)), f"judge{random.integers(4)}", candidates


def document_of(segment: int) -> str:
    """Name some, the same of several segments, some with more than 16 bytes."""
    return f"Ünï/{segment % 5}, part {10 ** (segment % 3 * 9)}"


def five_way(random: np.random.Generator, count: int) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    places = range(1, 6)
    writer.writerow(
        ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
        + [f"system{place}{what}" for place in places for what in ("Number", "Id")]
        + [f"system{place}rank" for place in places]
    )
    for segment, judge, candidates in blocks(random, count):
        cells = [cell for one in candidates for cell in (",".join("7" * len(one)), ",".join(one))]
        ranks = random.choice([-1, 1, 2, 3, 4, 5], len(candidates)).tolist()
        empty = 5 - len(candidates)
        language = "English" if random.random() < 0.7 else 'a "quoted" one'
        writer.writerow(
            ["Czech", language, segment, document_of(segment), segment, judge, *cells]
            + [""] * (2 * empty)
            + ranks
            + [-1] * empty
        )
    return out.getvalue()


def pairwise(random: np.random.Generator, count: int) -> str:
    rows = []
    for ranking, (segment, judge, candidates) in enumerate(blocks(random, count)):
        ranks = random.choice([-1, 1, 2, 3, 4, 5], len(candidates)).tolist()
        for p, one in enumerate(candidates):
            for q in range(p):
                rows += [
                    f"x,y,{segment},{segment},{judge},{a},{ranks[p]},{b},{ranks[q]},{ranking}\n"
                    for a in one
                    for b in candidates[q]
                ]
    header = (
        "srclang,trglang,srcIndex,segmentId,judgeID,"
        "system1Id,system1rank,system2Id,system2rank,rankingID\n"
    )
    return header + "".join(random.permutation(rows).tolist())


def assert_same(found: JudgmentsRead, expected: JudgmentsRead) -> None:
    assert (found.blocks.systems, found.blocks.judges) == (
        expected.blocks.systems,
        expected.blocks.judges,
    )
    for name in ("labels", "candidates", "judge", "segment", "key"):
        one, other = (getattr(each.blocks, name) for each in (found, expected))
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, err_msg=name)
    one, other = found.blocks.document, expected.blocks.document
    assert (one is None) == (other is None)
    if one is not None and other is not None:
        # Numbers are in the order of the files.
        np.testing.assert_array_equal(one, other)
    assert (found.skipped, found.blank_labels) == (expected.skipped, expected.blank_labels)
    assert found.files == expected.files


def of_plain_names(content: str) -> str:
    return content.replace('"a ""quoted"" one"', "English")


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many judgments the strict readers were spared, in each go."""
    judgments: list[int] = []
    original = reading._Reading._scanned

    def spied(self: reading._Reading, found: InputFormat, file: InputFile) -> list[Columns] | None:
        parts = original(self, found, file)
        judgments.extend(map(len, parts or []))
        return parts

    monkeypatch.setattr(reading._Reading, "_scanned", spied)
    return judgments


def both(name: str, monkeypatch: pytest.MonkeyPatch) -> tuple[JudgmentsRead, JudgmentsRead]:
    fast = read_judgments([name], scanned_from_bytes=ALWAYS)
    monkeypatch.setattr(build, "COMPILED_FROM", NEVER)
    return fast, read_judgments([name], scanned_from_bytes=NEVER)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("make", [five_way, pairwise])
def test_plain_files_are_read_alike_to_the_last_bit(
    make: Callable[[np.random.Generator, int], str],
    seed: int,
    make_file: MakeFile,
    scanned: list[int],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = of_plain_names(make(np.random.default_rng(seed), 200))
    fast, strict = both(make_file(content), monkeypatch)
    assert_same(fast, strict)
    assert scanned == [200]
    assert (fast.blocks.document is not None) == (make is five_way)


@pytest.mark.parametrize("documents", ["", " ", "d", "d,,e", ",,", "d,\u00a0,e", "d, e ,e"])
def test_documents_left_out_are_read_alike(
    documents: str, make_file: MakeFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = (
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        "system1rank,system2rank\n"
    )
    for segment, document in enumerate(documents.split(","), 1):
        content += f"a,b,{segment},{document},1,ann,A,B,1,2\n"
    fast, strict = both(make_file(content), monkeypatch)
    assert_same(fast, strict)
    known = fast.blocks.document
    assert (None if known is None else known.tolist()) == (
        [0, 1, 1] if " e " in documents else None
    )


def test_rows_are_the_same_however_many_are_scanned_at_a_time(
    make_file: MakeFile, scanned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    # 300 lines of about 100 bytes; what is read at a time cannot be less than a chunk of the file.
    content = of_plain_names(five_way(np.random.default_rng(1), 4000))
    monkeypatch.setattr(scan, "byte_chunks", lambda file: iter(lambda: file.stream.read(5000), b""))
    monkeypatch.setattr(scan, "SCANNED_AT_A_TIME", 20_000)
    assert_same(*both(make_file(content), monkeypatch))
    assert len(scanned) > 10
    assert sum(scanned) == 4000


@pytest.mark.parametrize("ends", ["\r\n", "\n\n"])
def test_other_line_ends_and_blank_lines_are_plain(
    ends: str, make_file: MakeFile, scanned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = "\ufeff" + of_plain_names(five_way(np.random.default_rng(2), 20)).rstrip("\n")
    assert_same(*both(make_file(content.replace("\n", ends)), monkeypatch))
    assert scanned == [20]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Czech,", 'Cz"ech,'),
        ("Czech,", '"Cz""ech",'),
        (",-1\n", ", -1\n"),
        (",5\n", ",05\n"),
    ],
)
def test_what_is_not_plain_but_in_order_is_left_to_the_strict_reader(
    old: str, new: str, make_file: MakeFile, scanned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = of_plain_names(five_way(np.random.default_rng(3), 200))
    assert old in content
    content = content.replace(old, new) if "C" in old else content.replace(old, new, 1)
    assert_same(*both(make_file(content), monkeypatch))
    assert not scanned


@pytest.mark.parametrize(
    ("old", "new"), [("Czech,", " Czech,"), ("judge1,", "judge1 ,"), (",A,", ", A,")]
)
def test_white_space_around_names_is_plain(
    old: str, new: str, make_file: MakeFile, scanned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    content = of_plain_names(five_way(np.random.default_rng(3), 200))
    assert old in content
    content = content.replace(old, new) if "C" in old else content.replace(old, new, 1)
    assert_same(*both(make_file(content), monkeypatch))
    assert scanned == [200]


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        (",5\n", ",7\n", "system5rank"),
        (",5\n", ",+5\n", "system5rank"),
        (",5\n", ",\n", None),
        (",5\n", ",5,\n", None),
        ("Czech,", ",", "srclang"),
        ("judge1,", ",", "judgeId"),
        ("judge1,", "j" * 101 + ",", "judgeId"),
        ("Czech,", "C" * 131_073 + ",", None),
        ("system5rank\n", "s" * 131_073 + "\n", None),
        ("judge1,", "j\x7f,", None),
        ("judge1,", "j\x01,", None),
        ("judge1,", 'j",', None),
        (",7,A,", ",7x,A,", "Number"),
        (",7,A,", ',"7,7",A,', "Number"),
        (",7,A,", ',7,"A,A",', "Id"),
        (",7,A,", ",7,,", "rank|Id"),
        (",English,", ",English,0", None),
    ],
)
def test_the_strict_reader_words_the_errors(
    old: str, new: str, field: str | None, make_file: MakeFile
) -> None:
    content = of_plain_names(five_way(np.random.default_rng(4), 200))
    name = make_file(content.replace(old, new, 1))
    outcomes: list[tuple[object, ...] | None] = []
    for size in (ALWAYS, NEVER):
        try:
            read_judgments([name], scanned_from_bytes=size)
            outcomes.append(None)
        except FormatError as error:
            outcomes.append(error.args)
    assert outcomes[0] == outcomes[1]
    if field is not None:
        refused = outcomes[0]
        assert refused is not None
        assert any(part in str(refused[-1]) for part in field.split("|"))


@pytest.mark.parametrize("make", [five_way, pairwise])
@pytest.mark.parametrize("after", ["", "\n", "\n\n\n"])
def test_a_header_alone_holds_no_judgment(
    make: Callable[[np.random.Generator, int], str], after: str, make_file: MakeFile
) -> None:
    name = make_file(make(np.random.default_rng(0), 0).rstrip("\n") + after)
    for size in (ALWAYS, NEVER):
        with pytest.raises(FormatError, match="the file holds no judgment"):
            read_judgments([name], scanned_from_bytes=size)


@pytest.mark.parametrize("make", [five_way, pairwise])
def test_blank_lines_before_the_header_are_passed_over(
    make: Callable[[np.random.Generator, int], str],
    make_file: MakeFile,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    content = of_plain_names(make(np.random.default_rng(0), 9))
    assert_same(*both(make_file("\n \n" + content), monkeypatch))


def test_a_system_twice_in_a_row_is_found_through_collapsed_candidates(
    make_file: MakeFile,
) -> None:
    name = make_file(
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        'system1rank,system2rank\na,b,1,d,1,ann,"A,B",C,1,2\na,b,1,d,1,ann,"A,B",A,1,2\n'
    )
    with pytest.raises(FormatError, match="the system A stands twice in the row") as found:
        read_judgments([name], scanned_from_bytes=ALWAYS)
    assert (found.value.line, found.value.field) == (3, "system2Id")


@pytest.mark.parametrize(
    ("cells", "problem"),
    [(",,-1,-1", "the row names no system"), ("A,,1,2", "the rank '2' belongs to no system")],
)
def test_empty_places_are_those_the_strict_reader_accepts(
    cells: str, problem: str, make_file: MakeFile
) -> None:
    name = make_file(
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        f"system1rank,system2rank\na,b,1,d,1,ann,A,B,1,2\na,b,1,d,1,ann,{cells}\n"
    )
    with pytest.raises(FormatError, match=problem) as found:
        read_judgments([name], scanned_from_bytes=ALWAYS)
    assert found.value.line == 3


def test_a_column_that_stands_twice_is_refused(make_file: MakeFile) -> None:
    name = make_file(
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        "system1rank,system2rank,judgeID\na,b,1,d,1,ann,A,B,1,2,bob\n"
    )
    with pytest.raises(FormatError, match="the column stands twice in the header"):
        read_judgments([name], scanned_from_bytes=ALWAYS)


def test_names_with_the_same_beginning_are_told_apart(
    make_file: MakeFile, scanned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"
    names = [alphabet[:length] for length in range(1, 36)]
    names += [name[:-1] + "-" for name in names[1:]]
    content = (
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        "system1rank,system2rank\n"
    )
    for segment, (one, other) in enumerate(pairwise_of(names), start=1):
        content += f"a,b,{segment},d,1,{one},{one},{other},1,2\n"
        content += f'a,b,{segment + 12345678},d,1,"{other}",{other},"{one}",,5\n'
    fast, strict = both(make_file(content), monkeypatch)
    assert_same(fast, strict)
    assert scanned == [2 * len(names) - 2]
    assert set(fast.blocks.systems) == set(names)
    assert {1, 12345679} <= set(fast.blocks.segment.tolist())


@pytest.mark.realdata
def test_released_files_are_read_alike(
    real_data: Path, scanned: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("wmt10/judgments.es-en.csv", "wmt12-cs-en/judgments.csv"):
        assert_same(*both(str(real_data / name), monkeypatch))
        monkeypatch.setattr(build, "COMPILED_FROM", 1)
    assert_same(*both(str(real_data / "wmt16-it-en-nl" / "pairwise.csv"), monkeypatch))
    assert scanned == [1140, 1294, 1213]


def test_equal_judgments_get_keys_of_their_own(
    make_file: MakeFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = of_plain_names(five_way(np.random.default_rng(5), 20))
    header, *rows = content.splitlines(keepends=True)
    fast, strict = both(make_file(header + "".join(rows + rows[::-1])), monkeypatch)
    assert_same(fast, strict)
    found: Blocks = fast.blocks
    assert len(np.unique(found.key)) == 40
