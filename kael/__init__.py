"""A deep-learning library small enough to read and quick enough to use."""

import os

if os.environ.get("KAEL_ENGINE") == "python":
    import sys

    from kael import _source_first

    sys.meta_path.insert(0, _source_first)  # type: ignore[arg-type]
