"""Look for what should not be there: before a ranking is believed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import Option
from ranking.core.diagnosis.campaign import (
    CampaignDiagnosis,
    IdenticalTexts,
    diagnose_campaign,
    identical_texts,
)
from ranking.reports import Report
from ranking.reports.campaigns import campaign_report
from ranking.reports.inputs import Input

SKIPPED_BLOCKS = Option(
    name="skipped_blocks",
    label=gettext_lazy("Skipped blocks"),
    default="leave_out",
    choices={
        "leave_out": gettext_lazy("left out"),
        "count": gettext_lazy("count as shown"),
    },
    help=gettext_lazy(
        "In how many blocks a system was shown. Bojar et al. (2011) count blocks without any label, which "
        "are skips here."
    ),
)
ROUNDED = Option(
    name="rounded",
    label=gettext_lazy("Correlate rounded scores"),
    default=False,
    help=gettext_lazy("To a tenth of a percent, as Bojar et al. (2011) did."),
)


@dataclass(frozen=True, slots=True)
class _Found:
    campaign: CampaignDiagnosis
    identical: IdenticalTexts | None


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> _Found:
    begin(_("Counting"))
    # All that was judged: the reference takes part.
    found = diagnose_campaign(
        given.read.blocks,
        reference=given.reference,
        decimals=3 if options[ROUNDED.name] else None,
        also_shown=given.shown,
    )
    texts = given.texts
    identical = (
        None
        if texts is None
        else identical_texts(
            given.read.blocks, {name: texts.of(name) for name in given.read.blocks.systems}
        )
    )
    return _Found(found, identical)


def _tell(given: Input, options: Mapping[str, Any], found: _Found) -> Report:
    del options
    return campaign_report(given, found.campaign, found.identical)


DIAGNOSIS = AnalysisKind(
    name="diagnosis",
    title=gettext_lazy("Diagnosis"),
    question=gettext_lazy(
        "What is there to look at before the ranking is believed: ties, sole winners, how often each "
        "system was judged, and beside the reference?"
    ),
    options=(SKIPPED_BLOCKS, ROUNDED),
    find=_find,
    tell=_tell,
)
