"""Groups of several linked components: names of their atoms, and their molecules by definition."""

from dataclasses import fields, replace
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem.rdMolDescriptors import CalcMolFormula

from tests.tools.components import Known, ideal_instance
from tethermap.components.index import ComponentIndex
from tethermap.exits.graph import ligand_graph
from tethermap.exits.unseen import missing_atoms
from tethermap.instance.model import Instance, LigandAtoms, Residue
from tethermap.matching.build import build_ligand
from tethermap.molecule.store import packed_molecule
from tethermap.series.ligands import collect_ligands


def maltose(known: Known, first: Residue, second: Residue, *, omit: tuple[str, ...] = ()) -> Instance:
    """Return two glucoses, the first one's O4 bonded to C1 of the second, which lacks some atoms."""
    parts = [ideal_instance(known("GLC")).atoms, ideal_instance(known("GLC"), omit=("O1", *omit)).atoms]
    o4, c4, c1 = (parts[0].name.index("O4"), parts[0].name.index("C4"), parts[1].name.index("C1"))
    outward = parts[0].xyz[o4] - parts[0].xyz[c4]
    away = parts[0].xyz[o4] + 1.43 * outward / np.linalg.norm(outward)
    moved = parts[1].xyz - parts[1].xyz[c1] + away
    size = len(parts[0].name)
    parts[1] = replace(parts[1], xyz=moved, component=np.ones(len(moved), dtype=np.int64))
    columns = {one.name: [getattr(part, one.name) for part in parts] for one in fields(LigandAtoms)}
    joined: dict[str, Any] = {
        name: a + b if isinstance(a, tuple) else np.concatenate([a, b]) for name, (a, b) in columns.items()
    }
    atoms = LigandAtoms(**joined)
    whole = ideal_instance(known("GLC"))
    return replace(whole, components=(first, second), atoms=atoms, inner_links=((o4, size + c1),))


FIRST, SECOND = Residue("B", "D", "GLC", 1), Residue("B", "D", "GLC", 2)


def test_atoms_are_prefixed_by_their_residue(known: Known, index: ComponentIndex) -> None:
    record = build_ligand(maltose(known, FIRST, SECOND), index)
    assert {name.partition(".")[0] for name in record.names} == {"GLC1", "GLC2"}


def test_residues_of_one_number_in_two_chains_are_distinguished(known: Known, index: ComponentIndex) -> None:
    instance = maltose(known, FIRST, Residue("C", "E", "GLC", 1), omit=("O6",))
    record = build_ligand(instance, index)
    assert {name.partition(".")[0] for name in record.names} == {"GLC1:B", "GLC1:C"}
    assert len(set(record.names)) == record.n_heavy == 22
    assert record.atoms_missing == ("GLC1:C.O6",)
    missing = missing_atoms(instance, record, ligand_graph(record), index.get)
    assert [record.names[k] for k in missing.beside] == ["GLC1:C.C6"]
    assert [(record.names[end.anchor], end.names) for end in missing.ends] == [("GLC1:C.C6", ("GLC1:C.O6",))]


@pytest.mark.parametrize("number", [1, 2])
def test_component_split_over_two_chains_is_one_molecule(known: Known, index: ComponentIndex, number: int) -> None:
    whole = ideal_instance(known("478"))
    names, phenylene = whole.atoms.name, {"C17", "C18", "C19", "C20", "C21", "C22", "N3"}
    split = replace(
        whole,
        components=(Residue("A", "C", "478", 1), Residue("B", "D", "478", number)),
        atoms=replace(whole.atoms, component=np.array([name in phenylene for name in names], dtype=np.int64)),
        inner_links=((names.index("S1"), names.index("C17")),),
    )
    record, expected = build_ligand(split, index), build_ligand(whole, index)
    is_one = (record.smiles, record.at_ph, record.formula) == (expected.smiles, expected.at_ph, expected.formula)
    assert (is_one, not record.atoms_missing) == (number == 1, number == 1)
    assert record.observed_smiles == expected.observed_smiles


@pytest.mark.parametrize("omit", [(), ("O6",), ("O2", "O3")])
def test_formula_of_a_group_is_that_of_its_smiles(known: Known, index: ComponentIndex, omit: tuple[str, ...]) -> None:
    record = build_ligand(maltose(known, FIRST, SECOND, omit=omit), index)
    assert CalcMolFormula(Chem.MolFromSmiles(record.smiles)) == "C12H22O11"
    assert record.formula == "C12 H22 O11"


def test_facts_of_a_ligand_are_those_of_its_fullest_instance_in_any_order(known: Known, index: ComponentIndex) -> None:
    whole = replace(build_ligand(maltose(known, FIRST, SECOND), index), stem="2abc_B_GLC_1", title="whole")
    part = build_ligand(maltose(known, FIRST, SECOND, omit=("O6",)), index)
    other = replace(part, stem="3abc_B_GLC_1", title="other")
    for records in permutations([part, whole, other]):
        (ligand,) = collect_ligands((record, packed_molecule(record)) for record in records)
        assert ligand.record == packed_molecule(whole)
        assert [member.stem for member in ligand.members] == [part.stem, whole.stem, other.stem]
