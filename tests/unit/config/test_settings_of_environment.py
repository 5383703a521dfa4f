"""Settings that follow from several variables of the environment."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from launcher.data_directory import CHECKOUT

PRINT = """
import json
from config import settings
names = ("CSRF_TRUSTED_ORIGINS", "EMAIL_PORT", "EMAIL_FILE_PATH")
print(json.dumps({name: getattr(settings, name) for name in names}))
"""
REQUIRED = {
    "DATABASE_URL": "postgres:///q",
    "REDIS_URL": "redis://r",
    "SECRET_KEY": "s",
}


def settings_of(**environment: str) -> dict[str, Any]:
    """Return the settings of a process with this environment."""
    done = subprocess.run(
        [sys.executable, "-c", PRINT],
        cwd=CHECKOUT,
        env={"PATH": os.environ["PATH"], **REQUIRED, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    values: dict[str, Any] = json.loads(done.stdout)
    return values


def test_forms_of_the_public_address_are_trusted_behind_any_proxy() -> None:
    settings = settings_of(
        PUBLIC_ADDRESS="https://Campaign.example.org:8443/quintet/",
        CSRF_TRUSTED_ORIGINS="https://other.example.org",
    )
    assert settings["CSRF_TRUSTED_ORIGINS"] == [
        "https://other.example.org",
        "https://campaign.example.org:8443",
    ]


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("smtp://mail.example.org", 25),
        ("smtp+tls://mail.example.org", 587),
        ("smtp+ssl://mail.example.org", 465),
        ("smtp+ssl://mail.example.org:2465", 2465),
    ],
)
def test_the_port_of_a_mail_server_follows_from_its_kind_of_tls(
    url: str, port: int
) -> None:
    assert settings_of(EMAIL_URL=url)["EMAIL_PORT"] == port
