"""What each protocol asks of judges, in a sentence for organisers."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaign.models import Protocol

#: A protocol that is not here is known by its name alone.
_ASKED: Final[Mapping[str, Promise]] = {
    "ranking": _("Judges rank five outputs of a sentence from best to worst, and may tie them."),
    "rating": _(
        "Judges rate one output at a time on five points: first all of them for fluency, then the same ones for adequacy."
    ),
    "two_outputs": _(
        "Judges see two outputs of a sentence and say which is better, or that neither is."
    ),
    "top": _("Judges mark the best of the outputs of a sentence: one of them, or several."),
    "spans": _(
        "Judges mark the errors in one to five outputs of a sentence, and give each a score from 0 to 100."
    ),
    "sorting": _(
        "Judges see outputs of two systems and say which is better; each comparison decides which two come next."
    ),
    "editing": _(
        "Judges edit one output of a sentence without its source; others say whether what came out is fluent and "
        "means the same."
    ),
    "quiz": _(
        "Readers see a few sentences of one system’s output, and say which statements about them are true."
    ),
}


def asked_in_words(protocol: str) -> str:
    """Return what judges are asked, in a sentence; empty for a protocol without one."""
    return str(_ASKED.get(protocol, ""))


def protocol_in_words(protocol: Protocol) -> str:
    """Return the name of a protocol, and what judges are asked."""
    return f"{protocol.label}. {asked_in_words(protocol)}".removesuffix(" ")
