"""Simulated campaigns of error span annotation, with the truth they were drawn from.

A score is quality of the system + ease of the segment + mildness of the judge + the judge's liking for the system + noise,
cut at 0 and 100 and rounded. Errors are of the output: what is wrong with it does not depend on who looks, and each judge
finds each error with some probability. So judges who look alike agree, and truth is known for both scores and spans.
"""

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

from protocols.spans.records import ScoredJudgment, ScoredOutput, Severity, Span

FloatArray = npt.NDArray[np.float64]

#: "balanced": each screen shows outputs at random. "adaptive": as Pearmut's dynamic assignment, systems are chosen with
#: probability 1/rank by the mean scores so far, after a cold start.
Sampling = Literal["balanced", "adaptive"]

#: Segments of a document.
_DOCUMENT = 10
_WORDS = 20
_LETTERS = 5
#: Points of the score that an error takes on average, and how many of the errors are major.
_POINTS_AN_ERROR: Final = 20
_MAJOR: Final = 0.3


@dataclass(frozen=True, kw_only=True)
class SpanModel:
    """What a campaign is drawn from; all spreads are standard deviations in points of the score.

    Attributes
    ----------
    systems, segments, judges : int
    outputs : int
        Outputs side by side, 1 to 5.
    screens : int
        Screens of each segment.
    mean : float
        Score of the average system on the average segment.
    spread : float
        From the worst to the best system; systems are evenly spaced.
    segment_sd, judge_sd, liking_sd, noise_sd : float
        Of ease, mildness, a judge's liking for a system, and the rest.
    document_sd : float
        Of how much a document of ten segments suits a system.
    trend : float
        How much harder the last segment is than the first.
    found : float
        Probability that a judge finds an error.
    sampling : "balanced" or "adaptive"
    cold_start : int
        Screens before sampling adapts.
    """

    systems: int = 8
    segments: int = 150
    judges: int = 12
    outputs: int = 3
    screens: int = 1
    mean: float = 60
    spread: float = 10
    segment_sd: float = 8
    judge_sd: float = 5
    liking_sd: float = 0
    noise_sd: float = 6
    document_sd: float = 0
    trend: float = 0
    found: float = 0.7
    sampling: Sampling = "balanced"
    cold_start: int = 20

    def __post_init__(self) -> None:
        if not 1 <= self.outputs <= min(self.systems, 5):
            raise ValueError("a screen shows 1 to 5 outputs, of different systems")


@dataclass(frozen=True, eq=False)
class SimulatedSpans:
    """A campaign and what is true.

    Attributes
    ----------
    judgments : tuple of ScoredJudgment
        In the order in which they were made.
    systems : tuple of str
        Best first.
    quality : float64, shape (n,)
        Effect of each system; their mean is 0.
    """

    judgments: tuple[ScoredJudgment, ...]
    systems: tuple[str, ...]
    quality: FloatArray


def simulate_spans(model: SpanModel | None = None, *, seed: int = 0) -> SimulatedSpans:
    """Draw a campaign. The same model and seed give the same campaign.

    Parameters
    ----------
    model : SpanModel, optional
    seed : int
    """
    model = model or SpanModel()
    generator = np.random.default_rng(seed)
    width = len(str(model.systems))
    systems = tuple(
        f"system-{number:0{width}}" for number in range(1, model.systems + 1)
    )
    quality = np.linspace(model.spread / 2, -model.spread / 2, model.systems)
    ease = generator.normal(0, model.segment_sd, model.segments)
    ease += np.linspace(model.trend / 2, -model.trend / 2, model.segments)
    mildness = generator.normal(0, model.judge_sd, model.judges)
    liking = generator.normal(0, model.liking_sd, (model.judges, model.systems))
    errors = _errors(model, quality, ease, generator)
    suits = _suits(model, seed)
    total, count = np.zeros(model.systems), np.zeros(model.systems)
    judgments: list[ScoredJudgment] = []
    for segment in range(model.segments):
        judges = generator.permutation(model.judges)
        for screen in range(model.screens):
            judge = int(judges[screen % model.judges])
            shown = _shown(model, total, count, len(judgments), generator)
            true = model.mean + quality[shown] + ease[segment] + mildness[judge]
            true = true + suits[segment // _DOCUMENT, shown]
            true = (
                true
                + liking[judge, shown]
                + generator.normal(0, model.noise_sd, len(shown))
            )
            scores = np.clip(np.round(true), 0, 100)
            total[shown] += scores
            count[shown] += 1
            judgments.append(
                ScoredJudgment(
                    source_language="en",
                    target_language="de",
                    document=f"doc-{segment // _DOCUMENT + 1}",
                    segment=str(segment + 1),
                    judge=f"judge-{judge + 1:02}",
                    outputs=tuple(
                        ScoredOutput(
                            systems=(systems[system],),
                            score=float(score),
                            spans=_spans(
                                errors[segment][system],
                                model.found,
                                generator,
                            ),
                            text=_text(segment, system),
                        )
                        for system, score in zip(shown.tolist(), scores, strict=True)
                    ),
                ),
            )
    return SimulatedSpans(judgments=tuple(judgments), systems=systems, quality=quality)


def _suits(model: SpanModel, seed: int) -> FloatArray:
    """Return the points by which each document suits each system, from a generator of its own."""
    documents = -(-model.segments // _DOCUMENT)
    generator = np.random.default_rng([seed, documents])
    return generator.normal(0, model.document_sd, (documents, model.systems))


def _shown(
    model: SpanModel,
    total: FloatArray,
    count: FloatArray,
    done: int,
    generator: np.random.Generator,
) -> npt.NDArray[np.int64]:
    if model.sampling == "balanced" or done < model.cold_start:
        return generator.permutation(model.systems)[: model.outputs]
    mean = np.where(count > 0, total / np.maximum(count, 1), np.inf)
    rank = np.empty(model.systems)
    rank[np.argsort(-mean, kind="stable")] = np.arange(1, model.systems + 1)
    weights = (1 / rank) / (1 / rank).sum()
    return generator.choice(model.systems, size=model.outputs, replace=False, p=weights)


_Errors = list[list[list[tuple[int, Severity]]]]


def _errors(
    model: SpanModel,
    quality: FloatArray,
    ease: FloatArray,
    generator: np.random.Generator,
) -> _Errors:
    """Return the wrong words of each output, by segment and system; more of them where scores are low."""
    expected = np.clip(
        (100 - model.mean - quality - ease[:, np.newaxis]) / _POINTS_AN_ERROR,
        0,
        6,
    )
    counts = generator.poisson(expected)
    return [
        [
            [
                (
                    int(word),
                    Severity.MAJOR if generator.random() < _MAJOR else Severity.MINOR,
                )
                for word in sorted(generator.permutation(_WORDS)[: min(count, _WORDS)])
            ]
            for count in row
        ]
        for row in counts
    ]


def _text(segment: int, system: int) -> str:
    """Return words of five letters each, other ones for each output."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return " ".join(
        "".join(
            letters[(segment * 7 + system * 5 + word * 3 + place) % 26]
            for place in range(_LETTERS)
        )
        for word in range(_WORDS)
    )


def _spans(
    errors: list[tuple[int, Severity]],
    found: float,
    generator: np.random.Generator,
) -> tuple[Span, ...]:
    return tuple(
        Span(word * (_LETTERS + 1), word * (_LETTERS + 1) + _LETTERS, severity)
        for word, severity in errors
        if generator.random() < found
    )
