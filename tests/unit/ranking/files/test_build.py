"""Odd files of judgments are read, or refused in words."""

import csv
import io
from collections.abc import Callable, Iterator
from itertools import pairwise as pairwise_of

import numpy as np
import pytest

from campaign.formats import FormatError
from ranking.files.reading import read_judgments
from ranking.files.records import JudgmentsRead

MakeFile = Callable[..., str]


def blocks(
    random: np.random.Generator,
    count: int,
) -> Iterator[tuple[int, str, list[list[str]]]]:
    systems = [
        "A",
        "system-with-a-name-of-more-than-sixteen-bytes",
        "Ünï",
        "d",
        "e f",
        "g.1",
        "h",
    ]
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
        + [f"system{place}rank" for place in places],
    )
    for segment, judge, candidates in blocks(random, count):
        cells = [
            cell
            for one in candidates
            for cell in (",".join("7" * len(one)), ",".join(one))
        ]
        ranks = random.choice([-1, 1, 2, 3, 4, 5], len(candidates)).tolist()
        empty = 5 - len(candidates)
        writer.writerow(
            ["Czech", "English", segment, document_of(segment), segment, judge, *cells]
            + [""] * (2 * empty)
            + ranks
            + [-1] * empty,
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
    assert (found.skipped, found.blank_labels) == (
        expected.skipped,
        expected.blank_labels,
    )


@pytest.mark.parametrize(
    "documents",
    ["", " ", "d", "d,,e", ",,", "d,\u00a0,e", "d, e ,e"],
)
def test_documents_left_out_are_not_known(documents: str, make_file: MakeFile) -> None:
    content = (
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        "system1rank,system2rank\n"
    )
    for segment, document in enumerate(documents.split(","), 1):
        content += f"a,b,{segment},{document},1,ann,A,B,1,2\n"
    known = read_judgments([make_file(content)]).blocks.document
    assert (None if known is None else known.tolist()) == (
        [0, 1, 1] if " e " in documents else None
    )


def with_once(content: str, old: str, new: str) -> str:
    """Replace what stands in the content: a language everywhere, anything else once."""
    assert old in content
    return content.replace(old, new) if "C" in old else content.replace(old, new, 1)


@pytest.mark.parametrize("ends", ["\r\n", "\n\n"])
def test_other_line_ends_blank_lines_and_a_mark_of_order_change_nothing(
    ends: str,
    make_file: MakeFile,
) -> None:
    plain = five_way(np.random.default_rng(2), 20)
    other = "\ufeff" + plain.rstrip("\n").replace("\n", ends)
    assert_same(
        read_judgments([make_file(other, "other")]),
        read_judgments([make_file(plain)]),
    )


@pytest.mark.parametrize(
    ("old", "new"), [("Czech,", 'Cz"ech,'), ("Czech,", '"Cz""ech",'), ("Czech,", " Czech,"), (",-1\n", ", -1\n"), (",5\n", ",05\n"), (",A,", ", A,")],
)  # fmt: skip
def test_unusual_but_valid_file_is_read(
    old: str,
    new: str,
    make_file: MakeFile,
) -> None:
    plain = five_way(np.random.default_rng(3), 200)
    odd = make_file(with_once(plain, old, new), "odd")
    assert_same(read_judgments([odd]), read_judgments([make_file(plain)]))


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        (",5\n", ",7\n", "system5rank"),
        (",5\n", ",+5\n", "system5rank"),
        (",5\n", ",5,\n", None),
        ("Czech,", ",", "srclang"),
        ("judge1,", ",", "judgeId"),
        ("judge1,", "j" * 101 + ",", "judgeId"),
        ("Czech,", "C" * 131_073 + ",", "srclang"),
        ("system5rank\n", "s" * 131_073 + "\n", None),
        ("judge1,", "j\x01,", None),
        (",7,A,", ",7x,A,", "Number"),
        (",7,A,", ',"7,7",A,', "Number"),
        (",7,A,", ',7,"A,A",', "Id"),
        (",7,A,", ",7,,", "rank|Id"),
    ],
)
def test_invalid_record_is_refused_with_its_field(
    old: str,
    new: str,
    field: str | None,
    make_file: MakeFile,
) -> None:
    content = five_way(np.random.default_rng(4), 200)
    with pytest.raises(FormatError) as refused:
        read_judgments([make_file(content.replace(old, new, 1))])
    assert refused.value.line is not None
    if field is not None:
        assert any(part in str(refused.value.field) for part in field.split("|"))


@pytest.mark.parametrize("make", [five_way, pairwise])
@pytest.mark.parametrize("after", ["", "\n", "\n\n\n"])
def test_a_header_alone_holds_no_judgment(
    make: Callable[[np.random.Generator, int], str],
    after: str,
    make_file: MakeFile,
) -> None:
    name = make_file(make(np.random.default_rng(0), 0).rstrip("\n") + after)
    with pytest.raises(FormatError, match="the file has no judgments"):
        read_judgments([name])


def test_a_system_twice_in_a_row_is_found_through_collapsed_candidates(
    make_file: MakeFile,
) -> None:
    name = make_file(
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        'system1rank,system2rank\na,b,1,d,1,ann,"A,B",C,1,2\na,b,1,d,1,ann,"A,B",A,1,2\n',
    )
    with pytest.raises(
        FormatError,
        match="the system A appears twice in the block",
    ) as found:
        read_judgments([name])
    assert (found.value.line, found.value.field) == (3, "system2Id")


@pytest.mark.parametrize(
    ("cells", "problem"),
    [
        (",,-1,-1", "the row has no systems"),
        ("A,,1,2", "the rank '2' does not belong to a system"),
    ],
)
def test_a_row_without_systems_or_with_a_rank_of_none_is_refused(
    cells: str,
    problem: str,
    make_file: MakeFile,
) -> None:
    name = make_file(
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        f"system1rank,system2rank\na,b,1,d,1,ann,A,B,1,2\na,b,1,d,1,ann,{cells}\n",
    )
    with pytest.raises(FormatError, match=problem) as found:
        read_judgments([name])
    assert found.value.line == 3


def test_a_column_that_stands_twice_is_refused(make_file: MakeFile) -> None:
    name = make_file(
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,"
        "system1rank,system2rank,judgeID\na,b,1,d,1,ann,A,B,1,2,bob\n",
    )
    with pytest.raises(FormatError, match="the column appears twice in the header"):
        read_judgments([name])


def test_names_with_the_same_beginning_are_told_apart(make_file: MakeFile) -> None:
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
    found = read_judgments([make_file(content)]).blocks
    assert set(found.systems) == set(names)
    assert {1, 12345679} <= set(found.segment.tolist())


def test_equal_judgments_get_keys_of_their_own(make_file: MakeFile) -> None:
    content = five_way(np.random.default_rng(5), 20)
    header, *rows = content.splitlines(keepends=True)
    found = read_judgments([make_file(header + "".join(rows + rows[:0:-1]))]).blocks
    assert len(np.unique(found.key)) == 39
