"""Which outputs meet on which segment: pure functions of (design, seed, HIT number)."""
