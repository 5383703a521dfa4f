"""Read and check what recruiting services send, without a database."""
