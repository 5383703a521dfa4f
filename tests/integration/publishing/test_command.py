"""`publish_result`."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from ranking.models import PublishedResult
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def said(*arguments: str, **options: Any) -> str:
    out = StringIO()
    given = ("--address", "https://q.example")
    call_command("publish_result", "autumn", "news", *given, *arguments, stdout=out, **options)
    return out.getvalue()


def test_a_preview_publishes_nothing(judged: TestSetWriter) -> None:
    text = said("--preview", "--anonymous", "amber", "birch")
    assert "System A" in text
    assert "System B" in text
    assert "amber" not in text
    assert "| Cluster |" in text
    assert not PublishedResult.objects.exists()


def test_it_publishes_and_prints_the_address(judged: TestSetWriter) -> None:
    text = said(
        "--author", "Lind, Jon", "--author", "Roe, Ada", "--embargo-until", "2099-01-01T09:00"
    )
    result = PublishedResult.objects.get()
    assert text == f"Version 1 is published: https://q.example/results/{result.address}/\n"
    assert result.content["authors"] == ["Lind, Jon", "Roe, Ada"]
    assert result.embargo_until is not None
    assert result.published_by is None
    assert said(verbosity=0) == ""
