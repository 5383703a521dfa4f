"""Addresses of clients, by which wrong passwords and new participants are limited."""

import pytest
from django.test import RequestFactory
from pytest_django import Settings

from campaign.accounts.clients import client_address


@pytest.mark.parametrize(
    ("forwarded", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("203.0.113.7:22272", "203.0.113.7"),
        ("[2001:db8::1]:443", "2001:db8::"),
        ("2001:db8::1", "2001:db8::"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("198.51.100.1:1, 203.0.113.7:2", "203.0.113.7"),
        ("unknown", "192.0.2.1"),
    ],
)
def test_address_that_a_proxy_writes_is_that_of_the_client(
    settings: Settings,
    forwarded: str,
    address: str,
) -> None:
    """xorbitsai/xagent#1185, pennersr/django-allauth#4230: with its port, all clients counted as the proxy."""
    settings.PROXIES = 1
    request = RequestFactory().get(
        "/sign-in/",
        headers={"x-forwarded-for": forwarded},
        REMOTE_ADDR="192.0.2.1",
    )
    assert client_address(request) == address
