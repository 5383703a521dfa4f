"""Ways of breaking code: the plain ones of Cosmic Ray, and two that querysets need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cosmic_ray.operators.operator import Example, Operator
from cosmic_ray.plugins import get_operator

Position = tuple[tuple[int, int], tuple[int, int]]

# Of the replacements of one operator by any other, those that are hardest to notice.
_CORE: Final = (
    *(
        f"ReplaceComparisonOperator_{pair}"
        for pair in ("Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Eq_NotEq", "NotEq_Eq", "Is_IsNot")
    ),
    "ReplaceComparisonOperator_IsNot_Is",
    *(
        f"ReplaceBinaryOperator_{pair}"
        for pair in ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Div", "Mod_Add")
    ),
    *(f"ReplaceBinaryOperator_{pair}" for pair in ("Pow_Mul", "BitAnd_BitOr", "BitOr_BitAnd")),
    *("ReplaceAndWithOr", "ReplaceOrWithAnd", "ReplaceTrueWithFalse", "ReplaceFalseWithTrue"),
    *("AddNot", "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub"),
    *("ReplaceUnaryOperator_Delete_Invert", "NumberReplacer", "ZeroIterationForLoop"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak"),
)


class DropCall(Operator):  # type: ignore[misc]  # Cosmic Ray has no types
    """Leave out a call of a method: a condition of a queryset, or a statement that writes."""

    def mutation_positions(self, node: Any) -> list[Position]:
        """Return where the method's name and its arguments stand."""
        parts = node.children if hasattr(node, "children") else []
        return [(parts[place].start_pos, parts[place + 1].end_pos) for place in _calls(node)]

    def mutate(self, node: Any, index: int) -> Any:
        """Take the call with this index out of the chain."""
        place = _calls(node)[index]
        del node.children[place : place + 2]
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Return code before and after."""
        return (Example("hits.open().without(ids)", "hits.open()", 1),)


class DropArgument(Operator):  # type: ignore[misc]
    """Leave out one of several conditions named in a call."""

    def mutation_positions(self, node: Any) -> list[Position]:
        """Return where the named arguments stand."""
        parts = node.children if hasattr(node, "children") else []
        return [(parts[place].start_pos, parts[place].end_pos) for place in _named_arguments(node)]

    def mutate(self, node: Any, index: int) -> Any:
        """Take the argument with this index out of the list, with its comma."""
        place = _named_arguments(node)[index]
        del node.children[place : place + 2]
        return node

    @classmethod
    def examples(cls) -> Sequence[Example]:
        """Return code before and after."""
        return (Example("hits.filter(a=1, b=2)", "hits.filter( b=2)"),)


def operators() -> dict[str, Operator]:
    """Return the operators by name."""
    return {
        **{name: get_operator(f"core/{name}")() for name in _CORE},
        "DropCall": DropCall(),
        "DropArgument": DropArgument(),
    }


def _calls(node: Any) -> list[int]:
    """Return the places in a chain where `.name` and `(…)` follow something that is left without."""
    if node.type not in {"atom_expr", "power"}:
        return []
    parts = node.children
    return [
        place
        for place in range(1, len(parts) - 1)
        if _begins_with(parts[place], ".")
        and _begins_with(parts[place + 1], "(")
        and _stands_alone(parts[place - 1], is_first=place == 1)
    ]


def _begins_with(node: Any, bracket: str) -> bool:
    return bool(node.type == "trailer" and node.children[0].value == bracket)


def _stands_alone(node: Any, *, is_first: bool) -> bool:
    """Return whether what comes before a call is a value: a module or a class is none."""
    if is_first:
        return bool(node.type == "name" and node.value not in _not_values(node))
    if _begins_with(node, "."):
        return bool(node.children[1].value == "objects")
    return True


def _not_values(node: Any) -> set[str]:
    imported = (
        name.value
        for each in node.get_root_node().iter_imports()
        for name in each.get_defined_names()
    )
    return {"self", "cls", *imported}


def _named_arguments(node: Any) -> list[int]:
    """Return the places of the named arguments of a method of a queryset, if it has several."""
    if node.type != "arglist" or not _is_of_a_queryset(node.parent):
        return []
    return [
        place
        for place, each in enumerate(node.children)
        if each.type == "argument" and each.children[1] == "="
    ]


def _is_of_a_queryset(trailer: Any) -> bool:
    before = trailer.get_previous_sibling()
    return (
        before is not None
        and _begins_with(before, ".")
        and before.children[1].value in {"filter", "exclude", "get", "update"}
    )
