"""A small EvalSet folder: two systems on three segments, with and without reference."""

from pathlib import Path

EVALSET = {
    "documents/en-de.docs": "news\td1\nnews\td1\nsocial\td2\n",
    "sources/en-de.txt": "One.\nTwo words.\nThree words here.\n",
    "references/en-de.refA.txt": "a\nb\nc\n",
    "human-scores/en-de.mqm.seg.score": "amber\t-1\namber\tNone\namber\t0\nbirch\t-2\nbirch\t-3\nbirch\t-4\n",
    "human-scores/en-de.mqm.sys.score": "birch\t-3.5\namber\t-0.5\n",
    "metric-scores/en-de/BLEU-refA.seg.score": "birch\t1\nbirch\t2\nbirch\t3\namber\t4\namber\t5\namber\t6\n",
    "metric-scores/en-de/BLEU-refA.domain.score": "news\tbirch\t1\n",
    "metric-scores/en-de/Kiwi-src.sys.score": "birch\t1\namber\t2\n",
}


def evalset_write(folder: Path, files: dict[str, str]) -> Path:
    """Write the files of a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder
