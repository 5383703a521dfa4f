"""Bundles of published results: zips from which one command computes the result again."""

from ranking.export.bundles.making import result_bundle_make

__all__ = ["result_bundle_make"]
