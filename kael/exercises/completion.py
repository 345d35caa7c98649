"""Completion of `kael` in shells, by argcomplete: commands, options and exercises."""

from __future__ import annotations

import argparse
from typing import Any

from kael.exercises.catalogue import catalogue
from kael.extras import need

__all__ = ["SHELLS", "complete", "install", "script", "whole_parser"]

SHELLS = ("bash", "zsh", "fish", "powershell")

INSTALL = {
    "bash": 'eval "$(kael ex completion bash)"      in ~/.bashrc',
    "zsh": 'eval "$(kael ex completion zsh)"       in ~/.zshrc, after compinit',
    "fish": "kael ex completion fish | source      in ~/.config/fish/config.fish",
    "powershell": "kael ex completion powershell | Out-String | Invoke-Expression      in $PROFILE",
}


def script(shell: str) -> str:
    """What a shell has to run to complete `kael`.

    Parameters
    ----------
    shell : str
        One of `SHELLS`.

    Raises
    ------
    MissingExtra
        Where argcomplete is not installed.
    """
    text: str = need("argcomplete", "exercises", "completion in the shell").shellcode(["kael"], shell=shell)
    return text


def install(shell: str) -> str:
    """The line that runs the script in every new shell, and where it goes.

    Examples
    --------
    >>> install("fish")
    'kael ex completion fish | source      in ~/.config/fish/config.fish'
    """
    return INSTALL[shell]


def complete() -> None:
    """Answer the shell that asks for completions, and leave; come back at once when none asks."""
    try:
        argcomplete = need("argcomplete", "exercises", "completion in the shell")
    except ImportError:
        return
    argcomplete.autocomplete(whole_parser(), always_complete_options="long")


def whole_parser() -> argparse.ArgumentParser:
    """All of `kael` as one parser: its commands by name, those of `kael ex` with what they take."""
    from kael.cli import COMMANDS
    from kael.exercises.command import add_commands, common_options

    outer = argparse.ArgumentParser(prog="kael")
    commands = outer.add_subparsers()
    for name, (_, summary) in COMMANDS.items():
        if name != "ex":
            commands.add_parser(name, help=summary)
    exercises = commands.add_parser("ex", help=COMMANDS["ex"][1], parents=[common_options()])
    for made in add_commands(exercises).values():
        for action in made._actions:
            if action.dest == "id":
                action.completer = ids  # type: ignore[attr-defined]
    return outer


def ids(**_: Any) -> dict[str, str]:
    """Each exercise's id, with its title for shells that show one."""
    return {exercise.id: exercise.title for exercise in catalogue()}
