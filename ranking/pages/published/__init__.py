"""Pages and folders of published results, generated from their content alone."""
