"""What a page loads into its own Python: the trace and the plain chapters, without NumPy and without kael itself."""

import json
import subprocess
import sys
from pathlib import Path

import kael
from kael.book.browser_sources import browser_sources
from kael.tracing.running_example import running_example_trace

ROOT = Path(kael.__file__).parents[1]
SCRIPT = """
import json, sys
sys.path.insert(0, sys.argv[1])
sys.modules["numpy"] = None
from kael.tracing.runnable import rerun
import kael
assert kael.__file__.startswith(sys.argv[1]) and not hasattr(kael, "tensor")
sys.stdout.reconfigure(encoding="utf-8")
run, values = json.load(sys.stdin)
print(rerun(json.dumps(run), json.dumps(values)))
"""


def test_the_running_example_runs_again_without_numpy(tmp_path):
    for name, text in browser_sources(ROOT).items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    run = running_example_trace().run
    values = {field["name"]: field["value"] for field in run["fields"]} | {"x": 5, "y": 2}
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c", SCRIPT, str(tmp_path)],
        input=json.dumps([run, values]),
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr
    assert "x.grad = 3.0, y.grad = 5.0" in done.stdout and done.stdout.startswith("<kael-trace>")


def test_the_parts_that_need_kael_stay_away():
    modules = {name for name in browser_sources(ROOT) if name.startswith("kael/")}
    assert {"kael/__init__.py", "kael/tracing/trace.py", "kael/tracing/page.py", "kael/tracing/schema.py"} <= modules
    assert modules.isdisjoint({"kael/tracing/recording.py", "kael/tracing/command.py"})
    assert all(name == "kael/__init__.py" or name.startswith("kael/tracing/") for name in modules)
