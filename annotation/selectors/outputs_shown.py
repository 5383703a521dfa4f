"""The outputs that blocks show, for queries that read blocks."""

from django.db.models import BooleanField, F, Func, IntegerField, OuterRef, QuerySet

from campaign.models import Output


class _IsAmong(Func):
    """True where the first expression is an element of the second, looked up by index."""

    template = "%(expressions)s)"
    arg_joiner = " = ANY("
    output_field = BooleanField()


class _Place(Func):
    """The place of the second expression in the first."""

    function = "array_position"
    output_field = IntegerField()


def outputs_of(block: str = "") -> QuerySet[Output]:
    """Return the outputs in shown order that the outer query's block shows, for a subquery of it.

    `block`: where the outer query has the block, as in "block__"; empty if it is one of blocks.
    """
    shown = OuterRef(f"{block}outputs")
    among = Output.objects.filter(_IsAmong(F("pk"), shown))
    return among.alias(place=_Place(shown, F("pk"))).order_by("place")


def candidate_count(block: str = "") -> Func:
    """Return an expression: how many candidates a block has."""
    return Func(
        Func(F(f"{block}stands_for"), F(f"{block}outputs"), function="COALESCE"),
        function="cardinality",
        output_field=IntegerField(),
    )
