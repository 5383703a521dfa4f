"""The compiled way from numbered columns to the tables of `Blocks`, content keys included.

Importing this module imports numba; see `ranking.core.judged.coded_blocks` for when that pays.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from optional_packages.numba import njit

_U64 = np.uint64
_IV = np.array(
    [
        0x6A09E667F3BCC908,
        0xBB67AE8584CAA73B,
        0x3C6EF372FE94F82B,
        0xA54FF53A5F1D36F1,
        0x510E527FADE682D1,
        0x9B05688C2B3E6C1F,
        0x1F83D9ABFB41BD6B,
        0x5BE0CD19137E2179,
    ],
    dtype=np.uint64,
)
_SIGMA = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
        [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
        [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
        [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
        [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
        [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
        [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
        [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
        [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
        [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
    ],
    dtype=np.int64,
)


@njit(cache=True, nogil=True, inline="always")
def _mix(  # type: ignore[no-untyped-def]
    a, b, c, d, x, y
):
    a = a + b + x
    d = d ^ a
    d = (d >> _U64(32)) | (d << _U64(32))
    c = c + d
    b = b ^ c
    b = (b >> _U64(24)) | (b << _U64(40))
    a = a + b + y
    d = d ^ a
    d = (d >> _U64(16)) | (d << _U64(48))
    c = c + d
    b = b ^ c
    b = (b >> _U64(63)) | (b << _U64(1))
    return a, b, c, d


@njit(cache=True, nogil=True)
def _compress(
    state: npt.NDArray[np.uint64],
    m: npt.NDArray[np.uint64],
    at: int,
    counted: int,
    last: bool,
) -> None:
    """Compress one block of BLAKE2b (RFC 7693, section 3.2): the 16 words of `m` from `at` on."""
    s = _SIGMA
    v0, v1, v2, v3 = state[0], state[1], state[2], state[3]
    v4, v5, v6, v7 = state[4], state[5], state[6], state[7]
    v8, v9, v10, v11 = _IV[0], _IV[1], _IV[2], _IV[3]
    v12, v13, v14, v15 = _IV[4] ^ _U64(counted), _IV[5], _IV[6], _IV[7]
    if last:
        v14 = ~v14
    for t in range(12):
        v0, v4, v8, v12 = _mix(v0, v4, v8, v12, m[at + s[t, 0]], m[at + s[t, 1]])
        v1, v5, v9, v13 = _mix(v1, v5, v9, v13, m[at + s[t, 2]], m[at + s[t, 3]])
        v2, v6, v10, v14 = _mix(v2, v6, v10, v14, m[at + s[t, 4]], m[at + s[t, 5]])
        v3, v7, v11, v15 = _mix(v3, v7, v11, v15, m[at + s[t, 6]], m[at + s[t, 7]])
        v0, v5, v10, v15 = _mix(v0, v5, v10, v15, m[at + s[t, 8]], m[at + s[t, 9]])
        v1, v6, v11, v12 = _mix(v1, v6, v11, v12, m[at + s[t, 10]], m[at + s[t, 11]])
        v2, v7, v8, v13 = _mix(v2, v7, v8, v13, m[at + s[t, 12]], m[at + s[t, 13]])
        v3, v4, v9, v14 = _mix(v3, v4, v9, v14, m[at + s[t, 14]], m[at + s[t, 15]])
    state[0] ^= v0 ^ v8
    state[1] ^= v1 ^ v9
    state[2] ^= v2 ^ v10
    state[3] ^= v3 ^ v11
    state[4] ^= v4 ^ v12
    state[5] ^= v5 ^ v13
    state[6] ^= v6 ^ v14
    state[7] ^= v7 ^ v15


@njit(cache=True, nogil=True)
def hash_contents(
    start: npt.NDArray[np.uint64],
    segment: npt.NDArray[np.int32],
    judge: npt.NDArray[np.int32],
    candidate: npt.NDArray[np.int32],
    pieces: npt.NDArray[np.uint8],
    judge_at: npt.NDArray[np.int64],
    candidate_at: npt.NDArray[np.int64],
    longest: int,
    key: npt.NDArray[np.uint64],
) -> None:
    """Hash what `content_key.judgment_content` would encode, with occurrence 0.

    Parameters
    ----------
    start : uint64, shape (8,)
        The state of BLAKE2b after its parameter block.
    segment, judge : int32, shape (B,)
    candidate : int32, shape (B, S)
        -1 where there is none, at the end of a row or between.
    pieces : uint8
        Encoded judges and candidates, one after the other.
    judge_at, candidate_at : int64
        Where in `pieces` each begins; one more entry than there are.
    longest : int
        Bytes of the longest content, occurrence included.
    key : uint64, shape (B,)
        Takes the result.
    """
    words = np.empty((longest + 127) // 128 * 16, dtype=np.uint64)
    message = words.view(np.uint8)
    state = np.empty(8, dtype=np.uint64)
    for row in range(len(segment)):
        number = np.int64(segment[row])
        for i in range(8):
            message[i] = (number >> (8 * i)) & 255
        end = 8
        for at in range(judge_at[judge[row]], judge_at[judge[row] + 1]):
            message[end] = pieces[at]
            end += 1
        shown_at = end
        message[end + 1] = message[end + 2] = message[end + 3] = 0
        end += 4
        shown = 0
        for place in range(candidate.shape[1]):
            one = candidate[row, place]
            if one >= 0:
                shown += 1
                for at in range(candidate_at[one], candidate_at[one + 1]):
                    message[end] = pieces[at]
                    end += 1
        message[shown_at] = shown
        end += 4  # the occurrence, 0
        padded = (end + 127) // 128 * 128
        for at in range(end - 4, padded):
            message[at] = 0
        for i in range(8):
            state[i] = start[i]
        for block in range(padded // 128):
            last = (block + 1) * 128 == padded
            _compress(state, words, block * 16, end if last else (block + 1) * 128, last)
        key[row] = state[0]


@njit(cache=True, nogil=True)
def spread(
    candidate: npt.NDArray[np.int32],
    label: npt.NDArray[np.int8],
    systems_of: npt.NDArray[np.int32],
    labels: npt.NDArray[np.int8],
    candidates: npt.NDArray[np.int8],
) -> None:
    """Write each candidate's label and place under each of its systems.

    `systems_of` has shape (candidates, most systems of one), padded with -1; `labels` (zeros) and
    `candidates` (-1) have shape (B, n). No block shows a system twice.
    """
    for row in range(len(candidate)):
        shown = 0
        for place in range(candidate.shape[1]):
            one = candidate[row, place]
            if one < 0:
                continue
            for i in range(systems_of.shape[1]):
                system = systems_of[one, i]
                if system < 0:
                    break
                labels[row, system] = label[row, place]
                candidates[row, system] = shown
            shown += 1


def blake2b_start(person: bytes) -> npt.NDArray[np.uint64]:
    """Return the state of BLAKE2b with a digest of 8 bytes, no key, and this personalisation."""
    state = _IV.copy()
    state[0] ^= np.uint64(0x01010000 | 8)
    state[6:] ^= np.frombuffer(person.ljust(16, b"\0"), dtype="<u8")
    return state
