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
from typing import Any, Final

import numpy as np

from optional_packages import extra_require
from ranking.core.arrays import BoolArray, FloatArray, UInt64Array, share
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
    "zh": "zh",
    "yue": "zh",
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
    chosen = _TOKENS_OF.get(
        language.lower().split("-")[0], "none" if of_words else "13a"
    )
    if is_tokenization_installed(chosen):
        return chosen
    return "char"


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
                f"tokens: {self.tokens!r} needs the package {_MODULES[self.tokens]}"
            )

    @property
    def tokenization(self) -> str:
        """One of `TOKENS`."""
        return self.tokens or language_tokens(
            self.language, of_words=self.name in _OF_WORDS
        )

    @cached_property
    def _sacrebleu(self) -> Callable[..., Any]:
        """The sacrebleu class with these settings; it takes `references`, by number and segment."""
        extra_require("metrics", "Metrics of texts")
        import sacrebleu

        if self.name == "chrF":
            return partial(sacrebleu.CHRF, lowercase=self.lowercase)
        if self.name == "TER":
            is_asian = self.language.lower().split("-")[0] in _TOKENS_OF
            return partial(sacrebleu.TER, normalized=is_asian, asian_support=is_asian)
        return partial(
            sacrebleu.BLEU, lowercase=self.lowercase, tokenize=self.tokenization
        )

    def signature(self, references: Iterable[Sequence[str]]) -> str:
        """Return all settings in one line, in sacrebleu's format.

        Parameters
        ----------
        references : iterable of sequence of str
            References of each segment; segments without any do not count.
        """
        numbers = {len(reference) for reference in references if reference}
        count = numbers.pop() if len(numbers) == 1 else -1
        if self.name in _OF_WORDS:
            case = "lc" if self.lowercase else "mixed"
            if self.name == "WER":
                package = f"rapidfuzz-{version('rapidfuzz')}"
            else:
                package = "multiset"
            if count == 1:
                several = ""
            else:
                several = "|ref:fewest-errors"
            nrefs = "var" if count == -1 else count
            return f"nrefs:{nrefs}|case:{case}|tok:{self.tokenization}|by:{package}{several}"
        metric = self._sacrebleu()
        metric.num_refs = count
        return str(metric.get_signature())

    def tokenized(self, text: str) -> list[str]:
        """Return the tokens of a text that WER and PER compare."""
        return self._tokenizer(
            (text.lower() if self.lowercase else text).rstrip()
        ).split()

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
        values = {system: np.full(shape, np.nan) for system in outputs}
        covered = [number for number, each in enumerate(references) if each]
        for chunk in chunks(len(covered), _SEGMENTS_AT_A_TIME):
            numbers = covered[chunk]
            score = self._scorer([references[number] for number in numbers])
            for system, texts in outputs.items():
                rows = score([texts[number] or "" for number in numbers])
                for number, row in zip(numbers, rows, strict=True):
                    if texts[number] is not None:
                        values[system][number] = row
            if progress:
                progress(chunk.stop, len(covered))
        return values

    def _scorer(
        self, references: Sequence[Sequence[str]]
    ) -> Callable[[list[str]], Iterable[Sequence[float]]]:
        """Return a function from one output per segment to their statistics."""
        if self.name not in _OF_WORDS:
            metric = self._sacrebleu(references=list(zip_longest(*references)))
            # sacrebleu has no public name for statistics of segments.
            return lambda texts: metric._extract_corpus_statistics(texts, None)  # noqa: SLF001
        if self.name == "WER":
            errors = word_errors
        else:
            errors = unordered_errors
        tokens = []
        for some in references:
            tokens.append([self.tokenized(each) for each in some])

        def fewest(text: str, wanted: Sequence[list[str]]) -> Sequence[float]:
            words = self.tokenized(text)
            # If equal, the first one.
            return min((errors(words, each) for each in wanted), key=itemgetter(0))

        return lambda texts: map(fewest, texts, tokens)


def word_errors(output: Sequence[str], reference: Sequence[str]) -> tuple[int, ...]:
    """Return errors, reference length, hits, substitutions, deletions and insertions of an
    alignment with the fewest errors.
    """
    from rapidfuzz.distance import Levenshtein

    kinds = Counter(step.tag for step in Levenshtein.editops(reference, output))
    substituted = kinds["replace"]
    deleted = kinds["delete"]
    inserted = kinds["insert"]
    length = len(reference)
    errors = substituted + deleted + inserted
    return (
        errors,
        length,
        length - substituted - deleted,
        substituted,
        deleted,
        inserted,
    )


