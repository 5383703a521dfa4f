"""Import files of ranked blocks and of metric scores."""
