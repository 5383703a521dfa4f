"""The list of studies that organisers choose from, alike wherever a task is added."""

from collections.abc import Iterable

from campaign.models import Protocol
from campaign.texts.joining import sentence_list, with_full_stop
from campaign.texts.studies import study_presets


def study_choices(protocols: Iterable[str] = Protocol) -> list[tuple[str, str]]:
    """Return the studies of these protocols for a form field: each with its name, and a sentence on it."""
    offered = set(protocols)
    choices = []
    for protocol in Protocol:
        for preset in study_presets():
            if preset.protocol == protocol and protocol in offered:
                words = sentence_list([with_full_stop(preset.label), preset.sentence])
                choices.append((preset.name, words))
    return choices
