"""Quizzes: readers of outputs answer yes/no questions (Berka et al. 2011; Bojar et al. 2011, §5)."""
