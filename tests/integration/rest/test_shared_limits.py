"""Limits of API requests count across web processes, and never stop the API."""

import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.cache import caches
from django.test import Client
from pytest_django import Settings

from campaign.api.contract import Reads
from config.caches import LossyRedisCache

CHECKOUT = Path(__file__).parents[3]


def test_counts_of_a_process_are_read_by_others() -> None:
    key = f"requests-{uuid4()}"
    caches["throttles"].set(key, [1.25, 2.5])
    script = (
        f"from django.core.cache import caches; print(caches['throttles'].get({key!r}))"
    )
    command = [sys.executable, "-c", script]
    printed = subprocess.run(command, cwd=CHECKOUT, capture_output=True, check=True)
    assert printed.stdout.decode().strip() == "[1.25, 2.5]"


@pytest.mark.django_db
def test_requests_are_answered_while_the_server_of_counts_is_away(
    analyst: Client,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings.API_READS_A_MINUTE = 1
    # A port that nothing listens on.
    options = {"retry": None, "socket_connect_timeout": 0.5}
    away = LossyRedisCache("redis://127.0.0.1:1", {"OPTIONS": options})
    monkeypatch.setattr(Reads, "cache", away)
    answers = [analyst.get("/api/v1/campaigns/").status_code for _time in range(3)]
    assert answers == [200, 200, 200]
