"""Grades as people read them: lines for the terminal, rows for a table."""

from collections.abc import Iterator, Sequence
from typing import Any

from closedchain_lab.grading.results import ControlGrade, Failure, FileGrade, FunctionGrade, SubmissionGrade

MARKS = {"right": "✓", "wrong": "✗", "close": "≈", "not written": "–", "missing": "–", "stopped": "!"}
HEADER = ("submission", "file", "robot", "score", "verdict", "mistakes", "largest_error", "largest_effort", "lab",
          "total", "comments")  # fmt: skip
OPEN = ("network", "files")  # dangers that a submission must be kept from


def lines(grade: SubmissionGrade) -> Iterator[str]:
    """One submission in full."""
    if grade.problem:
        yield f"{grade.name}: {grade.problem}"
    yield from (f"{grade.name}: {note}" for note in grade.notes)
    for file in grade.files:
        yield from _control(grade.name, file) if isinstance(file, ControlGrade) else _models(grade.name, file)


def attempts(file: FileGrade | ControlGrade) -> tuple[str, ...]:
    """What a submission tried that is none of its business, in a sentence for the teacher."""
    return (f"It tried to {', to '.join(file.tried)}.",) if file.tried else ()


def _models(name: str, file: FileGrade) -> Iterator[str]:
    yield f"{name}: {file.file}, {file.robot or 'robot unknown'}: {file.score:.1f} of 100"
    yield from (f"  ! {text}" for text in attempts(file))
    if file.verdict:
        yield f"  {file.verdict}"
        return
    lab = f"By the lab's own evaluation (mean errors below 1e-3): {file.lab}."
    yield from (f"  {note}" for note in (*file.notes, *([lab] if file.lab else [])))
    for function in file.functions:
        yield f"  {MARKS[function.verdict]} {function.name:<14} {summary(function)}"
        for text in (*function.says, *(f"Note: {note}." for note in function.notes)):
            yield f"      {text}"
        if function.failure is not None and function.verdict == "wrong":
            yield from (f"      {text}" for text in failure(function.name, function.failure))


def _control(name: str, file: ControlGrade) -> Iterator[str]:
    score = "" if file.score is None else f"; {file.score:.1f} of 100"
    yield f"{name}: {file.file}, {file.robot or 'no robot'}: {file.verdict}{score}"
    yield from (f"  ! {text}" for text in attempts(file))
    for text in (*control_facts(file), *file.notes):
        yield f"  {text}"


def summary(function: FunctionGrade) -> str:
    """Verdict, counts and largest error."""
    if function.verdict in ("missing", "not written"):
        return function.verdict
    largest = f", largest error {function.largest:.1e}" if function.largest is not None else ""
    return f"{function.verdict}: {function.right} of {function.states} answers are right{largest}"


def failure(name: str, found: Failure) -> list[str]:
    """The first failing state: the call, what is right, what came."""
    call = ", ".join(f"{key}={value:.9g}" for key, value in found.inputs.items())
    right = "no answer: out of reach" if found.expected is None else _numbers(found.expected)
    got = found.words or "nothing" if found.got is None else _numbers(found.got)
    return [f"first: {name}({call})", f"       right: {right}", f"       got:   {got}"]


def control_facts(file: ControlGrade) -> list[str]:
    """What was measured, in sentences."""
    m = file.measured
    if not m:
        return []
    facts = [
        f"tip: largest error {t['largest']:.3g} at {t['at']:.2f} s, rms {t['rms']:.2g}, at the end "
        f"{t['final']:.2g} ({t['source']}, begun after {t['delay']:.2f} s)"
        for t in m["tracking"]
    ]
    start, end = (f"({p[0]:.4f}, {p[1]:.4f})" for p in (m["start"], m["end"]))
    facts.append(f"tip from {start} to {end} m in {m['duration']:.4g} s; {m['end_speed']:.1e} m/s at the end")
    pairs = zip(m["effort_largest"], m["effort_rms"], strict=True)
    efforts = ", ".join(f"{most:.3g} (rms {rms:.2g})" for most, rms in pairs)
    return [*facts, f"largest efforts {efforts} N or N m"]


def rows(grades: Sequence[SubmissionGrade]) -> Iterator[tuple[Any, ...]]:
    """The summary table, one row for each file; every row has its group's total."""
    for grade in grades:
        total = "" if grade.total is None else round(grade.total, 2)
        if grade.problem:
            yield (grade.name, "", "", "", grade.problem, "", "", "", "", total, " ".join(grade.notes))
        for file in grade.files:
            score = "" if file.score is None else round(file.score, 2)
            if isinstance(file, ControlGrade):
                errors = [t["largest"] for t in file.measured.get("tracking", ())]
                effort = max(file.measured.get("effort_largest", ()), default="")
                cells: tuple[Any, ...] = (file.verdict, "", max(errors, default=""), effort, "")
            else:
                errors = [f.largest for f in file.functions if f.largest is not None]
                cells = (verdict(file), mistakes(file), max(errors, default=""), "", file.lab)
            yield (grade.name, file.file, file.robot, score, *cells, total, " ".join((*grade.notes, comments(file))))


def comments(file: FileGrade | ControlGrade) -> str:
    """What a group should read, in one cell."""
    if isinstance(file, ControlGrade):
        return " ".join((*attempts(file), *control_facts(file), *file.notes))
    said = (f"{f.name}: {' '.join(f.says)}" for f in file.functions if f.says)
    return " ".join((*attempts(file), *file.notes, *said))


def verdict(file: FileGrade) -> str:
    """A file in a few words."""
    if file.verdict:
        return file.verdict
    wrong = [f.name for f in file.functions if f.verdict != "right"]
    if file.constants and not wrong:
        return "right but for a constant"
    return f"{len(wrong)} of {len(file.functions)} not right: {' '.join(wrong)}" if wrong else "all right"


def mistakes(file: FileGrade) -> str:
    """The names of the known mistakes in it, each once with its functions: one mistake may show in several."""
    where: dict[str, list[str]] = {}
    for function in file.functions:
        for name in function.mistakes:
            where.setdefault(name, []).append(function.name)
    return "; ".join(f"{name} ({' '.join(functions)})" for name, functions in where.items())


def unprotected(grades: Sequence[SubmissionGrade]) -> list[str]:
    """Dangers that nothing held on this system."""
    held = [file.protections for grade in grades for file in grade.files if file.protections]
    return sorted({danger for one in held for danger in OPEN if one.get(danger, "none") == "none"})


def _numbers(values: dict[str, float]) -> str:
    return ", ".join(f"{key} = {value:.12g}" for key, value in values.items())
