"""Metrics of texts beside sacrebleu's and jiwer's, their ranges in simulation, and counts of words."""

import re
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest
import sacrebleu

from campaign.formats.sgml import sgml_segments
from campaign.formats.streams import InputFile
from ranking.core.arrays import FloatArray
from ranking.core.counting.resampling import poisson_weights, segment_keys
from ranking.core.metrics import texts
from ranking.core.metrics.figures import Drawing, Figure
from ranking.core.metrics.texts import TextMetric, known_sums, metric_values
from tests.released import released_texts

REFERENCES: Final = [
    ["The cat sat on the mat.", "A cat was sitting on the mat."],
    ["It rains today."],
    [],
    ["“Hello”, she said to him and left the room at once.", "She said hello and left."],
    ["Yes."],
]
OUTPUTS: Final[dict[str, list[str | None]]] = {
    "A": [
        "the cat sits on the mat .",
        "Today it rains.",
        "Nobody knows.",
        None,
        "Yes.",
    ],
    "B": [
        "A cat was on a mat.",
        "rain",
        "Somebody knows.",
        "“Hello”, said she to him and left at once.",
        "No",
    ],
}
SACREBLEU: Final[dict[str, Any]] = {
    "BLEU": sacrebleu.BLEU(),
    "chrF": sacrebleu.CHRF(),
    "TER": sacrebleu.TER(),
}


@pytest.mark.parametrize("name", SACREBLEU)
def test_sacrebleu_gives_the_same_values_and_signature(name: str) -> None:
    metric, theirs = TextMetric(name, "en"), SACREBLEU[name]
    found = metric.statistics(OUTPUTS, REFERENCES)
    for system, outputs in OUTPUTS.items():
        known = [
            (text, REFERENCES[n])
            for n, text in enumerate(outputs)
            if text and REFERENCES[n]
        ]
        texts, references = zip(*known, strict=True)
        expected = theirs.corpus_score(texts, list(zip_longest(*references))).score
        assert metric_values(name, known_sums(found[system])) == pytest.approx(
            expected,
            abs=1e-12,
        )
    assert metric.signature(REFERENCES) == str(theirs.get_signature())
    assert np.isnan(found["A"][2:4]).all()
    sentence = sacrebleu.BLEU(effective_order=True) if name == "BLEU" else theirs
    values = metric_values(name, found["B"], of_segments=True)
    for n in (0, 1, 3, 4):
        expected = sentence.sentence_score(OUTPUTS["B"][n] or "", REFERENCES[n]).score
        assert values[n] == pytest.approx(expected, abs=1e-12)


def test_errors_of_words_by_hand() -> None:
    reference = ["a", "b", "c", "d"]
    assert texts.word_errors(["a", "x", "c", "d", "e"], reference) == (2, 4, 3, 1, 0, 1)
    assert texts.unordered_errors(["d", "c", "b", "a"], reference) == (0, 4)
    assert texts.unordered_errors(["a", "a", "x"], reference) == (3, 4)
    # With several references, the one with fewest errors counts, with its length.
    found = TextMetric("WER", "en").statistics(
        {"S": ["a b"]},
        [["x y z", "a b c", "a c b"]],
    )
    assert found["S"][0, :2].tolist() == [1, 3]


def test_tokens_follow_the_language_and_the_signature_says_which() -> None:
    # mjpost/sacrebleu#165; Wu, Gan, Xiang and Classical Chinese are written alike.
    for chinese in ("zh-Hans", "yue", "wuu", "gan", "hsn", "lzh"):
        assert texts.language_tokens(chinese) == "zh"
    assert texts.language_tokens("ja") in {"ja-mecab", "char"}
    assert TextMetric("BLEU", "de").tokenization == "13a"
    wer = TextMetric("WER", "th", lowercase=True)
    assert wer.tokenized("AB") == ["a", "b"]
    assert "case:lc|tok:char" in wer.signature([["x"]])


def rate(statistics: FloatArray) -> Figure:
    return Figure.of_sums(
        statistics[:, 0],
        statistics[:, 1],
        (np.arange(len(statistics)),),
    )


