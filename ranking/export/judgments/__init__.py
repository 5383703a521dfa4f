"""What a task has, out of the database: by kind and format, as a stream or into a kept file."""
