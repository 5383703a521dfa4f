"""One connection to the web server, as a judge's browser holds it."""

import json
import time
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from typing import Any

from tests.faults.ledger import Ledger, Request

HOST = "127.0.0.1"
# As long as the judging page waits for an answer.
ANSWER_SECONDS = 20.0
# Problems, too (RFC 9457).
_JSON = ("application/json", "application/problem+json")


@dataclass(frozen=True)
class Answer:
    """What came back: a status or how the connection failed, and the body of a JSON answer."""

    outcome: str
    body: Any = None


class Server:
    """Sends requests for one judge and notes what became of them."""

    def __init__(self, port: int, token: str, ledger: Ledger) -> None:
        self._port, self._ledger = port, ledger
        self._headers = {
            "Content-Type": "application/json",
            "Authorization": f"Token {token}",
        }
        self._connection: HTTPConnection | None = None

    def send(self, kind: str, method: str, path: str, body: dict[str, Any]) -> Answer:
        """Send a request to the judging API; a failure is an answer, too."""
        began = time.monotonic()
        try:
            answer = self._exchange(method, path, body)
        except (OSError, HTTPException) as error:
            self.close()
            answer = Answer(_outcome_of(error))
        self._ledger.answered(Request(kind, began, time.monotonic(), answer.outcome))
        return answer

    def close(self) -> None:
        """Drop the connection; the next request makes a new one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        if self._connection is None:
            self._connection = HTTPConnection(HOST, self._port, timeout=ANSWER_SECONDS)
        path = f"/api/v1/judging/{path}"
        self._connection.request(method, path, json.dumps(body), self._headers)
        response = self._connection.getresponse()
        data = response.read()
        is_json = response.getheader("Content-Type", "").startswith(_JSON)
        return Answer(
            str(response.status),
            json.loads(data) if data and is_json else None,
        )


def _outcome_of(error: Exception) -> str:
    if isinstance(error, TimeoutError):
        return "timeout"
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    return "reset"
