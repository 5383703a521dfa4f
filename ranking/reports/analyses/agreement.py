"""Measure the agreement of judges: overall and with themselves, by part, and of each pair."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import Any

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import labelled
from ranking.core.agreement.intervals import Agreement, AgreementEstimate, reported
from ranking.core.agreement.judge_pairs import (
    PairAgreement,
    PairsAgreement,
    agreement_of_pairs,
)
from ranking.core.agreement.measures import (
    AgreementMeasures,
    LabelAgreements,
    label_agreement,
    measure_agreement,
)
from ranking.core.agreement.parts import (
    AgreementByReference,
    LengthAgreement,
    PartAgreement,
    PartsMeasure,
    agreement_by_document,
    agreement_by_length,
    agreement_by_reference,
    agreement_by_segment,
    agreement_by_systems,
)
from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.arrays import FloatArray
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.judges.repeats import Unanimity, unanimity
from ranking.reports.analyses.kind import AnalysisKind, Begin, Progress
from ranking.reports.analyses.options import (
    CONFIDENCE,
    KAPPA_LEVEL,
    RESAMPLES,
    SEED,
    Option,
    kappa_options,
)
from ranking.reports.correlations import kappa_columns, kappa_plot
from ranking.reports.inputs import Input, ignored_documents_notes, report_on
from ranking.reports.plots import GridPlot, LinePlot, interval_plot
from ranking.reports.tables import (
    BETWEEN,
    Column,
    Named,
    Report,
    Table,
    Value,
    end_columns,
    estimate_columns,
    judge_column,
    of_part,
    plain,
)
from ranking.reports.wording.agreement import (
    CHANCE_WORDS,
    PAIRING_WORDS,
    intervals_in_words,
    missing_in_words,
    no_interval_in_words,
    not_estimable_in_words,
    strength_caution,
    strength_in_words,
)
from ranking.reports.wording.numbers import all_in_figures, decimals, in_figures

PAIRING = Option(
    "pairing",
    gettext_lazy("Same item"),
    Pairing.UNORDERED.value,
    choices={each.value: words for each, words in PAIRING_WORDS.items()},
)
CHANCE = Option(
    "chance",
    gettext_lazy("Chance agreement"),
    Chance.CONGER.value,
    choices={each.value: words for each, words in CHANCE_WORDS.items()},
)
BY_REFERENCE = Option(
    "by_reference", gettext_lazy("Compare with and without the reference"), False
)
BY_LENGTH = Option("by_length", gettext_lazy("By source length"), True)


def _find_overall(
    given: Input, options: Mapping[str, Any], begin: Begin
) -> dict[str, Any]:
    begin(_("Measuring agreement"))
    resampling = kappa_options(options)
    pairing = Pairing(options["pairing"])
    chance = Chance(options["chance"])
    how: dict[str, Any] = {**resampling, "pairing": pairing, "chance": chance}
    by_reference = None
    by_length = None
    if options["by_reference"] and given.reference is not None:
        found = agreement_by_reference(given.read.blocks, given.reference, **how)
        by_reference = found.reported()
    if given.texts is not None and options["by_length"]:
        lengths = agreement_by_length(given.blocks, given.texts.words(), **how)
        by_length = tuple(row.reported() for row in lengths) or None
    return {
        "measures": measure_agreement(given.blocks, **how).reported(),
        "labels": label_agreement(given.blocks, **resampling).reported(),
        "by_reference": by_reference,
        "by_length": by_length,
    }


def _tell_overall(
    given: Input, options: Mapping[str, Any], found: dict[str, Any]
) -> Report:
    """Report the agreement of judges with each other and with themselves."""
    measures = found["measures"]
    tables = [_measures(measures, found["by_reference"]), _n_agreement(found["labels"])]
    if found["by_length"]:
        tables += _by_length(found["by_length"])
    return report_on(
        given,
        notes=[
            _("Items: %(pairing)s; chance agreement: %(chance)s; %(intervals)s")
            % {
                "pairing": PAIRING_WORDS[measures.pairing],
                "chance": CHANCE_WORDS[measures.chance],
                "intervals": intervals_in_words(
                    measures.resample,
                    resamples=measures.resamples,
                    confidence=measures.confidence,
                    seed=measures.seed,
                ),
            },
            *_without_interval(measures),
            *(
                [_("No table by source length: source texts are missing.")]
                if options["by_length"] and not found["by_length"]
                else []
            ),
        ],
        tables=tables,
        data={
            **plain(measures),
            **{name: found[name] for name in ("labels", "by_reference", "by_length")},
        },
    )


def _without_interval(measures: AgreementMeasures) -> list[str]:
    """Return the reason why a κ has no interval."""
    return [
        _("No interval for κ (%(of)s): %(reason)s.")
        % {"of": of, "reason": no_interval_in_words(measure.no_interval)}
        for of, measure in (
            (_("Between judges"), measures.inter),
            (_("Self-agreement"), measures.intra),
        )
        if measure.no_interval is not None
    ]


def _measures(
    measures: AgreementMeasures, by_reference: AgreementByReference | None
) -> Table:
    rows = [
        (_("Between judges"), measures.inter),
        (_("Self-agreement"), measures.intra),
    ]
    if by_reference is not None:
        for called, part in (
            (_("With the reference"), by_reference.included),
            (_("Without the reference"), by_reference.excluded),
            (
                _("without the reference, same chance agreement"),
                by_reference.excluded_same_chance,
            ),
        ):
            if part is not None:
                rows.append((labelled(called, _("Between judges")), part.inter))
                rows.append((labelled(called, _("Self-agreement")), part.intra))
    return Table.of(
        rows,
        name="agreement",
        title=_("Agreement"),
        columns=(
            Column("agreement", _("Agreement"), is_text=True, of=itemgetter(0)),
            *of_part(
                itemgetter(1),
                (
                    *kappa_columns(),
                    Column("p_agree", "P(A)"),
                    Column("p_chance", "P(E)"),
                    Column("agreeing", _("Agreeing")),
                    Column("comparable", _("Comparable")),
                ),
            ),
        ),
        notes=[strength_caution()],
        plot=kappa_plot("agreement"),
    )


def _n_agreement(found: LabelAgreements) -> Table:
    return Table(
        name="n_agreement",
        title=_("Labels within n of each other"),
        columns=(
            Column("n", "n", is_text=True),
            Column("inter_share", _("Between judges")),
            *end_columns("inter_"),
            Column("inter_comparable", _("Pairs")),
            Column("intra_share", _("Self-agreement")),
            *end_columns("intra_"),
            Column("intra_comparable", _("Pairs")),
        ),
        rows=[
            (
                str(n),
                inter.kappa,
                inter.low,
                inter.high,
                inter.comparable,
                intra.kappa,
                intra.low,
                intra.high,
                intra.comparable,
            )
            for n, (inter, intra) in enumerate(
                zip(found.inter.n_agreement, found.intra.n_agreement, strict=True)
            )
        ],
    )


def _by_length(found: tuple[LengthAgreement, ...]) -> list[Table]:
    return [
        Table.of(
            found,
            name=name,
            title=title,
            columns=(
                Column(
                    "words",
                    _("Words"),
                    is_text=True,
                    names="words",
                    of=lambda row: f"{row.shortest}–{row.longest}",
                ),
                Column("segments", _("Segments")),
                *of_part(
                    attrgetter(f"agreement.{kind}"),
                    (
                        *kappa_columns(),
                        Column("comparable", _("Comparable"), counts="judgments"),
                    ),
                ),
            ),
            plot=LinePlot(
                label="words", value="kappa", low="low", high="high", start=0, end=1
            ),
        )
        for kind, name, title in (
            ("inter", "by_length", _("Agreement between judges by source length")),
            ("intra", "by_length_themselves", _("Self-agreement by source length")),
        )
    ]


AGREEMENT = AnalysisKind(
    name="agreement",
    title=gettext_lazy("Agreement overall"),
    page="agreement",
    question=gettext_lazy(
        "How well do judges agree with each other and with themselves?"
    ),
    options=(
        CHANCE,
        PAIRING,
        BY_REFERENCE,
        BY_LENGTH,
        KAPPA_LEVEL,
        CONFIDENCE,
        RESAMPLES,
        SEED,
    ),
    find=_find_overall,
    tell=_tell_overall,
)


#: Only P(E) pooled over all judges, which needs no second count.
POOLED_CHANCE = replace(
    CHANCE,
    choices={
        chance.value: CHANCE.choices[chance.value]
        for chance in (
            Chance.CONGER,
            Chance.SCOTT,
            Chance.UNIFORM,
            Chance.RANDOM_CLICKER,
        )
    },
)
FEWEST = Option(
    "fewest",
    gettext_lazy("Minimum pairs of comparisons per sentence"),
    10,
    low=1,
    high=10_000,
)
MOST_SEGMENTS = 50


def _find_parts(
    given: Input, options: Mapping[str, Any], begin: Begin
) -> dict[str, Any]:
    """Return agreement between judges, overall and by part; no parts if the overall κ is undefined."""
    begin(_("Measuring agreement"))
    resampling = kappa_options(options)
    whole = measure_agreement(
        given.blocks, chance=Chance(options["chance"]), **resampling
    ).inter
    by = dict.fromkeys(("by_system", "by_pair", "by_document", "by_segment"), ())
    found: dict[str, Any] = {
        "whole": reported(whole),
        **by,
        "fewest": options["fewest"],
    }
    if whole.kappa is None or whole.p_chance is None:
        return found
    measure = PartsMeasure(p_chance=whole.p_chance, **resampling)

    def progress() -> Progress:
        return begin(_("Measuring agreement"))

    if given.blocks.document is not None:
        found["by_document"] = agreement_by_document(
            given.blocks, measure, progress=progress()
        )
    for name, systems in (("by_system", 1), ("by_pair", 2)):
        found[name] = agreement_by_systems(
            given.blocks, systems, measure, progress=progress()
        )
    found["by_segment"] = agreement_by_segment(
        given.blocks, measure, most=MOST_SEGMENTS, fewest=options["fewest"]
    )
    for name in by:
        found[name] = tuple(row.reported() for row in found[name])
    return found


def _tell_parts(
    given: Input, _options: Mapping[str, Any], found: Mapping[str, Any]
) -> Report:
    """Report agreement by part, lowest first."""
    documents = [
        {
            "document": _document(given, row),
            "segments": row.segments,
            "agreement": row.agreement,
        }
        for row in found["by_document"]
    ]
    return report_on(
        given,
        notes=_part_notes(given, found["whole"]),
        tables=_part_tables(given, found) if found["by_system"] else [],
        data={**found, "by_document": documents},
    )


def _part_notes(given: Input, whole: AgreementEstimate) -> list[str]:
    if whole.kappa is None or whole.p_chance is None:
        of_whole = _kappa_undefined(whole)
    else:
        of_whole = _(
            "κ between all judges: %(kappa)s; P(E) for all parts: %(chance)s."
        ) % {
            "kappa": decimals(whole.kappa, 3),
            "chance": decimals(whole.p_chance, 3),
        }
    return [
        of_whole,
        _(
            "With many parts, some are extreme by chance: intervals hold for one part at a time."
        ),
        strength_caution(),
        *([] if given.blocks.document is not None else ignored_documents_notes(given)),
    ]


def _kappa_undefined(found: Any) -> str:
    words = _("κ between all judges: %(why)s.")
    return words % {"why": not_estimable_in_words(str(found.reason))}


def _part_tables(given: Input, found: Mapping[str, Any]) -> list[Table]:
    whole = found["whole"].kappa
    parts: tuple[tuple[str, str, str, Named, Callable[[PartAgreement], str]], ...] = (
        (
            "by_system",
            _("By system"),
            _("System"),
            "system",
            lambda row: str(row.part[0]),
        ),
        (
            "by_pair",
            _("By pair of systems"),
            _("Systems"),
            "systems",
            lambda row: BETWEEN.join(map(str, row.part)),
        ),
        (
            "by_document",
            _("By document"),
            _("Document"),
            "document",
            lambda row: _document(given, row),
        ),
        (
            *(
                "by_segment",
                _("Sentences with lowest agreement"),
                _("Sentence"),
                "segment",
            ),
            lambda row: str(row.part[0]),
        ),
    )
    most = _(
        "Only sentences with at least %(fewest)d pairs of comparisons. Intervals generalise to other judges of the same sentence."
    ) % {"fewest": found["fewest"]}
    return [
        Table.of(
            found[name] if name == "by_segment" else _least_first(found[name]),
            name=name,
            title=title,
            columns=(
                Column("part", heading, is_text=True, names=names, of=said),
                *of_part(
                    attrgetter("agreement"),
                    (
                        *kappa_columns(with_reason=False),
                        Column("p_agree", "P(A)"),
                        Column("comparable", _("Comparable")),
                    ),
                ),
                Column("segments", _("Segments")),
                Column(
                    "why",
                    _("Reason for missing κ or interval"),
                    is_text=True,
                    of=lambda row: missing_in_words(row.agreement),
                ),
            ),
            notes=[most] if name == "by_segment" else (),
            plot=kappa_plot("part", mark=whole),
        )
        for name, title, heading, names, said in parts
        if name != "by_document" or found[name]
    ]


def _least_first(parts: Sequence[PartAgreement]) -> list[PartAgreement]:
    """Return parts by P(A), which is the order of κ, as P(E) is the same for all."""

    def key(row: PartAgreement) -> tuple[bool, float]:
        p_agree = row.agreement.p_agree
        return p_agree is None, p_agree or 0.0

    return sorted(parts, key=key)


def _document(given: Input, row: PartAgreement) -> str:
    number = int(row.part[0])
    if number < len(given.documents):
        return given.documents[number]
    return _("document %(number)d") % {"number": number + 1}


AGREEMENT_BY = AnalysisKind(
    name="agreement_by",
    title=gettext_lazy("Agreement by part"),
    page="agreement",
    question=gettext_lazy(
        "On which systems, documents and sentences do judges agree least?"
    ),
    options=(POOLED_CHANCE, FEWEST, KAPPA_LEVEL, CONFIDENCE, RESAMPLES, SEED),
    find=_find_parts,
    tell=_tell_parts,
)


JUDGE = Option(
    "judge",
    gettext_lazy("Judge"),
    "",
    help=gettext_lazy(
        "Leave both empty for the two judges with the most shared comparisons."
    ),
)
OTHER = Option("other", gettext_lazy("Other judge"), "")
#: Maximum number of pairs listed, and of judges in a readable matrix.
MOST_PAIRS = 200
MOST_JUDGES = 30
#: Above this number, the plot would omit row names.
_DRAWN_PAIRS = 60
_BELOW = "▼"
_ABOVE = "▲"


#: κ of each `pair` of judges and between all of them (`inter`), the `band` of the latter, the place of each pair
#: `beside` it (−1, 0 or 1), `unanimity`, the names `asked` for ("" means any), and the row of the pair `chosen` by them.
PairsFound = Mapping[str, Any]


def _find_pairs(given: Input, options: Mapping[str, Any], begin: Begin) -> PairsFound:
    begin(_("Measuring agreement"))
    judge = options[JUDGE.name]
    other = options[OTHER.name]
    for name in (judge, other):
        if name and name not in given.blocks.judges:
            raise ValueError(
                _("No judgments by %(names)s match these options.") % {"names": name}
            )
    if judge and judge == other:
        raise ValueError(_("Enter two different judges."))
    confidence = options["confidence"]
    pairs = agreement_of_pairs(given.blocks, confidence=confidence)
    inter = inter_judge_agreement(given.blocks, confidence=confidence).inter
    band = _band(inter)
    return {
        "pairs": pairs,
        "inter": reported(inter),
        "band": band,
        "beside": np.zeros(len(pairs), dtype=np.int64)
        if band is None
        else pairs.beside(*band),
        "unanimity": unanimity(given.blocks, confidence=confidence),
        "chosen": _row_of(pairs, judge, other),
        "asked": (judge, other),
        "confidence": confidence,
    }


def _band(inter: Agreement) -> tuple[float, float] | None:
    """Return the interval of κ between all judges, or κ itself if it has no interval; None without κ."""
    if inter.kappa is None:
        return None
    if inter.low is None or inter.high is None:
        return inter.kappa, inter.kappa
    return inter.low, inter.high


def _row_of(pairs: PairsAgreement, judge: str, other: str) -> int | None:
    """Return the pair with the most shared comparisons among those that include the named judges."""
    wanted = np.ones(len(pairs), dtype=np.bool_)
    for name in (judge, other):
        if name:
            index = pairs.names.index(name)
            wanted &= (pairs.first == index) | (pairs.second == index)
    if not wanted.any():
        return None
    return int(np.argmax(np.where(wanted, pairs.comparable, -1)))


def _tell_pairs(given: Input, _options: Mapping[str, Any], found: PairsFound) -> Report:
    """Report agreement of judges: a matrix if they are few, notable pairs if they are many."""
    pairs = found["pairs"]
    beside = found["beside"]
    chosen = found["chosen"]
    listed = _listed(found)
    counts = {"below": beside < 0, "above": beside > 0}
    if chosen is None:
        outcomes = None
    else:
        outcomes = reported(pairs.at(chosen))
    return report_on(
        given,
        notes=_pair_notes(found),
        tables=[
            _pairs(found, listed),
            *_matrix(found),
            *_outcomes(outcomes),
            *_unanimity(found["unanimity"]),
        ],
        data={
            "pairs": [
                {"beside": int(beside[row]), "pair": reported(pairs.at(row))}
                for row in listed
            ],
            "all_pairs": len(pairs),
            **{name: int(np.count_nonzero(rows)) for name, rows in counts.items()},
            **{name: found[name] for name in ("inter", "band", "confidence")},
            "confidence_of_each": pairs.confidence,
            "contingency": outcomes,
            "unanimity": found["unanimity"],
        },
    )


def _pair_notes(found: PairsFound) -> list[str]:
    pairs = found["pairs"]
    band = found["band"]
    beside = found["beside"]
    if not len(pairs):
        return [_("No two judges compared the same outputs.")]
    if band is None:
        return [_kappa_undefined(found["inter"])]
    notes = [
        _(
            "The band is the interval of κ between all judges, %(low)s to %(high)s. A pair is outside if its whole interval is below (%(below)s) or above (%(above)s)."
        )
        % {
            "low": decimals(band[0], 2),
            "high": decimals(band[1], 2),
            "below": _BELOW,
            "above": _ABOVE,
        },
        _(
            "Intervals of pairs hold simultaneously with confidence %(confidence)s, for other sentences judged by the same two judges."
        )
        % {"confidence": in_figures(found["confidence"])},
        _("Pairs below the band: %(below)s of %(all)s; above: %(above)s.")
        % all_in_figures(
            below=int(np.count_nonzero(beside < 0)),
            above=int(np.count_nonzero(beside > 0)),
            all=len(pairs),
        ),
    ]
    if all(found["asked"]) and found["chosen"] is None:
        judge, other = found["asked"]
        words = _("%(judge)s and %(other)s have no shared comparisons.")
        notes.append(words % {"judge": judge, "other": other})
    return notes


def _listed(found: PairsFound) -> list[int]:
    """Return the pairs outside the band, farthest first, then those with the most shared comparisons."""
    pairs = found["pairs"]
    beside = found["beside"]
    low, high = found["band"] or (0.0, 0.0)
    distance = np.where(
        beside < 0, low - pairs.high, np.where(beside > 0, pairs.low - high, 0.0)
    )
    order = np.lexsort(
        (np.arange(len(pairs)), -pairs.comparable, -distance, beside == 0)
    )
    return [int(row) for row in order[:MOST_PAIRS]]


def _pairs(found: PairsFound, listed: list[int]) -> Table:
    pairs = found["pairs"]
    beside = found["beside"]
    places = {-1: _("Below"), 0: _("Within"), 1: _("Above")}
    notes = [strength_caution()]
    if hidden := len(pairs) - len(listed):
        words = _("%(count)s more pairs are not listed: they share fewer comparisons.")
        notes.append(words % {"count": number_format(hidden)})
    return Table.of(
        ((reported(pairs.at(row)), int(beside[row])) for row in listed),
        name="pairs",
        title=_("Pairs of judges"),
        columns=(
            *of_part(
                itemgetter(0),
                (
                    Column(
                        "judges",
                        _("Judges"),
                        is_text=True,
                        names="judges",
                        of=lambda pair: BETWEEN.join(pair.judges),
                    ),
                    Column("kappa", "κ", decimals=2),
                    *end_columns(decimals=2),
                    Column("comparable", _("Comparable")),
                    Column("segments", _("Segments")),
                    Column(
                        "strength",
                        _("Strength"),
                        is_text=True,
                        of=lambda pair: strength_in_words(
                            pair.kappa, pair.low, pair.high
                        ),
                    ),
                ),
            ),
            Column("beside", _("Band"), is_text=True, of=lambda row: places[row[1]]),
            Column(
                "why",
                _("Reason for missing κ or interval"),
                is_text=True,
                of=lambda row: missing_in_words(row[0]),
            ),
        ),
        notes=notes,
        plot=kappa_plot("judges", mark=found["inter"].kappa, most=_DRAWN_PAIRS),
    )


def _matrix(found: PairsFound) -> list[Table]:
    """Return κ between the judges with the most shared comparisons, with the numbers of comparison pairs.

    If a judge is selected, the others are those who share the most comparisons with that judge. Judges who agree are
    adjacent.
    """
    pairs = found["pairs"]
    beside = found["beside"]
    judge = found["asked"][0]
    if not len(pairs):
        return []
    of_judge = None
    if judge:
        of_judge = pairs.names.index(judge)
    shared = _shared(pairs, of_judge)
    most = np.lexsort((np.arange(len(shared)), -shared))[:MOST_JUDGES]
    judges = sorted(int(index) for index in most if shared[index] > 0)
    shown = np.flatnonzero(
        np.isin(pairs.first, judges) & np.isin(pairs.second, judges)
    ).tolist()
    row_of = {(int(pairs.first[row]), int(pairs.second[row])): row for row in shown}
    judges = _alike_together(
        judges, {pair: float(pairs.kappa[row]) for pair, row in row_of.items()}
    )

    def cell(one: int, other: int) -> str | None:
        row = row_of.get((min(one, other), max(one, other)))
        if row is None:
            return None
        kappa = reported(pairs.at(row)).kappa
        if kappa is None:
            words = "–"
        else:
            words = decimals(kappa, 2)
        sign = {-1: f" {_BELOW}", 1: f" {_ABOVE}"}.get(int(beside[row]), "")
        return f"{words} ({number_format(int(pairs.comparable[row]))}){sign}"

    names = [pairs.names[index] for index in judges]
    notes = [
        _("Judges who agree are grouped together."),
        _("A dash stands for a κ whose interval is missing or too wide."),
    ]
    if of_judge is not None:
        notes.append(
            _("%(judge)s and the %(count)d judges with the most shared comparisons.")
            % {"judge": judge, "count": len(judges) - 1}
        )
    elif len(judges) < np.count_nonzero(shared):
        notes.append(
            _(
                "The %(count)d judges with the most shared comparisons. Enter a judge above to see theirs."
            )
            % {"count": len(judges)}
        )
    return [
        Table(
            name="matrix",
            title=_("κ by pair of judges (shared comparisons)"),
            columns=(
                judge_column(),
                *(
                    Column(f"judge_{number}", name, is_text=True)
                    for number, name in enumerate(names, 1)
                ),
            ),
            rows=[
                (name, *(cell(one, other) for other in judges))
                for name, one in zip(names, judges, strict=True)
            ],
            notes=notes,
            plot=GridPlot(),
        )
    ]


def _shared(pairs: PairsAgreement, of_judge: int | None) -> FloatArray:
    """Return the number of comparisons each judge shares with the others, or with the judge `of_judge`."""
    comparable = pairs.comparable
    if of_judge is not None:
        with_them = (pairs.first == of_judge) | (pairs.second == of_judge)
        comparable = np.where(with_them, comparable, 0)
    count = len(pairs.names)
    shared: FloatArray = np.bincount(pairs.first, comparable, count).astype(float)
    return shared + np.bincount(pairs.second, comparable, count)


def _alike_together(
    judges: list[int], kappas: dict[tuple[int, int], float]
) -> list[int]:
    """Return judges in the leaf order of a hierarchical clustering by agreement."""
    if len(judges) < 3:
        return judges
    known = [kappa for kappa in kappas.values() if not np.isnan(kappa)]
    usual = float(np.mean(known)) if known else 0.0
    distances = []
    for at, one in enumerate(judges):
        for other in judges[at + 1 :]:
            kappa = kappas.get((one, other), usual)
            distances.append(1.0 - (usual if np.isnan(kappa) else kappa))
    from scipy.cluster.hierarchy import (
        leaves_list,
        linkage,
    )  # imported here to keep startup fast

    tree = linkage(np.asarray(distances), method="average")
    return [judges[int(place)] for place in leaves_list(tree)]


def _outcomes(pair: PairAgreement | None) -> list[Table]:
    """Return the outcomes of two judges side by side."""
    if pair is None:
        return []
    one, other = pair.judges
    words = (_("first better"), _("tie"), _("second better"))
    rows: list[tuple[Value, ...]] = [
        (word, *row, sum(row)) for word, row in zip(words, pair.outcomes, strict=True)
    ]
    totals = [sum(each) for each in zip(*pair.outcomes, strict=True)]
    return [
        Table(
            name="contingency",
            title=_("Answers by %(judge)s (rows) and %(other)s (columns)")
            % {"judge": one, "other": other},
            columns=(
                Column("outcome", one, is_text=True),
                *(
                    Column(key, word)
                    for key, word in zip(("first", "tie", "second"), words, strict=True)
                ),
                Column("all", _("All")),
            ),
            rows=[*rows, (_("All"), *totals, pair.comparable)],
            rules=frozenset({len(words) - 1}),
            notes=[
                _(
                    "Outputs are in alphabetical order of their systems. P(A) = %(p_agree)s, P(E) = %(p_chance)s."
                )
                % {
                    "p_agree": decimals(pair.p_agree, 3),
                    "p_chance": decimals(pair.p_chance, 3),
                }
            ],
        )
    ]


def _unanimity(found: tuple[Unanimity, ...]) -> list[Table]:
    if not found:
        return []
    return [
        Table.of(
            found,
            name="unanimity",
            title=_("Unanimous comparisons"),
            columns=(
                Column(
                    "judges",
                    _("Judges per comparison"),
                    is_text=True,
                    of=lambda row: (
                        _("two or more")
                        if row.judges is None
                        else number_format(row.judges)
                    ),
                ),
                Column(
                    "items", _("Shared comparisons"), of=lambda row: row.share.trials
                ),
                Column("unanimous", _("Unanimous"), of=lambda row: row.share.successes),
                *estimate_columns("share", _("Share"), attrgetter("share")),
            ),
            notes=[
                _(
                    "Unanimity falls with more judges, so compare only rows with the same number of judges."
                )
            ],
            plot=interval_plot("judges", "share", start=0, end=1),
        )
    ]


JUDGE_PAIRS = AnalysisKind(
    name="judge_pairs",
    title=gettext_lazy("Pairs of judges"),
    page="agreement",
    question=gettext_lazy("Which judges agree with each other?"),
    options=(JUDGE, OTHER, CONFIDENCE),
    find=_find_pairs,
    tell=_tell_pairs,
)
