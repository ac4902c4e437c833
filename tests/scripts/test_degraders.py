"""Degraders of two halves as the script prints them."""

import json
from argparse import Namespace

import pytest

from scripts import degraders
from tethermap.extras.degraders.build import part_of_smiles


@pytest.mark.parametrize("form", ["json", "csv", "sdf"])
def test_answer_reports_that_more_exist_than_are_made(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(degraders, "MOST_MADE", 5)
    given = Namespace(most_atoms=None, linkers=[], skip=0, most=2, format=form, counted=True, pictures=0, numbers=())
    told = json.loads(degraders.make(part_of_smiles("C[*]", False), part_of_smiles("[*]C", True), given))
    assert (told["total"], told["truncated"]) == (5, True)
    printed = {"json": len(told.get("degraders", ())), "csv": told.get("file", "").count("\n") - 1}
    assert printed.get(form, told.get("file", "").count("$$$$")) == 2
