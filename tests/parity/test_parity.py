"""What the program answered when the answers were recorded, it answers still: every robot, mode and scenario.

The recorded numbers agree with the documents' truth, two engines and 30-digit references elsewhere in the tests; here
they hold a change of structure to the same digits. `python -m tests.parity.record` records them anew.
"""

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

from tests.parity.answering import ask, differences

ROWS = json.loads(gzip.decompress((Path(__file__).parent / "answers.json.gz").read_bytes()))
SUBJECTS: dict[str, list[dict]] = defaultdict(list)
for row in ROWS:
    command, *rest = row["words"]
    SUBJECTS[f"{command} {next(word for word in rest if word not in ('direct', 'inverse'))}"].append(row)


@pytest.mark.parametrize("subject", SUBJECTS)
def test_answers_are_the_recorded_ones(subject: str) -> None:
    """Codes and documents agree: texts to the letter, numbers to 1e-12 or as far as their condition lets them."""
    lines = []
    for row in SUBJECTS[subject]:
        code, answer = ask([*row["words"], "--json"])
        if code != row["code"]:
            lines.append(f"{' '.join(row['words'])}: exit code {row['code']} became {code}")
        lines += [f"{' '.join(row['words'])}: {d}" for d in differences(row["answer"], answer, row["moved"])]
    assert not lines, "\n".join(lines[:20])


def test_a_change_in_the_eleventh_digit_is_seen() -> None:
    """The comparison is not blind: one number of a matrix off by 1e-11, a missing key and another text are told."""
    row = next(r for r in ROWS if r["words"][:2] == ["evaluate", "biglide"] and "M" in r["answer"])
    answer = json.loads(json.dumps(row["answer"]))
    answer["M"][0][0] *= 1 + 1e-11
    del answer["c"]
    answer["working"] = "??"
    told = differences(row["answer"], answer, row["moved"])
    assert [line.split()[0].rstrip(":") for line in told] == ["M", "c", "working"]
