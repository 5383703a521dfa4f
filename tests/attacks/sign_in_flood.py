"""Sixteen clients sign in with wrong passwords without a pause, each from an address and for an account of its own.

    python -m tests.attacks.sign_in_flood

Limits by address or by account do not help against that many; what must hold is that a judge at work does not notice.
"""

from __future__ import annotations

import http.client
import time
import urllib.parse

from tests.attacks.clients import clients_attack, in_words
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
    with web_server() as (port, _process):
        with judge_at_work(port, cookie) as alone:
            time.sleep(SECONDS / 3)
        with judge_at_work(port, cookie) as answers:
            statuses = clients_attack(sign_in, port=port, clients=CLIENTS, seconds=SECONDS)
    p95 = answers.percentile(95)
    asked = f"n={len(answers.milliseconds)}; sign-ins: {in_words(statuses)}"
    return [
        Figure("a judge's p95, ms", "7,000 to 12,400", f"{p95:,.0f}", f"< {P95_MS}", p95 < P95_MS),
        Figure("the same without the flood", "4", f"{alone.percentile(95):,.0f}", "-", held=True),
        Figure("a judge's failed requests", "-", str(answers.failed), "0", answers.failed == 0),
        Figure("how often was tried", "n=4", asked, "-", held=True),
    ]


def _accounts_make() -> None:
    from campaign.models import User

    for number in range(CLIENTS):
        User.objects.create_user(
            name="Olga", email=f"olga{number}@example.org", password="correct horse battery"
        )


def sign_in(port: int, client: int, tried: int) -> int:
    """Sign in with a wrong password once, from an address of its own; return the status."""
    email = f"olga{client}@example.org"
    address = f"10.{client}.{tried // 250}.{1 + tried % 250}"
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    form = {
        "login": email,
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
    attack_run("tests.attacks.sign_in_flood", attack, PROXIES="1")
