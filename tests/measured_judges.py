"""Measures of judges computed from blocks; the product computes them from tallies."""

from ranking.core.agreement.tallies import tally_agreement
from ranking.core.judged.blocks import Blocks
from ranking.core.judges import clicking, diagnosis, patterns
from ranking.core.judges.tallies import tally_judges


def reference_preferences(
    blocks: Blocks,
    reference: str,
) -> tuple[clicking.ReferencePreference, ...]:
    return clicking.reference_preferences(_margins(blocks, reference))


def reference_ignored(
    blocks: Blocks,
    reference: str,
    *,
    odds: float = clicking.REFERENCE_ODDS,
) -> tuple[clicking.ClickingEvidence, ...]:
    return clicking.reference_ignored(_margins(blocks, reference), odds=odds)


def _margins(blocks: Blocks, reference: str) -> clicking.ReferenceMargins:
    places = patterns.tally_places(blocks, reference)
    return clicking.reference_margins(places, len(blocks.judges))


def typed_in_order(blocks: Blocks) -> tuple[clicking.ClickingEvidence, ...]:
    return clicking.typed_in_order(patterns.tally_lines(blocks), len(blocks.judges))


def straight_lining(blocks: Blocks) -> tuple[clicking.StraightLining, ...]:
    return clicking.straight_lining(patterns.tally_lines(blocks), len(blocks.judges))


def position_bias(blocks: Blocks) -> tuple[patterns.PositionBias, ...]:
    return patterns.position_bias(tally_judges(blocks).positions, len(blocks.judges))


def disagreement(blocks: Blocks) -> tuple[diagnosis.Disagreement, ...]:
    return diagnosis.disagreement(tally_agreement(blocks))
