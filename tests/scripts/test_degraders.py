"""Degraders of two halves as the script prints them."""

import json
from argparse import Namespace

import pytest

from scripts import degraders
from tests.tools.runs import ROOT
from tethermap.extras.degraders.build import part_of_smiles


@pytest.mark.parametrize("form", ["json", "csv", "sdf"])
def test_answer_reports_that_more_exist_than_are_made(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(degraders, "MOST_MADE", 5)
    given = Namespace(most_atoms=None, linkers=[], skip=0, most=2, format=form, counted=True, pictures=0, numbers=())
    told = json.loads(degraders.make(part_of_smiles("C[*]", False), part_of_smiles("[*]C", True), given))
    assert (told["total"], told["truncated"]) == (5, True)
    printed = {"json": len(told.get("degraders", ())), "csv": told.get("file", "").count("\n") - 1}
    assert printed.get(form, told.get("file", "").count("$$$$")) == 2


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("", "give both halves: --a-job or --a-smiles, and --b-job or --b-smiles"),
        ("--a-smiles=[*]NC", "give both halves"),
        ("--handles --a-smiles=[*]NC", "give the job with --a-job"),
        ("--split=CCCC", "give the job with --a-job"),
        ("--a-smiles=[*]C --b-smiles=[*]C --linkers=peg", "invalid choice: 'peg'"),
        ("--a-job=nowhere --b-smiles=[*]C", "there is no folder nowhere: give that of a finished job"),
    ],
)
def test_incomplete_arguments_are_refused(given: str, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        degraders.arguments_of(given.split())
    assert ended.value.code == 2
    assert says in capsys.readouterr().err


def test_halves_are_jobs_or_molecules() -> None:
    job = ROOT / "data" / "examples" / "exam1hpv"
    for given in (
        [f"--a-job={job}", "--b-smiles=[*]C", "--linkers=PEG acid"],
        ["--split=CCCC", f"--b-job={job}"],
        ["--handles", f"--a-job={job}"],
    ):
        found = degraders.arguments_of(given)
        assert job in (found.a_job, found.b_job)
