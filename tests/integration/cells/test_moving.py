"""Two installations behind one address; a campaign moves from one to the other while its judges judge."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any
from uuid import uuid4

import psycopg2
import pytest

from cells.cell_map import CellMap
from launcher.waiting import wait_until
from tests.cells.nginx import NGINX, nginx
from tests.cells.router import HOST, router
from tests.faults.comparison import compare
from tests.faults.installation import Installation
from tests.faults.judges import SimulatedJudge
from tests.faults.ledger import Ledger
from tests.faults.server import Server

pytestmark = pytest.mark.thorough

JUDGES = 4
SECONDS = 180
OF_BROWSER = """
SELECT count(*) FROM annotation_judgment j JOIN campaign_judge g ON g.id = j.judge_id
WHERE g.pseudonym = 'browser' AND j.task_id = %s
"""
NEWEST = "SELECT max(id) FROM annotation_judgment WHERE task_id = %s"


@pytest.fixture(scope="module")
def cells() -> Iterator[list[Installation]]:
    """Two installations, each with a PostgreSQL and a Valkey of its own, and one secret key."""
    with ExitStack() as held:
        folder = Path(held.enter_context(TemporaryDirectory(prefix="quintet-cells-"))).resolve()
        # PostgreSQL runs under another account where we are root.
        folder.chmod(0o711)
        made = []
        for cell in (0, 1):
            (folder / str(cell)).mkdir()
            environment = {"CELL": str(cell), "SECRET_KEY": "one key for all cells"}
            each = Installation(folder / str(cell), environment=environment)
            held.callback(each.stop)
            each.start()
            made.append(each)
        yield made


class Browser:
    """Cookies and one connection at a time, as a judge's browser has them."""

    def __init__(self, port: int, campaign: str) -> None:
        self._port, self._campaign = port, campaign
        self.cookies: dict[str, str] = {}

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, Any]:
        headers = {
            "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items()),
            "Quintet-Campaign": self._campaign,
            "Content-Type": "application/json",
            "X-CSRFToken": self.cookies.get("csrftoken", ""),
        }
        with closing(http.client.HTTPConnection(HOST, self._port, timeout=30)) as connection:
            connection.request(method, path, json.dumps(body) if body else "{}", headers)
            response = connection.getresponse()
            data = response.read()
        for name, value in response.getheaders():
            if name == "Set-Cookie":
                key, _, rest = value.partition("=")
                self.cookies[key] = rest.partition(";")[0]
        is_json = (response.getheader("Content-Type") or "").startswith("application/json")
        return response.status, json.loads(data) if is_json else data


def make_campaign(cell: Installation, name: str) -> SimpleNamespace:
    made = cell.program("-m", "tests.faults.campaign", str(JUDGES), "200", name)[0]
    printed = manage(cell, "add_judge", "browser", "--campaign", name)
    link = printed[printed.index("/i/") :].split()[0]
    return SimpleNamespace(name=name, link=link, **made)


def manage(cell: Installation, *arguments: str) -> str:
    return cell.run("manage.py", *arguments)


def query(cell: Installation, sql: str, *parameters: object) -> list[tuple[Any, ...]]:
    with closing(psycopg2.connect(cell.database_url)) as connection, connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        rows: list[tuple[Any, ...]] = cursor.fetchall()
        return rows


@pytest.fixture(
    params=[
        "router",
        pytest.param("nginx", marks=pytest.mark.skipif(not NGINX, reason="nginx is not installed")),
    ]
)
def address(
    request: pytest.FixtureRequest, cells: list[Installation], tmp_path: Path
) -> Iterator[SimpleNamespace]:
    """The one address before both cells: its port, its map, and what has it read the map again."""
    path = tmp_path / "cells.map"
    CellMap({cell: f"{HOST}:{each.port}" for cell, each in enumerate(cells)}).write(path)
    if request.param == "nginx":
        with nginx(tmp_path, path) as running:
            yield SimpleNamespace(port=running.port, map=path, reload=running.reload)
    else:
        with router(path) as port:
            yield SimpleNamespace(port=port, map=path, reload=lambda: None)


@pytest.fixture
def campaign(cells: list[Installation]) -> SimpleNamespace:
    return make_campaign(cells[0], f"moves-{uuid4().hex[:8]}")


