"""Measures of judges that this process has computed, for the judges whose tallies did not change since."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from ranking.core.judges.tallies import JudgeTallies
from ranking.judge_monitoring import MeasuresByJudge, judges_to_measure, measures_of_tallies

#: Test sets whose measures are held at the same time.
_MOST_HELD = 8


@dataclass(frozen=True)
class _Measured:
    tallies: JudgeTallies
    p_chance: float | Literal["own"]
    measures: MeasuresByJudge


class MeasuresMemory:
    """The measures of each test set's judges that were computed last.

    A judge's measures follow from the judge's tallies and the number of judges, so that others stay
    as they are, whatever became of the transaction they were computed in.
    """

    def __init__(self) -> None:
        self._measured: OrderedDict[int, _Measured] = OrderedDict()
        self._lock = Lock()

    def measures(
        self, task_id: int, tallies: JudgeTallies, *, p_chance: float | Literal["own"]
    ) -> MeasuresByJudge:
        """Return what `measures_of_tallies` returns, without the agreement with others."""
        with self._lock:
            before = self._measured.pop(task_id, None)
        if before is None or before.p_chance != p_chance:
            found = measures_of_tallies(tallies, p_chance=p_chance)
        else:
            changed = judges_to_measure(before.tallies, tallies)
            new = measures_of_tallies(tallies, judges=changed, p_chance=p_chance)
            found = {
                name: new[name] if name in changed else before.measures[name]
                for name in tallies.judges
            }
        with self._lock:
            self._measured[task_id] = _Measured(tallies, p_chance, found)
            while len(self._measured) > _MOST_HELD:
                self._measured.popitem(last=False)
        return {name: dict(results) for name, results in found.items()}

    def clear(self) -> None:
        """Forget everything, as a new process."""
        with self._lock:
            self._measured.clear()


#: Of this process.
MEASURES = MeasuresMemory()
