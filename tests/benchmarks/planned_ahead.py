"""What planning ahead costs an active design: judgments until 90 % of the pairs are told apart.

    python -m tests.benchmarks.planned_ahead [--ahead 0 90 500 1500 4500 13500] [--experiments 40]

The campaigns of `compare_designs` by the sign test (15 systems, noise 10, blocks of five), but each block is
drawn when so many others wait in the pool: priorities know the judgments that are not in it, and what waits
is counted as planned. 0 is the study's own: drawn at each look, which is 5 % of the judgments after the last.
The ratio is the geometric mean over campaigns to the uniform design of the same campaign.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.simulation.measures import significantly_better
from ranking.core.simulation.model import Model
from ranking.design_study.campaigns import ComparedDesign, SimulatedCampaign

_TARGET, _LIMIT, _GROWTH = 0.9, 60_000, 1.05
_SYSTEMS = 15
_PAIRS = _SYSTEMS * (_SYSTEMS - 1) / 2
# Draws learn so many times while the pool goes by.
_STEPS = 8

Counts = npt.NDArray[np.int64]
Known = tuple[int, Counts, Counts]


class PlannedAhead(SimulatedCampaign):
    """A campaign whose blocks wait in a pool of `ahead` before they are judged.

    Judgments do not depend on when they are made, so each is made when its block is drawn, and known
    `ahead` blocks later.
    """

    def __init__(self, ahead: int, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._ahead = ahead
        self._waiting: deque[Known] = deque()
        self.known = self.wins.copy(), self.ties.copy()

    def judge_until(self, judged: int) -> None:
        """Let so many be judged, with `ahead` more in the pool."""
        while self.blocks < judged + self._ahead:
            left = judged + self._ahead - self.blocks
            self._learn(self.blocks - self._ahead)
            self.simulate_until(
                self.blocks + min(left, max(1, self._ahead // _STEPS) if self._ahead else left)
            )
            self._waiting.append((self.blocks, self.wins.copy(), self.ties.copy()))
        self._learn(judged)

    def _learn(self, judged: int) -> None:
        while self._waiting and self._waiting[0][0] <= judged:
            _blocks, *known = self._waiting.popleft()
            self.known = known[0], known[1]

    def _known(self) -> tuple[Counts, Counts]:
        return self.known


def judgments_needed(ahead: int, design: ComparedDesign, experiment: int) -> int:
    """Return after how many judgments the pairs are told apart, looking at every 5 % more."""
    source = Model(systems=_SYSTEMS, noise=10.0)
    campaign = PlannedAhead(ahead, source, design, seed=7, experiment=experiment)
    look = 30.0
    while look < _LIMIT:
        campaign.judge_until(round(look))
        apart = np.count_nonzero(significantly_better(campaign.known[0], alpha=0.05))
        if apart >= _TARGET * _PAIRS:
            return round(look)
        look *= _GROWTH
    return _LIMIT


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ahead", type=int, nargs="+", default=[0, 90, 500, 1500, 4500, 13_500])
    parser.add_argument("--experiments", type=int, default=40)
    options = parser.parse_args()
    numbers = range(options.experiments)
    uniform = [judgments_needed(0, ComparedDesign.UNIFORM, number) for number in numbers]
    sys.stdout.write(f"uniform: median {np.median(uniform):,.0f} judgments\n")
    for ahead in options.ahead:
        active = [judgments_needed(ahead, ComparedDesign.ACTIVE, number) for number in numbers]
        logs = np.log(np.array(active) / np.array(uniform))
        reach = 1.96 * logs.std(ddof=1) / np.sqrt(len(logs))
        low, mean, high = np.exp([logs.mean() - reach, logs.mean(), logs.mean() + reach])
        sys.stdout.write(
            f"{ahead:6,} blocks ahead: median {np.median(active):,.0f}; "
            f"ratio {mean:.2f} ({low:.2f} – {high:.2f})\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
