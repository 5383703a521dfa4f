"""Addresses of the organiser's pages, and the words on them."""

import re
from typing import Protocol

from django.urls import reverse

from tests.integration.ranking.writing import TestSetWriter


class Response(Protocol):
    @property
    def content(self) -> bytes: ...

    @property
    def status_code(self) -> int: ...


def addresses(writer: TestSetWriter) -> dict[str, str]:
    arguments = {"slug": writer.campaign.slug, "task_id": writer.task.pk}
    return {
        "campaign": reverse("campaign-detail", kwargs={"slug": writer.campaign.slug}),
        "dashboard": reverse("test-set-dashboard", kwargs=arguments),
        "live": reverse("test-set-live", kwargs=arguments),
    }


def text_of(response: Response) -> str:
    """The words of a page, with single spaces."""
    page = re.sub(
        r"<(head|script|noscript)\b.*?</\1>",
        " ",
        response.content.decode(),
        flags=re.DOTALL,
    )
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    return words.replace(" ,", ",").replace(" .", ".")
