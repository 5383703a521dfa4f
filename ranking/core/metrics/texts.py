"""Metrics of texts: BLEU, chrF, TER, WER and PER from statistics of segments.

Each metric is a function of sums of segment statistics, so its value for any subset or resample of
segments follows from statistics that are computed once. BLEU, chrF and TER are those of sacrebleu,
whose signature is kept.

Error rates E = Σc/ΣL of errors c and reference lengths L have an exact standard error, that of a ratio estimator (Vilar et
al. 2007 derive the same without Monte Carlo). BLEU and chrF are resampled over segments with the weights that human
rankings use, so that both see the same resamples.

References
----------
D. Vilar, G. Leusch, H. Ney, R. E. Banchs (2007), Human Evaluation of Machine Translation Through Binary System Comparisons.
M. Post (2018), A Call for Clarity in Reporting BLEU Scores. W. G. Cochran (1977), Sampling Techniques, 6.4.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib.metadata import version
from importlib.util import find_spec
from itertools import chain, zip_longest
from operator import itemgetter
from typing import Any, Final, TypedDict

import numpy as np

from optional_packages import extra_require
from ranking.core.arrays import FloatArray, UInt64Array, share
from ranking.core.counting.counts import chunks
from ranking.core.counting.resampling import trim_count
from ranking.core.estimates import Estimate
from ranking.core.metrics.figures import Drawing, Figure, resampled_sums

_ORDERS: Final = 4
_CHARACTER_ORDERS: Final = 6
_BETA_SQUARED: Final = 4.0
#: Metrics by name, each with the names of its segment statistics.
TEXT_METRICS: Final[Mapping[str, tuple[str, ...]]] = {
    "BLEU": (
        "output_words",
        "reference_words",
        *(f"matches_{n}" for n in range(1, _ORDERS + 1)),
        *(f"ngrams_{n}" for n in range(1, _ORDERS + 1)),
    ),
    "chrF": tuple(
        f"{what}_{n}"
        for n in range(1, _CHARACTER_ORDERS + 1)
        for what in ("output", "reference", "matches")
    ),
    "TER": ("errors", "length"),
    "WER": ("errors", "length", "hits", "substitutions", "deletions", "insertions"),
    "PER": ("errors", "length"),
}
#: Metrics that count errors: lower is better, and the first two statistics are errors and reference
#: length.
ERROR_RATES: Final = frozenset({"TER", "WER", "PER"})
#: Tokenization of languages that do not separate words by spaces, as sacrebleu calls it; characters if it is not installed.
_TOKENS_OF: Final = {
    **dict.fromkeys(("zh", "gan", "hsn", "lzh", "wuu", "yue"), "zh"),
    "ja": "ja-mecab",
    **dict.fromkeys(("th", "lo", "km", "my", "bo", "dz"), "char"),
}
_MODULES: Final = {"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}
TOKENS: Final = ("none", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab")
_SEGMENTS_AT_A_TIME: Final = 20
_OF_WORDS: Final = ("WER", "PER")

#: Called with (done, total) segments.
Progress = Callable[[int, int], None]


def language_tokens(language: str, *, of_words: bool = False) -> str:
    """Return the tokenization of a language, as sacrebleu calls it.

    Parameters
    ----------
    language : str
        BCP 47 tag.
    of_words : bool
        Whether texts of languages that separate words by spaces are split only at spaces, as is
        usual for word error rates; otherwise punctuation is split off as well ("13a").
    """
    default = "13a"
    if of_words:
        default = "none"
    tokens = _TOKENS_OF.get(_primary_subtag(language), default)
    if is_tokenization_installed(tokens):
        return tokens
    return "char"


def _primary_subtag(language: str) -> str:
    return language.lower().split("-")[0]


def is_tokenization_installed(tokens: str) -> bool:
    """Return whether the packages that a tokenization needs are installed."""
    return tokens not in _MODULES or find_spec(_MODULES[tokens]) is not None


@dataclass(frozen=True)
class TextMetric:
    """A metric with its settings.

    Attributes
    ----------
    name : str
        A key of `TEXT_METRICS`.
    language : str
        BCP 47 tag of the outputs.
    lowercase : bool
        Whether to ignore case. TER always ignores it, which is sacrebleu's default.
    tokens : str
        One of `TOKENS`, for BLEU, WER and PER; empty for the language's default.
    """

    name: str
    language: str
    lowercase: bool = False
    tokens: str = ""

    def __post_init__(self) -> None:
        if not is_tokenization_installed(self.tokens):
            raise ValueError(
                f"tokens: {self.tokens!r} needs the package {_MODULES[self.tokens]}",
            )

    @property
    def tokenization(self) -> str:
        """One of `TOKENS`."""
        return self.tokens or language_tokens(
            self.language,
            of_words=self.name in _OF_WORDS,
        )

    @cached_property
    def _sacrebleu(self) -> Callable[..., Any]:
        """The sacrebleu class with these settings; it takes `references`, by number and segment."""
        extra_require("metrics", "Metrics of texts")
        import sacrebleu

        if self.name == "chrF":
            return partial(sacrebleu.CHRF, lowercase=self.lowercase)
        if self.name == "TER":
            is_asian = _primary_subtag(self.language) in _TOKENS_OF
            return partial(sacrebleu.TER, normalized=is_asian, asian_support=is_asian)
        return partial(
            sacrebleu.BLEU,
            lowercase=self.lowercase,
            tokenize=self.tokenization,
        )

    def signature(self, references: Iterable[Sequence[str]]) -> str:
        """Return all settings in one line, in sacrebleu's format.

        Parameters
        ----------
        references : iterable of sequence of str
            References of each segment; segments without any do not count.
        """
        numbers = {len(reference) for reference in references if reference}
        count = -1
        if len(numbers) == 1:
            count = numbers.pop()
        if self.name in _OF_WORDS:
            return self._word_signature(count)
        metric = self._sacrebleu()
        metric.num_refs = count
        return str(metric.get_signature())

    def _word_signature(self, references: int) -> str:
        """Return the settings of WER or PER; −1 is a varying number of references."""
        nrefs = str(references)
        if references == -1:
            nrefs = "var"
        case = "mixed"
        if self.lowercase:
            case = "lc"
        package = "multiset"
        if self.name == "WER":
            package = f"rapidfuzz-{version('rapidfuzz')}"
        signature = f"nrefs:{nrefs}|case:{case}|tok:{self.tokenization}|by:{package}"
        if references == 1:
            return signature
        return f"{signature}|ref:fewest-errors"

    def tokenized(self, text: str) -> list[str]:
        """Return the tokens of a text that WER and PER compare."""
        if self.lowercase:
            text = text.lower()
        return self._tokenizer(text.rstrip()).split()

    @cached_property
    def _tokenizer(self) -> Callable[[str], str]:
        tokenizer: Callable[[str], str] = self._sacrebleu().tokenizer
        return tokenizer

    def statistics(
        self,
        outputs: Mapping[str, Sequence[str | None]],
        references: Sequence[Sequence[str]],
        progress: Progress | None = None,
    ) -> dict[str, FloatArray]:
        """Return the statistics of each system's outputs.

        Parameters
        ----------
        outputs : mapping of str to sequence of str or None
            Outputs of each system for N segments; None where missing.
        references : sequence of sequence of str
            References of each segment; empty where there are none.
        progress : callable, optional

        Returns
        -------
        dict of str to float64, shape (N, len(TEXT_METRICS[name]))
            NaN where there is no output or no reference.
        """
        shape = (len(references), len(TEXT_METRICS[self.name]))
        values = {}
        for system in outputs:
            values[system] = np.full(shape, np.nan)
        covered = []
        for number, texts in enumerate(references):
            if texts:
                covered.append(number)
        for chunk in chunks(len(covered), _SEGMENTS_AT_A_TIME):
            numbers = covered[chunk]
            score = self._scorer([references[number] for number in numbers])
            for system, system_outputs in outputs.items():
                texts_of_chunk = [system_outputs[number] or "" for number in numbers]
                rows = score(texts_of_chunk)
                for number, row in zip(numbers, rows, strict=True):
                    if system_outputs[number] is not None:
                        values[system][number] = row
            if progress:
                progress(chunk.stop, len(covered))
        return values

    def _scorer(
        self,
        references: Sequence[Sequence[str]],
    ) -> Callable[[list[str]], Iterable[Sequence[float]]]:
        """Return a function from one output per segment to their statistics."""
        if self.name not in _OF_WORDS:
            metric = self._sacrebleu(references=list(zip_longest(*references)))

            # sacrebleu has no public name for statistics of segments.
            return partial(metric._extract_corpus_statistics, references=None)  # noqa: SLF001
        tokens = []
        for texts in references:
            tokens.append([self.tokenized(text) for text in texts])

        def fewest_errors(texts: list[str]) -> Iterable[Sequence[float]]:
            return map(self._fewest_errors, texts, tokens)

        return fewest_errors

    def _fewest_errors(
        self,
        text: str,
        references: Sequence[list[str]],
    ) -> Sequence[float]:
        """Return the statistics of a text with the first of the closest references."""
        output = self.tokenized(text)
        statistics: list[Sequence[float]] = []
        for reference in references:
            if self.name == "WER":
                statistics.append(word_errors(output, reference))
            else:
                statistics.append(unordered_errors(output, reference))
        return min(statistics, key=itemgetter(0))


def word_errors(output: Sequence[str], reference: Sequence[str]) -> tuple[int, ...]:
    """Return errors, reference length, hits, substitutions, deletions and insertions of an
    alignment with the fewest errors.
    """
    from rapidfuzz.distance import Levenshtein

    kinds = Counter(step.tag for step in Levenshtein.editops(reference, output))
    substitutions = kinds["replace"]
    deletions = kinds["delete"]
    insertions = kinds["insert"]
    length = len(reference)
    return (
        substitutions + deletions + insertions,
        length,
        length - substitutions - deletions,
        substitutions,
        deletions,
        insertions,
    )


def unordered_errors(
    output: Sequence[str],
    reference: Sequence[str],
) -> tuple[int, int]:
    """Return the errors ignoring order, max(|h|, |r|) − |h ∩ r|, and the reference length."""
    common = (Counter(output) & Counter(reference)).total()
    return max(len(output), len(reference)) - common, len(reference)


def metric_values(
    name: str,
    sums: FloatArray,
    *,
    of_segments: bool = False,
) -> FloatArray:
    """Compute a metric, times 100, from sums of statistics.

    Parameters
    ----------
    name : str
        A key of `TEXT_METRICS`.
    sums : float64, shape (…, k)
        NaN where statistics are unknown.
    of_segments : bool
        Whether they are of single segments: BLEU then leaves out orders longer than the output, as sacrebleu does for
        sentences.

    Returns
    -------
    float64, shape (…)
        NaN where unknown, or where all references are empty.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        if name == "BLEU":
            values = _bleu(sums, of_segments)
        elif name == "chrF":
            values = _chrf(sums)
        else:
            values = share(sums[..., 0], sums[..., 1])
    is_unknown = np.isnan(sums).any(axis=-1)
    return np.asarray(np.where(is_unknown, np.nan, 100 * values))


