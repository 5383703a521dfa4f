"""TrueSkill, online and in the setting of WMT 2014–16."""
