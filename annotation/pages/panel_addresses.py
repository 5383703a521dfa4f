"""What organisers paste into a recruiting service, so that it opens a panel's address for participants."""

from collections.abc import Callable, Mapping
from typing import Final
from xml.sax.saxutils import escape

from campaign.models import Panel, PanelKind

PROLIFIC_QUERY: Final = (
    "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}"
)
_QUESTION: Final = """<?xml version="1.0" encoding="UTF-8"?>
<ExternalQuestion xmlns="http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14/ExternalQuestion.xsd">
  <ExternalURL>{address}</ExternalURL>
  <FrameHeight>0</FrameHeight>
</ExternalQuestion>"""


def _prolific(address: str) -> dict[str, str]:
    return {"address": address + PROLIFIC_QUERY}


def _mturk(address: str) -> dict[str, str]:
    return {"question": _QUESTION.format(address=escape(address))}


_PASTED: Final[Mapping[PanelKind, Callable[[str], dict[str, str]]]] = {
    PanelKind.PROLIFIC: _prolific,
    PanelKind.MTURK: _mturk,
}


def pasted(panel: Panel, *, address: str) -> dict[str, str]:
    """Return what is pasted: `address` or `question`. The argument is where participants come in."""
    return _PASTED[PanelKind(panel.kind)](address)
