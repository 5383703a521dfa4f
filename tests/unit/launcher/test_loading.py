"""The page that the launcher shows while Quintet starts."""

import gettext

import pytest

from launcher.loading import STEPS, LoadingPage


@pytest.mark.parametrize(
    ("headers", "tag"),
    [
        ({}, '<html lang="en" dir="ltr">'),
        ({"Accept-Language": "fr, ar;q=0.8, en;q=0.5"}, '<html lang="ar" dir="rtl">'),
        ({"Accept-Language": "en-GB,de"}, '<html lang="en" dir="ltr">'),
        ({"Accept-Language": "zh-CN"}, '<html lang="zh-Hans" dir="ltr">'),
        (
            {"Accept-Language": "de", "Cookie": "a=b; django_language=cs"},
            '<html lang="cs" dir="ltr">',
        ),
    ],
)
def test_the_page_is_in_the_language_chosen_or_asked_for(
    headers: dict[str, str],
    tag: str,
) -> None:
    assert tag in LoadingPage().html(headers)


def test_the_page_is_translated_and_counts_what_is_done(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Shouted(gettext.NullTranslations):
        def gettext(self, message: str) -> str:
            return f"<{message.upper()}>"

    monkeypatch.setattr("gettext.translation", lambda *_all, **_more: Shouted())
    page = LoadingPage()
    page.finish("services")
    text = page.html({"Accept-Language": "de"})
    assert '<li class="done">&lt;DATABASE&gt;</li>' in text
    assert '<li class="">&lt;WEB SERVER&gt;</li>' in text
    assert f'<progress max="{len(STEPS)}" value="1"' in text
