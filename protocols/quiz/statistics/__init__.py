"""Statistics of quizzes: arrays in, frozen results out; no Django."""
