"""Engines that compute shards on other machines; `ranking.core.sharding` defines engines."""
