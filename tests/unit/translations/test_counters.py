"""The placeholder of the number that chooses a plural form is read from the code."""

from pathlib import Path

import pytest

from translations.counters import counters_of

DICT = 'words = ngettext("%(size)s of %(all)s", "%(size)s of %(all)s.", len(found))'


@pytest.mark.parametrize(
    ("file", "code", "counter"),
    [
        ("a.py", f'{DICT} % {{"size": len(found), "all": 3}}', "size"),
        ("a.py", f'{DICT} % {{"size": number_format(len(found)), "all": 3}}', "size"),
        ("a.py", f'{DICT} % {{"size": 3, "all": len(every)}}', None),
        (
            "a.py",
            'counted("%(count)s of %(all)s", "%(count)s of %(all)s.", 2, all=3)',
            "count",
        ),
        ("a.py", '_ = ngettext_lazy("{n} of {all}", "{n} of {all}.")', "n"),
        (
            "a.html",
            "{% blocktranslate with a=b count size=found %}{{ size }} of {{ all }}{% plural %}many{% endblocktranslate %}",
            "size",
        ),
    ],
)
def test_the_counter_is_found(
    tmp_path: Path,
    file: str,
    code: str,
    counter: str | None,
) -> None:
    (tmp_path / file).write_text(code, encoding="utf-8")
    found = counters_of(tmp_path, ["."])
    assert list(found.values()) == ([] if counter is None else [counter])
