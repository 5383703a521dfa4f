"""The parts of a campaign file as bodies of REST resources.

Each part takes the fields of its resource. Fields are added here for what REST has other requests for, such as
withdrawing, and what only a file can name: texts, and outputs, groups and tasks by their names instead of ids.
"""

from datetime import UTC, datetime
from typing import Any, Final

from rest_framework import serializers

from annotation.api.campaign_state import StateSerializer
from annotation.api.designs import DesignParametersSerializer
from annotation.api.judge_groups import JudgeGroupSerializer
from annotation.api.judges import CampaignJudgeChangeSerializer
from annotation.api.panels import PanelCreateSerializer
from annotation.api.training import TrainingOfSegmentSerializer
from campaign.api.bad_references import BadReferenceOfSegmentSerializer
from campaign.api.instructions import InstructionsWriteSerializer
from campaign.api.invitations import JudgesLinkChangeSerializer
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.serializers import (
    CampaignMakeSerializer,
    CampaignRulesSerializer,
    SystemSerializer,
)
from campaign.database.seeds import SEED_BITS
from campaign.formats import TestSetFormat
from campaign.importing.test_sets import REFERENCE_SYSTEM
from campaign.models import CampaignState, Protocol, SystemKind
from campaign.services.campaigns import Rules
from campaign.services.judge_groups import group_name_key
from ranking.api.quality_rules import RuleTermsSerializer
from ranking.api.ranking_settings import RankingSettingsSerializer
from ranking.api.stopping_rules import StoppingRuleSerializer
from whole_campaigns.api import TaskChangesAndClosingSerializer

#: Version of campaign files, increased by incompatible changes.
VERSION: Final = 1
_MOST: Final = 2**31 - 1
_LONGEST_PATH: Final = 500
_MOST_FILES: Final = 2_000
#: Fields of a task other than the ranking, without its parts.
TASK_SETTINGS: Final = (
    "protocol",
    "blocks_wanted",
    "blocks_per_segment",
    "rules",
    "segments_again",
    "closed",
)
#: Fields of a test set and of the task that represents it, without its parts.
TEST_SET_SETTINGS: Final = (
    "name",
    "source_language",
    "target_language",
    "expertise",
    *TASK_SETTINGS,
)
#: Choices named in the API description.
VERSIONS: Final = [(VERSION, str(VERSION))]
FORMATS: Final = [member.value for member in TestSetFormat]
SYSTEM_KINDS: Final = [SystemKind.SYSTEM.value, SystemKind.REFERENCE.value]
STATES: Final = [state for state in CampaignState.values if state != CampaignState.BIN]
OTHER_PROTOCOLS: Final = [name for name in Protocol.values if name != Protocol.RANKING]


class SeedNumberField(serializers.IntegerField):
    """A seed as a number: YAML, unlike JSON, has whole numbers of any size."""

    def __init__(self) -> None:
        super().__init__(required=False, min_value=0, max_value=2**SEED_BITS - 1)


class MomentField(serializers.DateTimeField):
    """A time with its time zone, written in UTC, so that files do not depend on who reads or writes them."""

    default_error_messages = {
        "naive": "The time zone is missing. Write 2027-05-01T18:00:00Z, for example.",
    }

    def __init__(self, **options: Any) -> None:
        super().__init__(required=False, default_timezone=UTC, **options)

    def enforce_timezone(self, value: datetime) -> datetime:
        """Refuse a time without a time zone."""
        if value.tzinfo is None:
            self.fail("naive")
        return super().enforce_timezone(value)


def _segment_field() -> serializers.IntegerField:
    return serializers.IntegerField(
        min_value=1,
        max_value=_MOST,
        help_text="Segment number within the test set, from 1.",
    )


def _flag(help_text: str) -> serializers.BooleanField:
    return serializers.BooleanField(
        required=False,
        write_only=True,
        help_text=help_text,
    )


def _path_field(help_text: str) -> serializers.CharField:
    return serializers.CharField(
        required=False,
        max_length=_LONGEST_PATH,
        help_text=help_text,
    )


def _paths_field(help_text: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.CharField(max_length=_LONGEST_PATH),
        required=False,
        min_length=1,
        max_length=_MOST_FILES,
        help_text=help_text,
    )


