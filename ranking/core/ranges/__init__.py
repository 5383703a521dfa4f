"""From scores and tests to rank ranges and clusters."""
