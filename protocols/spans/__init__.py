"""Error span annotation (ESA) and contrastive ESA: error spans, then a score from 0 to 100.

ESA shows one output at a time; contrastive ESA (cESA) shows two to five side by side. Direct
assessment (DA) is the same without spans, and MQM the same without a score.
"""
