"""Long texts in place of those of a HIT: paragraphs as news and literature have them."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, Route

SIZES = {
    "laptop": {"width": 1366, "height": 768},
    "wide": {"width": 1920, "height": 1080},
    "phone": {"width": 390, "height": 844},
}

_ENGLISH = (
    "The museum by the harbour opens its doors at ten o'clock every morning.",
    "Nobody had expected that so many visitors would wait outside in the rain.",
    "Its director speaks of a great success and wants to stay open longer.",
    "The old lift stopped between two floors and could not be moved for hours.",
    "In the evening the lights along the quay were switched on one by one.",
)
_GERMAN = (
    "Das Museum am Hafen öffnet seine Türen jeden Morgen pünktlich um zehn Uhr.",
    "Niemand hatte die Straßenverkehrszulassungsordnung oder so viele Besucher im Regen erwartet.",
    "Die Direktorin spricht von einem großen Erfolg und will länger geöffnet bleiben.",
    "Der alte Aufzug hielt zwischen zwei Etagen und ließ sich stundenlang nicht bewegen.",
    "Am Abend wurden die Lichter entlang des Kais eins nach dem anderen angezündet.",
)
# A word of each output is its own in every sentence.
_OWN = (
    ("Museum", "Haus"),
    ("Besucher", "Gäste"),
    ("Erfolg", "Sieg"),
    ("alte", "graue"),
    ("Abend", "Dunkel"),
)


def _sentences(of: tuple[str, ...], words: int) -> list[str]:
    found: list[str] = []
    while sum(len(each.split()) for each in found) < words:
        found.append(of[len(found) % len(of)])
    return found


def source_of(words: int) -> str:
    return " ".join(_sentences(_ENGLISH, words))


def reference_of(words: int) -> str:
    return " ".join(_sentences(_GERMAN, words))


def output_of(words: int, place: int) -> str:
    return reference_of(words).replace(*_OWN[place])


def lengthen(page: Page, words: int, alter: Callable[[list[str]], list[str]] | None = None) -> None:
    """Let the first HIT have sources, references, neighbours and outputs of so many words.

    `alter` may change the outputs' texts.
    """
    outputs = [output_of(words, place) for place in range(5)]
    if alter:
        outputs = alter(outputs)

    def change(route: Route) -> None:
        response = route.fetch()
        data: Any = response.json()
        for block in data["blocks"]:
            block["source"]["text"] = source_of(words)
            block["references"][0]["text"] = reference_of(words)
            neighbour = {"source": block["source"], "reference": block["references"][0]}
            block["context"] = {"before": [neighbour] * 2, "after": [neighbour] * 2}
            for candidate, text in zip(block["candidates"], outputs, strict=True):
                candidate["text"] = text
        route.fulfill(response=response, body=json.dumps(data))

    page.route("**/judging/assignments/", change)
