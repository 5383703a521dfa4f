"""Statistics of ratings: arrays in, frozen results out; no Django."""