class TextsInFileSerializer(PlainSerializer):
    """Files of a new test set. Paths are relative to the folder of the campaign file."""

    files = _paths_field("A folder, an archive, or one or more files.")
    source = _path_field(  # type: ignore[assignment]  # the name in the file
        "Source file, as an alternative to files.",
    )
    references = _paths_field("One file per reference. Requires source.")
    systems = serializers.DictField(
        child=serializers.CharField(max_length=_LONGEST_PATH),
        required=False,
        help_text="One file per system, by system name. Requires source.",
    )
    documents = _path_field("File with one document name per line. Requires source.")
    format = serializers.ChoiceField(
        choices=FORMATS,
        required=False,
        help_text="Format of the files. Detected by default.",
    )
    pair = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        min_length=2,
        max_length=2,
        help_text="Language pair to import from a file with several pairs, as written in the file.",
    )
    split_paragraphs = serializers.BooleanField(
        default=False,
        help_text="Split documents of WMT JSON Lines into paragraphs.",
    )
    reference_system = serializers.CharField(
        default=REFERENCE_SYSTEM,
        allow_null=True,
        max_length=200,
        help_text="Name of the first reference as a system; null if it does not take part.",
    )


class SystemInFileSerializer(SystemSerializer):
    """A system, identified by name."""

    kind = serializers.ChoiceField(
        choices=SYSTEM_KINDS,
        required=False,
        help_text="Determined by the texts; a different kind is refused.",
    )
    withdrawn = _flag(
        "True if new HITs no longer show this system; existing judgments count.",
    )
    outputs = serializers.CharField(
        required=False,
        write_only=True,
        max_length=_LONGEST_PATH,
        help_text="File with the outputs of an additional system for an existing test set.",
    )

    class Meta(SystemSerializer.Meta):
        fields = [
            "name",
            "kind",
            "constrained",
            "approach",
            "condition",
            "team",
            "contact",
            "withdrawn",
            "outputs",
        ]
        read_only_fields: list[str] = []


class DamagedReferenceInFileSerializer(BadReferenceOfSegmentSerializer):
    """A damaged reference, identified by its segment, with the numbers from which it was drawn."""

    confirm = None  # type: ignore[assignment]  # a file is previewed instead
    segment = _segment_field()
    seed = SeedNumberField()
    attempt = serializers.IntegerField(required=False, min_value=1, max_value=_MOST)


class TrainingInFileSerializer(TrainingOfSegmentSerializer):
    """A training block, identified by its segment."""

    segment = _segment_field()
    removed = _flag("True if new judges do not receive this block.")


class DesignInFileSerializer(DesignParametersSerializer):
    """How new HITs are drawn. A seed is drawn if omitted."""

    seed = SeedNumberField()  # type: ignore[assignment]  # a string in JSON


class RankingSettingsInFileSerializer(RankingSettingsSerializer):
    """Settings of the ranking, without who changed them when."""

    judgments = changed_at = changed_by = None  # type: ignore[assignment]


class StoppingRuleInFileSerializer(StoppingRuleSerializer):
    """A stopping rule, without who set it when."""

    after_judgments = set_at = set_by = None  # type: ignore[assignment]


class _TaskPartsSerializer(TaskChangesAndClosingSerializer):
    """The settings of a task, with its design and analysis."""

    training = TrainingInFileSerializer(many=True, required=False)
    design = DesignInFileSerializer(required=False)
    ranking_settings = RankingSettingsInFileSerializer(required=False)
    stopping_rule = StoppingRuleInFileSerializer(
        required=False,
        allow_null=True,
        help_text="Null for none.",
    )


class TaskInFileSerializer(_TaskPartsSerializer):
    """A task other than the ranking, with its design and analysis."""

    protocol = serializers.ChoiceField(choices=OTHER_PROTOCOLS)

    class Meta(TaskChangesAndClosingSerializer.Meta):
        fields = [
            *TASK_SETTINGS,
            "training",
            "design",
            "ranking_settings",
            "stopping_rule",
        ]


class TestSetInFileSerializer(_TaskPartsSerializer):
    """A test set, identified by name, with the settings of its ranking, or of its first task if it has no ranking."""

    protocol = serializers.ChoiceField(
        choices=Protocol.choices,
        required=False,
        help_text="Protocol of the task with these settings. Of a new test set, `ranking` by default; others need only one "
        "system if judges may see single outputs.",
    )
    texts = TextsInFileSerializer(required=False)
    systems = SystemInFileSerializer(many=True, required=False)
    damaged_references = DamagedReferenceInFileSerializer(many=True, required=False)
    tasks = TaskInFileSerializer(
        many=True,
        required=False,
        help_text="Other tasks on the same texts.",
    )

    class Meta(TaskChangesAndClosingSerializer.Meta):
        fields = [
            "name",
            "protocol",
            "texts",
            "source_language",
            "target_language",
            "blocks_wanted",
            "blocks_per_segment",
            "segments_again",
            "expertise",
            "rules",
            "systems",
            "damaged_references",
            "training",
            "design",
            "ranking_settings",
            "stopping_rule",
            "closed",
            "tasks",
        ]


