"""The address of an installation below a path, in its two parts."""

import os
import subprocess
import sys

import pytest

from config.url_prefix import origin_and_path
from launcher.data_directory import CHECKOUT


@pytest.mark.parametrize(
    ("address", "parts"),
    [
        ("", ("", "")),
        ("https://a.org", ("https://a.org", "")),
        ("https://a.org/", ("https://a.org", "")),
        ("https://a.org:8443/b/quintet/", ("https://a.org:8443", "/b/quintet")),
    ],
)
def test_its_origin_and_its_path(address: str, parts: tuple[str, str]) -> None:
    assert origin_and_path(address) == parts


def said(**environment: str) -> str:
    code = (
        "from django.conf import settings as s; import django; django.setup();"
        "from campaign.management.arguments import invitation_address, address_argument as given;"
        "print(s.URL_PREFIX, s.FORCE_SCRIPT_NAME, invitation_address(address=s.PUBLIC_ADDRESS, token='t'),"
        "invitation_address(address=given('https://b.org' + s.URL_PREFIX + '/'), token='t'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=CHECKOUT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.strip() or done.stderr


@pytest.mark.thorough
@pytest.mark.parametrize(
    "environment",
    [
        {"PUBLIC_ADDRESS": "https://a.org/quintet/"},
        {"PUBLIC_ADDRESS": "https://a.org", "URL_PREFIX": "/quintet"},
        {"PUBLIC_ADDRESS": "https://a.org/quintet", "URL_PREFIX": "/quintet/"},
    ],
)
def test_links_of_commands_have_the_path_once(environment: dict[str, str]) -> None:
    links = "https://a.org/quintet/i/t/ https://b.org/quintet/i/t/"
    assert said(**environment) == f"/quintet /quintet {links}"


def test_two_paths_are_refused() -> None:
    told = said(PUBLIC_ADDRESS="https://a.org/quintet", URL_PREFIX="/other")
    assert "PUBLIC_ADDRESS has the path /quintet, but URL_PREFIX is /other" in told
