"""How the judging page shows and asks: a screen for each protocol, in a folder of scripts and one of templates."""

from collections.abc import Iterable
from functools import cache
from typing import Any

from django.conf import settings
from django.templatetags.static import static

from annotation.protocols import answer_kinds
from campaign.models import Protocol

# Its scripts come with the page; those of others are loaded before their first block is shown.
_PRELOADED = Protocol.RANKING.value


@cache
def _files(pattern: str) -> list[str]:
    """Return the static files of this pattern, by their names there."""
    root = settings.BASE_DIR / "static"
    return sorted(path.relative_to(root).as_posix() for path in root.glob(pattern))


def _with_screen(protocols: Iterable[str]) -> list[str]:
    """Return those whose screens judges need on this page, in a constant order.

    `static/judge/screens.js` knows, too, which protocols are asked on the screen of another.

    Ranking where there are none: a page opened before the first task is ready for that.
    """
    of_others = {kind.protocol: kind.screen for kind in answer_kinds() if kind.screen}
    screens = {of_others.get(each, each) for each in protocols}
    found = sorted(each for each in screens if _files(f"judge/{each}/screen.js"))
    return found or [_PRELOADED]


def screens_context(protocols: Iterable[str]) -> dict[str, Any]:
    """Return what the page's template needs of these protocols: style sheets, scripts, templates, keys."""
    styles: list[str] = []
    preloaded: list[str] = []
    later = [*_files("judge/later/*.js")]
    with_screen = _with_screen(protocols)
    for each in with_screen:
        styles += _files(f"css/judge-{each.replace('_', '-')}.css")
        scripts = preloaded if each == _PRELOADED else later
        scripts += _files(f"judge/{each}/*.js")
        later += _files(f"judge/{each}/later/*.js")
    return {
        "protocols": with_screen,
        "styles": styles,
        "preloaded": preloaded,
        "loaded_later": later,
        "screen_templates": [f"judge/{each}/_screen.html" for each in with_screen],
        "key_templates": [f"judge/{each}/_keys.html" for each in with_screen],
    }


def screen_addresses(protocols: Iterable[str]) -> dict[str, str]:
    """Return the address of each protocol's screen, from which the page imports it."""
    return {each: static(f"judge/{each}/screen.js") for each in _with_screen(protocols)}
