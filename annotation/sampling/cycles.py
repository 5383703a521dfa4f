"""Cycles of blocks after which all pairs have met equally often.

In the first known designs, each pair meets once (Steiner systems), so no two counts ever differ by
more than one; no other designs achieve that (`docs/sampling.md`). The other known designs are for
block sizes so close to the number of systems that searching for a cycle is slow. All were found by
developing initial blocks (cyclic designs, some with a fixed system or short orbits) and ordering
their blocks with a beam search; `tests/unit/annotation/sampling/test_known_designs.py` checks each.

Choosing one block at a time can only correct existing imbalance: a block of five raises ten counts
at once, and counts drift up to four apart. This module therefore chooses several blocks together. A
cycle ends when about half of the pairs have met once more than the others: many arrangements then
have no two counts more than one apart, and a short search finds one. From the end of one cycle,
where pairs have met q or q + 1 times, to the end of the next, where they have met q + 1 or q + 2
times, no two counts can be more than two apart at any moment, regardless of the order of the
blocks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil
from string import ascii_lowercase
from types import MappingProxyType
from typing import TypedDict

import numpy as np
import numpy.typing as npt

from annotation.sampling.corpus import DistinctText
from annotation.sampling.parameters import DesignKind, DesignParameters
from campaign.texts.hash_draw import HashDraw

CycleBlocks = tuple[tuple[int, ...], ...]


def known_design(systems: int, size: int) -> CycleBlocks:
    """Return blocks in which all pairs of systems meet equally often; empty if none are known."""
    blocks = []
    for letters in _LETTERS.get((systems, size), "").split():
        blocks.append(tuple(map(ascii_lowercase.index, letters)))
    return tuple(blocks)


_LETTERS: Mapping[tuple[int, int], str] = MappingProxyType(
    {
        (7, 3): "cde dfg bcg acf aeg abd bef",
        (9, 3): "efi adi aeh bci dfg acf bfh cdh ghi bde abg ceg",
        (13, 3): (
            "bdj fkm ejl dik aci bhm cek dfl afh agl egm bgi chj cfg dgh hkl bef bcl abk "
            "ilm gjk ade ehi ajm fij cdm"
        ),
        (15, 3): (
            "eho dno ako fio gjo cmo blo eim ckn fjn bjm dhl ail ghk abf bcg cef bde acd "
            "aeg dfg cjl dkm ahj eln fhm bik gin fkl ejk chi amn glm bhn dij"
        ),
        (19, 3): (
            "ems dlr ejr afn bhm bjp chp flq fks bgo gmr diq ckq ekp cin hns agl djo aio "
            "jmn ors dgh bcr hkl cds lop bef ade fij kno nqr abq ilm ehi mpq cfg gjk aps "
            "jls hjq ahr cel bdk bln egn dfm akm eoq gqs bis gip dnp fho fpr cmo acj ikr"
        ),
        (21, 3): (
            "fmt bip dkr els cjq gnu aho ghl abf ijn jko lmq him pqu aqr cdh opt mnr cst "
            "nos fgk klp brs aeu dei bcg dtu efj kmu grt hsu bmo aln doq cnp giq epr cem "
            "ait jlt dfn ack ego iks bdl hjr bju fqs fhp ciu fio bht jms adj cor hkq amp "
            "ags bnq dgm knt cfl lou fru ilr dps bek ehn gjp eqt"
        ),
        (13, 4): "cikl fhim bhjk dfgk aekm bdei acdh eghl cefj djlm bcgm agij abfl",
        (16, 4): (
            "bglp dinp chmp ejop afkp bjkm abdh bfno bcei efhl aemn cdfj ckln fgim acgo "
            "hiko ghjn aijl dlmo degk"
        ),
        (21, 5): (
            "egqtu jmnsu aknot gjkpr cdiku hklqs ehinp abgis ceors acmpq fijoq befkm bdnqr "
            "cfgln dfpst adejl bchjt ilmrt dghmo afhru blopu"
        ),
        (25, 5): (
            "jlnpy ikmoy bdfhy acegy qsuwy rtvxy bgnox afmnw cfjkt ehlmv chopq dgklu beijs "
            "adipr bcmru ablqt ghjrw efpux deotw ahksx cdnsv fgiqv cilwx gmpst hintu flors "
            "djmqx ajouv eknqr bkpvw"
        ),
        # Pairs meet more than once.
        (5, 4): "abcd acde abde bcde abce",
        (6, 5): "abcde abcdf bcdef abcef abdef acdef",
        (7, 5): (
            "abdeg bcefg acdfg abdef bcdfg acdeg abcef abceg abdfg acdef bdefg abcdf bcdeg "
            "acefg bcdef abefg abcdg adefg abcfg cdefg abcde"
        ),
        (8, 5): (
            "befgh abcdf adefg abceh bcdeg acfgh cdefh abdgh adefh bcfgh acdgh abcef bcdfg "
            "abdeh cdegh abefg adfgh bcdeh abcfh bdefg cefgh abcdg acdef abegh acefg bdefh "
            "bdfgh acegh abdfh acdeg abceg bcdfh adefg abceh befgh abcdf cdefh abdgh bcdeg "
            "acfgh abdef cdfgh acdeh abcfg bcefg adegh abefh bcdgh bcdeh adfgh abcdg cefgh "
            "abcfh bdefg acdef abegh"
        ),
        (9, 5): (
            "bcefg abdgi acfhi deghi bdefh acdeg abcgh bcdfi aefhi adfgh bcdhi cefgi abdef "
            "beghi abceh cdfgh abfgi acdei"
        ),
        (11, 5): "cfhij abfik adfgh abcgj cefgk beghi bdefj aehjk acdei dgijk bcdhk",
        (10, 6): (
            "abdghj abceij bdefgi acefgh cdfhij abdfhi cdeghi befghj acdfgj abcdeh "
            "aefhij bcghij adegij bcdefj abcfgi"
        ),
        (7, 6): "abcdef bcdefg abdefg acdefg abcdeg abcdfg abcefg",
        (8, 6): (
            "abdegh abcefh bcdefg acdfgh acdefg abcegh bcdefh abdfgh abcdeg abcdfh acefgh "
            "bdefgh acdefh abcfgh abdefg bcdegh abcefg acdegh abdefh bcdfgh adefgh abcdef "
            "abcdgh bcefgh cdefgh abcdfg abefgh abcdeh"
        ),
        (9, 6): (
            "abcdef defghi abcghi bcdfgi acdegh abefhi acefgi bcdehi abdfgh abdegi bcefgh acdfhi"
        ),
        (
            11,
            6,
        ): "bfghjk abdegk abcefh acdfjk aefgij acghik cdeghj abdhij bcdfgi bceijk defhik",
        (12, 6): (
            "abcdef ghijkl adegkl bceijk acfghi befghl cdfjkl abdhij abcgjl aefhjk cdehil "
            "defgij bcdghk abfikl bdfhjl acegik bdegjk cefhkl acdijl abeghj adfgil bcfhik "
            "adehik befijl acfgjk cdfghj abdhkl bcegil bdfgik acehjl cdeikl aefghk abcgij "
            "abfhil bcdhjk defgjl acfjkl bceghl adehij abdgkl cdfghi befijk ghijkl abcdef"
        ),
        (13, 6): (
            "abcefi cdeghk chijlm afghjk abejkl acdglm defhil bcdfgj adijkm bghikl bcfklm "
            "abdehm efgijm aefgil bcdfik abcehj defhkm cdegjl bfghjm acghik begklm bdhijl "
            "adfjkl abdgim acfhlm ceijkm"
        ),
        (14, 6): (
            "acgkln cdfgim abdhlm bfjkmn aefhik deghjn bcefhl aeijlm acdfjn bceimn abdegk "
            "bfgijl dhikln cghjkm aefkmn bcdhin abgijk dfghlm acdeij cefgkl dejlmn bchjkl "
            "afhijn abcghm eghimn bdefjk cdiklm abfgln dfghjm adiklm cefgil chjkln abcehm "
            "abdgln bdefhk bgijkm bcdfin acdegj afhijl acfkmn bejlmn eghikn acdhjk abfhim "
            "dfgkmn cefjlm aeghln bcgijn bdeikl cfhjkl bdefkn ceghin abgjln acdejm dgiklm "
            "afikmn bdfghm begijk ehjlmn adfhij bcdiln acefgl abchkm adfkln bcefik afgijm "
            "deghkm bdijlm bcfhmn abdehj acdgin achikl bghjkn cdfgjl efhiln cejkmn abeglm "
            "bfghil aeijkl cgklmn abcfjn cdefim dhijkn abcdgk adhlmn aefghk bcdehl cghijm "
            "defgjn bfjklm abeimn"
        ),
        (16, 6): (
            "cfimop aeghmp afjklp belnop chjlmn abcgjo acdeil cefgkn abfhin bcdhkp adkmno "
            "bdefjm bgiklm dgijnp ehijko dfghlo"
        ),
    },
)


Int64Array = npt.NDArray[np.int64]

#: Exchanges tried in one attempt, from even counts and from uneven ones.
_STEPS_FROM_EVEN = 30_000
_STEPS = 6_000
#: Attempts per lap, in which the counts of all pairs rise by one. Counts that are uneven before the
#: cycle stay uneven, so less effort is enough.
_ATTEMPTS_FROM_EVEN = (60, 8, 8, 8)
_ATTEMPTS = (1, 2)
#: Number of block orders tried.
_ORDERS = 40
#: Number of ends tried per lap.
_ENDS = 5


@lru_cache(maxsize=64)
def plan_cycle(counts: bytes, systems: int, size: int, key: int) -> CycleBlocks:
    """Plan the next blocks together.

    Parameters
    ----------
    counts : bytes
        How often each pair of systems has met: int64, shape (systems, systems), symmetric.
    systems : int
        Number of systems, greater than `size`.
    size : int
        Systems in a block, at least 3.
    key : int
        64 random bits.

    Returns
    -------
    tuple of tuple of int
        Systems of each block, in the order in which the blocks are to be shown.

    References
    ----------
    J. A. John, T. J. Mitchell (1977), Optimal Incomplete Block Designs, JRSS B 39 (regular graph
    designs: counts differ by one at most). J. A. John, E. R. Williams (1995), Cyclic and Computer
    Generated Designs, ch. 4 (exchange algorithms).
    """
    met = np.frombuffer(counts, dtype=np.int64).reshape(systems, systems).copy()
    pairs = met[np.triu_indices(systems, 1)]
    if pairs.min() == pairs.max():
        design_blocks = known_design(systems, size)
        if design_blocks:
            draw = HashDraw(seed=key, number=0)
            names = draw.shuffled(range(systems), str, "systems")
            blocks = []
            for block in design_blocks:
                blocks.append(tuple(names[position] for position in block))
            return tuple(blocks)
    return _best_cycle_blocks(met, pairs, size, key)


def _best_cycle_blocks(
    met: Int64Array,
    pairs: Int64Array,
    size: int,
    key: int,
) -> CycleBlocks:
    from annotation.sampling.kernels import even_out, lay_out, put_in_order

    is_even = bool(pairs.max() - pairs.min() <= 1)
    steps = _STEPS
    if is_even:
        steps = _STEPS_FROM_EVEN
    per_block = size * (size - 1) // 2
    best: tuple[tuple[int, int], Int64Array] | None = None
    for attempt, length in enumerate(_lengths(pairs, per_block, is_even=is_even)):
        luck = HashDraw(seed=key, number=attempt)
        counts = met.copy()
        blocks = np.empty((length, size), dtype=np.int64)
        lay_out(counts, blocks, luck.integer("lay out"))
        meetings = int(pairs.sum()) + length * per_block
        target = _least_squares(meetings, len(pairs))
        missing = even_out(counts, blocks, luck.integer("even out"), target, steps)
        orders = 1
        if is_even and missing == 0:
            orders = _ORDERS
        worst = put_in_order(met, blocks, luck.integer("order"), orders)
        if best is None or (missing, worst) < best[0]:
            best = (missing, worst), blocks
        if missing == 0 and (worst <= 2 or not is_even):
            break
    assert best is not None  # noqa: S101  there is an attempt
    return tuple(tuple(block) for block in best[1].tolist())


def _lengths(pairs: Int64Array, per_block: int, *, is_even: bool) -> Iterator[int]:
    """Yield the length of the cycle for each attempt, lap by lap, trying ends near the middle first."""
    total = int(pairs.sum())
    least = int(pairs.min())
    n = len(pairs)
    attempts_per_lap: tuple[int, ...] = _ATTEMPTS
    if is_even:
        attempts_per_lap = _ATTEMPTS_FROM_EVEN
    for lap, attempts in enumerate(attempts_per_lap, start=1):
        # Meetings still to be planned until all pairs have this lap's count, and the next lap's.
        begin = (least + lap) * n - total
        end = begin + n
        first = max(1, ceil(begin / per_block))
        last = max(1, ceil(end / per_block))
        middle = (begin + end) / 2
        by_distance = sorted(
            range(first, last + 1),
            key=lambda length: abs(length * per_block - middle),
        )
        ends = by_distance[:_ENDS]
        for attempt in range(attempts):
            yield ends[attempt % len(ends)]


def _least_squares(total: int, pairs: int) -> int:
    """Return the sum of squares of `pairs` integers that add up to `total` and differ by at most one."""
    lower, higher_ones = divmod(total, pairs)
    squares_of_lower = (pairs - higher_ones) * lower**2
    return squares_of_lower + higher_ones * (lower + 1) ** 2


#: Blocks of two stay even without a plan, because the rarest pair is shown next.
_SMALLEST = 3
#: Largest share of blocks with a reference or a damaged one; with more there is little to plan.
_MOST_OTHERS = 0.5
#: Consecutive clean blocks after which a cycle begins: from even counts, and from uneven ones.
_CLEAN_BLOCKS_IF_EVEN = 3
_CLEAN_BLOCKS = 8
#: Larger differences between counts even out block by block as fast as with any plan.
_NEARLY_EVEN = 3


class PlannedCycleJSON(TypedDict):
    """A plan of a cycle as stored in the state of a draw."""

    seed: int
    size: int
    systems: list[str]
    cycle: int
    pending: list[list[int]]
    clean_blocks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCycle:
    """Blocks planned together, and those of them still to be shown.

    A cycle begins after three clean blocks in a row, if no two pairs' counts differ by more than one.
    Each HIT's block takes the first planned block that its segment can show. If none fits (fewer
    systems for a long sentence, a reference at its rate, an output that is missing or the same as
    another), the rest of the cycle is abandoned: blocks are chosen by the pairs that have met least,
    as without a plan, until counts are even again. Mostly they become even by themselves. After eight
    clean blocks in a row, a cycle is also planned from counts that differ by up to three.

    Attributes
    ----------
    seed : int
        Seed of the design.
    size : int
        Systems in a block.
    systems : tuple of str
        The systems that take part, in alphabetical order.
    cycle : int
        Number of cycles begun so far.
    pending : tuple of tuple of int
        Blocks left, by index into `systems`.
    clean_blocks : int
        Consecutive clean blocks so far, which have `size` candidates, each by one system only.
        Starts at eight, so that a design begins with a cycle.
    """

    seed: int
    size: int
    systems: tuple[str, ...]
    cycle: int = 0
    pending: CycleBlocks = ()
    clean_blocks: int = _CLEAN_BLOCKS

    @classmethod
    def of(
        cls,
        parameters: DesignParameters,
        systems: Collection[str],
    ) -> PlannedCycle | None:
        """Return a design's plan among these systems; None if the design does not plan cycles."""
        size = parameters.systems_per_block
        others = (parameters.reference_rate or 0.0) + parameters.bad_reference_rate
        if (
            parameters.kind is not DesignKind.BALANCED
            or not _SMALLEST <= size < len(systems)
            or others > _MOST_OTHERS
        ):
            return None
        return cls(seed=parameters.seed, size=size, systems=tuple(sorted(systems)))

    def continued(self, before: PlannedCycle | None) -> PlannedCycle:
        """Return the earlier plan if it is among the same systems, otherwise this one."""
        if before is None:
            return self
        is_same = self == replace(
            before,
            cycle=0,
            pending=(),
            clean_blocks=_CLEAN_BLOCKS,
        )
        if is_same:
            return before
        return replace(self, cycle=before.cycle)

    def with_cycle(
        self,
        pair_counts: Int64Array,
        index: Mapping[str, int],
    ) -> PlannedCycle:
        """Return this plan with the blocks of a new cycle, if none are left and one is due."""
        if self.pending:
            return self
        if self.clean_blocks < _CLEAN_BLOCKS_IF_EVEN:
            return self
        indices = [index[name] for name in self.systems]
        met = np.ascontiguousarray(pair_counts[np.ix_(indices, indices)])
        spread = _count_spread(met)
        if spread > 1 and (spread > _NEARLY_EVEN or self.clean_blocks < _CLEAN_BLOCKS):
            return self
        key = HashDraw(seed=self.seed, number=self.cycle).integer("cycle")
        blocks = plan_cycle(met.tobytes(), len(indices), self.size, key)
        return replace(self, cycle=self.cycle + 1, pending=blocks)

    def fitting(self, texts: Sequence[DistinctText]) -> dict[str, DistinctText] | None:
        """Return the texts of the first pending block that these texts can show, by system, or None."""
        text_by_system = {}
        for text in texts:
            for name in text.systems:
                text_by_system[name] = text
        for block in self.pending:
            fitting = {}
            for position in block:
                name = self.systems[position]
                if name in text_by_system:
                    fitting[name] = text_by_system[name]
            if len(set(fitting.values())) == self.size:
                return fitting
        return None

    def after_block(self, texts: Sequence[tuple[str, ...]]) -> PlannedCycle:
        """Return the plan after a block whose candidates are by these systems."""
        if len(texts) != self.size or any(len(names) > 1 for names in texts):
            return self.abandoned()
        names = {names[0] for names in texts}
        pending: CycleBlocks = ()
        for number, block in enumerate(self.pending):
            if all(self.systems[position] in names for position in block):
                pending = (*self.pending[:number], *self.pending[number + 1 :])
                break
        return replace(self, pending=pending, clean_blocks=self.clean_blocks + 1)

    def abandoned(self) -> PlannedCycle:
        """Return this plan without pending blocks, after a block that no cycle allowed for."""
        return replace(self, pending=(), clean_blocks=0)

    def to_json(self) -> PlannedCycleJSON:
        """Return lists and numbers that `from_json` reads."""
        return {
            "seed": self.seed,
            "size": self.size,
            "systems": list(self.systems),
            "cycle": self.cycle,
            "pending": [list(block) for block in self.pending],
            "clean_blocks": self.clean_blocks,
        }

    @classmethod
    def from_json(cls, stored: PlannedCycleJSON | None) -> PlannedCycle | None:
        """Return the plan that `to_json` wrote; None if there was none."""
        if stored is None:
            return None
        return cls(
            seed=stored["seed"],
            size=stored["size"],
            systems=tuple(stored["systems"]),
            cycle=stored["cycle"],
            pending=tuple(tuple(block) for block in stored["pending"]),
            clean_blocks=stored["clean_blocks"],
        )


def _count_spread(counts: Int64Array) -> int:
    """Return the difference between the largest and smallest pair count."""
    pairs = counts[_different(len(counts))]
    return int(pairs.max() - pairs.min())


@lru_cache(maxsize=16)
def _different(n: int) -> npt.NDArray[np.bool_]:
    """Return a mask of the off-diagonal cells of an n × n matrix, which are the pairs."""
    return ~np.eye(n, dtype=np.bool_)
