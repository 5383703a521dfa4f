"""Eight clients ask for the API's description without a pause, in every language.

python -m tests.attacks.schema_flood
"""

from __future__ import annotations

import http.client
import time

from tests.attacks.clients import clients_attack, in_words
from tests.attacks.judge import HOST, judge_at_work, make_judge_session
from tests.attacks.table import Figure, attack_run
from tests.benchmarks.web_server import web_server

CLIENTS = 8
SECONDS = 15
P95_MS = 200
LANGUAGES = ("en", "de", "cs", "es", "zh-hans", "ar")


def attack() -> list[Figure]:
    """Flood the description while a judge works; return what the judge noticed."""
    cookie = make_judge_session()
    with web_server() as (port, _process):
        with judge_at_work(port, cookie) as alone:
            time.sleep(SECONDS / 3)
        with judge_at_work(port, cookie) as answers:
            statuses = clients_attack(ask, port=port, clients=CLIENTS, seconds=SECONDS)
    p95 = answers.percentile(95)
    return [
        Figure("a judge's p95, ms", "1,270", f"{p95:,.0f}", f"< {P95_MS}", p95 < P95_MS),
        Figure("the same without the flood", "4", f"{alone.percentile(95):,.0f}", "-", held=True),
        Figure("answers a second", "8.4", f"{statuses[200] / SECONDS:,.0f}", "-", held=True),
        Figure("how often was asked", "-", in_words(statuses), "-", held=True),
    ]


def ask(port: int, client: int, tried: int) -> int:
    """Ask for the description once; return the status."""
    connection = http.client.HTTPConnection(HOST, port, timeout=60)
    try:
        language = LANGUAGES[(client + tried) % len(LANGUAGES)]
        connection.request("GET", f"/api/schema/?lang={language}")
        response = connection.getresponse()
        response.read()
        return response.status
    except OSError:
        return 0
    finally:
        connection.close()


if __name__ == "__main__":
    attack_run("tests.attacks.schema_flood", attack)
