"""Values as YAML that `yaml_tree` reads back as the same values: the same values, the same bytes."""

from typing import Any

import yaml

from campaign.formats.yaml_tree import scalar_of


class _Writer(yaml.SafeDumper):
    """Writes texts of several lines as blocks, and quotes what anybody would read as something else."""

    def ignore_aliases(self, data: Any) -> bool:
        """Write a value as often as it occurs: `read_yaml` takes no aliases."""
        del data
        return True

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Indent lists, too."""
        del indentless
        super().increase_indent(flow, indentless=False)


def _text(writer: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    text = str(text)  # a choice of Django's is a text, too
    style = None
    if "\n" in text:
        style = "|"
    elif not _is_text(text):
        style = "'"
    return writer.represent_scalar("tag:yaml.org,2002:str", text, style=style)


def _is_text(text: str) -> bool:
    try:
        return scalar_of(text) == text and isinstance(scalar_of(text), str)
    except ValueError:
        return False


_Writer.add_representer(str, _text)
_Writer.add_multi_representer(str, _text)


def yaml_bytes(value: Any) -> bytes:
    """Return the values as YAML in UTF-8, keys in their order."""
    text: str = yaml.dump(
        value, Dumper=_Writer, sort_keys=False, allow_unicode=True, width=2**20, indent=2
    )
    return text.encode()
