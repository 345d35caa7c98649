"""The kernels in use, as attributes of one object; compiled, the most used of them are found without a lookup."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any


class Table:
    """The kernels that the library calls, one attribute each; bound by `kael.kernels.bind` and by nothing else."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


table = Table()
