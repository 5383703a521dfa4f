"""Attacks on a web server of our own, as strangers and insiders would try them; `make attack` runs all.

Each module is a program: `python -m tests.attacks.proxy`. It starts PostgreSQL, Valkey and the web server
for itself, attacks for some seconds, prints a table (figures before there was a defence, figures now, what they
must be) and exits with 1 if the defence did not hold. A new attack is a module with `attack()` and a line in `__main__.py`.
"""
