"""Error span annotation (ESA) and contrastive ESA: error spans, then a score from 0 to 100.

One output at a time (ESA), or two to five side by side (contrastive ESA, cESA). Direct assessment (DA) is the same
without spans, MQM the same without a score.
"""
