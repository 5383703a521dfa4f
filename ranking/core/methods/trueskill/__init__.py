"""TrueSkill, online and as WMT 2014–16 used it."""
