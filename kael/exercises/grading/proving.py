"""Before a class is graded: do the checks accept kael's own solutions, here, with this seed?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from kael.exercises import Refused
from kael.exercises.catalogue import Exercise
from kael.exercises.grading.checks import Checks
from kael.exercises.grading.pool import Graded
from kael.exercises.grading.statistics import likely_cause
from kael.exercises.grading.student import Record, Task
from kael.exercises.solutions import solution_of

__all__ = ["Proof", "WrongChecks", "prove"]


class WrongChecks(Exception):
    """A private check rejects the solution."""


@dataclass(frozen=True)
class Proof:
    """How far the checks of an exercise can be trusted on this machine.

    Attributes
    ----------
    isolated : bool
        Whether answers run in a process of their own; an exercise whose checks reject the solution there, and accept it
        in one process, is graded in one.
    doubt : str
        What is wrong with its checks here; empty when nothing is.
    """

    isolated: bool = True
    doubt: str = ""


def prove(
    exercises: Sequence[Exercise],
    checks: Mapping[str, Checks],
    seed: int,
    graded: Callable[[Iterable[Task]], Iterator[Graded]],
) -> dict[str, Proof]:
    """Grade kael's own solutions, in processes of their own and where they fail there in that of the checks.

    Parameters
    ----------
    exercises : sequence of Exercise
        What is to be graded.
    checks : mapping of str to Checks
        By exercise.
    seed : int
        Of the run.
    graded : callable
        Turns tasks into what came of them.

    Raises
    ------
    WrongChecks
        When a private check rejects a solution: it would reject every student's right answer.
    """
    tasks: list[Task] = []
    made: dict[str, Proof] = {}
    for exercise in exercises:
        name = exercise.id
        try:
            solution = solution_of(exercise).text.encode()
        except Refused as error:
            made[name] = Proof(doubt=str(error))
            continue
        own = checks[name]
        tasks.append(Task(name, {name: solution}, seed, {name: own.more}, {name: own.sha256}, frozenset()))
    apart = _rejected(graded(tasks)) if tasks else {}
    beside = [replace(task, together=frozenset([task.student])) for task in tasks if apart[task.student]]
    together = _rejected(graded(beside)) if beside else {}
    for task in tasks:
        name = task.student
        if not apart[name]:
            made[name] = Proof()
        elif not together[name]:
            said = f"kael's own solution passes {', '.join(apart[name])} only in one process with the checks"
            made[name] = Proof(False, f"{said}; so is every answer to it graded, on honour")
        else:
            rejected = together[name]
            private = [f"{check}: {cause}" for check, cause in rejected.items() if check in checks[name].private]
            if private:
                listed = "\n  ".join(private)
                raise WrongChecks(f"your checks of {name} reject kael's own solution; correct them first\n  {listed}")
            listed = "; ".join(f"{check}: {cause}" for check, cause in rejected.items())
            made[name] = Proof(doubt=f"kael's own solution does not pass here, do not rely on these points ({listed})")
    return made


def _rejected(graded: Iterator[Graded]) -> dict[str, dict[str, str]]:
    """By exercise the checks that its solution does not pass, and why."""
    return {task.student: _failures(answer) for task, answer in graded}


def _failures(answer: list[Record] | Exception) -> dict[str, str]:
    if isinstance(answer, Exception):
        return {"grading": str(answer)}
    return {
        check["name"]: likely_cause(check["text"])
        for record in answer
        for check in record["results"]
        if check["state"] not in ("pass", "not available")
    }
