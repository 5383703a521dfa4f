"""Nothing that reaches a judge's browser tells who wrote an output."""

import re

import pytest
from playwright.sync_api import Response

from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.factories import make_campaign, make_judge, make_test_set

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SYSTEMS = ("qx-amber", "qx-birch", "qx-cobalt", "qx-dune", "qx-ember")


def test_a_judge_receives_no_name_of_a_system(new_page: NewPage, sign_in: SignIn) -> None:
    test_set = make_test_set(make_campaign(), documents=(6, 6), systems=SYSTEMS, identical=())
    page = new_page()
    received: list[Response] = []
    page.on("response", lambda response: received.append(response))  # noqa: PLW0108  it needs a function
    sign_in(page, make_judge(test_set.campaign))
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    at_sentence(page, 1)
    all_sent(page)
    bodies = [
        f"{response.url} {response.all_headers()} {response.text()}"
        for response in received
        if response.status < 300 and response.status != 204
    ]
    assert sum("/api/v1/judging/" in body for body in bodies) >= 5
    for body in bodies:
        assert not [name for name in SYSTEMS if name in body]
        assert not re.search(r"(?<!\w)_ref(?!\w)", body)
        if "/api/" in body:
            assert "system" not in body
