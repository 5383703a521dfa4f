"""Crawl pages by following links."""

import re

from django.test import Client


def broken_links(client: Client, first: str) -> dict[str, int]:
    """Follow links below an address to one page of each kind; return broken links.

    Files are not opened.
    """
    waiting, known, broken = [first], set(), {}
    while waiting:
        path = waiting.pop()
        # Tables over test sets ask of each task what those with rankings know.
        if (
            (kind := kind_of_page(path)) in known
            or not path.endswith("/")
            or "/tables/" in path
        ):
            continue
        known.add(kind)
        answer = client.get(path, follow=True)
        if answer.status_code != 200:
            broken[path] = answer.status_code
        elif answer["Content-Type"].startswith("text/html"):
            links = re.findall(r'href="(/[^"?#]*)', answer.content.decode())
            waiting += [link for link in links if link.startswith(first)]
    assert len(known) > 200
    return broken


def kind_of_page(path: str) -> str:
    """Return an address without ids and names, except its task."""
    return re.sub(r"(?<!/tasks)/(\d+|system/[^/]+|judges/[^/]+)/", "/…/", path)
