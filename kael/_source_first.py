"""A meta-path finder: kael's modules come from their .py although a compiled form lies beside it."""

from collections.abc import Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType


def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
    """The spec of kael's module `name` from source; None for every other module."""
    spec = PathFinder.find_spec(name, path) if name.startswith("kael.") else None
    if spec is None or spec.origin is None or spec.origin.endswith(".py"):
        return spec
    source = Path(spec.origin).with_name(name.rpartition(".")[2] + ".py")
    if not source.exists():
        return None
    return spec_from_file_location(name, source, loader=SourceFileLoader(name, str(source)))
