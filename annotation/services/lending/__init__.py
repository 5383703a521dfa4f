"""Lend HITs to judges, take them back, and note who waits for one."""
