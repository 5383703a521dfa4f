"""Scores of metrics: formats, gaps, and files that are refused with their line."""

import io

import numpy as np
import pytest

from campaign.formats import FormatError
from campaign.formats.evalset import read_evalset
from campaign.formats.metric_scores import MetricScores
from campaign.formats.score_files import read_metric_scores
from campaign.formats.segment_identity import SegmentName
from campaign.formats.streams import StoredFile
from tests.evalset import EVALSET

LINES = (
    '{"system": "amber", "segment": 1, "score": 0.5, "metric": "COMET", "signature": "v1"}\n'
    '{"system": "birch", "segment": 1, "score": null, "metric": "COMET"}\n'
    '{"system": "amber", "segment": 2, "score": 1, "metric": "COMET"}\n'
    '{"system": "amber", "segment": 1, "score": 40, "metric": "TER", "higher_is_better": false}\n'
)
AUTOMATIC = '{"language_pair": "cs-de_DE", "domain": "news", "document_id": "d1", "metric_scores": {"A": [1, 2], "B": [3, null]}}\n'


def store(name: str, text: str) -> StoredFile:
    return StoredFile(name, lambda: io.BytesIO(text.encode()))


def read(text: str, name: str = "scores.jsonl") -> list[MetricScores]:
    return read_metric_scores([store(name, text)])


def evalset(**changed: str) -> list[StoredFile]:
    return [store(name, text) for name, text in {**EVALSET, **changed}.items()]


def test_json_lines_hold_several_metrics_with_their_directions_and_gaps() -> None:
    comet, ter = read(LINES)
    assert (comet.name, comet.signature, comet.sign) == ("COMET", "v1", 1.0)
    assert comet.systems == ("amber", "birch")
    assert [name.segment for name in comet.segments] == ["1", "2"]
    np.testing.assert_equal(comet.values, [[0.5, np.nan], [1.0, np.nan]])
    assert (ter.name, ter.sign, ter.systems) == ("TER", -1.0, ("amber",))


def test_tables_name_segments_by_document_and_score_whole_systems_without_segment() -> (
    None
):
    table = "system,doc_id,seg_id,score\namber,d1,1,3\namber,d2,1,4\namber,,,9\n"
    (found,) = read(table, "chrF.csv")
    assert found.name == "chrF"
    assert found.segments == (SegmentName("1", "d1"), SegmentName("1", "d2"))
    assert found.of_systems.tolist() == [9.0]


def test_automatic_scores_of_wmt_are_of_paragraphs_and_named_after_the_system() -> None:
    files = [
        store("data/Amber-7B.jsonl", AUTOMATIC),
        store("data/birch.jsonl", AUTOMATIC),
    ]
    first, second = read_metric_scores(files)
    assert first.systems == ("Amber-7B", "birch")
    assert first.segments[1] == SegmentName("news/d1_#_2", "news/d1")
    assert np.isnan(second.values[1]).all()
    other = AUTOMATIC.replace("cs-de_DE", "en-is_IS")
    files = [store("a.jsonl", other), store("b.jsonl", AUTOMATIC)]
    assert read_metric_scores(files, ("cs", "de"))[0].systems == ("b",)
    with pytest.raises(FormatError, match=r"several language pairs"):
        read_metric_scores(files)


def test_evalset_folder_gives_human_scores_metrics_documents_and_lengths() -> None:
    found = read_evalset("wmt", evalset())
    assert (found.languages, found.references) == ("en-de", frozenset({"refA"}))
    assert found.domains == ("news", "news", "social")
    assert found.word_counts == (1, 2, 3)
    bleu, kiwi, mqm = found.scores
    assert [each.is_human for each in found.scores] == [False, False, True]
    np.testing.assert_equal(mqm.values, [[-1, -2], [np.nan, -3], [0, -4]])
    assert mqm.of_systems.tolist() == [-0.5, -3.5]
    assert (bleu.name, bleu.uses_reference, bleu.values.shape) == ("BLEU", True, (3, 2))
    assert (kiwi.name, kiwi.uses_reference, kiwi.segments) == ("Kiwi[noref]", False, ())
    assert kiwi.of_systems.tolist() == [2.0, 1.0]


def test_evalset_folder_of_several_pairs_needs_a_choice() -> None:
    files = evalset(**{"human-scores/zh-en.mqm.seg.score": "amber\t1\n"})
    with pytest.raises(FormatError, match=r"en-de, zh-en"):
        read_evalset("wmt", files)
    assert read_evalset("wmt", files, ("zh", "en")).languages == "zh-en"


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.jsonl", LINES + "{broken\n", 5),
        ("a.jsonl", LINES.replace("0.5", '"good"'), 1),
        ("a.jsonl", LINES.replace("0.5", "true"), 1),
        ("a.jsonl", LINES.replace("0.5", "1e999"), 1),
        ("a.jsonl", LINES + LINES.splitlines()[0], 5),
        ("a.jsonl", LINES.replace('"system": "birch"', '"system": "a,b"'), 2),
        ("a.jsonl", LINES.replace('"score": 1, ', ""), 3),
        ("a.jsonl", LINES + '{"system": "amber", "score": 2, "metric": "TER", "higher_is_better": true}\n', 5),
        ("a.jsonl", LINES + '{"system": "amber", "segment": 9, "score": 2, "metric": "COMET", "signature": "v2"}\n', 5),
        ("a.jsonl", LINES + '{"system": "amber", "segment": 9, "score": 2, "sys": "birch"}\n', 5),
        ("a.tsv", "system\tsegment\namber\t1\n", 1),
        ("a.tsv", "system\tsegment\tscore\namber\t1\t2\nbirch\t1\n", 3),
        ("a.tsv", "system\tscore\tsys\namber\t1\t2\n", 1),
        ("a.tsv", "system\tscore\namber\t1\namber\t2\n", 3),
        ("b-refA.seg.score", "amber\t1\namber\tx\n", 2),
        ("b-refA.seg.score", "amber\t1\namber\t1\t2\n", 2),
        ("b-refA.seg.score", "amber\t1\nbirch\t1\nbirch\t2\n", 1),
        ("b-refA.sys.score", "amber\t1\namber\t1\n", 2),
        ("b.jsonl", AUTOMATIC.replace("[1, 2]", "7"), 1),
        ("b.jsonl", AUTOMATIC + AUTOMATIC, 2),
        ("b.jsonl", AUTOMATIC.replace('"document_id": "d1", ', ""), 1),
    ],
)  # fmt: skip
def test_bad_files_are_refused_with_their_line(name: str, text: str, line: int) -> None:
    with pytest.raises(FormatError) as refused:
        read(text, name)
    assert refused.value.line == line
    assert refused.value.file == name


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("metric-scores/en-de/BLEU-refA.seg.score", "amber\t1\namber\t2\n", 2),
        ("documents/en-de.docs", "news d1\nd1\n", 2),
        ("human-scores/en-de.mqm.seg.score", "", None),
    ],
)
def test_evalset_folder_with_a_bad_file_is_refused(
    name: str,
    text: str,
    line: int | None,
) -> None:
    with pytest.raises(FormatError, match=name) as refused:
        read_evalset("wmt", evalset(**{name: text}))
    assert refused.value.line == line


def test_files_without_scores_are_refused() -> None:
    with pytest.raises(FormatError, match="no scores"):
        read_evalset("wmt", [store("documents/en-de.docs", "news d1\n")])
    with pytest.raises(FormatError):
        read("", "empty.tsv")
