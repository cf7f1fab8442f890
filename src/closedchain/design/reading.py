"""Design files: TOML text → Problem. The keys are those of a study, with goals and bounds in place of measures."""

from __future__ import annotations

from collections.abc import Mapping

from closedchain.design.goals import problem
from closedchain.sweep import keys
from closedchain.sweep.keys import Key
from closedchain.sweep.reading import OF_A_STUDY, SHARED, Form

GOALS: Mapping[str, Key] = {
    "minimise": keys.texts("measures to make small"),
    "maximise": keys.texts("measures to make large"),
    "subject_to": keys.texts("bounds, such as min_conditioning >= 0.3"),
}

DESIGN = Form(
    "design",
    "Which dimensions are best: what may change,"
    " what shall be large or small. Numbers are in SI unless a text says otherwise.",
    {**SHARED, **GOALS},
    problem,
    dict.fromkeys(OF_A_STUDY, "belongs to a study; a design has minimise, maximise and subject_to"),
)
