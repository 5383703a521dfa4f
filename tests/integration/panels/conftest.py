"""A campaign that a study on Prolific sends people to, and Amazon as MTurk's messenger."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_django import Settings

from campaign.models import Campaign, Task
from campaign.panels import certificates
from tests.amazon import Amazon, amazon_at_work
from tests.factories import make_task
from tests.recruiting import Prolific, make_panel


@pytest.fixture
def task(campaign: Campaign) -> Task:
    """Work for those who need some."""
    return make_task(campaign, documents=(9, 9), planned=6)


@pytest.fixture
def prolific(campaign: Campaign) -> Prolific:
    return Prolific(make_panel(campaign))


@pytest.fixture
def amazon(tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Amazon]:
    """SNS, whose server this machine trusts."""
    certificates._failed_at.clear()
    settings.SNS_CERTIFICATE_HOSTS = r"localhost:\d+"
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "localhost")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))
    with amazon_at_work(tmp_path) as amazon:
        yield amazon
    certificates._failed_at.clear()
