"""Reports for readers outside a campaign reveal no anonymous name, not even by their order."""

from ranking.reports.public import public_report
from ranking.reports.tables import Column, Report, Table

SYSTEM = Column("system", "System", is_text=True, names="system")
OTHER = Column("other", "Other", is_text=True, names="other")
MEAN = Column("mean", "Mean")
LABELS = {"amber": "System B", "birch": "System A"}


def table(name: str, columns: list[Column], rows: list[list[str | float]]) -> Table:
    return Table(name=name, title=name, columns=columns, rows=rows)


def test_rows_in_the_order_of_names_get_that_of_labels() -> None:
    report = Report(
        tables=[table("means", [SYSTEM, MEAN], [["amber", 3.0], ["birch", 4.0]])],
        data={},
    )
    assert public_report(report, LABELS).tables[0].rows == [
        ["System A", 4.0],
        ["System B", 3.0],
    ]


def test_rows_in_another_order_keep_it() -> None:
    report = Report(
        tables=[table("means", [SYSTEM, MEAN], [["birch", 4.0], ["amber", 3.0]])],
        data={},
    )
    named = public_report(report, {"amber": "System A", "birch": "System B"})
    assert [row[0] for row in named.tables[0].rows] == ["System B", "System A"]


def test_rows_of_equal_value_get_the_order_of_labels() -> None:
    rows: list[list[str | float]] = [
        ["amber", 12, 4.0],
        ["birch", 12, 4.0],
        ["aspen", 12, 3.0],
    ]
    report = Report(
        tables=[table("means", [SYSTEM, Column("count", "Count"), MEAN], rows)],
        data={},
    )
    public = public_report(report, {**LABELS, "aspen": "System C"})
    assert [row[0] for row in public.tables[0].rows] == [
        "System A",
        "System B",
        "System C",
    ]


def test_pairs_are_left_out_if_a_system_is_anonymous() -> None:
    report = Report(
        tables=[table("pairs", [SYSTEM, OTHER], [["amber", "birch"]])],
        data={},
    )
    assert public_report(report, LABELS).tables == []
    assert len(public_report(report, {name: name for name in LABELS}).tables) == 1