def _bleu(sums: FloatArray, effective_order: bool) -> FloatArray:
    output_words = sums[..., 0]
    reference_words = sums[..., 1]
    matches = sums[..., 2 : 2 + _ORDERS]
    ngrams = sums[..., 2 + _ORDERS :]
    has_ngrams = ngrams > 0
    # Orders without matches count as half, a quarter … of a match ("exp").
    is_unmatched = (matches == 0) & has_ngrams
    smoothed = 0.5 ** np.cumsum(is_unmatched, axis=-1)
    precision = np.where(is_unmatched, smoothed, matches) / ngrams
    if effective_order:
        orders = has_ngrams.sum(axis=-1)
        log_without_ngrams = 0.0
    else:
        orders = _ORDERS
        log_without_ngrams = -np.inf
    log_precision = np.where(has_ngrams, np.log(precision), log_without_ngrams)
    mean_precision = np.exp(log_precision.sum(axis=-1) / orders)
    penalty = np.exp(1 - reference_words / output_words)
    brevity = np.where(output_words < reference_words, penalty, 1.0)
    has_matches = (matches > 0).any(axis=-1)
    return np.where(has_matches, brevity * mean_precision, 0.0)


def _chrf(sums: FloatArray) -> FloatArray:
    output = sums[..., 0::3]
    reference = sums[..., 1::3]
    matches = sums[..., 2::3]
    is_counted = (output > 0) & (reference > 0)
    orders = is_counted.sum(axis=-1)
    precisions = np.where(is_counted, matches / output, 0)
    recalls = np.where(is_counted, matches / reference, 0)
    precision = precisions.sum(axis=-1) / orders
    recall = recalls.sum(axis=-1) / orders
    weighted = (1 + _BETA_SQUARED) * precision * recall
    score = weighted / (_BETA_SQUARED * precision + recall)
    has_score = (orders > 0) & (precision + recall > 0)
    return np.where(has_score, score, 0.0)


