"""Statistics of edits and of their acceptance: arrays in, frozen results out; no Django."""