class RuleInFileSerializer(RuleTermsSerializer):
    """An active rule. One that differs only in threshold or minimum replaces the existing one."""

    task = None  # type: ignore[assignment]  # by id; here test set and protocol
    test_set = serializers.CharField(
        allow_null=True,
        default=None,
        help_text="Name of the test set; null for all test sets.",
    )
    protocol = serializers.ChoiceField(
        choices=Protocol.choices,
        default=Protocol.RANKING,
        help_text="Protocol of the task.",
    )
    switched_off = _flag(
        "True to switch off the rule with these terms. Its past actions stay.",
    )


class JudgeGroupInFileSerializer(JudgeGroupSerializer):
    """A judge group, identified by name. Judges list their groups."""

    id = judges = uses = None  # type: ignore[assignment]
    #: What names of one group have in common, for items of the file.
    name_key = staticmethod(group_name_key)


class PanelInFileSerializer(PanelCreateSerializer):
    """A study that sends participants, identified by name, without its codes and secrets."""

    class Meta(PanelCreateSerializer.Meta):
        fields = (  # type: ignore[assignment]
            "name",
            "kind",
            "blocks_asked",
            "minutes_allowed",
            "participations_per_member",
            "screen_out_after_training",
            "languages",
            "service",
            "id_parameter",
        )


class LinkInFileSerializer(JudgesLinkChangeSerializer):
    """A shared link without its URL, identified by its note."""

    note = serializers.CharField(
        max_length=200,
        default="",
        allow_blank=True,
        help_text="Visible to organisers only.",
    )
    expires_at = MomentField(
        help_text="Expiry. New links use the default validity if omitted.",
    )
    withdrawn = _flag(
        "True if the link admits no further judges; judges who joined stay.",
    )


class ConflictInFileSerializer(PlainSerializer):
    """A system that a judge must not see."""

    system = serializers.CharField(max_length=200)
    test_set = serializers.CharField(
        required=False,
        help_text="Name of the test set. All test sets with this system if omitted.",
    )


class JudgeInFileSerializer(CampaignJudgeChangeSerializer):
    """A judge, identified by pseudonym. Links for new judges must be created separately."""

    address = confirm = None  # type: ignore[assignment]
    pseudonym = serializers.CharField(max_length=100)
    note = serializers.CharField(
        required=False,
        allow_blank=True,
        max_length=300,
        help_text="Visible to organisers only. Set for new judges.",
    )
    conflicts = ConflictInFileSerializer(many=True, required=False)  # type: ignore[assignment]


class CampaignFileSerializer(
    StateSerializer,
    CampaignMakeSerializer,
    CampaignRulesSerializer,
):
    """Content of a campaign file. Omitted parts stay unchanged."""

    version = serializers.ChoiceField(
        choices=VERSIONS,
        required=False,
        error_messages={
            "invalid_choice": "This release of Quintet does not read version {input} of campaign files",
        },
        help_text="Version of the file format.",
    )
    slug = serializers.SlugField(
        max_length=60,
        help_text="Short name that identifies the campaign.",
    )
    state = serializers.ChoiceField(
        choices=STATES,
        required=False,
        help_text="Unchanged if omitted; new campaigns are drafts.",
    )
    closes_at = MomentField(
        allow_null=True,
        help_text="Time of automatic closing; null to close manually.",
    )
    state_since = transitions = None  # type: ignore[assignment]
    instructions = InstructionsWriteSerializer(many=True, required=False)
    judge_groups = JudgeGroupInFileSerializer(many=True, required=False)
    test_sets = TestSetInFileSerializer(many=True, required=False)
    quality_rules = RuleInFileSerializer(many=True, required=False)
    panels = PanelInFileSerializer(many=True, required=False)
    links = LinkInFileSerializer(many=True, required=False)
    judges = JudgeInFileSerializer(many=True, required=False)

    class Meta(CampaignRulesSerializer.Meta):
        fields = [
            "version",
            "slug",
            "name",
            *Rules.__annotations__,
            "instructions",
            "judge_groups",
            "test_sets",
            "quality_rules",
            "panels",
            "links",
            "judges",
            "state",
            "closes_at",
        ]
