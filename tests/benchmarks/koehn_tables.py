"""Print the tables of Koehn (2012) beside our simulation of them.

    python -m tests.benchmarks.koehn_tables [table1] [table4] [figure3] [--experiments 400] [--jobs 2]

Nothing is timed and nothing fails: `docs/statistics/simulation.md` holds a measured output, and the
unit tests hold the goldens.
"""

import argparse
import time
from collections.abc import Callable

from ranking.core.sharding import ThisMachine
from ranking.core.simulation.budget import plan_budget
from ranking.core.simulation.measures import METHODS, Study, simulate_campaigns
from ranking.core.simulation.model import Model
from tests.benchmarks import say
from tests.unit.ranking.core.simulation.koehn import expected_comparisons

COMPARISONS = (10_000, 20_000, 30_000, 40_000, 50_000)
#: Range size, violations in %, clusters, violations in %.
PRINTED_TABLE_1 = {
    "sign_test": ((8.1, 0.8, 1.0, 0.0), (6.3, 0.8, 1.1, 0.0), (5.4, 0.7, 1.4, 0.0), (4.9, 0.9, 1.7, 0.1), (4.5, 0.9, 2.0, 0.1)),
    "bootstrap": ((4.6, 3.4, 1.8, 0.5), (3.7, 2.4, 3.0, 0.5), (3.3, 2.3, 3.9, 0.4), (3.0, 2.0, 4.7, 0.4), (2.9, 2.1, 5.3, 0.7)),
}  # fmt: skip
TARGETS = (0.5, 0.7, 0.8, 0.9)
#: Thousands of comparisons for each of `TARGETS`, by number of systems and noise.
PRINTED_TABLE_4 = {
    (6, 8): (1, 4, 8, 30),
    (6, 10): (2, 5, 10, 45),
    (6, 12): (2, 7, 20, 60),
    (8, 8): (2, 6, 14, 60),
    (8, 10): (3, 8, 20, 90),
    (8, 12): (4, 14, 35, 140),
    (10, 8): (4, 10, 25, 100),
    (10, 10): (5, 16, 40, 150),
    (10, 12): (6, 20, 50, 200),
    (12, 8): (5, 15, 35, 140),
    (12, 10): (7, 25, 60, 250),
    (12, 12): (9, 35, 80, 350),
    (15, 8): (8, 25, 50, 200),
    (15, 10): (12, 40, 80, 350),
    (15, 12): (15, 50, 120, 500),
}


def table_1(experiments: int, jobs: int, seed: int) -> None:
    model = Model(systems=15, noise=10)
    for name, printed in PRINTED_TABLE_1.items():
        studies = {
            label: simulate_campaigns(
                model,
                comparisons=COMPARISONS,
                experiments=experiments,
                methods=(),
                rank_ranges="sign_test" if name == "sign_test" else "bootstrap",
                resample="blocks" if label == "blocks" else "pairs",
                seed=seed,
                engine=ThisMachine(jobs),
            )
            for label in (
                ("sign test",) if name == "sign_test" else ("pairs", "blocks")
            )
        }
        for label, study in studies.items():
            say(f"\nTable 1, {label}: ours (standard error) [printed]\n")
            say("| comparisons | range size | violations % | clusters | violations % |")
            say("|---|---|---|---|---|")
            for row, paper in zip(_table_1_rows(study), printed, strict=True):
                cells = [
                    f"{v:.2f} ({e:.2f}) [{p}]"
                    for (v, e), p in zip(row[1:], paper, strict=True)
                ]
                say(f"| {row[0][0]:,.0f} | {' | '.join(cells)} |")


def _table_1_rows(study: Study) -> list[list[tuple[float, float]]]:
    scale = {
        "range_size": 1,
        "range_violations": 100,
        "clusters": 1,
        "cluster_violations": 100,
    }
    return [
        [
            (row.comparisons, 0.0),
            *(
                (getattr(row, name) * by, row.standard_errors[name] * by)
                for name, by in scale.items()
            ),
        ]
        for row in study.rows
    ]


def table_4(experiments: int, jobs: int, seed: int) -> None:
    say("\nTable 4, thousands of comparisons: simulated, in expectation [printed]\n")
    say("| n | σ | 50 % | 70 % | 80 % | 90 % |")
    say("|---|---|---|---|---|---|")
    close = close_in_expectation = 0
    for (systems, noise), printed in PRINTED_TABLE_4.items():
        model = Model(systems=systems, noise=noise)
        # Only averages are printed: a narrow interval needs no long tails.
        budget = plan_budget(
            model,
            targets=TARGETS,
            experiments=experiments,
            confidence=0.01,
            seed=seed,
            engine=ThisMachine(jobs),
        )
        expected = expected_comparisons(model, TARGETS)
        cells = []
        for row, exact, paper in zip(budget.rows, expected, printed, strict=True):
            ours = (row.average or 0) / 1000
            close += _close(ours, paper)
            close_in_expectation += _close(exact / 1000, paper)
            mark = "" if _close(ours, paper) else " ✗"
            cells.append(f"{ours:.1f}, {exact / 1000:.1f} [{paper}]{mark}")
        say(f"| {systems} | {noise} | {' | '.join(cells)} |")
    say(
        f"\nWithin a factor 1.25: {close} of 60 simulated, {close_in_expectation} in expectation.",
    )


def _close(ours: float, paper: float) -> bool:
    return 1 / 1.25 <= ours / paper <= 1.25


def figure_3(experiments: int, jobs: int, seed: int) -> None:
    methods = (*METHODS, "lopez_unweighted")
    for noise in (10, 20):
        study = simulate_campaigns(
            Model(systems=15, noise=noise),
            comparisons=COMPARISONS,
            experiments=experiments,
            methods=methods,
            seed=seed,
            engine=ThisMachine(jobs),
        )
        say(f"\nFigure 3, σ = {noise}: pairs ranked wrongly, % (standard error)\n")
        say(f"| comparisons | {' | '.join(methods)} |")
        say("|---" * (1 + len(methods)) + "|")
        for row in study.rows:
            cells = [
                f"{100 * row.error[m]:.1f} ({100 * row.standard_errors[f'error.{m}']:.1f})"
                for m in methods
            ]
            say(f"| {row.comparisons:,} | {' | '.join(cells)} |")


PARTS: dict[str, Callable[[int, int, int], None]] = {
    "table1": table_1,
    "table4": table_4,
    "figure3": figure_3,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("parts", nargs="*", help=", ".join(PARTS))
    parser.add_argument("--experiments", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if unknown := set(arguments.parts).difference(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    for name in arguments.parts or PARTS:
        start = time.perf_counter()
        PARTS[name](arguments.experiments, arguments.jobs, arguments.seed)
        say(f"\n{name}: {time.perf_counter() - start:.0f} s with {arguments.jobs} jobs")


if __name__ == "__main__":
    main()
