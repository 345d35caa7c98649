"""Results with every state and with texts that formats stumble over, and the golden files made from them.

``python -m tests.exercises.formats.sample`` writes the golden files anew.
"""

from datetime import UTC, datetime
from pathlib import Path

from kael.exercises.catalogue import Exercise
from kael.exercises.formats import classroom50, gradescope, json, junit, text
from kael.exercises.results import CheckResult, ExerciseResult, Results, with_points

__all__ = ["ENVIRONMENT", "GOLDEN", "NASTY", "RENDERED", "exercise", "result", "sample"]

GOLDEN = Path(__file__).parent / "golden"

NASTY = {
    "control": "bell \x07, null \x00, form feed \x0c, escape \x1b[31mred\x1b[0m, next line \x85, none: \ufffe \uffff",
    "markup": "]]> <b>&amp;</b> \"quoted\" 'quoted' <!-- -- -->",
    "emoji": "résumé, 数, 👩‍🔬, and a word that turns: \u202eabc",
    "surrogate": "half a pair: \ud83d and \udc00",
    "lines": "one\r\ntwo\rthree\n\n~~~~\n```\n| a | b |\n",
    "flood": "spam and eggs\n" * 75_000,
}
"""What an answer may make a check say."""

ENVIRONMENT = {
    "CLASSROOM": "deep-learning",
    "ASSIGNMENT": "engine",
    "ASSIGNMENT_TYPE": "individual",
    "OWNER": "ada",
    "SUBMISSION_TAG": "submit/2026-11-30T09-00-00Z-a1b2c3d",
    "COMMIT_URL": "https://example.org/deep-learning-engine-ada/commit/a1b2c3d",
    "RELEASE_URL": "https://example.org/deep-learning-engine-ada/releases/tag/submit",
    "REVIEW_URL": "https://example.org/deep-learning-engine-ada/compare/0...a1b2c3d",
}
NOW = datetime(2026, 11, 30, 9, 15, 0, tzinfo=UTC)


def exercise(number: int, checks: int, points: int, title: str = "A bias in the middle") -> Exercise:
    """An exercise that lies nowhere."""
    place = f"ch17_engine/e{number:02}_sample"
    return Exercise(
        folder=Path("exercises") / place, place=place, id=f"ch17-{number:02}", title=title, kind="write",
        file="answer.py", time_limit=10.0, checks=checks, concepts=("axes",), outcome="Sum over axes.", level=2,
        minutes=20, needs=(), read="17.2", hints=("a", "b", "c"), misconceptions={}, requires=(), points=points,
        anchor="ch17",
    )  # fmt: skip


def result(asked: Exercise, *said: tuple[str, str]) -> ExerciseResult:
    """What came of it: a state and a text for each check."""
    checks = [CheckResult(f"test_case_{place}", state, told) for place, (state, told) in enumerate(said, 1)]
    file = Path("answers") / asked.place / asked.file
    return ExerciseResult(asked, with_points(asked, checks), file, "ab" * 32, seed=7)


def sample() -> Results:
    """Every state, a hidden check, nothing counted, and every nasty text."""
    fails = [("fail", said) for said in NASTY.values()]
    return Results(
        [
            result(exercise(1, 2, 5), ("pass", ""), ("pass", "")),
            result(exercise(2, len(fails), 10, "Nasty & <sharp>"), *fails),
            result(
                exercise(3, 3, 7, "Every way to lose"),
                ("timeout", "not done after 10 s: a loop that does not end?"),
                ("pass", ""),
                ("not run", "the run ended before this check; the checks before it say why"),
                ("crash", "the answer ended the run before the check was over (exit code 1)"),
            ),
            result(exercise(4, 2, 4, "Not begun"), *[("not started", "not started:  ch17-04\nopen:         a.py")] * 2),
            result(exercise(5, 2, 6, "A twin"), ("pass", ""), ("not available", "no compiler: install one")),
        ]
    )  # fmt: skip


RENDERED = {
    "results.txt": lambda: text.render(sample()),
    "results.json": lambda: json.render(sample()),
    "results.xml": lambda: junit.render(sample()),
    "gradescope.json": lambda: gradescope.render(sample(), seconds=12.4),
    "classroom50.json": lambda: classroom50.render(sample(), environment=ENVIRONMENT, now=NOW),
    "classroom50.md": lambda: classroom50.release_body(sample()),
}
"""The golden files."""

if __name__ == "__main__":
    for name, make in RENDERED.items():
        (GOLDEN / name).write_bytes(make().encode())
