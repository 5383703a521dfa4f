"""Judging that starts from suggested errors, which are kept, changed, removed or added to."""

import json
import re
from itertools import islice

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from playwright.sync_api import Page, expect

from campaign.models import Judge, Output, Task
from protocols.models import SpansAnswer
from protocols.spans.suggestions import suggestions_import
from tests.browser.conftest import SignIn
from tests.browser.judging import all_sent, at_sentence
from tests.browser.test_spans import (
    errors,
    output,
    press,
    score,
    spans_task,
    stored,
    text,
)
from tests.factories import make_judge

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def suggest(task: Task) -> None:
    """Suggest errors in the first three words of every output."""
    lines = []
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    for each in outputs.select_related("segment__document", "system"):
        spans = []
        for word in islice(re.finditer(r"\w+", each.text or ""), 3):
            start, end = word.span()
            spans.append({"start": start, "end": end, "severity": "minor"})
        row = {
            "document": each.segment.document.name,
            "segment": str(each.segment.position),
            "source": each.segment.source_text,
            "judge": "qx-metric",
            "outputs": [{"systems": [each.system.name], "spans": spans}],
        }
        lines.append(json.dumps(row))
    file = SimpleUploadedFile("metric.jsonl", "\n".join(lines).encode())
    suggestions_import(task=task, file=file, withheld=0)


@pytest.fixture
def judge() -> Judge:
    task = spans_task(outputs=1)
    suggest(task)
    return make_judge(task.test_set.campaign)


def test_suggested_errors_are_kept_changed_removed_and_added_to(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    at_sentence(page, 1)
    expect(errors(page, "A")).to_contain_text(["minor error, suggested"] * 3)
    expect(text(page, "A").locator(".error.suggested")).to_have_count(3)
    # The first is heard and kept, the second gets worse, the third goes, the last word is new.
    press(page, "ArrowRight", "ArrowLeft")
    expect(page.locator("#announcement")).to_contain_text("minor error, suggested:")
    press(page, "ArrowRight", "2", "ArrowRight", "ArrowRight", "Backspace")
    press(page, "End", "ArrowLeft", "1")
    expect(errors(page, "A")).to_have_count(3)
    expect(errors(page, "A").filter(has_text="suggested")).to_have_count(1)
    page.reload()
    expect(errors(page, "A").filter(has_text="suggested")).to_have_count(1)
    score(page, "A").fill("70")
    press(page, "Control+Enter")
    at_sentence(page, 2)
    expect(errors(page, "A")).to_contain_text(["minor error, suggested"] * 3)
    all_sent(page)
    [[first]] = stored(judge)
    assert [span["severity"] for span in first["spans"]] == ["minor", "major", "minor"]
    [start] = SpansAnswer.objects.values_list("starts", flat=True).get() or []
    assert [span["severity"] for span in start["spans"]] == ["minor"] * 3
    press(page, "u")
    expect(page.locator("#sentence")).to_have_text("Back at item 1 of 3")
    expect(errors(page, "A").filter(has_text="suggested")).to_have_count(1)
    expect(output(page, "A")).to_contain_text("major error")
