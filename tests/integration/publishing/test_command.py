"""`publish_result`."""

from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from ranking.models import PublishedResult
from ranking.services import ranking_run_compute, ranking_settings_change
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


def test_a_reason_is_published_in_other_words(judged: TestSetWriter) -> None:
    reason = "Amber asked for it."
    ranking_settings_change(task=judged.task, confidence=0.9, reason=reason)
    ranking_run_compute(task_id=judged.task.pk)
    with pytest.raises(CommandError, match="not to be named"):
        said("--anonymous", "amber")
    reword = ("--reword", reason, "A team asked for it.")
    with pytest.raises(CommandError, match="has more than one wording"):
        said("--anonymous", "amber", *reword, "--reword", reason, "Somebody asked for it.")
    with pytest.raises(CommandError, match="cannot be blank"):
        said("--anonymous", "amber", "--reword", reason, " ")
    said("--anonymous", "amber", *reword)
    (row,) = PublishedResult.objects.get().content["sections"]["ranking_settings"]
    assert row["reason"] == "A team asked for it."


def test_what_is_wrong_is_said(judged: TestSetWriter) -> None:
    with pytest.raises(CommandError, match="no system “nobody”"):
        said("--anonymous", "nobody")
    with pytest.raises(CommandError, match="is no moment"):
        said("--embargo-until", "soon")
    with pytest.raises(CommandError, match="is no moment"):
        said("--embargo-until", "2026-13-45T09:00")
    assert not PublishedResult.objects.exists()
