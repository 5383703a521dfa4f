"""Published results as their readers see them: made of their content alone."""