@dataclass(frozen=True, slots=True)
class Range(Estimate):
    """A value with its range, whose ends are None with a single segment.

    Attributes
    ----------
    error : float or None
        Standard error; None if unknown.
    """

    error: float | None = None


def ranged(figure: Figure, drawing: Drawing) -> Range | None:
    """Return a ratio of sums over segments, such as an error rate, with its range by the ratio estimator; None for NaN.

    The standard error is √(Σ(c − E·L)²/(m(m − 1)))/L̄ for errors c and reference lengths L; Student's t with m − 1 degrees of
    freedom keeps the coverage for few segments. That of a difference comes from the differences of residuals c − E·L.
    """
    count = len(figure.influence)
    value = figure.value
    if np.isnan(value):
        return None
    if count < 2:
        return Range(value, None, None)
    squares = figure.influence @ figure.influence
    error = float(np.sqrt(squares * count / (count - 1)))
    half = error * drawing.quantile(count)
    return Range(value=value, low=value - half, high=value + half, error=error)


def resampled_values(
    name: str,
    statistics: FloatArray,
    key: UInt64Array,
    drawing: Drawing,
) -> FloatArray:
    """Return a metric of systems in resamples of segments.

    Parameters
    ----------
    name : str
        A key of `TEXT_METRICS`.
    statistics : float64, shape (S, N, k)
        Statistics of S systems; segments with NaN do not count for a system.
    key : uint64, shape (N,)
        Keys of segments or documents: with `ranking.core.counting.resampling.segment_keys`, as in
        human rankings, both have the same weights.
    drawing : Drawing

    Returns
    -------
    float64, shape (S, resamples)
    """
    systems, count, kinds = statistics.shape
    by_segment = _unknown_as_zero(statistics).transpose(1, 0, 2)
    sums = resampled_sums(by_segment.reshape(count, -1), key, drawing)
    return metric_values(name, sums.reshape(-1, systems, kinds)).T


