"""SQL written by hand: one statement a file, for writes that the ORM would need several queries for.

Reads are querysets, prepared where every judged block makes them (`campaign.database.prepared_query`).
Each file says which rule its statement states, which test holds it, and how much processor time a judged
block it saved when it was measured. A statement that saves less than 0.3 ms is better left to the ORM,
unless a trigger runs it too.
"""
