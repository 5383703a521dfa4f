"""Adequacy and fluency: judges rate single outputs on five points (Hamon et al. 2007)."""
