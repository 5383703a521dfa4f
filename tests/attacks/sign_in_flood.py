"""Sixteen clients sign in with wrong passwords without a pause, each from an address and for an account of its own.

    python -m tests.attacks.sign_in_flood

Limits by address or by account do not help against that many; what must hold is that a judge at work does not notice.
"""

from __future__ import annotations

import http.client
import time
import urllib.parse
from collections import Counter
from threading import Thread

from tests.attacks.judge import HOST, judge_at_work, make_judge_session
from tests.attacks.table import Figure, attack_run
from tests.benchmarks.web_server import web_server

CLIENTS = 16
SECONDS = 15
P95_MS = 200
TOKEN = "a" * 64


def attack() -> list[Figure]:
    """Flood the sign-in while a judge works; return what the judge noticed."""
    cookie = make_judge_session()
    _accounts_make()
    statuses: Counter[int] = Counter()
    with web_server() as (port, _process), judge_at_work(port, cookie) as answers:
        until = time.monotonic() + SECONDS
        clients = [
            Thread(target=_sign_in_until, args=(port, number, until, statuses))
            for number in range(CLIENTS)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
    p95 = answers.percentile(95)
    asked = f"n={len(answers.milliseconds)}; sign-ins: " + ", ".join(
        f"{count} x {status}" for status, count in sorted(statuses.items())
    )
    return [
        Figure("a judge's p95, ms", "7,000 to 12,400", f"{p95:,.0f}", f"< {P95_MS}", p95 < P95_MS),
        Figure("a judge's failed requests", "-", str(answers.failed), "0", answers.failed == 0),
        Figure("how often was tried", "n=4", asked, "-", held=True),
    ]


def _accounts_make() -> None:
    from campaign.models import User

    for number in range(CLIENTS):
        User.objects.create_user(
            name="Olga", email=f"olga{number}@example.org", password="correct horse battery"
        )


def _sign_in_until(port: int, number: int, until: float, statuses: Counter[int]) -> None:
    tried = 0
    while time.monotonic() < until:
        tried += 1
        address = f"10.{number}.{tried // 250}.{1 + tried % 250}"
        statuses[_sign_in(port, f"olga{number}@example.org", address)] += 1


def _sign_in(port: int, email: str, address: str) -> int:
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    form = {
        "login": email,
        "username": email,
        "password": "wrong",
        "csrfmiddlewaretoken": TOKEN,
    }
    headers = {
        "Content-Type": "application/x-www-form-urlencoded",
        "Cookie": f"csrftoken={TOKEN}",
        "X-Forwarded-For": address,
    }
    try:
        connection.request("POST", "/sign-in/", urllib.parse.urlencode(form), headers)
        response = connection.getresponse()
        response.read()
        return response.status
    except OSError:
        return 0
    finally:
        connection.close()


if __name__ == "__main__":
    attack_run("tests.attacks.sign_in_flood", attack)