def resampled_range(value: float, resampled: FloatArray, confidence: float) -> Range:
    """Return the percentile range of a value from its resamples."""
    ordered = np.sort(resampled[~np.isnan(resampled)])
    if len(ordered) < 2 or ordered[0] == ordered[-1]:
        return Range(value, None, None)
    trimmed = trim_count(len(ordered), confidence)
    return Range(
        value=value,
        low=float(ordered[trimmed]),
        high=float(ordered[-1 - trimmed]),
        error=float(ordered.std(ddof=1)),
    )


def _unknown_as_zero(statistics: FloatArray) -> FloatArray:
    """Return statistics with 0 for segments with unknown ones."""
    is_known = ~np.isnan(statistics).any(axis=-1, keepdims=True)
    return np.where(is_known, statistics, 0.0)


def known_sums(statistics: FloatArray) -> FloatArray:
    """Return sums over segments with known statistics, shape (…, k) from (…, N, k)."""
    return np.asarray(_unknown_as_zero(statistics).sum(axis=-2))


class CorpusStatistics(TypedDict):
    """Numbers of words of a corpus.

    Attributes
    ----------
    sentences, running_words : int
    vocabulary : int
        Distinct words.
    singletons : int
        Words that occur once.
    unseen_words, unseen_vocabulary : int or None
        Running words and distinct words that the other corpus does not have; None without one.
    """

    sentences: int
    running_words: int
    vocabulary: int
    singletons: int
    unseen_words: int | None
    unseen_vocabulary: int | None


def corpus_statistics(
    sentences: Sequence[Sequence[str]],
    other: Iterable[Sequence[str]] | None = None,
) -> CorpusStatistics:
    """Count the words of tokenized sentences, as in Table 1 of Vilar et al."""
    counts = Counter(chain.from_iterable(sentences))
    singletons = sum(count == 1 for count in counts.values())
    unseen_words = None
    unseen_vocabulary = None
    if other is not None:
        other_vocabulary = set(chain.from_iterable(other))
        unseen = [
            count for word, count in counts.items() if word not in other_vocabulary
        ]
        unseen_words = sum(unseen)
        unseen_vocabulary = len(unseen)
    return {
        "sentences": len(sentences),
        "running_words": counts.total(),
        "vocabulary": len(counts),
        "singletons": singletons,
        "unseen_words": unseen_words,
        "unseen_vocabulary": unseen_vocabulary,
    }