def move(cells: list[Installation], campaign: SimpleNamespace, *arguments: str) -> str:
    to = cells[1].services["MIGRATION_DATABASE_URL"]
    return manage(cells[0], "move_campaign", campaign.name, "--to", to, *arguments)


def test_a_campaign_moves_while_its_judges_judge(
    cells: list[Installation], address: SimpleNamespace, campaign: SimpleNamespace
) -> None:
    ledger, stop = Ledger(), threading.Event()
    judges = [
        SimulatedJudge(
            name,
            Server(address.port, token, ledger, campaign=campaign.name),
            ledger,
            stop=stop,
            seed=seed,
        )
        for seed, (name, token) in enumerate(list(campaign.tokens.items())[:JUDGES])
    ]
    browser = Browser(address.port, campaign.name)
    browser.ask("GET", campaign.link)
    assert browser.ask("POST", campaign.link)[0] == 302
    status, hit = browser.ask("POST", "/api/v1/judging/assignments/", {"campaign": campaign.name})
    assert status == 200
    for judge in judges:
        judge.start()
    enough = [(20,)]
    judged = "SELECT count(*) FROM annotation_judgment WHERE task_id = %s"
    try:
        assert wait_until(lambda: query(cells[0], judged, campaign.task) >= enough, seconds=SECONDS)
        assert ranked(cells[0], campaign.task)
        move(cells, campaign, "--map", str(address.map))
        at_home = query(cells[0], judged, campaign.task)
        address.reload()
        more = [(at_home[0][0] + 20,)]
        assert wait_until(lambda: query(cells[1], judged, campaign.task) >= more, seconds=SECONDS)
    finally:
        stop.set()
        for judge in judges:
            judge.join(SECONDS)
    assert [outcome for judge in judges for outcome in judge.refused] == []
    # Nothing was stored in the old cell after it was copied.
    assert query(cells[0], judged, campaign.task) == at_home
    # The browser that had a HIT in hand goes on in the new cell without signing in.
    answer = {"block": hit["blocks"][0]["id"], "labels": [1] * len(hit["blocks"][0]["candidates"])}
    status, stored = browser.ask("PUT", f"/api/v1/judging/judgments/{uuid4()}/", answer)
    assert status == 200, stored
    assert {"sessionid", "sessionid-1"} <= set(browser.cookies)
    assert browser.ask("GET", f"/judge/{campaign.name}/")[0] == 200
    assert query(cells[1], OF_BROWSER, campaign.task) == [(1,)]
    found = compare(cells[1].database_url, campaign.task, ledger, seconds=SECONDS)
    assert found.acknowledged == found.sent > at_home[0][0]
    assert (found.doubled, found.lost, found.gaps) == (0, 0, 0)
    assert (found.not_one_current, found.not_the_last) == (0, 0)
    assert found.invented == 1  # the browser's, which is in no ledger
    assert found.ranked_seconds is not None
    # What is new there has ids of that cell.
    assert query(cells[1], NEWEST, campaign.task)[0][0] >= 10**12


def test_while_it_moves_and_afterwards_nothing_is_written_where_it_was(
    cells: list[Installation], campaign: SimpleNamespace
) -> None:
    server = Server(cells[0].port, next(iter(campaign.tokens.values())), Ledger())
    [block, *_more] = server.send("lend", "POST", "assignments/", {}).body["blocks"]
    move(cells, campaign)
    body = {"block": block["id"], "labels": [1] * len(block["candidates"])}
    answer = server.send("submit", "PUT", f"judgments/{uuid4()}/", body)
    assert answer.outcome == "503"
    assert "moved to another server" in answer.body["detail"]
    server.close()
    with pytest.raises(RuntimeError, match="campaign moves to another cell"):
        manage(cells[0], "add_judge", "late", "--campaign", campaign.name)
    # Nor does its link open the door there.
    assert Browser(cells[0].port, "").ask("GET", campaign.link)[0] == 404
    assert Browser(cells[1].port, "").ask("GET", campaign.link)[0] == 200


def ranked(cell: Installation, task: int) -> bool:
    latest = "SELECT count(*) FROM ranking_latestranking WHERE task_id = %s"
    return wait_until(lambda: query(cell, latest, task) == [(1,)], seconds=SECONDS)
