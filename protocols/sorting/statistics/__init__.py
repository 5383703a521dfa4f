"""The numbers of a sort: what to compare next, what a comparison says, the order with its clusters. No Django."""
