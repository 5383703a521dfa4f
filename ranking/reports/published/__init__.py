"""Files of a published result's frozen folder."""
