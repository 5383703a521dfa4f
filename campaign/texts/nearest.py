"""Suggestions for unknown names."""

from collections.abc import Iterable
from difflib import get_close_matches

from django.utils.translation import gettext as _


def with_nearest(message: str, name: str, valid_names: Iterable[str]) -> str:
    """Return the message about an unknown name, with the closest known name as a suggestion, if any."""
    near = get_close_matches(name, list(valid_names), n=1)
    if not near:
        return message
    question = _("Did you mean “%(near)s”?") % {"near": near[0]}
    return f"{message} {question}"
