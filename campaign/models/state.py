"""States of a campaign, and the transitions between them."""

from typing import Final

import pgtrigger
from django.db import models
from django.utils.translation import gettext_lazy as _


class CampaignState(models.TextChoices):
    """State of a campaign; only an open one lends new work to judges."""

    DRAFT = "draft", _("draft")
    OPEN = "open", _("open")
    PAUSED = "paused", _("paused")
    CLOSED = "closed", _("closed")
    ARCHIVED = "archived", _("archived")
    BIN = "bin", _("in the bin")


class Transition(models.TextChoices):
    """Transition between states of a campaign; the value is the last part of its address."""

    OPEN = "open", _("Open campaign")
    PAUSE = "pause", _("Pause campaign")
    RESUME = "resume", _("Resume")
    CLOSE = "close", _("Close campaign")
    REOPEN = "reopen", _("Reopen campaign")
    ARCHIVE = "archive", _("Archive campaign")
    UNARCHIVE = "unarchive", _("Restore from archive")
    DELETE = "delete", _("Delete campaign")


_S: Final = CampaignState
#: Source states and target state of each transition. A campaign leaves the bin for the state it had before.
TRANSITIONS: Final[dict[Transition, tuple[frozenset[CampaignState], CampaignState]]] = {
    Transition.OPEN: (frozenset({_S.DRAFT}), _S.OPEN),
    Transition.PAUSE: (frozenset({_S.OPEN}), _S.PAUSED),
    Transition.RESUME: (frozenset({_S.PAUSED}), _S.OPEN),
    Transition.CLOSE: (frozenset({_S.OPEN, _S.PAUSED}), _S.CLOSED),
    Transition.REOPEN: (frozenset({_S.CLOSED}), _S.OPEN),
    Transition.ARCHIVE: (frozenset({_S.CLOSED}), _S.ARCHIVED),
    Transition.UNARCHIVE: (frozenset({_S.ARCHIVED}), _S.CLOSED),
    Transition.DELETE: (frozenset(_S) - {_S.BIN}, _S.BIN),
}
#: The transition that reverts each one. An opened campaign cannot become a draft again; deletion is
#: undone in the bin.
UNDOES: Final = {
    Transition.PAUSE: Transition.RESUME,
    Transition.RESUME: Transition.PAUSE,
    Transition.CLOSE: Transition.REOPEN,
    Transition.REOPEN: Transition.CLOSE,
    Transition.ARCHIVE: Transition.UNARCHIVE,
    Transition.UNARCHIVE: Transition.ARCHIVE,
}


def _refusal() -> str:
    pairs = ", ".join(
        sorted(
            f"('{before}', '{after}')"
            for sources, after in TRANSITIONS.values()
            for before in sources
        )
    )
    return f"""\
IF NOT (OLD.state, NEW.state) IN ({pairs})
    AND NOT (OLD.state = '{_S.BIN}' AND NEW.state = OLD.state_before_bin)
THEN
    RAISE EXCEPTION 'a campaign does not go from % to %', OLD.state, NEW.state
        USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'campaign_state_follows';
END IF;
NEW.state_since = statement_timestamp();
NEW.state_before_bin = CASE WHEN NEW.state = '{_S.BIN}' THEN OLD.state END;
RETURN NEW;
"""


class StateFollows(pgtrigger.Trigger):
    """Refuse a change of state that `TRANSITIONS` lacks, and record when a campaign entered its state."""

    when = pgtrigger.Before
    operation = pgtrigger.UpdateOf("state")  # type: ignore[no-untyped-call]
    condition = pgtrigger.Condition("OLD.state IS DISTINCT FROM NEW.state")
    func = _refusal()
