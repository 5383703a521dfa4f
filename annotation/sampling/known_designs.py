"""Designs in which every pair meets equally often, in an order that keeps counts close on the way.

The first have each pair meet once (Steiner systems), so that no two counts ever differ by more than
one; no other design can do that (`docs/sampling.md`). The others are for blocks that hold so many of
the systems that a search for a cycle is slow. All were found by developing initial blocks (cyclic
designs, some with a fixed system or short orbits) and ordering their blocks by a beam search;
`tests/unit/annotation/sampling/test_known_designs.py` checks each.
"""

from collections.abc import Mapping
from types import MappingProxyType

CycleBlocks = tuple[tuple[int, ...], ...]


def known_design(systems: int, size: int) -> CycleBlocks:
    """Return blocks in which all pairs of systems meet equally often; empty where none are known."""
    letters = _LETTERS.get((systems, size), "")
    return tuple(tuple(ord(letter) - ord("a") for letter in block) for block in letters.split())


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
        (11, 6): "bfghjk abdegk abcefh acdfjk aefgij acghik cdeghj abdhij bcdfgi bceijk defhik",
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
    }
)
