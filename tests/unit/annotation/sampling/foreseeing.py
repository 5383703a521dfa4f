"""Ways to foresee which HIT of a judge comes next, and how well they do.

The attacker is a judge who knows the source code and everything their browser got. In their favour, they
are told after each HIT whether it was one of those they want to foresee. The seed they do not know.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import median

from annotation.sampling.rates import attention_due

# Of additive sequences, by which rates were rounded until November 2026.
STEPS = ((sqrt(5) - 1) / 2, sqrt(2) - 1, sqrt(3) - 1)
SEEDS_TRIED = 300
# Ways are many, and any of them may look good by chance: one in a thousand, for each.
STANDARD_ERRORS = 3.3


@dataclass(frozen=True)
class Seen:
    """A HIT as the judge's browser got it, and what it was.

    Attributes:
        is_check: whether a block is an attention check.
        is_repeat: whether it repeats one of the judge's own HITs.
        size: bytes of the answer that lent it.
        seconds: time until this answer came.
        blocks: how many there are.
        counter: the largest number in the answer outside of texts.
    """

    is_check: bool
    is_repeat: bool
    size: int = 0
    seconds: float = 0.0
    blocks: int = 0
    counter: int = 0


@dataclass(frozen=True)
class Past:
    """What the attacker knows before the next HIT.

    Attributes:
        hits: the judge's HITs so far.
        hit: whether each of them was one of those to be foreseen.
        others: the same for all HITs of other judges, a list each.
    """

    hits: Sequence[Seen]
    hit: Sequence[bool]
    others: Sequence[Sequence[bool]]

    @property
    def gap(self) -> int:
        """HITs since the last of them."""
        return self.hit[::-1].index(True) if any(self.hit) else len(self.hit)


Way = Callable[[Past], float]


def gap(past: Past) -> float:
    """The longer there was none, the sooner the next."""
    return past.gap


def period(past: Past) -> float:
    """They come at the usual distance from the last."""
    usual = median(gaps(past.hit) or [10])
    return -abs(past.gap + 1 - usual)


def phase(past: Past) -> float:
    """They come at the place modulo something at which most came so far."""
    best, place = 0.0, len(past.hit)
    for modulus in range(2, 21):
        here = past.hit[place % modulus :: modulus]
        if len(here) > 1:
            best = max(best, sum(here) / len(here))
    return best


def hazard(past: Past) -> float:
    """They come after a gap as often as they did after such a gap before, with any judge."""
    found = gaps(past.hit) + [gap for other in past.others for gap in gaps(other)]
    at_risk = sum(gap > past.gap for gap in found)
    return sum(gap == past.gap + 1 for gap in found) / at_risk if at_risk else 0.0


def ordinal(past: Past) -> float:
    """They come as often as they did with other judges at this place."""
    here = [other[len(past.hit)] for other in past.others if len(other) > len(past.hit)]
    return sum(here) / len(here) if here else 0.0


def additive(past: Past) -> float:
    """They follow one of the sequences of the source code, begun anywhere."""
    rate = max(1, sum(past.hit)) / max(1, len(past.hit))
    best, score = -1, 0.0
    for step in STEPS:
        for begin in range(60):
            told = [
                (begin / 60 + place * step) % 1 < rate
                for place in range(len(past.hit) + 1)
            ]
            fits = sum(one == other for one, other in zip(told, past.hit, strict=False))
            if fits > best:
                best, score = fits, float(told[-1])
    return score


def after_a_repeat(past: Past) -> float:
    """They come after a repeat, or never do."""
    return float(bool(past.hits) and past.hits[-1].is_repeat)


def after_a_check(past: Past) -> float:
    """They come after a check, or never do."""
    return float(bool(past.hits) and past.hits[-1].is_check)


def size_before(past: Past) -> float:
    """The answer before was larger, or smaller."""
    return past.hits[-1].size if past.hits else 0.0


def time_before(past: Past) -> float:
    """The answer before took longer, or less long."""
    return past.hits[-1].seconds if past.hits else 0.0


def counter_before(past: Past) -> float:
    """A number in the answer before was larger, or smaller."""
    return past.hits[-1].counter if past.hits else 0.0


def small_seeds(past: Past) -> float:
    """The seed is a small one: the first that explains most of what came."""
    found = [
        (
            sum(one == other for one, other in zip(told, past.hit, strict=False)),
            told[len(past.hit)],
        )
        for told in _told_by_small_seeds(len(past.hit) // 50)
    ]
    return float(max(found, key=lambda each: each[0])[1])


_TOLD: dict[int, list[list[bool]]] = {}


def _told_by_small_seeds(longer: int) -> list[list[bool]]:
    if longer not in _TOLD:
        hits = 50 * (longer + 1) + 1
        _TOLD[longer] = [
            drawn_checks(seed=seed, hits=hits) for seed in range(SEEDS_TRIED)
        ]
    return _TOLD[longer]


WAYS: Mapping[str, Way] = {
    "gap since the last": gap,
    "period": period,
    "phase": phase,
    "hazard after this gap": hazard,
    "ordinal, by other judges": ordinal,
    "additive sequences": additive,
    "after a repeat": after_a_repeat,
    "after a check": after_a_check,
    "size of the answer before": size_before,
    "time of the answer before": time_before,
    "numbers in the answer before": counter_before,
    "small seeds": small_seeds,
}


def gaps(hit: Sequence[bool]) -> list[int]:
    """Return the distances from each of them to the next, the first from the beginning."""
    places = [-1, *(place for place, is_hit in enumerate(hit) if is_hit)]
    return [one - other for one, other in zip(places[1:], places, strict=False)]


def drawn_checks(
    *,
    seed: int,
    hits: int,
    judge: str = "judge00",
    every: int = 10,
) -> list[bool]:
    """Return which HITs hold a check by the design's draw."""
    found: list[bool] = []
    checks = since = 0
    for _hit in range(hits):
        is_due = attention_due(
            seed=seed,
            judge=judge,
            every=every,
            checks=checks,
            hits_since=since,
        )
        found.append(is_due)
        checks, since = (checks + 1, 0) if is_due else (checks, since + 1)
    return found


