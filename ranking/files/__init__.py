"""Read judgments from files of any format in docs/formats-judgments.md into the columns of the core."""
