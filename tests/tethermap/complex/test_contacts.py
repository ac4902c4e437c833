from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.cleaning import ANY_TARGET
from tests.tools.ligands import Partner, Xyz
from tethermap.base.reference import ADDITIVES, COFACTORS, RADII
from tethermap.base.tables import Row, Value
from tethermap.complex.clean import clean_entry
from tethermap.complex.contacts import ligand_contacts
from tethermap.complex.polar_groups import ligand_polar_atoms
from tethermap.components.index import ComponentIndex
from tethermap.entry.reader import read_entry
from tethermap.exposure.radii import RadiusTable
from tethermap.instance.kinds import KindRules
from tethermap.instance.model import Instance, Link, Neighbourhood, Residue
from tethermap.matching.build import build_ligand
from tethermap.molecule.record import LigandMolecule

MakeLigand = Callable[..., tuple[Instance, LigandMolecule]]
MakeNeighbourhood = Callable[..., Neighbourhood]
ContactsOf = Callable[[str], list[Row]]

METHANOL = [(0.0, 0.0, 0.0), (1.43, 0.0, 0.0)]


def backbone_nitrogen(
    x: float, y: float = 0.0, z: float = 0.0, context: str = "chain", copy: str = ""
) -> list[Partner]:
    """A backbone N at a place, its CA 1.46 Å farther along x."""
    return [
        ("A", "10", "ALA", "N", "N", (x, y, z), copy, context),
        ("A", "10", "ALA", "CA", "C", (x + 1.46, y, z), copy, context),
    ]


def kinds(rows: Iterable[Row]) -> list[tuple[Value, Value, Value]]:
    return [(row["ligand_atom"], row["type"], row["partner_atom"]) for row in rows]


