"""Files that no reader of judgments takes, named so that people see what they have and what to do with it."""

import re
from dataclasses import dataclass
from typing import Final

from campaign.formats.errors import FormatError, Location
from campaign.formats.streams import head_text, refuse_other_file
from campaign.formats.tables import refuse_separator_line

_TAR: Final = (257, b"ustar")
_SCORES: Final = (
    "provide it, with a name that ends in .seg.score, to the analysis of metrics, "
    "or provide the judgments behind the scores"
)
_SCORE_TABLE: Final = (
    "for the analysis of metrics, name the columns system, segment and score and separate them by tabs; "
    "or provide the judgments behind the scores"
)
#: Keys of answers that other tools for annotation export, one object per line.
KEYS_OF_ANNOTATIONS: Final = (
    "%TYPES",
    "_task_hash",
    "annotations",
    "displayed_text",
    "entities",
    "examples",
    "fields",
    "label",
    "label_annotations",
    "expert_annotations",
    "turker_annotations",
)
_ANSWERS: Final = (
    "write a line of JSON for each answer, as docs/formats-judgments.md describes"
)
_LABEL_STUDIO: Final = r'\{\s*("id"\s*:\s*[0-9]+\s*,\s*)?"data"\s*:\s*\{'
_LINES: Final = 'write a line {"source": "…", "outputs": {"system": "…"}}'
_JUDGMENTS: Final = "provide files with judgments"
#: What to do with files of other readers. A reader is not sent to itself.
ANALYSE_SPANS: Final = "analyse it with: analyse spans"
RANK: Final = "rank it with rank_judgments"
IMPORT_AS_TEST_SET: Final = "import it as a test set"
#: What may precede the root element of XML.
_PROLOG: Final = r"(?:<\?xml[^>]*+>|<!DOCTYPE[^>]*+>|(?><!--(?s:.*?)-->)|\s)*+"
_TEXTS: Final = "export a table with the source and one column for each system"


@dataclass(frozen=True, slots=True)
class _Kind:
    """A kind of file: the pattern that its first lines match, a name for it, and what to do."""

    pattern: re.Pattern[str]
    name: str
    remedy: str


def _kind(pattern: str, name: str, remedy: str) -> _Kind:
    return _Kind(re.compile(pattern, re.IGNORECASE), name, remedy)


