"""Places in a ranking in words, for headlines."""

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext


def place_in_words(place: int) -> str:
    """Return "first" to "tenth", and "number 11" from there on."""
    words = (
        pgettext("place in a ranking", "first"),
        pgettext("place in a ranking", "second"),
        pgettext("place in a ranking", "third"),
        pgettext("place in a ranking", "fourth"),
        pgettext("place in a ranking", "fifth"),
        pgettext("place in a ranking", "sixth"),
        pgettext("place in a ranking", "seventh"),
        pgettext("place in a ranking", "eighth"),
        pgettext("place in a ranking", "ninth"),
        pgettext("place in a ranking", "tenth"),
    )
    if 1 <= place <= len(words):
        return words[place - 1]
    return _("number %(place)s") % {"place": number_format(place)}
