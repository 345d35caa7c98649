"""Runs the tests that hold kael's promises and prints one line for each."""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.promises.statements import STATEMENTS

TESTS = Path(__file__).parent.parent


class Collector:
    """A pytest plugin: keeps the marked tests alone, and what became of each."""

    def __init__(self) -> None:
        self.holders: dict[str, list[str]] = defaultdict(list)
        self.failed: set[str] = set()
        self.passed: set[str] = set()

    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> None:
        """Drop the tests that hold no promise; note which test holds which."""
        kept = []
        for item in items:
            numbers = [number for mark in item.iter_markers("promise") for number in mark.args]
            for number in numbers:
                self.holders[number].append(item.nodeid)
            if numbers:
                kept.append(item)
        dropped = [item for item in items if item not in set(kept)]
        items[:] = kept
        config.hook.pytest_deselected(items=dropped)

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Count a test as passed when its call passed and nothing around it failed."""
        if report.failed:
            self.failed.add(report.nodeid)
        elif report.when == "call" and report.passed:
            self.passed.add(report.nodeid)

    def holds(self, number: str) -> bool:
        """A promise holds when a test that can fail ran for it and every one of them passed."""
        tests = self.holders[number]
        return bool(tests) and all(test in self.passed and test not in self.failed for test in tests)


def functions(nodes: list[str]) -> list[str]:
    """Node ids without their parameters, each once with the number of its cases."""
    counts: dict[str, int] = defaultdict(int)
    for node in nodes:
        counts[node.partition("[")[0].removeprefix("tests/")] += 1
    return [name if count == 1 else f"{name} ({count} cases)" for name, count in counts.items()]


def main(arguments: list[str]) -> int:
    """Run the marked tests and print the table; 0 when every promise holds."""
    collector = Collector()
    status = pytest.main([str(TESTS), "-q", "--no-header", "-p", "no:cacheprovider", *arguments], plugins=[collector])
    unknown = sorted(set(collector.holders) - set(STATEMENTS))
    held = 0
    print()
    for number, statement in STATEMENTS.items():
        good = collector.holds(number)
        held += good
        tests = functions(collector.holders[number])
        result = "holds" if good else "FAILS" if tests else "NO TEST"
        print(f"{number:<3}  {result:<7}  {statement}  <-  {'; '.join(tests) or 'nothing'}")
    for number in unknown:
        print(f"{number}: no such promise, but {', '.join(functions(collector.holders[number]))} marks it")
    print(f"{held} of {len(STATEMENTS)} hold")
    return 0 if held == len(STATEMENTS) and not unknown and status == pytest.ExitCode.OK else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
