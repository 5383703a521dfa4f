"""What was judged: blocks as columns, and the content key of each judgment."""
