"""A broker that is reached over TLS (`rediss://`)."""

import os
import subprocess
import sys

import pytest

from config.celery import Transport, app
from launcher.data_directory import CHECKOUT

PRINT_CERTIFICATES = """
import config.celery
print(config.celery.app.connection_for_read().ssl)
"""


def test_tls_broker_uses_the_transport_that_survives_a_lost_connection() -> None:
    assert (
        app.connection_for_read("rediss://broker:6379/0").get_transport_cls()
        is Transport
    )


@pytest.mark.parametrize(
    ("query", "options"),
    [
        ("", "{'ssl_cert_reqs': <VerifyMode.CERT_REQUIRED: 2>}"),
        ("?ssl_cert_reqs=none", "{'ssl_cert_reqs': <VerifyMode.CERT_NONE: 0>}"),
    ],
)
def test_its_certificate_is_verified_unless_the_address_says_otherwise(
    query: str,
    options: str,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINT_CERTIFICATES],
        cwd=CHECKOUT,
        env={
            "PATH": os.environ["PATH"],
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": "postgres:///q",
            "SECRET_KEY": "s",
            "REDIS_URL": f"rediss://broker:6379/0{query}",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{options}\n", "")
