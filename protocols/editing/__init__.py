"""Blind editing and acceptability (Callison-Burch et al. 2010; Bojar et al. 2011, §4.1)."""
