"""Scores stay on their segment, whatever file they come in."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from io import BytesIO
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError, InputFile
from campaign.formats.errors import Losses
from campaign.formats.segment_identity import (
    DocumentColumn,
    KnownSegment,
    KnownSegments,
    id_parts,
)
from protocols.spans.files.formats import (
    WRITTEN,
    SpansFormat,
    read_spans,
    read_spans_file,
    write_spans,
)
from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity, Span
from protocols.spans.statistics.agreement import score_agreement
from protocols.spans.weights import weighted_score
from tests.properties import examples

CASES = Path("tests/data/cases/files")
TASKS = CASES / "83-pearmut-log-of-tasks-in-another-order"


def _means(judgments: tuple[ScoredJudgment, ...]) -> dict[str, float]:
    """Return the mean of the means of segments, by system."""
    scores: dict[str, dict[tuple[str, str], list[float]]] = defaultdict(
        lambda: defaultdict(list),
    )
    for judgment in judgments:
        for output in judgment.outputs:
            for system in output.systems if output.score is not None else ():
                of_segment = scores[system][judgment.document, judgment.segment]
                of_segment.append(output.score or 0)
    return {system: fmean(map(fmean, each.values())) for system, each in scores.items()}


@pytest.mark.parametrize("name", ["ids", "no-ids", "wmt-ids"])
def test_pearmut_items_keep_their_segment_in_every_order_of_tasks(name: str) -> None:
    judgments = read_spans([str(TASKS / f"{name}.jsonl")]).judgments
    assert len({(each.document, each.segment) for each in judgments}) == 2
    assert _means(judgments) == {"alpha": 78.75, "beta": 63.75}
    assert score_agreement(judgments).shared == 8


@pytest.mark.parametrize("written", [SpansFormat.PEARMUT_LOG, SpansFormat.APPRAISE_CSV])
def test_two_documents_that_share_numbers_stay_apart_in_a_round_trip(
    written: SpansFormat,
    tmp_path: Path,
) -> None:
    case = CASES / "68-pearmut-log-of-two-judges" / "s.jsonl"
    lines, _losses = write_spans(read_spans([str(case)]).judgments, written)
    path = tmp_path / "written"
    path.write_text("".join(lines), encoding="utf-8")
    judgments = read_spans([str(path)]).judgments
    assert _means(judgments) == {"alpha": 71.5, "beta": 63.5}
    assert score_agreement(judgments).shared == 2


def test_null_score_is_counted_as_passed_over() -> None:
    read = read_spans([str(CASES / "56-pearmut-null-annotation" / "log.jsonl")])
    assert {loss.what: loss.count for loss in read.losses} == {
        "skipped items": 1,
        "outputs without a score": 1,
    }


def test_segments_of_two_documents_with_one_number_stay_apart() -> None:
    case = CASES / "55-mqm-same-segment-number-in-two-documents" / "mqm.tsv"
    judgments = read_spans([str(case)]).judgments
    assert {(each.document, each.segment) for each in judgments} == {
        ("d1", "1"),
        ("d2", "1"),
    }


def test_unread_severities_of_a_pearmut_campaign_are_counted() -> None:
    case = CASES / "69-pearmut-log-with-own-tokens-and-severities" / "severities.jsonl"
    lost = "errors with a severity other than neutral, minor, major or critical"
    assert lost in {loss.what for loss in read_spans([str(case)]).losses}


def test_log_with_sliders_alone_is_sent_to_tasks_of_ratings() -> None:
    case = CASES / "69-pearmut-log-with-own-tokens-and-severities" / "sliders.jsonl"
    with pytest.raises(FormatError, match="a task of ratings"):
        read_spans([str(case)])


def test_sentence_twice_in_a_document_of_a_log_is_two_segments() -> None:
    case = CASES / "121-log-with-a-sentence-twice" / "pear-repeat-src.jsonl"
    judgments = read_spans([str(case)]).judgments
    assert len({judgment.segment for judgment in judgments}) == 3
    again = read_spans([str(case), str(case)]).judgments
    assert len({judgment.segment for judgment in again}) == 3


def test_sentence_of_two_documents_of_a_log_with_other_outputs_is_two_segments(
    tmp_path: Path,
) -> None:
    case = CASES / "121-log-with-a-sentence-twice" / "pear-repeat-src.jsonl"
    entry = json.loads(case.read_text())
    entries = []
    for number, item in enumerate(entry["item"]):
        annotation = [entry["annotation"][number]]
        entries.append(
            {**entry, "item_i": number, "item": [item], "annotation": annotation},
        )
    log = tmp_path / "log.jsonl"
    log.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    judgments = read_spans([str(log)]).judgments
    assert len({judgment.segment for judgment in judgments}) == 3


def test_score_below_the_scale_is_refused() -> None:
    case = CASES / "69-pearmut-log-with-own-tokens-and-severities" / "likert.jsonl"
    with pytest.raises(
        FormatError,
        match=r"line 1 .*the score -1 is not between 0 and 100",
    ):
        read_spans([str(case)])


#: Two documents that share numbers; systems and judges whose names a spreadsheet or a parser may take for something else.
_DOCUMENTS = ("first_document", "second_document")
_SYSTEMS = ("=1+1", "'=birch", 'say "no"/#1', "Llama-3.1 8B", "a&b<c>", "😀 مترجم")
_JUDGES = ("nan", "'-1", "@y/כ #1")


def _judgments() -> list[ScoredJudgment]:
    """Each system by each judge; the last two wrote the same text."""
    return [
        ScoredJudgment(
            source_language="en",
            target_language="de",
            document=document,
            segment=segment,
            judge=judge,
            outputs=(
                ScoredOutput(
                    systems=(system,),
                    score=float(7 * number % 101),
                    spans=(
                        Span(0, 3, Severity.MAJOR if number % 3 else Severity.MINOR),
                    ),
                    text=f"Text {document} {segment} {min(place, len(_SYSTEMS) - 2)}",
                ),
            ),
            source=f"Source {document} {segment}",
        )
        for number, (document, segment, judge, (place, system)) in enumerate(
            product(_DOCUMENTS, ("1", "2"), _JUDGES, enumerate(_SYSTEMS)),
        )
    ]


def _scores(
    judgments: Iterable[ScoredJudgment],
    form: SpansFormat,
) -> dict[tuple[str, ...], float]:
    found: dict[tuple[str, ...], float] = {}
    for judgment in judgments:
        for output in judgment.outputs:
            for system in output.systems:
                score = (
                    weighted_score(output)
                    if form is SpansFormat.MQM_TSV
                    else output.score
                )
                # One format has the whole id.
                segment = id_parts(judgment.segment)[1]
                key = (judgment.document, segment, system, judgment.judge)
                assert key not in found
                assert score is not None
                found[key] = score
    return found


def _lines(form: SpansFormat) -> tuple[list[str], list[str]]:
    """Return the header, which one format has, and the other lines."""
    lines = "".join(write_spans(_judgments(), form)[0]).splitlines(keepends=True)
    first = 1 if form is SpansFormat.MQM_TSV else 0
    return lines[:first], lines[first:]


def _read(lines: Iterable[str], form: SpansFormat) -> dict[tuple[str, ...], float]:
    file = InputFile("written", BytesIO("".join(lines).encode()))
    return _scores(read_spans_file(file, form)[1], form)


@pytest.mark.parametrize("form", list(WRITTEN))
def test_every_format_brings_every_score_back(form: SpansFormat) -> None:
    header, lines = _lines(form)
    assert _read(header + lines, form) == _scores(_judgments(), form)


@pytest.mark.parametrize("form", list(WRITTEN))
@given(data=st.data())
@examples(10)
def test_order_length_and_names_of_documents_move_no_score(
    form: SpansFormat,
    data: st.DataObject,
) -> None:
    header, lines = _lines(form)
    shuffled = data.draw(st.permutations(lines))
    kept = shuffled[: data.draw(st.integers(1, len(lines)))]
    names = data.draw(
        st.lists(st.text("abc/#-. é", min_size=1, max_size=8), min_size=2, max_size=2)
        .map(lambda names: [f"x{name}x" for name in names])
        .filter(lambda names: len(set(names)) == 2),
    )
    renamed = dict(zip(_DOCUMENTS, names, strict=True))
    text = "".join(kept)
    for before, after in renamed.items():
        # Texts stay; only what names a document is changed.
        text = re.sub(rf"(?<!Source )(?<!Text ){before}", after, text)
    whole = _scores(_judgments(), form)
    expected = {(renamed[name], *more): score for (name, *more), score in whole.items()}
    found = _read([*header, text], form)
    assert found.items() <= expected.items()
    assert len(kept) < len(lines) or found == expected


@pytest.mark.parametrize(
    "form",
    [form for form in WRITTEN if form is not SpansFormat.APPRAISE_CSV],
)
def test_two_documents_of_one_name_are_refused_by_their_texts(
    form: SpansFormat,
) -> None:
    header, lines = _lines(form)
    one, other = _DOCUMENTS
    merged = re.sub(rf"(?<!Source )(?<!Text ){other}", one, "".join(lines))
    with pytest.raises(FormatError, match=r"differs from|another text than in"):
        _read([*header, merged], form)


class _RefusedError(Exception):
    """Holds the line that was refused."""


@given(
    st.lists(
        st.sampled_from(["", "first", "second", "en-de.test", "firt"]),
        max_size=6,
    ),
)
def test_only_name_of_a_file_may_be_the_test_set_and_any_other_is_a_document(
    names: list[str],
) -> None:
    known = KnownSegments(
        "set",
        [KnownSegment(1, 1, "first", 1), KnownSegment(2, 2, "second", 1)],
    )
    losses = Losses()
    column = DocumentColumn("file", known, losses)

    def read() -> list[str]:
        found = []
        for line, name in enumerate(names, 1):

            def refuse(problem: str, _remedy: str, line: int = line) -> NoReturn:
                raise _RefusedError(line, problem)

            found.append(column.document(name, line, refuse))
        return found

    unknown = [name for name in names if name in {"en-de.test", "firt"}]
    if unknown and len({*names} - {""}) > 1:
        with pytest.raises(_RefusedError) as caught:
            read()
        line, problem = caught.value.args
        assert line == names.index(unknown[0]) + 1
        assert unknown[0] in problem
    else:
        assert read() == [name if name not in unknown else "" for name in names]
        counted = [(each.count, each.first) for each in losses.counted()]
        expected = (
            [(len(unknown), f"file, line {names.index(unknown[0]) + 1}")]
            if unknown
            else []
        )
        assert counted == expected
