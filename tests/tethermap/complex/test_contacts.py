"""Contacts of small ligands, of ligands in one site, and of real entries."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.cleaning import clean_file
from tests.tools.ligands import Partner, Xyz, small_ligand, small_neighbourhood
from tests.tools.small_entry import cif_of
from tethermap.base.tables import Row, Value
from tethermap.complex.contacts import ligand_contacts
from tethermap.complex.polar_groups import ligand_polar_atoms
from tethermap.components.index import ComponentIndex
from tethermap.instance.model import EntryFacts, Instance, Link, Residue
from tethermap.matching.build import build_ligand
from tethermap.molecule.record import LigandMolecule

ContactsOf = Callable[[Path], list[Row]]

METHANOL = [(0.0, 0.0, 0.0), (1.43, 0.0, 0.0)]


def backbone_amide(x: float, y: float = 0.0, z: float = 0.0, context: str = "chain", copy: str = "") -> list[Partner]:
    """A backbone N at a place, its CA 1.46 Å farther along x."""
    end = copy, context
    return [("A", "10", "ALA", "N", "N", (x, y, z), *end), ("A", "10", "ALA", "CA", "C", (x + 1.46, y, z), *end)]


def kinds(rows: Iterable[Row]) -> list[tuple[Value, Value, Value]]:
    return [(row["ligand_atom"], row["type"], row["partner_atom"]) for row in rows]


def test_backbone_nitrogen_at_2_9_gives_a_hydrogen_bond() -> None:
    (row,) = ligand_contacts(*small_ligand("CO", METHANOL), small_neighbourhood(*backbone_amide(4.33)))
    assert (row["ligand_atom"], row["type"], row["partner_atom"]) == ("O2", "hbond", "N")
    assert row["distance_A"] == pytest.approx(2.9)
    assert (row["pdb_id"], row["Chain"], row["Warhead"], row["Residue_ID"]) == ("1abc", "A", "LIG", "1")
    assert (row["partner_chain"], row["partner_residue"], row["partner_component"]) == ("A", "10", "ALA")


ETHANE = [(0.0, 0.0, 0.0), (-1.5, -1.5, 0.0)]
KETONE = [(-1.2, 0.9, 0.0), (0.0, 0.0, 0.0), (-1.2, -0.9, 0.0), (1.22, 0.0, 0.0)]
ACETIC = [(-1.5, 0.0, 0.0), (0.0, 0.0, 0.0), (0.6, 1.1, 0.0), (0.6, -1.1, 0.0)]
AMINE = [(-0.5, 1.4, 0.0), (0.0, 0.0, 0.0), (-0.5, -0.7, 1.2), (-0.5, -0.7, -1.2)]
ANILINE = [
    *((0.0, 0.0, 0.0), (-0.7, -1.2, 0.0), (1.4, 0.0, 0.0), (2.1, 1.2, 0.0), (1.4, 2.4, 0.0)),
    *((0.0, 2.4, 0.0), (-0.7, 1.2, 0.0)),
]


CASES: dict[str, tuple[str, list[Xyz], list[str], list[str]]] = {
    "no surroundings": ("CO", METHANOL, [], []),
    "hydrogen bond of 2.15": ("CO", METHANOL, ["ALA 10 N 3.58 0 0", "ALA 10 CA 5.04 0 0"], []),
    "hydrogen bond of 2.25": ("CO", METHANOL, ["ALA 10 N 3.68 0 0", "ALA 10 CA 5.14 0 0"], ["O2 hbond N"]),
    "hydrogen bond of 3.49": ("CO", METHANOL, ["ALA 10 N 4.92 0 0", "ALA 10 CA 6.38 0 0"], ["O2 hbond N"]),
    "hydrogen bond of 3.51": ("CO", METHANOL, ["ALA 10 N 4.94 0 0", "ALA 10 CA 6.4 0 0"], []),
    "80 degrees at the acceptor": ("CO", METHANOL, ["ALA 10 N 0.93 2.9 0", "ALA 10 CA 2.39 2.9 0"], []),
    "hydrophobic contact of 3.95": ("CC", ETHANE, ["ALA 7 CB 0 3.95 0"], ["C1 hydrophobic CB"]),
    "hydrophobic contact of 4.05": ("CC", ETHANE, ["ALA 7 CB 0 4.05 0"], []),
    "two acceptors": ("CC(C)=O", KETONE, ["ALA 10 O 4.1 0 0"], []),
    "proline nitrogen": ("CO", METHANOL, ["PRO 10 N 4.33 0 0"], []),
    "acid and lysine": ("CC(=O)O", ACETIC, ["LYS 5 NZ 3.2 0 0"], ["O3 ionic NZ", "O4 ionic NZ"]),
    "tertiary amine and aspartate":
        ("CN(C)C", AMINE, ["ASP 5 OD1 2.8 0 0", "ASP 5 OD2 3.4 2 0"], ["N2 ionic OD1", "N2 ionic OD2"]),
    "aniline is not charged": ("c1(N)ccccc1", ANILINE, ["ASP 5 OD1 -2.1 -3.6 0"], ["N2 hbond OD1"]),
    "carbon on a heteroatom": ("CO", METHANOL, ["ALA 7 CB 0 3.8 0"], []),
    "alpha carbon": ("CC", [(0.0, 0.0, 0.0), (1.5, -0.5, 0.0)], ["ALA 7 CB 0 3.8 0", "ALA 7 N 0 5.2 0"], []),
    "one hydrophobic contact per residue":
        ("CC", [(0.0, 0.0, 0.0), (-1.5, -3.0, -3.0)], ["LEU 7 CD1 0 3.7 0", "LEU 7 CD2 0 3.8 1", "VAL 8 CG1 0 0 3.9"],
         ["C1 hydrophobic CD1", "C1 hydrophobic CG1"]),
}  # fmt: skip
"""SMILES and places of a ligand, atoms around it, and the contacts."""


def partner(text: str) -> Partner:
    """Return an atom near a ligand: ``LYS 5 NZ 3.2 0 0``."""
    comp_id, number, atom, *xyz = text.split()
    x, y, z = map(float, xyz)
    return "A", number, comp_id, atom, atom[0], (x, y, z), "", "chain"


@pytest.mark.parametrize("case", CASES)
def test_contacts_follow_from_the_roles_of_both_atoms(case: str) -> None:
    smiles, xyz, around, expected = CASES[case]
    rows = ligand_contacts(*small_ligand(smiles, xyz), small_neighbourhood(*map(partner, around)))
    assert [" ".join(map(str, row)) for row in kinds(rows)] == expected


def test_zinc_within_three_angstroms_is_a_metal_contact() -> None:
    zinc = [("B", "301", "ZN", "ZN", "Zn", (3.5, 0.0, 0.0), "", "target")]
    (row,) = ligand_contacts(*small_ligand("CO", METHANOL), small_neighbourhood(*zinc))
    assert (row["ligand_atom"], row["type"], row["context"]) == ("O2", "metal", "target")


@pytest.mark.parametrize(
    ("smiles", "count"), [("P(O)(O)(O)=O", 0), ("S(C)(C)(=O)=O", 0), ("P(C)(C)C", 1), ("S(C)C", 1)]
)
def test_atom_without_a_lone_pair_binds_no_metal(smiles: str, count: int) -> None:
    zinc = [("B", "301", "ZN", "ZN", "Zn", (2.6, 0.0, 0.0), "", "target")]
    places = [(0.0, 0.0, 0.0), (-1.5, 0.0, 0.0), (-1.5, 1.0, 0.0), (-1.5, 0.0, 1.0), (-1.5, -1.0, 0.0)]
    mol = small_ligand(smiles, places[: Chem.MolFromSmiles(smiles).GetNumAtoms()])
    assert len(ligand_contacts(*mol, small_neighbourhood(*zinc))) == count


def link(xyz: Xyz, kind: str = "covalent") -> Link:
    return Link(0, Residue("A", "A", "CYS", 145), "SG", "S", xyz, 1.8, kind, True)


def test_covalent_link_is_one_contact_and_nothing_else() -> None:
    sulfur = [partner("CYS 145 SG -1.8 0 0")]
    mol = small_ligand("CO", METHANOL, links=(link((-1.8, 0.0, 0.0)),))
    (row,) = ligand_contacts(*mol, small_neighbourhood(*sulfur))
    assert (row["type"], row["partner_atom"], row["context"]) == ("covalent", "SG", "chain")


def test_link_to_an_atom_in_no_context_has_an_empty_context() -> None:
    mol = small_ligand("CO", METHANOL, links=(link((-1.8, 0.0, 0.0)),))
    (row,) = ligand_contacts(*mol, small_neighbourhood())
    assert (row["type"], row["partner_residue"], row["context"]) == ("covalent", "145", "")


def test_symmetry_copies_keep_their_name_and_context() -> None:
    both = [*backbone_amide(4.33), *backbone_amide(4.33, y=0.4, context="crystal", copy="2_555")]
    rows = ligand_contacts(*small_ligand("CO", METHANOL), small_neighbourhood(*both))
    assert [(row["partner_copy"], row["context"]) for row in rows] == [("", "chain"), ("2_555", "crystal")]


def test_rows_are_sorted_by_atom_and_residue_for_any_input_order() -> None:
    atoms = list(map(partner, ("SER 60A OG 1.7 0 2.9", "SER 9 OG 1.6 0 -2.9", "SER 60 OG 1.6 2.9 0")))
    mol = small_ligand("CO", METHANOL)
    there = ligand_contacts(*mol, small_neighbourhood(*atoms))
    assert [row["partner_residue"] for row in there] == ["9", "60", "60A"]
    assert ligand_contacts(*mol, small_neighbourhood(*reversed(atoms))) == there


def turned(xyz: Sequence[Xyz]) -> list[Xyz]:
    """Return coordinates turned about an oblique axis and moved."""
    matrix = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    matrix *= np.linalg.det(matrix)  # no reflection
    return [tuple(row) for row in (np.asarray(xyz) @ matrix + 7.0).tolist()]


def test_contacts_do_not_depend_on_the_orientation() -> None:
    atoms = [*backbone_amide(4.33), partner("SER 5 OG 1.6 2.9 0"), partner("SER 5 CB 1.6 4.3 0")]
    there = ligand_contacts(*small_ligand("CO", METHANOL), small_neighbourhood(*atoms))
    places = turned([*METHANOL, *(atom[5] for atom in atoms)])
    moved = [(*atom[:5], place, *atom[6:]) for atom, place in zip(atoms, places[2:], strict=True)]
    again = ligand_contacts(*small_ligand("CO", places[:2]), small_neighbourhood(*moved))
    assert kinds(again) == kinds(there) == [("O2", "hbond", "OG"), ("O2", "hbond", "N")]


def test_hydroxyl_of_amprenavir_is_between_the_catalytic_aspartates(archive: Path, contacts_of: ContactsOf) -> None:
    rows = [row for row in contacts_of(archive / "1hpv.ent.gz") if row["ligand_atom"] == "O3"]
    partners = {(row["partner_chain"], row["partner_component"], row["partner_residue"]) for row in rows}
    assert partners == {("A", "ASP", "25"), ("B", "ASP", "25")}
    assert {row["type"] for row in rows} == {"hbond"}


def test_guanidinobenzoate_binds_serine_195_and_aspartate_189(archive: Path, contacts_of: ContactsOf) -> None:
    rows = contacts_of(archive / "1gbt.cif.gz")
    covalent = [row for row in rows if row["type"] == "covalent"]
    ionic = [row for row in rows if row["type"] == "ionic"]
    assert [f"{row['partner_component']} {row['partner_residue']}" for row in covalent] == ["SER 195"]
    assert covalent[0]["partner_atom"] == "OG"
    assert {(row["partner_component"], row["partner_residue"]) for row in ionic} == {("ASP", "189")}
    assert all(cast(float, row["distance_A"]) < 3.1 for row in ionic)


@pytest.mark.parametrize("smiles", ["CC#N", "CC=N", "CCN"])
def test_nitrogen_of_a_thioimidate_donates_and_accepts_hydrogen_bonds_without_charge(smiles: str) -> None:
    """Whether the dictionary draws the nitrile, the thioimidate or an amine."""
    mol = Chem.AddHs(Chem.MolFromSmiles(smiles))
    atoms = ligand_polar_atoms(mol, 3, [1])
    assert (atoms.donor[2], atoms.acceptor[2], atoms.positive[2]) == (True, True, False)


SECOND = [(5.66, 0.0, 0.0), (4.23, 0.0, 0.0)]
"""A methanol whose oxygen is 2.8 Å from that of the first."""


def two_methanols() -> list[tuple[Instance, LigandMolecule]]:
    return [small_ligand("CO", METHANOL), small_ligand("CO", SECOND, residue=Residue("A", "C", "MOH", 2))]


def listed(rows: list[Row]) -> list[tuple[object, ...]]:
    return [(r["ligand_atom"], r["type"], r["partner_component"], r["partner_atom"], r["context"]) for r in rows]


def test_each_of_two_ligands_has_their_hydrogen_bond() -> None:
    both = two_methanols()
    for one, other in zip(both, ("MOH", "LIG"), strict=True):
        assert listed(ligand_contacts(*one, small_neighbourhood(), both)) == [("O2", "hbond", other, "O2", "")]


def test_alternates_and_poses_have_no_contacts_with_each_other() -> None:
    first, (instance, molecule) = two_methanols()
    nothing = small_neighbourhood()
    for label, count in (("A", 1), ("B", 0)):
        mine = replace(first[0], altloc="A"), first[1]
        assert len(ligand_contacts(*mine, nothing, [(replace(instance, altloc=label), molecule)])) == count
    pose = replace(instance, facts=EntryFacts(pose_rank=1)), molecule
    assert ligand_contacts(*first, nothing, [pose]) == ligand_contacts(*pose, nothing, [first]) == []
    near = small_ligand("CO", [(1.9, 0.0, 0.0), (3.3, 0.0, 0.0)], residue=Residue("A", "C", "MOH", 2))
    assert ligand_contacts(*first, nothing, [near]) == []


@pytest.mark.parametrize("seen", ["CO", "O"])
def test_cofactor_written_with_the_protein_is_listed_once(seen: str) -> None:
    """Also if only its atoms near the ligand belong to the contexts."""
    first, second = two_methanols()
    places = enumerate(zip("CO", SECOND, strict=True), 1)
    atoms = [("A", "2", "MOH", f"{e}{k}", e, xyz, "", "target") for k, (e, xyz) in places if e in seen]
    rows = ligand_contacts(*first, small_neighbourhood(*atoms), [second])
    assert listed(rows) == [("O2", "hbond", "MOH", "O2", "target")]


@pytest.mark.parametrize("form", ["pdb.gz", "cif"])
def test_antifolate_is_stacked_on_dump_in_4kya(form: str, mirror: Path, index: ComponentIndex, tmp_path: Path) -> None:
    """1UG in 4KYA; its FOL is in the other site of this bifunctional enzyme, on NADPH."""
    path = mirror / "4kya.pdb.gz"
    _, cleaned = clean_file(cif_of(path, tmp_path) if form == "cif" else path, index.get)
    chain = [kept for kept in cleaned.kept if kept.instance.name.auth_asym_id == "B"]
    ligands = [(kept.instance, build_ligand(kept.instance, index)) for kept in chain]
    pairs = zip(ligands, chain, strict=True)
    rows = [row for one, kept in pairs for row in ligand_contacts(*one, kept.neighbourhood, ligands)]
    between = {(r["Warhead"], r["partner_component"], r["type"], r["detail"]) for r in rows if not r["context"]}
    kinds = {("hbond", ""), ("hydrophobic", ""), ("pi_stacking", "parallel")}
    assert between == {(*pair, *kind) for pair in (("UMP", "1UG"), ("1UG", "UMP")) for kind in kinds}


def told(rows: list[Row], kind: str) -> set[tuple[object, ...]]:
    assert {row["distance_between"] for row in rows if row["type"] == kind} <= {"centres" if "pi" in kind else "atoms"}
    return {(row["partner_component"], row["partner_residue"], row["detail"]) for row in rows if row["type"] == kind}


def test_known_contacts_of_two_inhibitors_are_found(mirror: Path, contacts_of: ContactsOf) -> None:
    """The chlorine of gefitinib in 2ITZ, water on cysteine 797, axitinib on tyrosine 253 of the T315I mutant."""
    rows = contacts_of(next(mirror.glob("2itz.*")))
    assert told(rows, "halogen") == {("LEU", "788", "")}
    assert ("CYS", "797", "HOH A 3024") in told(rows, "water")
    stacked = told(contacts_of(next(mirror.glob("4twp.*"))), "pi_stacking")
    assert ("TYR", "253") in {one[:2] for one in stacked}


def test_both_pairs_of_a_bidentate_bridge_are_listed(mirror: Path, contacts_of: ContactsOf) -> None:
    """The phosphate of cAMP in 1J59 and arginine 82, UniProt 83."""
    rows = [row for row in contacts_of(next(mirror.glob("1j59.*"))) if row["type"] == "ionic"]
    bridge = {(row["ligand_atom"], row["partner_atom"], row["partner_uniprot_residue"]) for row in rows}
    assert bridge == {("O2P", "NE", "83"), ("O2P", "NH2", "83")}
