"""Simulated judges: they lend, submit, revise, repeat and send late, and keep what is not acknowledged."""

import random
import threading
from typing import Any
from uuid import uuid4

from tests.faults.ledger import Ledger, Submission
from tests.faults.server import Server

# Pauses between two attempts of a submission that failed, as of a page that tries again.
RETRY_SECONDS = 0.3
MEAN_PAUSE_SECONDS = 0.25
REPEATED, REVISED, REPEATED_LATE = 0.15, 0.2, 0.5


class SimulatedJudge(threading.Thread):
    """One judge at work until told to stop; then everything begun is sent until it is acknowledged.

    Attributes:
        refused: answers that say the submission is wrong, which none is.
    """

    def __init__(
        self,
        name: str,
        server: Server,
        ledger: Ledger,
        *,
        stop: threading.Event,
        seed: int,
    ) -> None:
        super().__init__(name=name, daemon=True)
        self._server, self._ledger, self._stop_asked = server, ledger, stop
        self._random = random.Random(seed)
        self._given_up = threading.Event()
        self.refused: list[str] = []

    def run(self) -> None:
        """Ask for HITs and judge them."""
        while not self._stop_asked.is_set():
            answer = self._server.send("lend", "POST", "assignments/", {})
            if answer.outcome == "200":
                self._judge_hit(answer.body["blocks"])
            else:
                self._stop_asked.wait(RETRY_SECONDS)
        self._server.close()

    def give_up(self) -> None:
        """Send no more, acknowledged or not."""
        self._given_up.set()

    def _judge_hit(self, blocks: list[dict[str, Any]]) -> None:
        """Judge the blocks in any order; revise some, and repeat some that were revised meanwhile."""
        for block in self._random.sample(blocks, len(blocks)):
            if self._stop_asked.wait(self._random.expovariate(1 / MEAN_PAUSE_SECONDS)):
                return
            first = self._submit_new(block)
            if self._random.random() < REPEATED:
                self._submit(first)
            if self._random.random() < REVISED:
                self._submit_new(block)
                if self._random.random() < REPEATED_LATE:
                    self._submit(first)

    def _submit_new(self, block: dict[str, Any]) -> Submission:
        labels = tuple(self._random.randint(1, 5) for _candidate in block["candidates"])
        submission = Submission(str(uuid4()), self.name, block["id"], labels)
        self._submit(submission)
        return submission

    def _submit(self, submission: Submission) -> None:
        """Send a submission until it is acknowledged."""
        while not self._given_up.is_set():
            outcome = submit(self._server, self._ledger, submission)
            if outcome == "200":
                return
            # 429: so many revisions a minute are taken, and the rest a moment later.
            if outcome == "wrong answer" or (
                outcome.startswith("4") and outcome != "429"
            ):
                self.refused.append(outcome)
                return
            self._given_up.wait(RETRY_SECONDS)


def submit(server: Server, ledger: Ledger, submission: Submission) -> str:
    """Send a submission once; note and return what became of it."""
    client_id, labels = submission.client_id, list(submission.labels)
    noted = ledger.sending(client_id, submission.judge, submission.block, labels)
    body = {
        "block": submission.block,
        "labels": labels,
        "duration_ms": 9000,
        "active_ms": 8000,
    }
    answer = server.send("submit", "PUT", f"judgments/{client_id}/", body)
    if answer.outcome != "200":
        return answer.outcome
    said = answer.body
    if (said["id"], said["block"], said["labels"]) != (
        client_id,
        submission.block,
        labels,
    ):
        return "wrong answer"
    ledger.acknowledged(noted)
    return "200"
