"""Forty clients send half a request and fall silent, while a judge works.

python -m tests.attacks.slow_clients
"""

from __future__ import annotations

import socket
import time
from contextlib import ExitStack

from tests.attacks.judge import HOST, judge_at_work, make_judge_session
from tests.attacks.table import Figure, attack_run
from tests.benchmarks.web_server import web_server

CLIENTS = 40
SECONDS = 15
P95_MS = 200
HEAD = b"POST /sign-in/ HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n"
HALVES = {
    "half a head": HEAD,
    "half a body": HEAD + b"Content-Length: 1000\r\n\r\nlogin=olga",
    "half a large body": HEAD + b"Content-Length: 2000000\r\n\r\nlogin=olga",
    "half a chunked body": HEAD + b"Transfer-Encoding: chunked\r\n\r\n5\r\nlogin",
}


def attack() -> list[Figure]:
    """Hold forty connections of each kind while a judge works; return what the judge noticed."""
    cookie = make_judge_session()
    figures = []
    for what, half in HALVES.items():
        with web_server() as (port, _process), ExitStack() as held:
            for _ in range(CLIENTS):
                client = held.enter_context(socket.create_connection((HOST, port)))
                client.sendall(half)
            with judge_at_work(port, cookie) as answers:
                time.sleep(SECONDS)
        p95, count = answers.percentile(95), len(answers.milliseconds)
        held_off = p95 < P95_MS and answers.failed == 0
        figures.append(
            Figure(
                f"{what}: a judge's p95, ms (n={count})",
                "no answer within 15,000",
                f"{p95:,.0f}",
                f"< {P95_MS}",
                held_off,
            )
        )
    return figures


if __name__ == "__main__":
    attack_run("tests.attacks.slow_clients", attack)
