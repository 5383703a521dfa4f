"""Recordings for the demo: a tone for each word in place of speech, with noise by system."""

import wave
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

#: Amplitude of the noise in the recordings of each system, where a word has 1.
SYSTEMS: Final = {"clear-voice": 0.02, "old-radio": 0.2, "far-away": 0.6}
_RATE: Final = 8000
_SECONDS_A_WORD: Final = 0.25
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
    times = np.arange(int(_RATE * _SECONDS_A_WORD)) / _RATE
    fading = np.sin(np.pi * times / _SECONDS_A_WORD)
    words = [
        fading * np.sin(2 * np.pi * (120 + 20 * len(word)) * times) for word in sentence.split()
    ]
    sound = np.concatenate(words)
    sound += noise * np.random.default_rng(len(sentence)).uniform(-1, 1, sound.size)
    return (128 + _LOUDNESS * sound).clip(0, 255).astype(np.uint8).tobytes()
