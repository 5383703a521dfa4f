"""Files of the frozen folder of a published result."""
