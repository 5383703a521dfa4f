"""The method of a published result, in sentences made of what it records."""

from collections.abc import Mapping
from typing import Any, Final

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from ranking.core.ranges.sign_tests import Correction
from ranking.range_choices import recorded_choice
from ranking.wording.ranges import ranges_in_words

Content = Mapping[str, Any]

_EXPECTED_WINS: Final = "expected_wins"
_BRADLEY_TERRY: Final = "bradley_terry"


def method_sentences(content: Content) -> list[str]:
    """Return how judges judged, how systems were ranked, and how sure that is."""
    method = content["method"]
    parameters = method["parameters"]
    ranges = ranges_in_words(
        recorded_choice(parameters),
        resamples=parameters["resamples"],
        limits=content["ranking"]["limits"],
        counts=content["ranking"]["input"],
    )
    return [
        _shown(content),
        _("Identical outputs were shown once, and are tied."),
        _scored(method["name"]),
        *ranges,
        *_pairs(content),
        _again(content),
    ]


def method_name(name: str) -> str:
    """Return what a method is called in sentences."""
    names = {
        _EXPECTED_WINS: _("Expected Wins"),
        _BRADLEY_TERRY: _("ability after Bradley and Terry"),
    }
    return names.get(name, name)


def _shown(content: Content) -> str:
    task = content["task"]
    if task["shows_source"] and task["shows_reference"]:
        seen = _(
            "Judges saw a source sentence, its reference and up to five outputs, and ranked the "
            "outputs from 1 to 5, ties allowed."
        )
    elif task["shows_source"]:
        seen = _(
            "Judges saw a source sentence and up to five outputs, and ranked the outputs from 1 "
            "to 5, ties allowed."
        )
    else:
        seen = _(
            "Judges saw a reference and up to five outputs, and ranked the outputs from 1 to 5, "
            "ties allowed."
        )
    if not task["allows_partial_ranking"]:
        return seen
    return seen + " " + _("They could leave outputs without a rank.")


def _scored(name: str) -> str:
    if name == _EXPECTED_WINS:
        return _(
            "Systems are ranked by Expected Wins: the share of decided comparisons a system wins, "
            "averaged over its opponents (Koehn 2012)."
        )
    if name == _BRADLEY_TERRY:
        return _(
            "Systems are ranked by their ability in the model of Bradley and Terry, with ties "
            "after Davidson (1970)."
        )
    return _("Systems are ranked by the method “%(method)s”.") % {"method": name}


def _pairs(content: Content) -> list[str]:
    pairs = content["ranking"]["pairs"]
    if not pairs:
        return []
    count = {"count": number_format(len(pairs))}
    tested = (
        _("Each pair of systems is tested two-sidedly.")
        if content["method"]["parameters"].get("sides") == 2
        else _("Each pair of systems is tested one-sidedly.")
    )
    corrected = {
        Correction.HOLM: _("p-values are adjusted for %(count)s tests by Holm’s method."),
        Correction.BENJAMINI_HOCHBERG: _(
            "p-values are adjusted for %(count)s tests by Benjamini and Hochberg’s method."
        ),
    }[Correction(content["method"]["correction_of_pairs"])]
    return [tested, corrected % count]


def _again(content: Content) -> str:
    method = content["method"]
    return _(
        "Computed by Quintet %(version)s with seed %(seed)s from the judgments up to number "
        "%(watermark)s."
    ) % {
        "version": method["code_version"],
        "seed": method["seed"],
        "watermark": number_format(method["watermark"]),
    }
