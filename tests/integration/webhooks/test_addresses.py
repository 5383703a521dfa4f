"""Organisers choose where messages go; they do not reach our own network by that."""

import socket
from typing import Any

import pytest

from campaign.services import webhooks
from campaign.services.webhooks import AddressRefusedError, message_post, url_check


@pytest.mark.parametrize(
    "url",
    [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://10.1.2.3/",
        "https://172.16.0.1/",
        "https://192.168.1.1:8443/x",
        "https://169.254.169.254/latest/meta-data/",
        "https://[fe80::1]/",
        "https://[fd00:ec2::254]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[64:ff9b::a00:1]/",
        "https://[2002:7f00:1::]/",
        "https://0.0.0.0/",
        "https://[::]/",
        "https://100.64.0.1/",
        "https://224.0.0.1/",
        "https://255.255.255.255/",
        "https://192.0.0.10/",
        "https://192.88.99.1/",
        "https://[fec0::1]/",
        "https://[::10.0.0.1]/",
        "https://[::8.8.8.8]/",
        "https://[::ffff:0:10.0.0.1]/",
        "https://[64:ff9b:1::a00:1]/",
        # Teredo: the client is 10.0.0.1, then the server is.
        "https://[2001:0:808:808::f5ff:fffe]/",
        "https://[2001:0:a00:1::f7f7:f7f7]/",
        "https://[3fff::1]/",
        "https://[5f00::1]/",
        "https://[::ffff:0.0.0.0]/",
        "http://example.org/",
        "ftp://example.org/",
        "file:///etc/passwd",
        "https://user:secret@example.org/",
        "https://example.org/#x",
        "https://example.org:99999/",
        "https:///x",
        "https://exa mple.org/",
        "https://example.org/\r\nX: y",
        "https://bücher.example/",
        "javascript:alert(1)",
        "",
    ],
)
def test_these_addresses_are_refused(url: str) -> None:
    with pytest.raises(AddressRefusedError):
        url_check(url)


@pytest.mark.parametrize(
    "host", ["8.8.8.8", "[2001:4860:4860::8888]", "[64:ff9b::8.8.8.8]", "[::ffff:8.8.8.8]", "[2002:808:808::1]"],
)  # fmt: skip
def test_public_addresses_are_accepted(host: str) -> None:
    url_check(f"https://{host}/")


@pytest.mark.parametrize(
    "found",
    [["127.0.0.1"], ["93.184.215.14", "10.0.0.1"], ["::ffff:169.254.169.254"]],
)
def test_names_that_lead_into_our_network_get_no_connection(
    found: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def resolved(_host: str, port: int, **_options: Any) -> list[Any]:
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in found
        ]

    def connected(*_args: Any) -> None:
        raise AssertionError

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setattr(webhooks, "_connect_socket", connected)
    answer = message_post(url="https://inside.example.org/", body="{}", headers={})
    assert answer.code is None
    assert "private network" in answer.error


def test_the_connection_goes_to_the_address_that_was_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []

    def resolved(_host: str, port: int, **_options: Any) -> list[Any]:
        asked.append(port)
        address = "93.184.215.14" if len(asked) == 1 else "127.0.0.1"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    def connected(addresses: list[Any]) -> None:
        asked.append(addresses)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    monkeypatch.setattr(webhooks, "_connect_socket", connected)
    message_post(url="https://rebinding.example.org/", body="{}", headers={})
    assert asked == [443, [("93.184.215.14", 443)]]
