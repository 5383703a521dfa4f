"""The address that a start listens on."""

import socket

import pytest

from launcher.data_directory import LauncherError
from launcher.listening import Address, address_of, listen


def has_ipv6() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1"),
        ("127.0.0.2", "http://127.0.0.2"),
        ("0.0.0.0", "http://127.0.0.1"),
        pytest.param(
            "::1",
            "http://[::1]",
            marks=pytest.mark.skipif(not has_ipv6(), reason="no IPv6"),
        ),
    ],
)
def test_links_name_the_address_listened_on(
    host: str,
    url: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOST", host)
    monkeypatch.setenv("PORT", "0")
    with listen("start") as listener:
        address = address_of(listener)
        assert address.url == f"{url}:{address.port}"
        socket.create_connection((address.host_to_reach, address.port)).close()


# The second is of a network for documentation (RFC 5737), the others names.
@pytest.mark.parametrize("host", ["localhost", "192.0.2.7", "x86_64-conda-linux-gnu"])
def test_an_address_of_another_machine_is_refused(
    host: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOST", host)
    monkeypatch.setenv("PORT", "0")
    with pytest.raises(
        LauncherError,
        match=f"HOST={host} is not an IP address of this machine",
    ):
        listen("start")


def test_requests_may_name_the_address_in_host() -> None:
    assert "192.0.2.7" in Address("192.0.2.7", 8000).allowed_hosts.split(",")
    assert "[::1]" in Address("::1", 8000).allowed_hosts.split(",")
