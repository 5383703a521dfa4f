"""Import the parts of numba that kernels use; without numba, replacements that leave kernels interpreted.

Results are bit-identical either way: 64-bit integers wrap around, and random numbers follow from keys.
Interpreted kernels take about a hundred times as long, which is acceptable for a few thousand judgments.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = [
    "boolean",
    "float64",
    "int8",
    "int32",
    "int64",
    "njit",
    "types",
    "uint8",
    "uint16",
    "uint64",
    "void",
]

try:
    from numba import (
        boolean,
        float64,
        int8,
        int32,
        int64,
        njit,
        types,
        uint8,
        uint16,
        uint64,
        void,
    )
except ModuleNotFoundError:
    _NUMBERS = (int, np.integer, np.bool_)

    class _Type:
        """Replacement for all types, arrays and signatures; called with a number, it returns the number."""

        def __call__(self, *of: Any, **_how: Any) -> Any:
            return int(of[0]) if len(of) == 1 and isinstance(of[0], _NUMBERS) else self

        def __getitem__(self, _axes: Any) -> "_Type":
            return self

        def __getattr__(self, _name: str) -> "_Type":
            return self

    boolean = float64 = int8 = int32 = int64 = _Type()  # type: ignore[assignment]
    types = uint8 = uint16 = uint64 = void = _Type()  # type: ignore[assignment]

    def njit(*function: Any, **_options: Any) -> Any:  # type: ignore[no-redef]
        """Return the function unchanged except that it does not warn about overflow."""
        if function and callable(function[0]) and not isinstance(function[0], _Type):
            return np.errstate(over="ignore")(function[0])

        def decorator(kernel: Callable[..., Any]) -> Any:
            return np.errstate(over="ignore")(kernel)

        return decorator
