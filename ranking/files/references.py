"""Find the reference among the systems of files."""

from collections.abc import Sequence
from typing import Final

from ranking.files.records import SelectionError

#: Name of the reference in WMT's files.
REFERENCE_SYSTEM: Final = "_ref"


def judged_reference(
    systems: Sequence[str],
    named: str | None,
    *,
    is_excluded: bool,
) -> str | None:
    """Return the name of the reference if there is one.

    Parameters
    ----------
    systems : sequence of str
    named : str or None
        The reference, which must be among the systems; by default `REFERENCE_SYSTEM`, which need not be.
    is_excluded : bool
        Whether it is left out of the ranking.

    Raises
    ------
    SelectionError
        If the named reference is not there, or only one system is left without it.
    """
    if named is not None and named not in systems:
        raise SelectionError(
            f"reference system {named!r} not found; systems: {', '.join(systems)}",
        )
    reference = named or REFERENCE_SYSTEM
    if reference not in systems:
        return None
    if is_excluded and len(systems) < 3:
        raise SelectionError(
            f"only one system is left without the reference {reference!r}; "
            "compare at least two, or include the reference (--reference include)",
        )
    return reference
