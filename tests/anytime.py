"""Ranges that hold at any time, from blocks."""

from ranking.core.anytime import AnytimeRanges, anytime_ranges_of_moments
from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import moments_of_blocks
from ranking.core.judged.blocks import Blocks


def anytime_ranges(blocks: Blocks, *, confidence: float = 0.95) -> AnytimeRanges:
    """Return the ranges of blocks, over documents even if they are few."""
    moments = moments_of_blocks(blocks, Layout(len(blocks.systems)), fewest_documents=0)
    return anytime_ranges_of_moments(moments, blocks.systems, confidence=confidence)
