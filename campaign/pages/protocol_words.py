"""Each protocol's question to judges, in a sentence for organisers."""

from collections.abc import Mapping
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from campaign.models import Protocol
from campaign.texts.joining import sentence_list, with_full_stop

#: A protocol that is missing here is shown by its name alone.
_ASKED: Final[Mapping[str, Promise]] = {
    "ranking": _("Judges rank five outputs from best to worst; ties are allowed."),
    "rating": _(
        "Judges rate single outputs on five-point scales, first for fluency, then for adequacy."
    ),
    "two_outputs": _("Judges compare two outputs: one is better, or they are equal."),
    "top": _("Judges mark the best output, or several."),
    "spans": _("Judges mark errors in one to five outputs and score each from 0 to 100."),
    "sorting": _(
        "Judges compare the outputs of two systems; each result decides which pair comes next."
    ),
    "editing": _(
        "Judges edit an output without seeing the source; others check that the result is fluent and means "
        "the same."
    ),
    "quiz": _(
        "Readers read a few sentences of one system’s output and mark statements about them as true or false."
    ),
}


def asked_in_words(protocol: str) -> str:
    """Return the question to judges, in a sentence; empty for a protocol without one."""
    return str(_ASKED.get(protocol, ""))


def protocol_in_words(protocol: Protocol) -> str:
    """Return the name of a protocol, and its question to judges."""
    return sentence_list([with_full_stop(protocol.label), asked_in_words(protocol)])
