"""What was read, as every report on files begins with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import Blocks
from ranking.files import IgnoredBecause, JudgmentsRead


@dataclass(frozen=True, slots=True)
class Input:
    """The judgments read, and what of them is looked at.

    Attributes
    ----------
    read : JudgmentsRead
    blocks : Blocks
        Those of `read`, without the reference where it is excluded.
    reference : str or None
        The reference among the systems of `read`, whether excluded or not.
    """

    read: JudgmentsRead
    blocks: Blocks
    reference: str | None

    @property
    def is_reference_excluded(self) -> bool:
        """Whether there is a reference, and it is not looked at."""
        return self.reference is not None and self.reference not in self.blocks.systems


def input_data(given: Input) -> dict[str, Any]:
    """Describe the input for programs: comparisons, ties and systems as looked at."""
    tallies = tally(given.blocks)
    ignored = given.read.ignored_documents
    return {
        "files": [{"name": file.name, "sha256": file.sha256} for file in given.read.files],
        "format": given.read.input_format,
        "source_language": given.read.languages[0],
        "target_language": given.read.languages[1],
        "reference": given.reference,
        "reference_excluded": given.is_reference_excluded,
        "blocks": len(given.blocks),
        "skipped": given.read.skipped,
        "blank_labels": given.read.blank_labels,
        "comparisons": tallies.comparisons,
        "ties": tallies.tied,
        "judges": given.read.judges,
        "excluded_judges": list(given.read.excluded_judges),
        "systems": len(given.blocks.systems),
        "documents_ignored": None if ignored is None else ignored.reason,
    }


def input_notes(given: Input) -> list[str]:
    """Describe the input for people."""
    data = input_data(given)
    blocks = ngettext("%(number)s block", "%(number)s blocks", data["blocks"]) % {
        "number": f"{data['blocks']:,}"
    }
    notes = [
        _("%(source)s to %(target)s: %(blocks)s, %(skipped)s skipped, %(blank)s labels blank")
        % {
            "source": data["source_language"],
            "target": data["target_language"],
            "blocks": blocks,
            "skipped": f"{data['skipped']:,}",
            "blank": f"{data['blank_labels']:,}",
        },
        _(
            "%(comparisons)s comparisons, %(ties)s of them ties; %(judges)s judges, %(systems)s systems"
        )
        % {name: f"{data[name]:,}" for name in ("comparisons", "ties", "judges", "systems")},
    ]
    if given.is_reference_excluded:
        notes.append(_("Without the reference (%(name)s).") % {"name": given.reference})
    excluded = given.read.excluded_judges
    if excluded:
        without = ngettext(
            "Without %(count)d judge: %(names)s.",
            "Without %(count)d judges: %(names)s.",
            len(excluded),
        )
        notes.append(without % {"count": len(excluded), "names": ", ".join(excluded)})
    return notes


def ignored_documents_notes(given: Input) -> list[str]:
    """Return what to say about documents that are named and that rank ranges do not account for."""
    ignored = given.read.ignored_documents
    if ignored is None:
        return []
    if ignored.reason == IgnoredBecause.SOME_UNNAMED:
        note = _(
            "Warning: only %(naming)s of %(blocks)s judged blocks name a document, so rank ranges "
            "ignore documents and take segments as independent. Name the document of every block, "
            "or of none."
        )
    elif ignored.reason == IgnoredBecause.ONE:
        note = _(
            "All judged blocks name the same document, so rank ranges account for its segments and "
            "say nothing about other documents."
        )
    else:
        note = _(
            "Warning: some segment is said to be of two documents, so rank ranges ignore documents "
            "and take segments as independent. Name the same document wherever a segment is judged."
        )
    return [note % {"naming": f"{ignored.naming:,}", "blocks": f"{len(given.read.blocks):,}"}]
