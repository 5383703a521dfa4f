"""Nobody foresees checks and repeats who has not got the seed: a short form of the attack."""

import pytest

from annotation.sampling.rates import attention_due, intra_due
from tests.some_now import some_now
from tests.unit.annotation.sampling.foreseeing import WAYS, Outcome, Seen, Way, outcome

JUDGES = 10
HITS = 100
EVERY = 10
SHARE = 0.1
GAP = 10


def drawn(judge: str, *, seed: int = 2**127 + 12345) -> list[Seen]:
    """Return a judge's HITs as lending decides them: a repeat takes the place of another HIT."""
    seen: list[Seen] = []
    checks = repeats = since_check = since_repeat = 0
    for _hit in range(HITS):
        is_repeat = intra_due(
            seed=seed,
            judge=judge,
            share=SHARE,
            repeat_gap=GAP,
            repeats=repeats,
            hits_since=since_repeat,
        )
        is_check = not is_repeat and attention_due(
            seed=seed,
            judge=judge,
            every=EVERY,
            checks=checks,
            hits_since=since_check,
        )
        since_check = 0 if is_check else since_check + (not is_repeat)
        since_repeat = 0 if is_repeat else since_repeat + 1
        checks, repeats = checks + is_check, repeats + is_repeat
        seen.append(Seen(is_check=is_check, is_repeat=is_repeat))
    return seen


@pytest.fixture(scope="module")
def judges() -> list[list[Seen]]:
    return [drawn(f"judge{number:02}") for number in range(JUDGES)]


@pytest.mark.parametrize("name", some_now(WAYS, most=4))
@pytest.mark.parametrize("repeats", [False, True], ids=["checks", "repeats"])
def test_no_way_foresees_better_than_chance(
    judges: list[list[Seen]],
    name: str,
    repeats: bool,
) -> None:
    found = outcome(WAYS[name], judges, repeats=repeats)
    assert found.error < 0.05
    assert found.is_chance, found


def foreseen(way: Way, checks: list[bool]) -> Outcome:
    seen = [Seen(is_check=is_check, is_repeat=False) for is_check in checks]
    return outcome(way, [seen, seen], repeats=False)


def test_a_seed_that_is_tried_would_be_found() -> None:
    checks = [each.is_check for each in drawn("judge00", seed=177)]
    repeats = [each.is_repeat for each in drawn("judge00", seed=177)]
    without = [
        check for check, repeat in zip(checks, repeats, strict=True) if not repeat
    ]
    found = foreseen(WAYS["small seeds"], without)
    # Most of what is foreseen is after the first few checks, which tell the seed.
    assert found.lift > 5
    assert found.auc > 0.75
