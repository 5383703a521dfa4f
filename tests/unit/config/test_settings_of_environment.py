"""Settings that follow from several variables of the environment."""

import os
import runpy
from typing import Any
from unittest.mock import patch

import pytest

from launcher.data_directory import CHECKOUT

REQUIRED = {
    "DATABASE_URL": "postgres:///q",
    "REDIS_URL": "redis://r",
    "SECRET_KEY": "s",
}


def settings_of(**environment: str) -> dict[str, Any]:
    """Return the settings in this environment."""
    with patch.dict(os.environ, {**REQUIRED, **environment}, clear=True):
        return runpy.run_path(str(CHECKOUT / "config" / "settings.py"))


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
    ("prefix", "names"),
    [
        ("", ("sessionid", "csrftoken", "django_language")),
        (
            "/mt/quintet",
            (
                "sessionid_mt_quintet",
                "csrftoken_mt_quintet",
                "django_language_mt_quintet",
            ),
        ),
    ],
)
def test_cookies_below_a_path_are_not_those_of_a_site_above(
    prefix: str,
    names: tuple[str, ...],
) -> None:
    settings = settings_of(URL_PREFIX=prefix)
    assert names == (
        settings["SESSION_COOKIE_NAME"],
        settings["CSRF_COOKIE_NAME"],
        settings["LANGUAGE_COOKIE_NAME"],
    )


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
    url: str,
    port: int,
) -> None:
    settings = settings_of(EMAIL_URL=url)
    assert settings["EMAIL_PORT"] == port
    assert settings["EMAIL_BACKEND"] == "config.mail_backend.EmailBackend"
