"""Recordings for the demo: a tone for each word in place of speech, with noise by system."""

import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

#: Amplitude of the noise in the recordings of each system, where a word has 1.
SYSTEMS: Final = {"clear-voice": 0.02, "old-radio": 0.2, "far-away": 0.6}
_RATE: Final = 8000
_SAMPLES_A_WORD: Final = 2000
_LOUDNESS: Final = 60


def recordings_write(folder: Path, sentences: Sequence[str]) -> None:
    """Write the sentences, and a folder with their recordings for each system."""
    (folder / "source.txt").write_text("\n".join(sentences), encoding="utf-8")
    for system, noise in SYSTEMS.items():
        (folder / system).mkdir()
        for number, sentence in enumerate(sentences, 1):
            with wave.open(str(folder / system / f"{number}.wav"), "wb") as file:
                file.setparams((1, 1, _RATE, 0, "NONE", ""))
                file.writeframes(_spoken(sentence, noise))


def _spoken(sentence: str, noise: float) -> bytes:
    pitches = [120 + 20 * len(word) for word in sentence.split()]
    phase = np.cumsum(np.repeat(pitches, _SAMPLES_A_WORD)) * 2 * np.pi / _RATE
    sound = np.sin(phase) + noise * np.random.default_rng(0).uniform(-1, 1, phase.size)
    return (128 + _LOUDNESS * sound).astype(np.uint8).tobytes()
