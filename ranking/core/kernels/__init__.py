"""Compiled loops, loaded only when first used: the compiler takes half a second to import."""
