"""The recruiters of config/recruiters.yaml, and the published degraders of the tests, compared with the dictionary."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
import yaml
from rdkit import Chem

from scripts.recruiters import LIBRARY, job_settings
from tethermap.components.index import ComponentIndex
from tethermap.molecule.dictionary import dictionary_smiles

PUBLISHED = Path(__file__).parents[1] / "data" / "published_degraders.csv"


@pytest.fixture(scope="module")
def index(component_index: Path) -> ComponentIndex:
    return ComponentIndex(component_index)


def test_every_recruiter_is_a_component_that_has_its_attachment_atoms(index: ComponentIndex) -> None:
    library = yaml.safe_load(LIBRARY.read_text(encoding="utf-8"))
    recruiters = [one for ligase in library["ligases"] for one in ligase["recruiters"]]
    assert len(recruiters) > 12
    for one in recruiters:
        component = index.get(one["ligand"])
        assert component is not None, one
        assert set(one["attachment"]) <= {atom.name for atom in component.atoms}, one
        assert one["source"]
        assert bool(one["attachment"]) != bool(one.get("exits")), one
    assert set(job_settings(library, {})["filters"]["entries"]) == {one["entry"] for one in recruiters}


def test_published_degraders_are_the_molecules_of_their_components(index: ComponentIndex) -> None:
    """Degraders of thalidomide are made as mixtures of both configurations; an entry shows one of these."""
    with PUBLISHED.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert all(row["reference"] for row in rows)
    known = [row for row in rows if row["component"]]
    assert len(known) > 20
    for row in known:
        component = index.get(row["component"])
        assert component is not None, row["name"]
        told, drawn = Chem.MolFromSmiles(row["smiles"]), Chem.MolFromSmiles(dictionary_smiles(component, neutral=True))
        assert Chem.MolToSmiles(told, isomericSmiles=False) == Chem.MolToSmiles(drawn, isomericSmiles=False)
        assert drawn.HasSubstructMatch(told, useChirality=True), row["name"]
