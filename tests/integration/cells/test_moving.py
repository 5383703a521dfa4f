"""Two installations behind one address; a campaign moves from one to the other while its judges judge."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
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
OUTPUTS = """
SELECT count(*) FROM campaign_output o JOIN campaign_system s ON s.id = o.system_id
WHERE s.test_set_id = %s
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


def test_a_move_that_fails_leaves_both_cells_as_they_were(
    cells: list[Installation], campaign: SimpleNamespace
) -> None:
    before = counted(cells[0])
    there = counted(cells[1])
    with no_judge_enters(cells[1]), pytest.raises(RuntimeError, match="no_judge"):
        move(cells, campaign)
    assert counted(cells[0]) == before
    assert counted(cells[1]) == there
    server = Server(cells[0].port, next(iter(campaign.tokens.values())), Ledger())
    assert server.send("lend", "POST", "assignments/", {}).outcome == "200"
    server.close()


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


def test_a_move_that_was_killed_after_the_copy_is_ended_by_the_next(
    cells: list[Installation], campaign: SimpleNamespace
) -> None:
    move(cells, campaign)
    # As it was between the two commits.
    own = "UPDATE campaign_campaignmove SET moved_at = NULL WHERE campaign_id = %s"
    execute(cells[0], own, campaign_id(cells[0], campaign))
    closed = "INSERT INTO campaign_campaignmove (campaign_id, to_cell) VALUES (%s, 1)"
    execute(cells[1], closed, campaign_id(cells[1], campaign))
    with pytest.raises(RuntimeError, match="has it already"):
        move(cells, campaign, "--reopen")
    move(cells, campaign)
    assert moves(cells[0], campaign) == [(1, True)]
    assert moves(cells[1], campaign) == []


def test_somebody_with_an_account_in_both_cells_is_one_person_there(
    cells: list[Installation], campaign: SimpleNamespace
) -> None:
    address = f"{campaign.name}@example.org"
    manage(cells[0], "add_organiser", address, "--campaign", campaign.name)
    other = make_campaign(cells[1], f"stays-{uuid4().hex[:8]}")
    manage(cells[1], "add_organiser", address.upper(), "--campaign", other.name)
    move(cells, campaign)
    of = (
        "SELECT c.slug FROM campaign_membership m JOIN campaign_campaign c ON c.id = m.campaign_id"
        " JOIN campaign_user u ON u.id = m.user_id WHERE lower(u.email) = %s ORDER BY c.slug"
    )
    assert query(cells[1], of, address) == [(campaign.name,), (other.name,)]


def test_what_a_campaign_left_behind_is_forgotten_and_nothing_else(
    cells: list[Installation], campaign: SimpleNamespace
) -> None:
    other = make_campaign(cells[0], f"stays-{uuid4().hex[:8]}")
    texts = query(cells[0], OUTPUTS, other.task)
    with pytest.raises(RuntimeError, match="has not moved"):
        manage(cells[0], "forget_campaign", campaign.name)
    move(cells, campaign)
    manage(cells[0], "forget_campaign", campaign.name)
    assert query(cells[0], OUTPUTS, campaign.task) == [(0,)]
    assert query(cells[0], OUTPUTS, other.task) == texts > [(0,)]
    same_name = "SELECT count(*) FROM campaign_campaign WHERE slug = %s"
    assert query(cells[0], same_name, campaign.name) == [(0,)]
    left = "SELECT count(*) FROM pg_indexes WHERE indexname LIKE 'forgetting%%'"
    assert query(cells[0], left) == [(0,)]
    assert query(cells[1], OUTPUTS, campaign.task) > [(0,)]


def test_a_campaign_moves_upwards_only(cells: list[Installation]) -> None:
    """The latest judgment of a block, ranking or design is the one with the largest id."""
    high = make_campaign(cells[1], f"high-{uuid4().hex[:8]}")
    lower = cells[0].services["MIGRATION_DATABASE_URL"]
    with pytest.raises(RuntimeError, match="higher number"):
        manage(cells[1], "move_campaign", high.name, "--to", lower)
    assert moves(cells[1], high) == []


def test_a_campaign_does_not_move_into_its_own_cell(
    cells: list[Installation], campaign: SimpleNamespace
) -> None:
    own = cells[0].services["MIGRATION_DATABASE_URL"]
    with pytest.raises(RuntimeError, match="Both databases are cell 0"):
        manage(cells[0], "move_campaign", campaign.name, "--to", own)
    assert moves(cells[0], campaign) == []


def ranked(cell: Installation, task: int) -> bool:
    latest = "SELECT count(*) FROM ranking_latestranking WHERE task_id = %s"
    return wait_until(lambda: query(cell, latest, task) == [(1,)], seconds=SECONDS)


def moves(cell: Installation, campaign: SimpleNamespace) -> list[tuple[Any, ...]]:
    """Return where the campaign moves from this cell, and whether it has moved."""
    sql = "SELECT to_cell, moved_at IS NOT NULL FROM campaign_campaignmove WHERE campaign_id = %s"
    return query(cell, sql, campaign_id(cell, campaign))


def campaign_id(cell: Installation, campaign: SimpleNamespace) -> int:
    found: int = query(cell, "SELECT id FROM campaign_campaign WHERE slug = %s", campaign.name)[0][
        0
    ]
    return found


def counted(cell: Installation) -> dict[str, int]:
    """Return how many rows each table has that only moves and judges write."""
    tables = (
        *("campaign_campaign", "campaign_judge", "campaign_user", "campaign_output"),
        *("annotation_assignment", "annotation_judgment", "campaign_campaignmove"),
    )
    return {table: query(cell, f"SELECT count(*) FROM {table}")[0][0] for table in tables}


@contextmanager
def no_judge_enters(cell: Installation) -> Iterator[None]:
    """Let the cell refuse judges, so that a copy breaks off in the middle."""
    execute(cell, "ALTER TABLE campaign_judge ADD CONSTRAINT no_judge CHECK (id < 0) NOT VALID")
    yield
    execute(cell, "ALTER TABLE campaign_judge DROP CONSTRAINT no_judge")


def execute(cell: Installation, sql: str, *parameters: object) -> None:
    """Run a statement as the owner."""
    url = cell.services["MIGRATION_DATABASE_URL"]
    with psycopg2.connect(url) as connection, connection.cursor() as cursor:
        cursor.execute(sql, parameters or None)
    connection.close()