@dataclass(frozen=True)
class Outcome:
    """How well a way foresaw.

    Attributes:
        auc: the chance that it gives one of them a higher score than another HIT: 0.5 is chance.
        error: the standard error of it, were it chance.
        lift: how much oftener than usual one of them was among the tenth with the highest scores.
    """

    auc: float
    error: float
    lift: float

    @property
    def is_chance(self) -> bool:
        """Whether it is chance, as far as so many HITs can tell."""
        return abs(self.auc - 0.5) <= STANDARD_ERRORS * self.error


def outcome(
    way: Way,
    judges: Sequence[Sequence[Seen]],
    *,
    repeats: bool,
    since: int = 20,
) -> Outcome:
    """Let a way foresee each HIT of each judge from number `since` on.

    Args:
        way: one of `WAYS`.
        judges: the HITs of each judge.
        repeats: whether repeats are to be foreseen; otherwise checks in HITs that are no repeats.
        since: before, there is too little to learn from.
    """
    hit = [_which(seen, repeats=repeats) for seen in judges]
    scores = [
        (
            way(Past(seen[:place], mine[:place], hit[:number] + hit[number + 1 :])),
            mine[place],
        )
        for number, (seen, mine) in enumerate(zip(judges, hit, strict=True))
        for place in range(since, len(seen))
        if repeats or not seen[place].is_repeat
    ]
    return _measured(scores)


def _which(seen: Sequence[Seen], *, repeats: bool) -> list[bool]:
    return [each.is_repeat if repeats else each.is_check for each in seen]


def _measured(scores: Sequence[tuple[float, bool]]) -> Outcome:
    yes = [score for score, is_hit in scores if is_hit]
    no = sorted(score for score, is_hit in scores if not is_hit)
    if not yes or not no:
        raise ValueError("There is nothing to foresee: no HIT of one of the two kinds.")
    below = sum(_rank(score, no) for score in yes) / (len(yes) * len(no))
    error = sqrt((len(scores) + 1) / (12 * len(yes) * len(no)))
    top = sorted(scores, key=lambda each: -each[0])[: max(1, len(scores) // 10)]
    # Equal scores at the border count for as much of them as there is place.
    border = top[-1][0]
    equal = [is_hit for score, is_hit in scores if score == border]
    above = [is_hit for score, is_hit in scores if score > border]
    share = (sum(above) + sum(equal) / len(equal) * (len(top) - len(above))) / len(top)
    return Outcome(below, error, share / (len(yes) / len(scores)))


def _rank(score: float, others: Sequence[float]) -> float:
    from bisect import bisect_left, bisect_right

    return (bisect_left(others, score) + bisect_right(others, score)) / 2
