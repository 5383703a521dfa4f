"""How often honest judges are named, and clickers found: `python -m tests.benchmarks.honest_judges`.

Judges differ in their use of ties, and in some worlds in care and taste (`tests/judges_of_differing_care.py`).
Printed for each world: the share of campaigns in which `disagrees` (p < 0.05), the rule `suspect`, and
the rule of one standard deviation for κ name a judge who does not click; and the share of judges who
click, giving labels at random, whom `disagrees` names.
"""

import argparse
from dataclasses import dataclass, replace

import numpy as np

from ranking.core.judges.diagnosis import diagnose_judges
from ranking.core.judges.outliers import Rule, outliers
from tests.benchmarks import say
from tests.judges_of_differing_care import CareWorld, draw_campaign

_TIES = CareWorld(care=0, clicking=0, tie_radius=2.83, tie_care=0.6, tie_even=True)
_LEVEL = 0.05


def _blocks(world: CareWorld, blocks: int) -> CareWorld:
    """Return the world with so many blocks a judge."""
    return replace(world, segments=blocks * world.judges // world.judged_by)


WORLDS: dict[str, CareWorld] = {
    "20 judges, 20 blocks": _blocks(_TIES, 20),
    "20 judges, 60 blocks": _blocks(_TIES, 60),
    "20 judges, 150 blocks": _blocks(_TIES, 150),
    "40 judges, 120 blocks": _blocks(replace(_TIES, judges=40), 120),
    "20 judges, 90 blocks, tastes": _blocks(replace(_TIES, taste=2.0), 90),
    "20 judges, 90 blocks, care 0.3": _blocks(replace(_TIES, care=0.3), 90),
    "20 judges, 90 blocks, 3 to 50% ties": _blocks(
        replace(_TIES, tie_even=False, tie_care=0.8, tie_radius=2.5),
        90,
    ),
    # Not used to develop the test.
    "30 judges, 120 blocks, shares 1/j": _blocks(
        replace(_TIES, judges=30, unequal=True),
        120,
    ),
    "25 judges, 80 blocks, two a segment, difficulty 0.7": _blocks(
        replace(_TIES, judges=25, judged_by=2, difficulty=0.7),
        80,
    ),
    "40 judges, 90 blocks, five of fifteen outputs": _blocks(
        replace(_TIES, judges=40, judged_by=6, same_outputs=False),
        90,
    ),
    **{
        f"{judges} judges, {blocks} blocks, one in ten clicks": _blocks(
            replace(_TIES, judges=judges, clicking=0.1),
            blocks,
        )
        for judges, blocks in ((20, 30), (20, 60), (40, 40))
    },
}


@dataclass(frozen=True)
class Named:
    """Shares of campaigns in which judges who do not click are named, and of clickers named."""

    disagrees: float
    suspect: float
    one_deviation: float
    clickers: float


def named(world: CareWorld, campaigns: int) -> Named:
    """Draw campaigns, and count the judges named."""
    honest: list[tuple[bool, bool, bool]] = []
    clickers: list[bool] = []
    for seed in range(campaigns):
        blocks, judges = draw_campaign(world, seed)
        rows = diagnose_judges(blocks)
        p_values = [row.disagreement.p_value(len(rows)) for row in rows]
        low = np.array([p is not None and p < _LEVEL for p in p_values])
        by_rule = {each.rule: each.outliers for each in outliers(rows, deviations=1.0)}
        suspect, deviating = (
            np.isin(blocks.judges, by_rule[rule])
            for rule in (Rule.SUSPECT, Rule.AGREEMENT)
        )
        reading = ~judges.clicks
        honest.append(
            tuple(bool((each & reading).any()) for each in (low, suspect, deviating)),  # type: ignore[arg-type]
        )
        clickers += low[judges.clicks].tolist()
    disagrees, suspects, far = np.mean(honest, axis=0).tolist()
    return Named(
        disagrees=disagrees,
        suspect=suspects,
        one_deviation=far,
        clickers=float(np.mean(clickers)) if clickers else float("nan"),
    )


def main() -> None:
    """Print a table of all worlds, or of those asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--campaigns", type=int, default=400)
    parser.add_argument(
        "--world",
        nargs="*",
        default=list(WORLDS),
        choices=list(WORLDS),
    )
    given = parser.parse_args()
    say("| world | disagrees | suspect | one SD | clickers found |")
    say("|---|---|---|---|---|")
    for name in given.world:
        found = named(WORLDS[name], given.campaigns)
        cells = (found.disagrees, found.suspect, found.one_deviation, found.clickers)
        say(f"| {name} | {' | '.join(f'{100 * share:.1f}' for share in cells)} |")


if __name__ == "__main__":
    main()
