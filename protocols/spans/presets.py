"""Presets of tasks with error spans."""

from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from annotation.models import Design
from annotation.selectors.designs import PRESETS
from campaign.models import Protocol
from campaign.texts.studies import Preset
from protocols.spans.records import Severity

ESA: Final = gettext_lazy("Error spans and scores (ESA)")
SCORES: Final = gettext_lazy("Scores from 0 to 100 (DA)")
MQM: Final = "MQM"
MQM_GOOGLE: Final = "MQM (Google 2021)"


def _mqm(name: str, label: Promise | str, sentence: Promise) -> Preset:
    return Preset(
        name=name,
        label=label,
        sentence=sentence,
        protocol=Protocol.SPANS,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 1},
        rules={
            "scored": False,
            "source_marked": True,
            "severities": [severity.value for severity in Severity],
            "categories": name,
            "weights": "google-2021",
        },
    )


SPANS_PRESETS: Final = (
    *(preset for preset in PRESETS if preset.protocol == Protocol.SPANS),
    _mqm(
        "mqm-core",
        MQM,
        gettext_lazy(
            "Judges mark errors in one output and its source, with severities and the categories of MQM core.",
        ),
    ),
    _mqm(
        "google-2021",
        MQM_GOOGLE,
        gettext_lazy("The same with the categories of Freitag et al. (2021)."),
    ),
    Preset(
        name="scores",
        label=SCORES,
        sentence=gettext_lazy(
            "Judges score one output from 0 to 100, without marking errors.",
        ),
        protocol=Protocol.SPANS,
        design={"kind": Design.Kind.BALANCED, "systems_per_block": 1},
        rules={"spans_asked": False},
    ),
)
