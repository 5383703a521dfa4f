"""Reports as pages show them: as many rows as are read at once, and what is left to the files."""

from ranking.pages.report_shown import linked, rendered_tables
from ranking.reports.plots import IntervalPlot
from ranking.reports.tables import Column, Report, Table


def test_names_are_escaped_in_cells_links_and_plots() -> None:
    name, written = "<b>&'j'\"", "&lt;b&gt;&amp;&#x27;j&#x27;&quot;"
    columns = [Column("judge", "Judge", is_text=True), Column("kappa", "κ")]
    plot = IntervalPlot(label="judge", value="kappa")
    table = Table("judges", "Judges", columns, [[name, 0.5], ["Ada", 0.4]], plot=plot)
    (found,) = rendered_tables(Report(tables=[table], data={}))
    row = f'<tr><th scope="row"><bdi>{written}</bdi></th><td class="number">0.500</td></tr>'
    assert str(found.body).startswith(row)
    assert f">{written}</text>" in str(found.plot)
    assert (
        linked(name, f"/?judge={name}&x")
        == f'<a href="/?judge={written}&amp;x">{written}</a>'
    )
