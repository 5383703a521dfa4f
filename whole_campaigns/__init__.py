"""Clone, rehearse and permanently delete whole campaigns, and convert them to and from files."""
