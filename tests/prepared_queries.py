"""Find all prepared queries in modules."""

import sys

from campaign.database.prepared import PreparedQuery


def prepared_queries(*prefixes: str) -> list[PreparedQuery]:
    """Return the prepared queries of imported modules whose names begin so, sorted by name."""
    values = [
        value
        for name, module in list(sys.modules.items())
        if name.startswith(prefixes)
        for value in vars(module).values()
    ]
    # Some stand in tables, one for each case.
    values += [each for value in values if isinstance(value, dict) for each in value.values()]
    found = {value.name: value for value in values if isinstance(value, PreparedQuery)}
    return [found[name] for name in sorted(found)]
