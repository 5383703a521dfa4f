"""How long a start waits for a server."""

import pytest

from launcher import waiting
from launcher.waiting import Watch, await_server, is_away_or_starting

RECOVERING = 'connection to server on socket "/x" failed: FATAL:  the database system is starting up'
REFUSING = (
    'connection to server at "127.0.0.1" failed: FATAL:  role "quintet" does not exist'
)
AWAY = 'connection to server at "127.0.0.1", port 5432 failed: Connection refused'


@pytest.fixture(autouse=True)
def _no_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "ANSWER_SECONDS", 0)


def answers(refusal: str, *, times: int) -> list[str | None]:
    return [*[refusal] * times, None]


def test_a_recovering_server_is_waited_for_without_a_limit() -> None:
    later = answers(RECOVERING, times=3)
    assert await_server("PostgreSQL", lambda: later.pop(0), Watch()) is None
    assert later == []


def test_a_server_that_refuses_for_another_reason_is_given_up() -> None:
    assert await_server("PostgreSQL", lambda: REFUSING, Watch()) == REFUSING


def test_a_server_that_ended_while_recovering_is_given_up() -> None:
    refusal = await_server(
        "PostgreSQL",
        lambda: RECOVERING,
        Watch(),
        is_alive=lambda: False,
    )
    assert refusal == RECOVERING


@pytest.mark.parametrize(
    ("refusal", "is_waited_for"),
    [(RECOVERING, True), (AWAY, True), (REFUSING, False)],
)
def test_an_external_server_may_be_away(refusal: str, is_waited_for: bool) -> None:
    assert is_away_or_starting(refusal) == is_waited_for
