"""The faults by name. Those of processes are made for each role that the supervisor runs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.faults.stage import Needs, Stage

Put = Callable[[Stage], None]


@dataclass(frozen=True)
class Fault:
    """One fault.

    Attributes:
        put: puts it in and returns when it is over.
        short: whether it belongs to the short form.
        through_proxy: whether judges connect through a proxy.
    """

    name: str
    what: str
    put: Put
    needs: Needs = Needs.NOTHING
    short: bool = False
    through_proxy: bool = False


_FAULTS: dict[str, Fault] = {}


def fault(
    name: str,
    *,
    needs: Needs = Needs.NOTHING,
    short: bool = False,
    through_proxy: bool = False,
) -> Callable[[Put], Put]:
    """Register a function as a fault; its docstring says what it does."""

    def register(put: Put) -> Put:
        what = (put.__doc__ or "").strip().splitlines()[0]
        _FAULTS[name] = Fault(name, what, put, needs, short, through_proxy)
        return put

    return register


def faults(roles: Iterable[str]) -> dict[str, Fault]:
    """Return all faults, those of each of these roles among them, by name."""
    # Their modules register them.
    from tests.faults import (  # noqa: F401
        broken_parts,
        hostile_requests,
        power_cuts,
        whole_machine,
    )
    from tests.faults.processes import faults_of_role

    of_roles = {
        each.name: each for role in sorted(roles) for each in faults_of_role(role)
    }
    return {**_FAULTS, **of_roles}
