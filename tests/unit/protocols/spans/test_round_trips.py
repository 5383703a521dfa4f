"""All that is written is read again; the rest is among the losses."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from campaign.formats import InputFile
from campaign.formats.errors import Loss
from campaign.formats.segment_identity import segment_id
from protocols.spans.files.appraise import (
    SCORES_OF_MQM,
    read_appraise_csv,
    write_appraise_csv,
)
from protocols.spans.files.jsonl import read_spans_jsonl, write_spans_jsonl
from protocols.spans.files.mqm import SPACES_AT_END, read_mqm_tsv, write_mqm_tsv
from protocols.spans.files.pearmut import (
    AMBIGUOUS_NAMES,
    read_pearmut_log,
    write_pearmut_log,
)
from protocols.spans.records import ScoredJudgment, ScoredOutput
from tests.properties import examples
from tests.unit.protocols.spans.drawn import any_judgment
from tests.unit.protocols.spans.in_memory import in_memory

Read = Callable[[InputFile], tuple[list[ScoredJudgment], tuple[Loss, ...]]]
Write = Callable[[list[ScoredJudgment]], tuple[list[str], tuple[Loss, ...]]]
MANY = examples(60)


@given(st.lists(any_judgment(), min_size=1, max_size=4))
@MANY
def test_json_lines_lose_nothing(judgments: list[ScoredJudgment]) -> None:
    lines, losses = write_spans_jsonl(judgments)
    assert read_spans_jsonl(in_memory("".join(lines))) == (judgments, ())
    assert losses == ()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("read", "write"), [(read_appraise_csv, write_appraise_csv), (read_pearmut_log, write_pearmut_log), (read_mqm_tsv, write_mqm_tsv)],
)  # fmt: skip
@given(judgments=st.lists(any_judgment(), min_size=1, max_size=4))
@MANY
def test_second_round_trip_changes_nothing(
    read: Read,
    write: Write,
    judgments: list[ScoredJudgment],
) -> None:
    """A second round trip loses nothing more: formats lose data but do not change them."""
    lines, losses = write(judgments)
    # An error that is marked in such spaces alone becomes missing content.
    assume(SPACES_AT_END not in {loss.what for loss in losses})
    if not any(line.strip() for line in lines[write is write_mqm_tsv :]):
        return
    once, lost = read(in_memory("".join(lines)))
    # Appraise writes 0 where MQM has no score, and it is read without one each time.
    assert {loss.what for loss in lost} <= {SCORES_OF_MQM}
    again, more = read(in_memory("".join(write(once)[0])))
    assert more == lost
    assert [replace(each, document="") for each in again] == [
        replace(each, document="") for each in once
    ]


@pytest.mark.thorough
@given(any_judgment())
@MANY
def test_appraise_keeps_scores_spans_and_times(judgment: ScoredJudgment) -> None:
    lines, losses = write_appraise_csv([judgment])
    said = {loss.what for loss in losses}
    if not lines:
        assert all(output.score is None for output in judgment.outputs)
        return
    found, lost = read_appraise_csv(in_memory("".join(lines)))
    is_mqm = SCORES_OF_MQM in {loss.what for loss in lost}
    has_scores = any(output.score is not None for output in judgment.outputs)
    # Scores that are not read again are among the losses.
    assert (SCORES_OF_MQM in said) == (is_mqm and has_scores)
    scored = [
        (output, system)
        for output in judgment.outputs
        if output.score is not None or not has_scores
        for system in output.systems
    ]
    for each, (output, system) in zip(found, scored, strict=True):
        assert (each.judge, each.segment, each.document) == (
            judgment.judge,
            segment_id(judgment.document, judgment.segment),
            judgment.document,
        )
        # Milliseconds are written; a sum of floats may differ from them in its last bits.
        assert (each.started_at, each.ended_at) == pytest.approx(
            (judgment.started_at, judgment.ended_at),
            abs=1e-6,
        )
        assert (each.outputs[0].systems, each.outputs[0].score) == (
            (system,),
            None if is_mqm else output.score,
        )
        marked = each.outputs[0].spans
        if output.text is None or max(output.text, default="") <= "\uffff":
            assert marked == output.spans
    assert ("comments" in said) == bool(judgment.comment)
    assert ("source texts" in said) == (judgment.source is not None)


@given(any_judgment(texts=True))
@MANY
def test_pearmut_keeps_texts_scores_spans_and_what_was_side_by_side(
    judgment: ScoredJudgment,
) -> None:
    lines, losses = write_pearmut_log([judgment])
    ((found,), lost) = read_pearmut_log(in_memory("".join(lines)))
    assert lost == ()
    said = {loss.what for loss in losses}
    by_system = [
        replace(output, systems=(system,))
        for output in judgment.outputs
        for system in output.systems
    ]

    def texts_and_scores(outputs: list[ScoredOutput]) -> list[object]:
        return [
            (output.systems, output.score, output.text, output.spans is None)
            for output in outputs
        ]

    assert texts_and_scores(list(found.outputs)) == texts_and_scores(by_system)
    assert (found.judge, found.source) == (judgment.judge, judgment.source)
    if AMBIGUOUS_NAMES not in said:
        assert found.segment == judgment.segment
    assert found.comment == judgment.comment
    if not said.intersection(
        {"spans of line breaks alone", "line breaks at the ends of spans"},
    ):
        assert [output.spans for output in found.outputs] == [
            output.spans for output in by_system
        ]
    if "active times" not in said:
        assert found.duration_ms == judgment.duration_ms


@pytest.mark.thorough
@given(any_judgment(texts=True))
@MANY
def test_mqm_keeps_texts_and_errors(judgment: ScoredJudgment) -> None:
    lines, losses = write_mqm_tsv([judgment])
    said = {loss.what for loss in losses}
    assume(SPACES_AT_END not in said)
    if len(lines) == 1:
        assert said
        return
    found, lost = read_mqm_tsv(in_memory("".join(lines)))
    assert lost == ()
    searched = {
        system: output
        for output in judgment.outputs
        if output.spans is not None
        and "<v>" not in (output.text or "")
        and "</v>" not in (output.text or "")
        for system in output.systems
    }
    assert {each.outputs[0].systems[0] for each in found} == set(searched)
    for each in found:
        output = searched[each.outputs[0].systems[0]]
        spans = [
            replace(span, category=span.category or "Other")
            for span in output.spans or ()
        ]
        assert list(each.outputs[0].spans or ()) == spans
        assert each.outputs[0].text == (output.text or "").replace("\n", " ")
        assert each.outputs[0].score is None
