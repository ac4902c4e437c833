"""Contacts between ligands of one site."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.tools.cleaning import clean_file
from tests.tools.ligands import small_ligand, small_neighbourhood
from tests.tools.small_entry import cif_of
from tethermap.base.tables import Row
from tethermap.complex.contacts import ligand_contacts
from tethermap.components.index import ComponentIndex
from tethermap.instance.model import EntryFacts, Instance, Residue
from tethermap.matching.build import build_ligand
from tethermap.molecule.record import LigandMolecule

Ligand = tuple[Instance, LigandMolecule]

FIRST = [(0.0, 0.0, 0.0), (1.43, 0.0, 0.0)]
SECOND = [(5.66, 0.0, 0.0), (4.23, 0.0, 0.0)]
"""Methanols whose oxygens are 2.8 Å apart."""


def two_methanols() -> tuple[Ligand, Ligand]:
    return small_ligand("CO", FIRST), small_ligand("CO", SECOND, residue=Residue("A", "C", "MOH", 2))


def told(rows: list[Row]) -> list[tuple[object, ...]]:
    return [(r["ligand_atom"], r["type"], r["partner_component"], r["partner_atom"], r["context"]) for r in rows]


def test_each_of_two_ligands_has_their_hydrogen_bond() -> None:
    first, second = two_methanols()
    assert told(ligand_contacts(*first, small_neighbourhood(), [first, second])) == [("O2", "hbond", "MOH", "O2", "")]
    assert told(ligand_contacts(*second, small_neighbourhood(), [first, second])) == [("O2", "hbond", "LIG", "O2", "")]


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


def test_cofactor_written_with_the_protein_is_listed_once() -> None:
    first, second = two_methanols()
    atoms = [("A", "2", "MOH", f"{e}{k + 1}", e, SECOND[k], "", "target") for k, e in enumerate("CO")]
    assert told(ligand_contacts(*first, small_neighbourhood(*atoms), [second])) == [
        ("O2", "hbond", "MOH", "O2", "target")
    ]


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
