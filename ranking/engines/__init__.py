"""Engines that compute shards on other machines; `ranking.core.sharding` says what an engine is."""