def unordered_errors(
    output: Sequence[str], reference: Sequence[str]
) -> tuple[int, int]:
    """Return the errors ignoring order, max(|h|, |r|) − |h ∩ r|, and the reference length."""
    common = (Counter(output) & Counter(reference)).total()
    return max(len(output), len(reference)) - common, len(reference)


def metric_values(
    name: str, sums: FloatArray, *, of_segments: bool = False
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
        else:
            if name == "chrF":
                values = _chrf(sums)
            else:
                values = share(sums[..., 0], sums[..., 1])
    return np.asarray(np.where(np.isnan(sums).any(axis=-1), np.nan, 100 * values))


def _bleu(sums: FloatArray, effective_order: bool) -> FloatArray:
    written = sums[..., 0]
    wanted = sums[..., 1]
    matches = sums[..., 2 : 2 + _ORDERS]
    ngrams = sums[..., 2 + _ORDERS :]
    # Orders without matches count as half, a quarter … of a match ("exp").
    missing = (matches == 0) & (ngrams > 0)
    precision = np.where(missing, 0.5 ** np.cumsum(missing, axis=-1), matches) / ngrams
    there = ngrams > 0
    if effective_order:
        orders = there.sum(axis=-1)
    else:
        orders = _ORDERS
    logs = np.where(there, np.log(precision), 0.0 if effective_order else -np.inf)
    mean = np.exp(logs.sum(axis=-1) / orders)
    brevity = np.where(written < wanted, np.exp(1 - wanted / written), 1.0)
    return np.where((matches > 0).any(axis=-1), brevity * mean, 0.0)


def _chrf(sums: FloatArray) -> FloatArray:
    output, reference, matches = (sums[..., part::3] for part in range(3))
    there = (output > 0) & (reference > 0)
    orders = there.sum(axis=-1)
    precision = np.where(there, matches / output, 0).sum(axis=-1) / orders
    recall = np.where(there, matches / reference, 0).sum(axis=-1) / orders
    score = (
        (1 + _BETA_SQUARED) * precision * recall / (_BETA_SQUARED * precision + recall)
    )
    return np.where((orders > 0) & (precision + recall > 0), score, 0.0)


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
    error = float(np.sqrt(figure.influence @ figure.influence * count / (count - 1)))
    half = error * drawing.quantile(count)
    return Range(value, value - half, value + half, error)


def resampled_values(
    name: str, statistics: FloatArray, key: UInt64Array, drawing: Drawing
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
    known = np.where(_is_known(statistics)[..., np.newaxis], statistics, 0.0)
    sums = resampled_sums(known.transpose(1, 0, 2).reshape(count, -1), key, drawing)
    return metric_values(name, sums.reshape(-1, systems, kinds)).T


def resampled_range(value: float, resampled: FloatArray, confidence: float) -> Range:
    """Return the percentile range of a value from its resamples."""
    known = np.sort(resampled[~np.isnan(resampled)])
    if len(known) < 2 or known[0] == known[-1]:
        return Range(value, None, None)
    trimmed = trim_count(len(known), confidence)
    low = known[trimmed]
    high = known[len(known) - 1 - trimmed]
    return Range(value, float(low), float(high), float(known.std(ddof=1)))


def _is_known(statistics: FloatArray) -> BoolArray:
    return np.asarray(~np.isnan(statistics).any(axis=-1))


def known_sums(statistics: FloatArray) -> FloatArray:
    """Return sums over segments with known statistics, shape (…, k) from (…, N, k)."""
    return np.asarray(
        np.where(_is_known(statistics)[..., np.newaxis], statistics, 0).sum(axis=-2)
    )


def corpus_statistics(
    sentences: Sequence[Sequence[str]], other: Iterable[Sequence[str]] | None = None
) -> dict[str, int | None]:
    """Count the words of tokenized sentences, as in Table 1 of Vilar et al.

    Returns
    -------
    dict
        sentences, running_words, vocabulary (distinct words), singletons (words that occur once); unseen_words and
        unseen_vocabulary (running words and distinct words that the other corpus does not have; None without one).
    """
    counts = Counter(chain.from_iterable(sentences))
    seen = set(chain.from_iterable(other or ()))
    unseen = [count for word, count in counts.items() if word not in seen]
    return {
        "sentences": len(sentences),
        "running_words": counts.total(),
        "vocabulary": len(counts),
        "singletons": sum(count == 1 for count in counts.values()),
        "unseen_words": None if other is None else sum(unseen),
        "unseen_vocabulary": None if other is None else len(unseen),
    }
