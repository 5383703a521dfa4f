"""The order in which requests get threads, and which are heavy."""

import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

from config.web_lanes import HEAVY_ADDRESSES, HEAVY_BODY_BYTES, Lane, Turn, is_heavy

#: Files that judges hear and see while they judge, and short ones.
_LIGHT = {
    "judging-media": "at most 50 MB, in ranges; kept by the browser",
    "judge-media": "the same",
    "campaign-media": "the same",
    "api-campaign-table-report": "a table",
    "api-analysis-report": "a table",
    "api-campaign-file": "at most 2 MB",
    "exports": "only with `stream`",
}
_SENDS = re.compile(
    r"streamed_download\(|StreamingHttpResponse\(|file_answer\(|export_stream\(|media_answer\(",
)


@dataclass
class Pool:
    """Threads that begin what they are given, and never end."""

    begun: list[Any] = field(default_factory=list)

    def add_task(self, connection: Any) -> None:
        self.begun.append(connection)


@dataclass(eq=False)
class Connection:
    account: str
    turn: Turn | None = None


def lane(**limits: int) -> tuple[Lane, Pool]:
    pool = Pool()
    most = {"threads": 4, "working": 2, "threads_of_one": 2, "working_of_one": 1}
    return Lane(pool, **(most | limits)), pool  # type: ignore[arg-type]


def test_an_account_waits_in_its_own_line() -> None:
    heavy, pool = lane()
    one = [Connection("one") for _ in range(3)]
    other = Connection("other")
    for connection in (*one, other):
        heavy.add(connection)
    assert pool.begun == [one[0], other]
    assert one[0].turn is not None
    one[0].turn.end()
    assert pool.begun == [one[0], other, one[1]]


def test_another_request_begins_while_a_thread_waits_for_its_reader() -> None:
    heavy, pool = lane()
    first, second, third = (Connection("one") for _ in range(3))
    for connection in (first, second, third):
        heavy.add(connection)
    assert first.turn is not None
    with first.turn.reading():
        assert pool.begun == [first, second]
        assert second.turn is not None
        with second.turn.reading():
            # Two threads are all that one account may hold.
            assert pool.begun == [first, second]


def test_requests_begin_in_the_order_of_their_arrival() -> None:
    light, pool = lane(threads=1, working=1, threads_of_one=1)
    connections = [Connection(name) for name in "abcdef"]
    for connection in connections:
        light.add(connection)
    for connection in connections:
        assert connection.turn is not None
        connection.turn.end()
    assert pool.begun == connections


def test_requests_that_waited_too_long_leave_the_line() -> None:
    heavy, pool = lane()
    first, second, third = (Connection("one") for _ in range(3))
    for connection in (first, second, third):
        heavy.add(connection)
    assert heavy.late(seconds=60) == []
    assert heavy.late(seconds=0) == [second, third]
    assert first.turn is not None
    first.turn.end()
    assert pool.begun == [first]


@pytest.mark.parametrize(
    ("path", "query", "body_bytes", "heavy"),
    [
        ("/api/v1/tasks/3/exports/stream/", "kind=counted", 0, True),
        ("/campaigns/museum/tasks/3/exports/", "kind=counted&stream=", 0, True),
        ("/campaigns/museum/tasks/3/exports/", "kind=stream", 0, False),
        ("/campaigns/museum/tasks/3/exports/", "", 0, False),
        ("/api/v1/judging/assignments/", "", 200, False),
        ("/api/v1/campaigns/museum/judges/", "", HEAVY_BODY_BYTES + 1, True),
    ],
)
def test_heavy_requests_are_known_by_address_or_size(
    path: str,
    query: str,
    body_bytes: int,
    heavy: bool,
) -> None:
    assert is_heavy(path, query, body_bytes) == heavy


def test_every_address_that_sends_a_file_is_heavy_or_known_to_be_light() -> None:
    light = {
        name
        for name, address, callback in addresses()
        if sends_file(callback) and not HEAVY_ADDRESSES.fullmatch(address)
    }
    assert light == set(_LIGHT)


def addresses() -> Iterator[tuple[str, str, Any]]:
    """Yield name, an address and view of each pattern."""
    yield from _below(get_resolver(), "/")


def _below(resolver: URLResolver, before: str) -> Iterator[tuple[str, str, Any]]:
    for pattern in resolver.url_patterns:
        address = before + re.sub(r"<(\w+:)?(\w+)>", _argument, str(pattern.pattern))
        if isinstance(pattern, URLPattern):
            yield str(pattern.name), address, pattern.callback
        else:
            yield from _below(pattern, address)


def _argument(match: re.Match[str]) -> str:
    if match[1] == "int:":
        return "3"
    if match[2] == "file_name":
        return "results.zip"
    return "museum"


def sends_file(callback: Any) -> bool:
    view = getattr(callback, "cls", None)
    if view is not None:
        return bool(getattr(view, "sends_file", False))
    return _SENDS.search(inspect.getsource(inspect.unwrap(callback))) is not None