def test_ranges_of_error_rates_cover_the_truth() -> None:
    random = np.random.default_rng(20)
    # A range needs two segments.
    assert texts.ranged(rate(np.array([[1.0, 4.0]])), Drawing()) == texts.Range(
        0.25,
        None,
        None,
    )
    for count, times in ((20, 2000), (50, 2000), (1000, 500)):
        covered = []
        for _time in range(times):
            one, other = (rate(each) for each in _drawn(random, count))
            influence = one.influence - other.influence
            apart = Figure(one.value - other.value, influence, one.kinds)
            found: list[Any] = [texts.ranged(each, Drawing()) for each in (one, apart)]
            covered.append(
                [
                    found[0].low <= 0.60 <= found[0].high,
                    found[1].low <= 0.10 <= found[1].high,
                ],
            )
        assert np.all(np.abs(np.mean(covered, axis=0) - 0.95) < 0.02), count


def _drawn(random: np.random.Generator, count: int) -> tuple[FloatArray, FloatArray]:
    """Draw segments of which longer ones are harder for both systems, with 60 and 50 errors of 100 words."""
    lengths = 5.0 + random.poisson(16, count)
    hard = random.gamma(4, 0.25, count) * lengths
    errors = [np.round(each * hard + random.normal(0, 1, count)) for each in (0.6, 0.5)]
    return np.stack([errors[0], lengths], 1), np.stack([errors[1], lengths], 1)


def test_resamples_are_those_of_segments_in_human_rankings() -> None:
    found, keys = (
        TextMetric("BLEU", "en").statistics(OUTPUTS, REFERENCES),
        segment_keys(np.arange(1, 6)),
    )
    drawing = Drawing(resamples=50, seed=7)
    values = texts.resampled_values(
        "BLEU",
        np.stack(list(found.values())),
        keys,
        drawing,
    )[1]
    weights = poisson_weights(keys, seed=7, resamples=50)
    repeated = [np.repeat(found["B"], each, axis=0) for each in weights.T]
    expected = np.array([metric_values("BLEU", known_sums(each)) for each in repeated])
    assert values == pytest.approx(expected, abs=1e-12, nan_ok=True)
    shown: Any = texts.resampled_range(20.0, values, 0.95)
    assert shown.low <= np.nanmedian(values) <= shown.high


def test_words_of_a_corpus_are_counted_beside_another() -> None:
    corpus = [["a", "b", "a"], ["c", "a"]]
    assert list(texts.corpus_statistics(corpus, [["a"], ["d"]]).values()) == [
        2,
        5,
        3,
        2,
        2,
        2,
    ]
    assert texts.corpus_statistics(corpus)["unseen_words"] is None


@pytest.mark.released_texts
def test_wmt12_gives_the_known_values() -> None:
    folder = released_texts() / "wmt12-cs-en"
    references = [[text] for text in _texts(folder / "newstest2012-ref.en.sgm")]
    outputs = {
        path.name.split(".")[2]: list(_texts(path))
        for path in (folder / "systems").glob("*.cs-en.*.sgm")
    }
    for name, values in KNOWN.items():
        found = TextMetric(name, "en").statistics(
            {each: outputs[each] for each in values},
            references,
        )
        for system, value in values.items():
            assert metric_values(name, known_sums(found[system])) == pytest.approx(
                value,
                abs=5e-3,
            )
        if name == "WER":
            shown: Any = texts.ranged(rate(found["onlineB"][:, :2]), Drawing())
            assert shown.error == pytest.approx(0.00352, abs=5e-6)
    pairs = zip(outputs["onlineB"], references, strict=True)
    # jiwer splits at spaces alone, and treats several as one.
    rows = [
        texts.word_errors(*(re.split(" +", text) for text in (one, two)))
        for one, (two,) in pairs
    ]
    assert np.sum(rows, axis=0)[2:].tolist() == [25_635, 30_525, 7_616, 6_507]


_SYSTEMS: Final = ("onlineB", "uedin-wmt12", "onlineA", "cu-bojar", "jhu-heiro")
KNOWN: Final = {
    "BLEU": dict(zip(_SYSTEMS, (22.96, 22.38, 20.55, 19.47, 17.84), strict=True)),
    "WER": dict(zip(_SYSTEMS, (70.01, 73.21, 74.58, 77.25, 78.50), strict=True)),
    "TER": {"onlineB": 65.60},
}


def _texts(path: Path) -> list[str]:
    with path.open("rb") as stream:
        segments = sgml_segments(
            InputFile(path.name, stream),
            frozenset({"tstset", "refset"}),
        )
        return [segment.text for segment in segments]
