"""`closedchain complete`: what the shell needs to complete commands, options, robots and scenarios.

The script is made from the parser, so it knows what `--help` knows.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

from closedchain import robots, scenarios
from closedchain.cli.parser import Arguments, Parser, build

FILES = ("FILE", "DIR", "ROBOT.toml", "SCRIPT")  # how the names of files begin in our help


@dataclass(frozen=True)
class Place:
    """A command, or the way into one, and what may follow it."""

    path: str  # "solve inverse"
    words: tuple[tuple[str, str], ...]  # with what they mean
    values: tuple[tuple[str, tuple[str, ...]], ...]  # options whose values are known
    files: tuple[str, ...]  # options whose values are files
    names: bool  # whether names of robots or scenarios, or files, may follow


def run(args: Arguments) -> int:
    """Print the script."""
    print({"bash": bash, "zsh": zsh, "fish": fish}[args.shell](list(places(build()))))
    return 0


def places(parser: Parser, path: str = "") -> Iterator[Place]:
    """The parser and those below it."""
    words: list[tuple[str, str]] = []
    values: list[tuple[str, tuple[str, ...]]] = []
    files, below, named = [], [], False
    for action in parser._actions:
        about = _plain(action.help or "")
        if isinstance(action, argparse._SubParsersAction):
            told = {choice.dest: _plain(choice.help or "") for choice in action._choices_actions}
            words += [(name, told.get(name, "")) for name in action.choices]
            below += [places(each, f"{path} {name}".strip()) for name, each in action.choices.items()]
        elif action.option_strings:
            option = action.option_strings[-1]
            words.append((option, about))
            if action.choices:
                values.append((option, tuple(map(str, action.choices))))
            elif str(action.metavar or "").startswith(FILES):
                files.append(option)
        elif action.choices:
            words += [(str(choice), about) for choice in action.choices]
        else:
            words += [(name, "") for name in _known(str(action.metavar or ""))]
            named = True
    yield Place(path, tuple(words), tuple(values), tuple(files), named)
    for each in below:
        yield from each


def _known(metavar: str) -> tuple[str, ...]:
    """The names that may stand for an argument."""
    return tuple(robots.names()) if metavar == "ROBOT" else scenarios.names() if metavar == "SCENARIO" else ()


def _plain(text: str) -> str:
    """Help without what a shell would read as its own, and not too long."""
    kept = "".join(" " if c in "'\"`$\\:;[]()…\n" else c for c in text % {} if c != "%")
    return " ".join(kept.split())[:70]


def bash(found: list[Place]) -> str:
    """A function for `complete -F`."""
    rows = [(place.path, [word for word, _ in place.words], place.names) for place in found]
    cases = [f"        '{path}') here='{' '.join(words)}'; files={int(names)} ;;" for path, words, names in rows]
    values = [
        f"        '{place}') here='{' '.join(words)}'; files={int(not words)} ;;" for place, words in _values(found)
    ]
    return BASH.format(cases="\n".join(cases), values="\n".join(values), deep=_deep(found))


def zsh(found: list[Place]) -> str:
    """The same with descriptions."""
    cases = []
    for place in found:
        told = " ".join(f"'{word}:{about}'" for word, about in place.words)
        cases.append(f"        '{place.path}') here=({told}); files={int(place.names)} ;;")
    values = [
        f"        '{place}') here=({' '.join(words)}); files={int(not words)} ;;" for place, words in _values(found)
    ]
    return ZSH.format(cases="\n".join(cases), values="\n".join(values), deep=_deep(found))


def fish(found: list[Place]) -> str:
    """One `complete` for each word."""
    lines = ["complete -c closedchain -f"]
    for place in found:
        when = f"__closedchain_at '{place.path}'"
        choices, files = dict(place.values), place.files
        for word, about in place.words:
            if word.startswith("-"):
                more = f" -xa '{' '.join(choices[word])}'" if word in choices else " -rF" if word in files else ""
                kind = f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}"
                lines.append(f"complete -c closedchain -n \"{when}\" {kind}{more} -d '{about}'")
            else:
                lines.append(f"complete -c closedchain -n \"{when}\" -a '{word}' -d '{about}'")
        if place.names:
            lines.append(f'complete -c closedchain -n "{when}" -F')
    ways = [place.path for place in found if " " in place.path]
    return FISH.format(ways=" ".join(f"'{way}'" for way in ways), completions="\n".join(lines))


def _values(found: list[Place]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What may follow an option at a place; nothing known where it is a file."""
    for place in found:
        for option, choices in (*place.values, *((option, ()) for option in place.files)):
            yield f"{place.path} {option}", choices


def _deep(found: list[Place]) -> str:
    """The commands that have commands, as a shell's pattern."""
    return "|".join(dict.fromkeys(place.path.partition(" ")[0] for place in found if " " in place.path))


BASH = """\
# eval "$(closedchain complete bash)"
_closedchain() {{
    local cur="${{COMP_WORDS[COMP_CWORD]}}" prev="${{COMP_WORDS[COMP_CWORD-1]}}" place='' here='' files=0
    if [[ $COMP_CWORD -gt 1 ]]; then place="${{COMP_WORDS[1]}}"; fi
    case "$place" in
        {deep}) if [[ $COMP_CWORD -gt 2 ]]; then place="$place ${{COMP_WORDS[2]}}"; fi ;;
    esac
    case "$place" in
{cases}
    esac
    case "$place $prev" in
{values}
    esac
    COMPREPLY=( $(compgen -W "$here" -- "$cur") )
    if [[ $files -eq 1 ]]; then COMPREPLY+=( $(compgen -f -- "$cur") ); fi
}}
complete -o filenames -F _closedchain closedchain
"""
ZSH = """\
#compdef closedchain
# after compinit: eval "$(closedchain complete zsh)"
_closedchain() {{
    local place='' files=0
    local -a here
    (( CURRENT > 2 )) && place="$words[2]"
    case "$place" in
        {deep}) (( CURRENT > 3 )) && place="$place $words[3]" ;;
    esac
    case "$place" in
{cases}
    esac
    case "$place $words[CURRENT-1]" in
{values}
    esac
    (( $#here )) && _describe closedchain here
    (( files )) && _files
    return 0
}}
compdef _closedchain closedchain
"""
FISH = """\
# closedchain complete fish | source
function __closedchain_at
    set -l typed (commandline -opc)[2..-1]
    set -l place "$typed[1]"
    if contains -- "$typed[1] $typed[2]" {ways}
        set place "$typed[1] $typed[2]"
    end
    test "$place" = "$argv[1]"
end
{completions}
"""
