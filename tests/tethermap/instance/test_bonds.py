"""Bonds between residues: declared, found by distance, and mere clashes."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings, strategies as st

from tests.tools.small_entry import atom_line, carbons, strand, write_entry
from tethermap.components.component import Component
from tethermap.entry.atoms import text
from tethermap.entry.reader import read_entry
from tethermap.instance.bonds import LONGEST_BOND
from tethermap.instance.classify import HetGroup
from tethermap.instance.find import Residues, find_groups
from tethermap.instance.kinds import KindRules

Known = Callable[[str], Component]


def groups_of(path: Path, rules: KindRules) -> list[HetGroup]:
    entry = read_entry(path, path.name.split(".")[0])
    return find_groups(entry, Residues(entry), rules)


@pytest.mark.parametrize(
    ("distance", "linked"),
    [(1.15, False), (1.30, True), (1.66, True), (1.70, False), (2.5, False)],
)
def test_bond_to_a_polymer_is_found_by_length(tmp_path: Path, distance: float, linked: bool, rules: KindRules) -> None:
    """Two carbons: 0.85 and 1.15 times 2 x 0.73 A are 1.24 and 1.68 A."""
    ligand = carbons("LIG", "A", 99, (1.2, 1.7, 1.2 + distance), (0.0, 0.0, 1.5), 2)  # above CB of residue 1
    (group,) = groups_of(write_entry(tmp_path, strand("A", 1), ligand), rules)
    assert [link.declared for link in group.links] == ([False] if linked else [])


@pytest.mark.parametrize(
    ("distance", "beside", "linked"),
    [(1.30, (0.0, 1.5), 0), (1.36, (0.0, 1.5), 1), (1.48, (0.0, 1.5), 1), (1.80, (0.0, 1.5), 1), (1.48, (1.0, 0.2), 0)],
)
def test_bond_to_a_nucleophile_may_be_too_short_without_other_contacts(
    tmp_path: Path, distance: float, beside: tuple[float, float], linked: int, rules: KindRules
) -> None:
    """S and C: 0.75 and 0.85 times 1.05 + 0.73 A are 1.33 and 1.51 A; a second carbon at 1.95 A makes it a clash."""
    cysteine = [line.replace("ALA", "CYS") for line in strand("A", 1)]
    z = 3.0 + distance
    sulfur = atom_line(890, "SG", "CYS", "A", 1, (1.2, 1.7, 3.0), element="S", record="ATOM")
    ligand = carbons("LIG", "A", 99, (1.2, 1.7, z), (beside[0], 0.0, beside[1]), 2)
    (group,) = groups_of(write_entry(tmp_path, cysteine, [sulfur], ligand), rules)
    assert len(group.links) == linked


def test_leupeptin_of_6yz6_is_bound_to_cysteine_145(mirror: Path, rules: KindRules) -> None:
    """Its link is not declared and drawn at 1.41 A; 6XCH has the same bond at 1.80 A."""
    ligand = next(group for group in groups_of(mirror / "6yz6.pdb.gz", rules) if group.kind == "ligand")
    assert {(round(link.distance, 2), link.declared) for link in ligand.links} == {(1.41, False)}


def test_overlapping_residues_are_not_linked(tmp_path: Path, rules: KindRules) -> None:
    """Three contacts of bonding length between two residues are a clash."""
    places = enumerate([(1.2, 1.7, 2.5), (1.98, 1.7, 2.5), (1.2, 2.48, 2.5), (0.42, 1.7, 2.5)])
    crowd = [atom_line(900 + i, f"C{i}", "LIG", "A", 99, place, element="C") for i, place in places]
    (group,) = groups_of(write_entry(tmp_path, strand("A", 1), crowd), rules)
    assert group.links == ()


def het_pair(distance: float) -> list[str]:
    """Return two ligands of two carbons each in one line, the inner ones at `distance`."""
    step, second = (1.5, 0.0, 0.0), (1.5 + distance, 8.0, 8.0)
    first = carbons("LIG", "A", 98, (0.0, 8.0, 8.0), step, 2)
    return first + carbons("DRG", "A", 99, second, step, 2, start=902)


@pytest.mark.parametrize(("distance", "joined"), [(1.54, True), (1.60, True), (1.65, False)])
def test_het_groups_are_joined_by_sound_bonds(tmp_path: Path, distance: float, joined: bool, rules: KindRules) -> None:
    """1.10 times 1.46 A is 1.61 A; up to 1.15 a bond to the polymer would still count."""
    assert distance < LONGEST_BOND * 1.46
    found = groups_of(write_entry(tmp_path, strand("A", 1), het_pair(distance)), rules)
    assert len(found) == (1 if joined else 2)


def test_alternates_are_not_bonded(tmp_path: Path, rules: KindRules) -> None:
    lines = [line[:16] + ("A" if "LIG" in line else "B") + line[17:] for line in het_pair(1.54)]
    assert len(groups_of(write_entry(tmp_path, strand("A", 1), lines), rules)) == 2


def test_ligand_clashing_with_its_cofactor_is_not_part_of_it(mirror: Path, rules: KindRules) -> None:
    """In 3NZD an atom of the inhibitor is 1.54 A from O2D of NADPH: C-O bonds are 1.43."""
    found = {group.kind for group in groups_of(mirror / "3nzd.cif.gz", rules)}
    assert found == {"ligand", "cofactor"}


def test_peptide_like_ligand_with_alternates_is_one_group(mirror: Path, rules: KindRules) -> None:
    """Glu-Gly-Arg-chloromethylketone in 6RFK: Glu in three conformers, Gly in one."""
    ligand = next(group for group in groups_of(mirror / "6rfk.cif.gz", rules) if group.kind == "ligand")
    assert len(ligand.residues) == 4


def test_sugars_are_glycans_even_when_links_are_long_or_missing(mirror: Path, rules: KindRules) -> None:
    """5LWX declares some links of its 13 sugars, and draws others at 1.6 to 2.1 A."""
    found = groups_of(mirror / "5lwx.cif.gz", rules)
    assert {group.kind for group in found} == {"glycan", "ion", "additive"}
    undeclared = [link for group in found for link in group.links if not link.declared]
    assert sorted(round(link.distance, 2) for link in undeclared) == [1.61, 1.62, 1.66]


def test_declared_link_that_is_too_long_is_not_a_bond(mirror: Path, rules: KindRules) -> None:
    """1AKE declares O1D of AP5A bonded to NH1 of an arginine at 2.0 A: a salt bridge, not a C-N or N-O bond."""
    found = groups_of(mirror / "1ake.cif.gz", rules)
    kinds = {round(link.distance, 2): link.kind for group in found for link in group.links}
    assert kinds[2.0] == kinds[1.92] == "contact"


@pytest.mark.parametrize(
    ("comp_id", "name", "linked"),
    [("TFA", "F1", 0), ("CF0", "F1", 0), ("BNZ", "C1", 1), ("ETA", "O", 1), ("TMA", "N1", 0)],
)
def test_atom_without_a_free_valence_clashes(
    tmp_path: Path, comp_id: str, name: str, linked: int, rules: KindRules, known: Known
) -> None:
    """A fluorine 1.3 A from the methyl group of methionine is no bond, nor is a quaternary nitrogen."""
    heavy = [atom for atom in known(comp_id).atoms if atom.element not in ("H", "D")]
    heavy.sort(key=lambda atom: atom.name != name)
    protein = [line.replace("ALA", "MET") for line in strand("A", 1)]
    sulfide = [atom_line(890, "CE", "MET", "A", 1, (1.2, 1.7, 3.0), element="C", record="ATOM")]
    places = [(1.2, 1.7, 4.35 + 1.9 * k) for k in range(len(heavy))]
    pairs = zip(heavy, places, strict=True)
    ligand = [atom_line(900, atom.name, comp_id, "A", 99, at, element=atom.element) for atom, at in pairs]
    found = groups_of(write_entry(tmp_path, protein, sulfide, ligand), rules)
    assert [len(group.links) for group in found] == [linked]


@given(distance=st.floats(1.25, 1.9), name=st.sampled_from(["C1", "C4", "N3", "O1"]))
@settings(max_examples=20, deadline=None)
def test_pose_has_only_declared_bonds(distance: float, name: str, rules: KindRules) -> None:
    """For any position of a pose, a short distance to the receptor is a clash."""
    with TemporaryDirectory() as folder:
        atoms = [atom_line(900, name, "LIG", "A", 99, (1.2, 1.7, 1.2 + distance), element=name[0])]
        entry = read_entry(write_entry(Path(folder), strand("A", 1), atoms), "1abc")
    residues = Residues(entry)
    own = entry.atoms.starts[residues.het]
    asyms = {text(asym): "" for asym in entry.atoms.label_asym_id[own]}
    additions = replace(entry.additions, ligands=asyms)
    posed = replace(entry, additions=additions, poses=frozenset(residues.het.tolist()))
    assert [group.links for group in find_groups(posed, residues, rules)] == [()]
