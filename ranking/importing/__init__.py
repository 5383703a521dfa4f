"""Files of ranked blocks as answers of tasks."""
