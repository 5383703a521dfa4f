"""A judge whose session an attack uses."""

from __future__ import annotations

HOST = "127.0.0.1"


def make_judge_session(slug: str = "museum") -> str:
    """Make a campaign with a judge; return the Cookie header of the judge's session."""
    from django.test import Client

    from tests import factories

    task = factories.make_task(factories.make_campaign(slug))
    judge = factories.make_judge(task.test_set.campaign)
    assert judge.user is not None
    browser = Client()
    browser.force_login(judge.user)
    return "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