def test_ligand_without_surroundings_has_no_contacts(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    assert ligand_contacts(*ligand("CO", METHANOL), neighbourhood()) == []


def test_backbone_nitrogen_at_2_9_gives_a_hydrogen_bond(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    (row,) = ligand_contacts(*ligand("CO", METHANOL), neighbourhood(*backbone_nitrogen(4.33)))
    assert (row["ligand_atom"], row["type"], row["partner_atom"]) == ("O2", "hbond", "N")
    assert row["distance_A"] == pytest.approx(2.9)
    assert (row["pdb_id"], row["Chain"], row["Warhead"], row["Residue_ID"]) == ("1abc", "A", "LIG", "1")
    assert (row["partner_chain"], row["partner_residue"], row["partner_component"]) == ("A", "10", "ALA")


@pytest.mark.parametrize(("distance", "count"), [(2.15, 0), (2.25, 1), (3.49, 1), (3.51, 0)])
def test_hydrogen_bonds_are_2_2_to_3_5_long(
    ligand: MakeLigand, neighbourhood: MakeNeighbourhood, distance: float, count: int
) -> None:
    rows = ligand_contacts(*ligand("CO", METHANOL), neighbourhood(*backbone_nitrogen(1.43 + distance)))
    assert [row["type"] for row in rows].count("hbond") == count


def test_no_hydrogen_bond_through_the_bonded_neighbours(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    # the nitrogen is on the carbon's side of the oxygen: 80 degrees at the acceptor
    rows = ligand_contacts(*ligand("CO", METHANOL), neighbourhood(*backbone_nitrogen(0.93, y=2.9)))
    assert "hbond" not in [row["type"] for row in rows]


def test_two_acceptors_form_no_hydrogen_bond(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    ketone = [(-1.2, 0.9, 0.0), (0.0, 0.0, 0.0), (-1.2, -0.9, 0.0), (1.22, 0.0, 0.0)]
    oxygen = [("A", "10", "ALA", "O", "O", (4.1, 0.0, 0.0), "", "chain")]
    mol = ligand("CC(C)=O", [ketone[0], ketone[1], ketone[2], ketone[3]])
    assert ligand_contacts(*mol, neighbourhood(*oxygen)) == []


def test_proline_nitrogen_donates_no_hydrogen_bond(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    proline = [("A", "10", "PRO", "N", "N", (4.33, 0.0, 0.0), "", "chain")]
    assert ligand_contacts(*ligand("CO", METHANOL), neighbourhood(*proline)) == []


def test_acid_and_lysine_are_ionic_and_not_a_hydrogen_bond(
    ligand: MakeLigand, neighbourhood: MakeNeighbourhood
) -> None:
    acetic = [(-1.5, 0.0, 0.0), (0.0, 0.0, 0.0), (0.6, 1.1, 0.0), (0.6, -1.1, 0.0)]
    lysine = [("A", "5", "LYS", "NZ", "N", (3.2, 0.0, 0.0), "", "chain")]
    rows = ligand_contacts(*ligand("CC(=O)O", acetic), neighbourhood(*lysine))
    assert kinds(rows) == [("O3", "ionic", "NZ"), ("O4", "ionic", "NZ")]


def test_tertiary_amine_and_aspartate_are_ionic(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    amine = [(-0.5, 1.4, 0.0), (0.0, 0.0, 0.0), (-0.5, -0.7, 1.2), (-0.5, -0.7, -1.2)]
    aspartate = [
        ("A", "5", "ASP", "OD1", "O", (2.8, 0.0, 0.0), "", "chain"),
        ("A", "5", "ASP", "OD2", "O", (3.4, 2.0, 0.0), "", "chain"),
    ]
    rows = ligand_contacts(*ligand("CN(C)C", amine), neighbourhood(*aspartate))
    assert kinds(rows) == [("N2", "ionic", "OD1"), ("N2", "ionic", "OD2")]


def test_aniline_is_not_charged(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    aniline = [(0.0, 0.0, 0.0), (1.4, 0.0, 0.0), (2.1, 1.2, 0.0), (1.4, 2.4, 0.0), (0.0, 2.4, 0.0), (-0.7, 1.2, 0.0)]
    mol = ligand("c1(N)ccccc1", [aniline[0], (-0.7, -1.2, 0.0), *aniline[1:]])
    aspartate = [("A", "5", "ASP", "OD1", "O", (-2.1, -3.6, 0.0), "", "chain")]
    assert kinds(ligand_contacts(*mol, neighbourhood(*aspartate))) == [("N2", "hbond", "OD1")]


@pytest.mark.parametrize(("distance", "count"), [(3.95, 1), (4.05, 0)])
def test_hydrophobic_contacts_reach_four_angstroms(
    ligand: MakeLigand, neighbourhood: MakeNeighbourhood, distance: float, count: int
) -> None:
    carbon = [("A", "7", "ALA", "CB", "C", (0.0, distance, 0.0), "", "chain")]
    rows = ligand_contacts(*ligand("CC", [(0.0, 0.0, 0.0), (-1.5, -1.5, 0.0)]), neighbourhood(*carbon))
    assert kinds(rows) == [("C1", "hydrophobic", "CB")] * count


def test_carbon_bonded_to_a_heteroatom_is_not_hydrophobic(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    carbon = [("A", "7", "ALA", "CB", "C", (0.0, 3.8, 0.0), "", "chain")]
    assert ligand_contacts(*ligand("CO", METHANOL), neighbourhood(*carbon)) == []
    alpha = [*carbon, ("A", "7", "ALA", "N", "N", (0.0, 5.2, 0.0), "", "chain")]
    assert ligand_contacts(*ligand("CC", [(0.0, 0.0, 0.0), (1.5, -0.5, 0.0)]), neighbourhood(*alpha)) == []


def test_one_hydrophobic_contact_per_ligand_atom_and_residue(
    ligand: MakeLigand, neighbourhood: MakeNeighbourhood
) -> None:
    leucine = [
        ("A", "7", "LEU", "CD1", "C", (0.0, 3.7, 0.0), "", "chain"),
        ("A", "7", "LEU", "CD2", "C", (0.0, 3.8, 1.0), "", "chain"),
        ("A", "8", "VAL", "CG1", "C", (0.0, 0.0, 3.9), "", "chain"),
    ]
    rows = ligand_contacts(*ligand("CC", [(0.0, 0.0, 0.0), (-1.5, -3.0, -3.0)]), neighbourhood(*leucine))
    assert kinds(rows) == [("C1", "hydrophobic", "CD1"), ("C1", "hydrophobic", "CG1")]


def test_zinc_within_three_angstroms_is_a_metal_contact(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    zinc = [("B", "301", "ZN", "ZN", "Zn", (3.5, 0.0, 0.0), "", "target")]
    (row,) = ligand_contacts(*ligand("CO", METHANOL), neighbourhood(*zinc))
    assert (row["ligand_atom"], row["type"], row["context"]) == ("O2", "metal", "target")


@pytest.mark.parametrize(
    ("smiles", "count"), [("P(O)(O)(O)=O", 0), ("S(C)(C)(=O)=O", 0), ("P(C)(C)C", 1), ("S(C)C", 1)]
)
def test_atom_without_a_lone_pair_binds_no_metal(
    ligand: MakeLigand, neighbourhood: MakeNeighbourhood, smiles: str, count: int
) -> None:
    zinc = [("B", "301", "ZN", "ZN", "Zn", (2.6, 0.0, 0.0), "", "target")]
    places = [(0.0, 0.0, 0.0), (-1.5, 0.0, 0.0), (-1.5, 1.0, 0.0), (-1.5, 0.0, 1.0), (-1.5, -1.0, 0.0)]
    mol = ligand(smiles, places[: Chem.MolFromSmiles(smiles).GetNumAtoms()])
    assert len(ligand_contacts(*mol, neighbourhood(*zinc))) == count


def link(xyz: Xyz, kind: str = "covalent") -> Link:
    return Link(0, Residue("A", "A", "CYS", 145), "SG", "S", xyz, 1.8, kind, True)


def test_covalent_link_is_one_contact_and_nothing_else(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    sulfur = [("A", "145", "CYS", "SG", "S", (-1.8, 0.0, 0.0), "", "chain")]
    mol = ligand("CO", METHANOL, links=(link((-1.8, 0.0, 0.0)),))
    (row,) = ligand_contacts(*mol, neighbourhood(*sulfur))
    assert (row["type"], row["partner_atom"], row["context"]) == ("covalent", "SG", "chain")


def test_link_to_an_atom_in_no_context_has_an_empty_context(
    ligand: MakeLigand, neighbourhood: MakeNeighbourhood
) -> None:
    mol = ligand("CO", METHANOL, links=(link((-1.8, 0.0, 0.0)),))
    (row,) = ligand_contacts(*mol, neighbourhood())
    assert (row["type"], row["partner_residue"], row["context"]) == ("covalent", "145", "")


def test_symmetry_copies_keep_their_name_and_context(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    both = [*backbone_nitrogen(4.33), *backbone_nitrogen(4.33, y=0.4, context="crystal", copy="2_555")]
    rows = ligand_contacts(*ligand("CO", METHANOL), neighbourhood(*both))
    assert [(row["partner_copy"], row["context"]) for row in rows] == [("", "chain"), ("2_555", "crystal")]


def test_rows_are_sorted_by_atom_and_residue_for_any_input_order(
    ligand: MakeLigand, neighbourhood: MakeNeighbourhood
) -> None:
    atoms = [
        ("A", "60A", "SER", "OG", "O", (1.7, 0.0, 2.9), "", "chain"),
        ("A", "9", "SER", "OG", "O", (1.6, 0.0, -2.9), "", "chain"),
        ("A", "60", "SER", "OG", "O", (1.6, 2.9, 0.0), "", "chain"),
    ]
    mol = ligand("CO", METHANOL)
    there = ligand_contacts(*mol, neighbourhood(*atoms))
    assert [row["partner_residue"] for row in there] == ["9", "60", "60A"]
    assert ligand_contacts(*mol, neighbourhood(*reversed(atoms))) == there


def turned(xyz: Sequence[Xyz]) -> list[Xyz]:
    """Return coordinates turned by 40 degrees about an oblique axis and moved."""
    axis = np.array([1.0, 2.0, 3.0]) / np.sqrt(14.0)
    cross = np.cross(np.eye(3), axis)
    angle = np.radians(40.0)
    matrix = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return [tuple(row) for row in (np.asarray(xyz) @ matrix + 7.0).tolist()]


def test_contacts_do_not_depend_on_the_orientation(ligand: MakeLigand, neighbourhood: MakeNeighbourhood) -> None:
    atoms = [
        *backbone_nitrogen(4.33),
        ("A", "5", "SER", "OG", "O", (1.6, 2.9, 0.0), "", "chain"),
        ("A", "5", "SER", "CB", "C", (1.6, 4.3, 0.0), "", "chain"),
    ]
    there = ligand_contacts(*ligand("CO", METHANOL), neighbourhood(*atoms))
    places = turned([*METHANOL, *(atom[5] for atom in atoms)])
    moved = [(*atom[:5], place, *atom[6:]) for atom, place in zip(atoms, places[2:], strict=True)]
    again = ligand_contacts(*ligand("CO", places[:2]), neighbourhood(*moved))
    assert kinds(again) == kinds(there) == [("O2", "hbond", "OG"), ("O2", "hbond", "N")]


@pytest.fixture(scope="module")
def contacts_of(archive: Path, component_index: Path) -> ContactsOf:
    """Return the contacts of the first ligand kept of an entry of the archive."""
    index = ComponentIndex(component_index)
    rules = KindRules(ADDITIVES, COFACTORS, index.get)

    def contacts(file: str) -> list[Row]:
        entry = read_entry(archive / file, file[:4])
        kept = clean_entry(entry, ANY_TARGET, rules, RadiusTable(RADII)).kept[0]
        return ligand_contacts(kept.instance, build_ligand(kept.instance, index), kept.neighbourhood)

    return contacts


def test_hydroxyl_of_amprenavir_is_between_the_catalytic_aspartates(contacts_of: ContactsOf) -> None:
    rows = [row for row in contacts_of("1hpv.ent.gz") if row["ligand_atom"] == "O3"]
    partners = {(row["partner_chain"], row["partner_component"], row["partner_residue"]) for row in rows}
    assert partners == {("A", "ASP", "25"), ("B", "ASP", "25")}
    assert {row["type"] for row in rows} == {"hbond"}


def test_guanidinobenzoate_is_bound_to_serine_195_and_paired_with_aspartate_189_of_trypsin(
    contacts_of: ContactsOf,
) -> None:
    rows = contacts_of("1gbt.cif.gz")
    covalent = [row for row in rows if row["type"] == "covalent"]
    ionic = [row for row in rows if row["type"] == "ionic"]
    assert [(row["partner_component"], row["partner_residue"], row["partner_atom"]) for row in covalent] == [
        ("SER", "195", "OG")
    ]
    assert {(row["partner_component"], row["partner_residue"]) for row in ionic} == {("ASP", "189")}
    assert all(cast(float, row["distance_A"]) < 3.1 for row in ionic)


@pytest.mark.parametrize("smiles", ["CC#N", "CC=N", "CCN"])
def test_nitrogen_of_a_thioimidate_donates_and_accepts_hydrogen_bonds_without_charge(smiles: str) -> None:
    """Whether the dictionary draws the nitrile, the thioimidate or an amine."""
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    atoms = ligand_polar_atoms(mol, 3, [1])
    assert (atoms.donor[2], atoms.acceptor[2], atoms.positive[2]) == (True, True, False)
