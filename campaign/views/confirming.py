"""Page that shows the effects of a drastic action before it is carried out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from campaign.models import Campaign, Task
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list


@dataclass(frozen=True, slots=True)
class Answer:
    """A button of the page: its label, and the field it sends."""

    words: str
    name: str = "act"
    value: str = "yes"


@dataclass(frozen=True, slots=True)
class Question:
    """Confirmation asked of an organiser before a drastic action.

    `facts` describe the effects it would have now, and `after` how to undo it. The answers send
    `fields` to the same address. `confirmed` is sent as well; with `sure`, only if the box with
    this label is ticked.
    """

    title: str
    facts: Sequence[str]
    answers: Sequence[Answer]
    cancel: str
    after: str = ""
    sure: str = ""
    confirmed: str = ""
    error: str = ""
    fields: Mapping[str, str | Sequence[str]] = field(default_factory=dict)

    @property
    def sent(self) -> Iterator[tuple[str, str]]:
        """The fields as sent: a field with several values is sent once for each."""
        for name, value in self.fields.items():
            for text in [value] if isinstance(value, str) else value:
                yield name, text


def ask(
    request: HttpRequest,
    question: Question,
    *,
    campaign: Campaign,
    section: str,
    task: Task | None = None,
) -> HttpResponse:
    """Return the page with a question, which changes nothing: 409 if an answer was refused."""
    context = {"campaign": campaign, "section": section, "question": question}
    if task is not None:
        context["task"] = task
    status = 409 if question.error else 200
    return render(request, "organiser/confirm.html", context, status=status)


def is_answered(request: HttpRequest) -> bool:
    """Return whether the request comes from a button of the question's page."""
    return request.method == "POST" and bool(
        request.POST.get("act") or request.POST.get("undo"),
    )


def what_ends(access: Any) -> str:
    """Return the numbers of links, signed-in browsers and API tokens in words."""
    return comma_list(
        [
            counted("%(count)d link", "%(count)d links", access.links),
            counted(
                "%(count)d signed-in browser",
                "%(count)d signed-in browsers",
                access.browsers,
            ),
            counted("%(count)d API token", "%(count)d API tokens", access.tokens),
        ],
    )
