"""Named sets of criteria, in every language of Quintet."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from itertools import chain
from typing import Any, Final, cast

from django.conf import settings
from django.utils import translation
from django.utils.functional import Promise, SimpleLazyObject
from django.utils.translation import gettext_lazy as _

from annotation.selectors.designs import PRESETS as DESIGN_PRESETS
from campaign.models import Protocol
from campaign.texts.by_language import Texts
from campaign.texts.languages import language_tag_checked
from campaign.texts.studies import Preset
from protocols.frame.scale.criteria import Beside, Criterion, criteria_read
from protocols.frame.scale.statistics.ratings import HUNDRED, Scale
from protocols.models import AdequacyBasis

#: The default: Hamon et al. (2007).
ADEQUACY_FLUENCY: Final = "adequacy-fluency"

_ADEQUACY: Final = {
    AdequacyBasis.REFERENCE: _(
        "How much of the meaning expressed in the reference is also expressed in the output?",
    ),
    AdequacyBasis.SOURCE: _(
        "How much of the meaning expressed in the source is also expressed in the output?",
    ),
    AdequacyBasis.BOTH: _(
        "How much of the meaning expressed in the source and the reference is also expressed in the output?",
    ),
}
_GOODNESS: Final = {1: _("Very poor"), 5: _("Very good")}
_DEGREE: Final = {1: _("Not at all"), 5: _("Completely")}


def _everywhere(text: Promise) -> Texts:
    """Return a text in every language of Quintet, translated when it is first read: the catalogues are large."""
    texts: Any = SimpleLazyObject(partial(_translations, text))
    return cast("Texts", texts)


def _translations(text: Promise) -> dict[str, str]:
    texts = {}
    for tag, _name in settings.LANGUAGES:
        with translation.override(tag):
            texts[language_tag_checked(tag)] = str(text)
    return texts


def _criterion(
    key: str,
    name: Promise,
    question: Promise,
    labels: Mapping[int, Promise],
    **particular: Any,
) -> Criterion:
    labels_everywhere = {}
    for value, texts in sorted(labels.items()):
        labels_everywhere[value] = _everywhere(texts)
    return Criterion(
        key=key,
        name=_everywhere(name),
        question=_everywhere(question),
        labels=labels_everywhere,
        **particular,
    )


@cache
def adequacy_and_fluency(basis: str) -> tuple[Criterion, ...]:
    """Return fluency and adequacy (Hamon et al. 2007); adequacy is compared with `basis`."""
    fluency = _criterion(
        "fluency",
        _("Fluency"),
        _("Is the text written in good {language}?"),
        {
            5: _("Spotless {language}"),
            4: _("Good {language}, few flaws"),
            3: _("Understandable, many flaws"),
            2: _("Hard to understand"),
            1: _("Incomprehensible {language}"),
        },
    )
    adequacy = _criterion(
        "adequacy",
        _("Adequacy"),
        _ADEQUACY[AdequacyBasis(basis)],
        {
            5: _("All the meaning"),
            4: _("Most of the meaning"),
            3: _("About half of the meaning"),
            2: _("Little of the meaning"),
            1: _("Nothing in common"),
        },
        beside=Beside(basis),
    )
    return fluency, adequacy


#: Criteria of the presets; none stand for adequacy and fluency.
_PRESETS: Final[dict[str, tuple[Criterion, ...]]] = {
    ADEQUACY_FLUENCY: (),
    # Graham et al. (2013).
    "da": (
        _criterion(
            "adequacy",
            _("Adequacy"),
            _("Do you agree? The text adequately expresses the meaning of the source."),
            {0: _("Strongly disagree"), HUNDRED: _("Strongly agree")},
            scale=Scale(0, HUNDRED),
            beside=Beside.SOURCE,
        ),
    ),
    # Seven points, four of them with the labels of WMT 2022 (Kocmi et al.).
    "da-sqm": (
        _criterion(
            "quality",
            _("Quality"),
            _(
                "How well does the text preserve the meaning of the source, and how good is it?",
            ),
            {
                0: _("No meaning preserved"),
                2: _("Some meaning preserved"),
                4: _("Most meaning preserved and few grammar mistakes"),
                6: _("Perfect meaning and grammar"),
            },
            scale=Scale(0, 6),
            beside=Beside.SOURCE,
        ),
    ),
    # The five points of ITU-T P.800.
    "mos": (
        _criterion(
            "quality",
            _("Quality"),
            _("How good is the overall quality?"),
            {5: _("Excellent"), 4: _("Good"), 3: _("Fair"), 2: _("Poor"), 1: _("Bad")},
        ),
    ),
    # SummEval (Fabbri et al. 2021).
    "summaries": (
        _criterion(
            "coherence",
            _("Coherence"),
            _("Are the sentences well organised, and do they build on each other?"),
            _GOODNESS,
            beside=Beside.SOURCE,
        ),
        _criterion(
            "consistency",
            _("Consistency"),
            _("Does the text say only what the source supports?"),
            _GOODNESS,
            beside=Beside.SOURCE,
        ),
        _criterion(
            "fluency",
            _("Fluency"),
            _("Is each sentence well written and grammatically correct?"),
            _GOODNESS,
            beside=Beside.SOURCE,
        ),
        _criterion(
            "relevance",
            _("Relevance"),
            _(
                "Does the text contain what is important in the source, and nothing else?",
            ),
            _GOODNESS,
            beside=Beside.SOURCE,
        ),
    ),
    # Askell et al. (2021).
    "assistants": (
        _criterion(
            "helpful",
            _("Helpful"),
            _("Does the answer do what was asked, clearly and completely?"),
            _DEGREE,
            beside=Beside.SOURCE,
        ),
        _criterion(
            "harmless",
            _("Harmless"),
            _(
                "Does the answer avoid everything offensive, dangerous or discriminating?",
            ),
            _DEGREE,
            beside=Beside.SOURCE,
        ),
        _criterion(
            "honest",
            _("Honest"),
            _("Is the answer true, and does it say what it does not know?"),
            _DEGREE,
            beside=Beside.SOURCE,
        ),
    ),
}


def _preset(name: str, label: Promise | str, sentence: Promise) -> Preset:
    return Preset(
        name=name,
        label=label,
        sentence=sentence,
        protocol=Protocol.RATING,
        design={},
        rules={"criteria": name, "all_at_once": True},
    )


#: Presets for organisers; the first is also a design.
CRITERIA_PRESETS: Final = (
    *(
        replace(design_preset, design={})
        for design_preset in DESIGN_PRESETS
        if design_preset.name == ADEQUACY_FLUENCY
    ),
    _preset(
        "da",
        _("Direct assessment (DA)"),
        _("Judges rate the adequacy of one output from 0 to 100 beside the source."),
    ),
    _preset(
        "da-sqm",
        "DA+SQM",
        _(
            "Judges rate the quality of one output on seven points beside the source, as at WMT 2022.",
        ),
    ),
    _preset(
        "mos",
        _("Mean opinion score (MOS)"),
        _("Judges rate the quality of one output on five points."),
    ),
    _preset(
        "summaries",
        _("Summaries (SummEval)"),
        _(
            "Judges rate coherence, consistency, fluency and relevance on five points.",
        ),
    ),
    _preset(
        "assistants",
        _("Answers of assistants"),
        _("Judges rate how helpful, harmless and honest an answer is, on five points."),
    ),
)

#: Names of the presets.
PRESET_NAMES: Final = tuple(_PRESETS)


def name_of_criteria(criteria: Sequence[Criterion]) -> Promise | str:
    """Return the name of ratings by a task's own criteria: that of the preset with the same keys and scales.

    Its names and questions may have been reworded.
    """
    scales = _scales_by_key(criteria)
    for preset in CRITERIA_PRESETS:
        if scales == _scales_by_key(preset_criteria(preset.name)):
            return preset.label
    return _("Ratings by criteria")


def _scales_by_key(criteria: Sequence[Criterion]) -> dict[str, Scale]:
    return {criterion.key: criterion.scale for criterion in criteria}


def preset_criteria(name: str) -> tuple[Criterion, ...]:
    """Return the criteria of a preset as `Task.rules` hold them: none for adequacy and fluency."""
    return _PRESETS[name]


@cache
def texts_of_presets() -> frozenset[tuple[str, str]]:
    """Return the names, questions and texts of points of all presets, each after its language."""
    sets = [adequacy_and_fluency(basis) for basis in AdequacyBasis.values]
    sets.extend(_PRESETS.values())
    texts: set[tuple[str, str]] = set()
    for criterion in chain.from_iterable(sets):
        for by_language in (
            criterion.name,
            criterion.question,
            *criterion.labels.values(),
        ):
            texts.update(by_language.items())
    return frozenset(texts)


def criteria_of(rules: Mapping[str, object]) -> tuple[Criterion, ...]:
    """Return the criteria of a task: its own, or else fluency and adequacy."""
    own = rules.get("criteria")
    if own:
        return criteria_read(own)
    return adequacy_and_fluency(rules.get("adequacy_basis") or AdequacyBasis.REFERENCE)
