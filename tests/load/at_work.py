"""Judges and an organiser who use a running web server over HTTP, each in a thread of their own."""

import json
import threading
import time
from collections import Counter
from http import HTTPStatus
from http.client import HTTPConnection
from random import Random
from typing import Any
from uuid import uuid4

from tests.benchmarks.web_server import HOST


class Answers:
    """How long answers took and what they were, of all threads, since the last `taken`."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seconds: dict[str, list[float]] = {}
        self._statuses: Counter[str] = Counter()

    def add(self, kind: str, status: int, seconds: float) -> None:
        """Add one answer; `kind` is what was asked for."""
        with self._lock:
            self._seconds.setdefault(kind, []).append(seconds)
            self._statuses[f"{kind} {status}"] += 1

    def taken(self) -> tuple[dict[str, list[float]], Counter[str]]:
        """Return seconds by kind and answers by kind and status, and begin anew."""
        with self._lock:
            found = self._seconds, self._statuses
            self._seconds, self._statuses = {}, Counter()
        return found


class _Caller(threading.Thread):
    """Somebody with one connection to the web server, until the end."""

    def __init__(
        self,
        port: int,
        headers: dict[str, str],
        answers: Answers,
        end: threading.Event,
    ) -> None:
        super().__init__(daemon=True)
        self._server = HTTPConnection(HOST, port, timeout=120)
        self._headers, self._answers, self._end = headers, answers, end

    def _send(
        self,
        kind: str,
        method: str,
        path: str,
        body: dict[str, Any] | None = None,
    ) -> tuple[int, bytes, Any]:
        sent = None if body is None else json.dumps(body)
        began = time.monotonic()
        self._server.request(method, path, sent, self._headers)
        answer = self._server.getresponse()
        read = answer.read()
        self._answers.add(kind, answer.status, time.monotonic() - began)
        return answer.status, read, answer.headers


class JudgeAtWork(_Caller):
    """Asks for a HIT, pauses before each of its blocks, submits it, and asks for the next one."""

    def __init__(
        self,
        port: int,
        token: str,
        pause: float,
        answers: Answers,
        end: threading.Event,
    ) -> None:
        headers = {
            "Content-Type": "application/json",
            "Authorization": f"Token {token}",
        }
        super().__init__(port, headers, answers, end)
        self._mean_pause, self._random = pause, Random(token)

    def run(self) -> None:
        """Judge until the end. Judges begin within one pause."""
        self._end.wait(self._random.uniform(0, self._mean_pause))
        while not self._end.is_set():
            status, read, _headers = self._send(
                "ask",
                "POST",
                "/api/v1/judging/assignments/",
                {},
            )
            answer: dict[str, Any] = json.loads(read) if read else {}
            if status != HTTPStatus.OK:
                self._end.wait(answer.get("retry_after", self._mean_pause))
                continue
            for block in answer["blocks"]:
                if self._end.wait(self._random.uniform(0.5, 1.5) * self._mean_pause):
                    return
                self._judge(block)

    def _judge(self, block: dict[str, Any]) -> None:
        labels = [self._random.randint(1, 5) for _candidate in block["candidates"]]
        body = {
            "block": block["id"],
            "labels": labels,
            "duration_ms": 9000,
            "active_ms": 8000,
        }
        self._send("submit", "PUT", f"/api/v1/judging/judgments/{uuid4()}/", body)


class OrganiserAtWork(_Caller):
    """Reads the present ranking each second over REST, as a page that is left open does."""

    def __init__(
        self,
        port: int,
        token: str,
        task_id: int,
        answers: Answers,
        end: threading.Event,
    ) -> None:
        super().__init__(port, {"Authorization": f"Token {token}"}, answers, end)
        self._path = f"/api/v1/tasks/{task_id}/rankings/latest/"

    def run(self) -> None:
        """Read until the end, with the tag of what was read last."""
        while not self._end.wait(1):
            _status, _read, headers = self._send("ranking", "GET", self._path)
            if headers.get("ETag"):
                self._headers["If-None-Match"] = headers["ETag"]
