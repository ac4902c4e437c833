"""The recruiters of config/recruiters.yaml, and the published degraders of the tests, compared with the dictionary."""

from pathlib import Path

import pytest
import yaml
from rdkit import Chem

from scripts.recruiters import LIBRARY, job_settings
from tests.tools.components import Known
from tests.tools.runs import rows_of
from tethermap.molecule.dictionary import dictionary_molecule, dictionary_smiles

PUBLISHED = Path(__file__).parents[1] / "data" / "published_degraders.csv"

MADE = {
    "NUT": (
        "COCCOc1ccc(Nc2ncc(F)c(Nc3cccc(NC(=O)c4cn(CCOCCOCCOCCNC(=O)CN5CCN(C(=O)N6C(c7ccc(OC)cc7OC(C)C)=N[C@H]"
        "(c7ccc(Cl)cc7)[C@@H]6c6ccc(Cl)cc6)CC5=O)nn4)c3)n2)cc1"
    ),
    "IUN": (
        "CN[C@@H](C)C(=O)N[C@H](C(=O)N1CCC[C@H]1c1nc(C(=O)c2cccc(OCCOCCOCCOCCNC(=O)c3cccc(-c4cc(Nc5ccc"
        "(OC(F)(F)F)cc5)ncn4)c3)c2)cs1)C1CCCCC1"
    ),
    "EF6": "COc1cc(-c2cn(C)c(=O)c3cnccc23)cc(OC)c1CN1CCN(CCOCCOCC(=O)NCc2ccc(S(=O)(=O)Nc3cccc4c3[nH]cc4Cl)cc2)CC1",
}
"""A degrader made of a recruiter, as its paper has it: SM-8, SNIPER(ABL)-24 and compound 5 for BRD9; their papers are
the sources in the library."""

LEAVING = {"IUN": {"F02"}, "EF6": {"S1", "O1", "O2", "N2"}}
"""Atoms of the recruiter that the degrader lacks."""


def test_every_recruiter_is_a_component_that_has_its_attachment_atoms(known: Known) -> None:
    library = yaml.safe_load(LIBRARY.read_text(encoding="utf-8"))
    recruiters = [one for ligase in library["ligases"] for one in ligase["recruiters"]]
    assert len(recruiters) > 12
    for one in recruiters:
        assert set(one["attachment"]) <= {atom.name for atom in known(one["ligand"]).atoms}, one
        assert one["source"]
        assert bool(one["attachment"]) != bool(one.get("exits")), one
    assert set(job_settings(library, {})["filters"]["entries"]) == {one["entry"] for one in recruiters}


@pytest.mark.parametrize("ligand", [*MADE, "Q5J"])
def test_a_degrader_contains_its_recruiter_and_leaves_at_the_attachment_atoms(known: Known, ligand: str) -> None:
    degrader = Chem.MolFromSmiles(MADE.get(ligand, dictionary_smiles(known("U79"), neutral=True)))
    molecule = dictionary_molecule(known(ligand), neutral=True)
    assert molecule is not None
    bare = Chem.RWMol(molecule)
    for atom in [*bare.GetAtoms()][::-1]:
        if atom.GetProp("name") in LEAVING.get(ligand, set()):
            bare.RemoveAtom(atom.GetIdx())
    any_order = Chem.AdjustQueryParameters.NoAdjustments()
    setattr(any_order, "makeBondsGeneric", True)  # noqa: B010 - the stubs give its type wrongly
    query = Chem.AdjustQueryProperties(bare, any_order)
    matches = degrader.GetSubstructMatches(query, uniquify=False)
    left = {
        bare.GetAtomWithIdx(place).GetProp("name")
        for match in matches
        for place, atom in enumerate(match)
        for other in degrader.GetAtomWithIdx(atom).GetNeighbors()
        if other.GetIdx() not in match
    }
    library = yaml.safe_load(LIBRARY.read_text(encoding="utf-8"))
    attachment = {
        tuple(one["attachment"]) for e3 in library["ligases"] for one in e3["recruiters"] if one["ligand"] == ligand
    }
    assert {tuple(sorted(left))} == attachment


def test_published_degraders_are_the_molecules_of_their_components(known: Known) -> None:
    """Degraders of thalidomide are made as mixtures of both configurations; an entry shows one of these."""
    rows = rows_of(PUBLISHED.parent, PUBLISHED.name)
    assert all(row["reference"] for row in rows)
    named = [row for row in rows if row["component"]]
    assert len(named) > 20
    for row in named:
        smiles = dictionary_smiles(known(row["component"]), neutral=True)
        told, drawn = Chem.MolFromSmiles(row["smiles"]), Chem.MolFromSmiles(smiles)
        assert Chem.MolToSmiles(told, isomericSmiles=False) == Chem.MolToSmiles(drawn, isomericSmiles=False)
        assert drawn.HasSubstructMatch(told, useChirality=True), row["name"]
