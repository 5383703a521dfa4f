"""Pages and folders of published results, made from their content alone."""