#: Name of SubRip and WebVTT, and what to do.
SUBTITLES: Final = "a file of subtitles"
SUBTITLES_AS_LINES: Final = "write one subtitle per line, without numbers and times, as many lines in every file"
_SUBTITLES: Final = _kind(
    r"WEBVTT\b|[0-9]+\s*\n[0-9]+:[0-9]{2}:[0-9]{2},[0-9]{3} --> ",
    SUBTITLES,
    SUBTITLES_AS_LINES,
)
_INCEPTION: Final = "an export of INCEpTION or WebAnno"
_KINDS: Final = (
    _kind(
        r"(BLEU|chrF2?\+*|TER)\|[^\n]* = [0-9.]",
        "what sacrebleu prints",
        "write each system and its score, separated by a tab, one line per segment in order, in a file that ends in "
        r".seg.score, with: sed 's/.* = \([0-9.]*\).*/SYSTEM\t\1/' OLD > NEW",
    ),
    _kind(
        r'\[?\s*\{\s*"name"\s*:\s*"(BLEU|chrF2?\+*|TER)"\s*,\s*"score"\s*:',
        "the JSON of sacrebleu",
        "write each system and its score, separated by a tab, in a file that ends in .sys.score",
    ),
    _kind(
        r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?\s*\n-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?\s*(\n|\Z)",
        "a list of numbers",
        "write the system before each number, separated by a tab, in a file that ends in .seg.score, "
        r"with: sed 's/^/SYSTEM\t/' OLD > NEW",
    ),
    _kind(
        r"(?![\[{<])[^\n,;\t|]*(\|[^\n,;\t|]*)+\n[^\n|]*\|",
        "a table whose cells are separated by |",
        "separate them by tabs, commas or semicolons",
    ),
    _kind(
        r"SEG_ID\tDoc\t[^\n]*\bTagged_Target\b",
        "a table of bio-MQM",
        "name the columns system (MT), doc and doc_id (Doc), seg_id (SEG_ID), rater (Annotator_ID), source, "
        "target (Tagged_Target), category (Error Category) and severity; write <v> and </v> around each error, "
        "and no-error in category and severity where there is none",
    ),
    _kind(
        r'\{[^\n]*"(expert|turker)_annotations"\s*:',
        "the released file of SummEval",
        "write a line for each rating, with: jq -nc '[inputs] as $all | ($all | map(.id) | unique) as $ids | $all[] | "
        ". as $text | .expert_annotations | to_entries[] | .key as $judge | .value | to_entries[] | "
        "{segment: (($ids | index($text.id)) + 1), segment_id: $text.id, systems: [$text.model_id], "
        'judge: "expert \\($judge + 1)", criterion: .key, value: .value}\' OLD > NEW; then: analyse rating NEW',
    ),
    _kind(
        r'\{[^\n]*"annotation"[^\n]*"sliders"\s*:\s*\{\s*"',
        "a log of Pearmut with answers on sliders",
        "import it into a task of ratings whose criteria are called like the sliders",
    ),
    _kind(
        r'\{[^\n]{0,4000}"_task_hash"\s*:',
        "an export of Prodigy",
        _ANSWERS,
    ),
    _kind(r'#FORMAT=WebAnno|\{\s*"%TYPES"', _INCEPTION, _ANSWERS),
    _kind(
        r'\{\s*"(annotations_and_)?examples"\s*:\s*\[',
        "an export of LightTag",
        _ANSWERS,
    ),
    _kind(
        r'"?HITId"?[,\t]"?HITTypeId"?[,\t]',
        "a table of results from Mechanical Turk",
        _ANSWERS,
    ),
    _kind(
        r'([^\n]*\t)?"?(INPUT|OUTPUT|GOLDEN|ASSIGNMENT):\w',
        "a table of results from Toloka",
        _ANSWERS,
    ),
    _kind(
        r'\[\s*\{[^\]]*"generator_1"\s*:',
        "an array of AlpacaEval",
        "write votes, with: jq -c '.[] | {model_a: .generator_1, model_b: .generator_2, judge: .annotator, "
        'winner: (if .preference < 1.5 then "model_a" elif .preference > 1.5 then "model_b" else "tie" end)}'
        "' OLD > NEW",
    ),
    _kind(
        r'\[\s*\{[^\]]*"(annotations"\s*:\s*\[\s*\{|annotation_id"\s*:)',
        "a JSON array exported from Label Studio",
        f"for a test set, {_LINES} for each task; for judgments, {_ANSWERS}",
    ),
    _kind(
        r"[^\n]*\bannotation_id\b[^\n]*\blead_time\b",
        "a table exported from Label Studio",
        _ANSWERS,
    ),
    _kind(
        r'\[?\s*\{[^\n]{0,4000}"fields"\s*:\s*\{[^\n]{0,4000}"responses"\s*:',
        "an export of Argilla",
        _ANSWERS,
    ),
    _kind(
        r'\[?\s*\{[^\n]{0,4000}"text"\s*:[^\n]{0,4000}"(label|labels|entities|cats)"\s*:\s*\[',
        "an export of doccano",
        _ANSWERS,
    ),
    _kind(
        r'\{[^\n]*"(label_annotations|displayed_text)"\s*:|[^\n]*\binstance_id\b[^\n]*:::',
        "the output of Potato",
        _ANSWERS,
    ),
    _kind(
        r'\[\s*\{\s*"(items|task)"\s*:',
        "a batch of tasks for Appraise, without judgments",
        "provide the scores that ExportSystemScoresToCSV writes",
    ),
    _kind(
        rf"\[\s*{_LABEL_STUDIO}",
        "a JSON array of tasks for Label Studio",
        f"{_LINES} for each task",
    ),
    _kind(_LABEL_STUDIO, "a file of tasks for Label Studio", f"{_LINES} for each task"),
    _kind(
        r"\[\s*[\[{]",
        "a JSON array",
        "write one object per line, with: jq -c '.[]' OLD > NEW",
    ),
    _kind(r"<(!doctype )?html", "a web page", "download the file itself"),
    _kind(rf"{_PROLOG}<tmx\b", "a translation memory (TMX)", _TEXTS),
    _kind(rf"{_PROLOG}<(\w+:)?xliff\b", "in XLIFF", _TEXTS),
    _kind(rf"{_PROLOG}<xmi:XMI\b", _INCEPTION, _ANSWERS),
    _kind(
        r"<\?xml\b",
        "in XML that is not read here",
        "write it as a table (CSV, TSV) or as JSON Lines",
    ),
    _kind(r'(#[^\n]*\n|\s)*msgid "', "a catalogue of messages (PO)", _TEXTS),
    _SUBTITLES,
    _kind(
        r"username,password,url\b",
        "a list of Appraise accounts and passwords",
        "provide the scores written by ExportSystemScoresToCSV",
    ),
    _kind(
        r"account,annotated_by_group\b|AnnotatorID,protocol,login\b|([a-z]{6}[0-9a-f]{4}[,\r\n]+){2}",
        "a list of annotators' accounts",
        _JUDGMENTS,
    ),
    _kind(
        r'"?HITId"?\s+"?WorkerId"?\s',
        "a table of WMT's crowd-sourced direct assessment (ad-*.csv)",
        "provide judgments from Appraise, Pearmut or MQM; segment scores can be compared as a metric",
    ),
    _kind(
        r"SYS (SID|SEGID) RAW\.SCR",
        "a table of segment scores (ad-*-scores-*.csv)",
        _SCORE_TABLE,
    ),
    _kind(
        r"RAW\.SCR Z\.SCR N SYS",
        "a table of system scores (ad-sys-scores-*.csv)",
        _JUDGMENTS,
    ),
    _kind(
        r"-?[0-9.]+ -?[0-9.]+ [0-9]+ [0-9]+ [^\s]+( [^\s]+)? ?[\r\n]",
        "a ranking of WMT's direct assessment (ad-sys-ranking-*.csv)",
        _JUDGMENTS,
    ),
    _kind(
        r"([^\s]+) [^\n]*\n\1 (-|[0-9.e-]+\**) ",
        "a table of tests between systems (ad-DA-diff-wilcoxon-*.csv, adwilcox-*.csv)",
        _JUDGMENTS,
    ),
    _kind(r"SRC TRG WINS TOTAL\b", "a table of WMT's clusters", _JUDGMENTS),
    _kind(
        r"hit wid src trg item\b|wid hit\.count\b|\[1\] \"|M[0-9]+(\t[0-9.e -]+){3}[\r\n]",
        "about the work of WMT's crowd (ad-hit-time, ad-trk-*, ad-wrkr-*)",
        _JUDGMENTS,
    ),
    _kind(
        r"LP (DATA )?SID BETTER WORSE\b",
        "a list of better and worse outputs by average scores (DArr)",
        "provide the judgments behind the scores",
    ),
    _kind(
        r"([^\t\n]+\t)[a-z]{2,3}-[a-z]{2,3}\t([^\t\n]+\t){3,5}-?[0-9.e-]+[\t\r\n]",
        "a submission to WMT's metrics task (METRIC LP TESTSET REFERENCE SYSTEM SEGMENT SCORE)",
        _SCORE_TABLE,
    ),
    _kind(
        r"[^\t\n]+\t(Segment [0-9]+\t)?score: -?[0-9]",
        "what comet-score prints",
        "write each system and its score, separated by a tab, one line per segment in order (COMET.seg.score)",
    ),
    _kind(
        r'\{\s*"[^"\n]+"\s*:\s*\[\s*\{\s*"(src|mt|ref|COMET)"\s*:',
        "the JSON of comet-score",
        "write a line for each score, with: jq -c 'to_entries[] | .key as $file | .value | to_entries[] | "
        '{system: $file, segment: (.key + 1), metric: "COMET", score: .value.COMET}\' OLD > NEW, '
        "and the names of systems in place of those of files",
    ),
    _kind(
        r"system\s+mqm_avg_score\s+seg_id",
        "a table of average MQM scores",
        _SCORE_TABLE,
    ),
    _kind(
        r'[^\t\n]+\t\{"errors"',
        "a file of MQM ratings by line (.seg.rating)",
        "import it as suggested errors or answers of a task with error spans",
    ),
    _kind(
        r"system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tscore",
        "a table of scalar quality metrics (SQM, from 0 to 6)",
        "provide the MQM annotations of the same outputs",
    ),
    _kind(
        r"[^\t,\n]+\t(None|-?[0-9]+(\.[0-9]+)?)(\n|$)",
        "a file of scores without judges (.seg.score or .sys.score)",
        _SCORES,
    ),
    _kind(
        r"[^,\n]+,[^,\n]+,[0-9]+,[a-z]{3},[a-z]{3},[0-9]+,[0-9.]+,[0-9.]+,",
        "WMT21's contrastive assessment with sentences",
        "provide wmt21-contrastive.20211109.csv, which has the same scores with item types",
    ),
    _kind(
        r'\{.*"prediction"',
        "what MetricX writes",
        "name the system, and count the lines, with: "
        'jq -c \'{system: "NAME", segment: input_line_number, metric: "MetricX", score: .prediction}\' OLD > NEW',
    ),
    _kind(
        r'\{.*"(tgt_text|src_text|hypothesis)"',
        "a test set in WMT's JSON Lines, without judgments",
        IMPORT_AS_TEST_SET,
    ),
    _kind(r'\{.*"model_a"', "a file of arena votes", RANK),
    _kind(
        r'\{.*"(candidates|rankings?)"',
        "a file of rankings",
        RANK,
    ),
    _kind(
        r"[^\n]*\b(srcIndex|rankingID)\b",
        "a file of rankings",
        RANK,
    ),
    _kind(
        r'[^\n]*[,;]"?(?-i:TGT|CHK|BAD|REF)"?[,;]',
        "a file of scores of Appraise",
        ANALYSE_SPANS,
    ),
    _kind(
        r'([^\n]*[\t,;])?"?severity"?[\t,;\r\n]',
        "a file of MQM",
        ANALYSE_SPANS,
    ),
    _kind(
        r'\{.*"(annotation|error_spans|outputs)"',
        "a file of scores and error spans",
        ANALYSE_SPANS,
    ),
)


def is_subtitles(head: bytes) -> bool:
    """Return whether a file is SubRip or WebVTT, by its first bytes."""
    return _SUBTITLES.pattern.match(head_text(head)) is not None


def known_file_error(
    file: str,
    head: bytes,
    *,
    here: str = "",
) -> FormatError | None:
    """Return an error that names a file of another kind by its first bytes; None if the kind is unknown.

    `here` is the remedy that leads to the calling reader, which does not help.
    """
    start, magic = _TAR
    if head[start:].startswith(magic):
        return Location(file).error(
            "the file is a tar archive",
            "unpack it, and provide the files in it",
        )
    text = head_text(head)
    try:
        refuse_other_file(file, head)
        refuse_separator_line(file, 1, text.split("\n", 1)[0])
    except FormatError as error:
        return error
    for kind in _KINDS:
        if kind.remedy != here and kind.pattern.match(text):
            return Location(file, 1).error(f"the file is {kind.name}", kind.remedy)
    return None
