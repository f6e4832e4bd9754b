"""The kinds of array that the statistics pass around."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]


def sum_by(codes: Ints, weights: Floats, size: int) -> Floats:
    """The sum of the weights of each code below `size`."""
    return np.asarray(np.bincount(codes, weights=weights, minlength=size), dtype=np.float64)
