"""The pages of a static copy: real templates, whose addresses become ways from one file to another."""

import posixpath
import re
from collections.abc import Mapping
from html import escape, unescape
from pathlib import Path
from typing import Any, Final

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import staticfiles_storage
from django.template.loader import render_to_string

#: The folder of style sheets.
_STYLE: Final = "style/"
_ADDRESS: Final = re.compile(r' (?P<name>href|src)="(?P<value>[^"]*)"')
#: What a reader follows, and no page asks for by itself.
_ELSEWHERE: Final = ("https://", "http://", "mailto:")


class CopiedSite:
    """Renders templates as files that find each other without a server.

    Parameters
    ----------
    files : mapping
        Where in the copy each page and file is that addresses of this Quintet lead to.
    """

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = files
        self._styles: set[str] = set()

    def page(self, path: str, template: str, context: Mapping[str, Any]) -> bytes:
        """Return the page at a path of the copy."""
        text = render_to_string(template, {**context, "is_copy": True, "may_change": False})
        return _ADDRESS.sub(lambda found: self._way(path, found), text).encode()

    def styles(self) -> dict[str, bytes]:
        """Return the style sheets and pictures that pages so far use, by their paths."""
        return {f"{_STYLE}{name}": _static(name) for name in sorted(self._styles)}

    def _way(self, path: str, found: re.Match[str]) -> str:
        value = unescape(found["value"])
        if value.startswith(("#", *_ELSEWHERE)):
            return found[0]
        target = self._target(value)
        # What is not in the copy is no link.
        if target is None:
            return ""
        way = posixpath.relpath(target, posixpath.dirname(path) or ".")
        return f' {found["name"]}="{escape(way)}"'

    def _target(self, value: str) -> str | None:
        if value.startswith(settings.STATIC_URL):
            name = value.removeprefix(settings.STATIC_URL)
            self._styles.add(name)
            return f"{_STYLE}{name}"
        return self._files.get(value)


def _static(name: str) -> bytes:
    """Return a static file as it was built, or, where nothing was, as it is in the sources."""
    if staticfiles_storage.exists(name):
        with staticfiles_storage.open(name) as stream:
            content: bytes = stream.read()
            return content
    source = finders.find(name)
    if not isinstance(source, str):
        raise FileNotFoundError(name)
    return Path(source).read_bytes()
