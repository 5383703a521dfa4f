"""Pages name the demo campaigns that are still being loaded."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from demo.still_loading import still_loading_write

pytestmark = pytest.mark.django_db


@pytest.mark.thorough
def test_pages_name_the_campaigns_that_are_still_being_loaded(
    tmp_path: Path,
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("QUINTET_HOME", str(tmp_path))
    still_loading_write(["A day", "Another <day>"])
    assert (
        "A day, Another &lt;day&gt;" in client.get(reverse("sign-in")).content.decode()
    )
    still_loading_write([])
    assert "A day" not in client.get(reverse("sign-in")).content.decode()
