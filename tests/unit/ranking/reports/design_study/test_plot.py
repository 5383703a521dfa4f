"""The drawing of a comparison: complete, legible to machines, self-contained."""

from xml.etree import ElementTree as ET

import pytest

from ranking.core.simulation.model import Model
from ranking.reports.design_study.study import DesignStudy, compare_designs
from ranking.reports.simulations import plot_of

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.thorough
def test_a_line_rises_once_for_each_campaign_that_is_done() -> None:
    study = DesignStudy(
        source=Model(systems=4, noise=3.0),
        ranges=("sign_test",),
        target_pairs=(0.5, 0.8),
        limit=300,
        experiments=5,
        seed=2,
    )
    found = compare_designs(study)
    drawn = plot_of(found)
    root = ET.fromstring(drawn)
    assert root.get("role") == "img"
    assert root.find(f"{SVG}title") is not None
    words = [each.text for each in root.iter(f"{SVG}text")]
    titles = {f"{share}% of the pairs separated: sign test" for share in (50, 80)}
    assert titles | {
        "uniform",
        "balanced",
        "active",
        "Judgments (blocks)",
        "100%",
    } <= set(words)
    lines = [
        each.get("d", "")
        for each in root.iter(f"{SVG}path")
        if each.get("class") == "line"
    ]
    rises = [line.count("V") for line in lines[::2]]
    assert rises == [sum(each is not None for each in row.each) for row in found.rows]
    assert "href" not in drawn
    assert "script" not in drawn
