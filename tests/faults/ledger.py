"""What was sent and what was acknowledged, and when."""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass
class Submission:
    """One judgment as its judge sent it, under the id they chose."""

    client_id: str
    judge: str
    block: str
    labels: tuple[int, ...]
    attempts: int = 0
    acknowledged: float | None = None


@dataclass(frozen=True)
class Request:
    """One request and what became of it: a status, or how the connection failed."""

    kind: str
    began: float
    ended: float
    outcome: str

    @property
    def failed(self) -> bool:
        """Whether it got no answer, or one that blames the server."""
        return not self.outcome.isdecimal() or self.outcome.startswith("5")


@dataclass
class Ledger:
    """Everything that judges sent during one run. All times are of the monotonic clock."""

    submissions: dict[str, Submission] = field(default_factory=dict)
    requests: list[Request] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def sending(
        self,
        client_id: str,
        judge: str,
        block: str,
        labels: Sequence[int],
    ) -> Submission:
        """Note that a submission is about to be sent, for the first time or again."""
        with self._lock:
            submission = self.submissions.setdefault(
                client_id,
                Submission(client_id, judge, block, tuple(labels)),
            )
            submission.attempts += 1
            return submission

    def acknowledged(self, submission: Submission) -> None:
        """Note that the server said it has it."""
        with self._lock:
            submission.acknowledged = submission.acknowledged or time.monotonic()

    def answered(self, request: Request) -> None:
        """Note what became of a request."""
        with self._lock:
            self.requests.append(request)

    def outcomes(self) -> Counter[str]:
        """Return how often each answer came that is not the usual one."""
        with self._lock:
            return Counter(
                r.outcome for r in self.requests if not r.outcome.startswith("2")
            )

    def last_failure(self) -> float | None:
        """Return when the last request that failed ended."""
        with self._lock:
            return max((r.ended for r in self.requests if r.failed), default=None)

    def longest_silence(self, *, since: float) -> float:
        """Return the longest time from then on in which no submission was acknowledged."""
        with self._lock:
            times = sorted(
                s.acknowledged for s in self.submissions.values() if s.acknowledged
            )
        moments = [since, *(moment for moment in times if moment > since)]
        return max((after - before for before, after in pairwise(moments)), default=0.0)

    def submission_ms(self) -> list[float]:
        """Return how long each acknowledged submission took, in order of length."""
        with self._lock:
            return sorted(
                1000 * (r.ended - r.began)
                for r in self.requests
                if r.kind == "submit" and r.outcome == "200"
            )

    def last_acknowledged(self) -> dict[tuple[str, str], str]:
        """Return for each judge and block the id acknowledged last; judges send one after the other."""
        with self._lock:
            known = [s for s in self.submissions.values() if s.acknowledged]
        known.sort(key=lambda submission: submission.acknowledged or 0)
        return {(each.judge, each.block): each.client_id for each in known}

    @contextmanager
    def snapshot(self) -> Iterator[list[Submission]]:
        """Hold the ledger still and yield its submissions."""
        with self._lock:
            yield list(self.submissions.values())
