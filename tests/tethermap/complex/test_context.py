"""Atoms around a ligand in each context."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.tools.cleaning import Find, clean_file
from tests.tools.ligands import Xyz
from tests.tools.small_entry import atom_line, benzene, strand, write_entry
from tethermap.base.contexts import CONTEXTS
from tethermap.complex.clean import CleanedEntry, KeptInstance
from tethermap.complex.settings import CleanSettings
from tethermap.entry.target_query import TargetQuery

WANTED = CleanSettings(TargetQuery("none"), always_keep=frozenset({"BNZ"}))
ABOVE_STRAND = (10.0, 0.0, 5.0)


def cleaned(path: Path, find: Find, settings: CleanSettings = WANTED) -> CleanedEntry:
    return clean_file(path, find, settings)[1]


def only(path: Path, find: Find, settings: CleanSettings = WANTED) -> KeptInstance:
    (kept,) = cleaned(path, find, settings).kept
    return kept


def around(kept: KeptInstance, context: str) -> set[str]:
    """Return the components around an instance in a context."""
    level = CONTEXTS.index(context)
    return set(kept.neighbourhood.comp_id[kept.neighbourhood.context <= level].tolist())


@pytest.mark.parametrize(("height", "kept"), [(4.9, 1), (6.6, 0)])
def test_ligand_is_kept_within_five_angstroms_of_target(tmp_path: Path, height: float, kept: int, find: Find) -> None:
    """CB is at z = 1.2, so the ring at `height` is height - 1.2 away: 3.7 and 5.4 A."""
    path = write_entry(tmp_path, strand("A", 1), benzene("A", 99, (11.4, 1.7, height)))
    result = cleaned(path, find)
    assert len(result.kept) == kept
    if not kept:
        (row,) = [row for row in result.ligand_rows if row["ligand"] == "BNZ"]
        assert (row["reason"], row["threshold"]) == ("far_from_target", "5.0")
        assert 5.0 < float(str(row["value"])) < 5.6


@pytest.mark.parametrize(("distance", "held"), [(2.7, True), (2.9, False)])
def test_metal_belongs_to_a_chain_within_its_reach(tmp_path: Path, distance: float, held: bool, find: Find) -> None:
    """A zinc near the ligand, at 2.7 or 2.9 A of the nearest atom of the strand (2.8 decides)."""
    nearest = (1.2 + 3 * 3.4, 1.7, 1.2)  # CB of residue 4
    zinc = atom_line(950, "ZN", "ZN", "A", 98, (nearest[0], nearest[1], nearest[2] + distance), element="ZN")
    path = write_entry(tmp_path, strand("A", 1), benzene("A", 99, (nearest[0] - 3.0, 1.7, 5.0)), [zinc])
    assert ("ZN" in around(only(path, find), "chain")) is held


def test_additives_waters_and_other_ligands_never_surround(tmp_path: Path, find: Find) -> None:
    others = [
        atom_line(950, "O", "HOH", "A", 201, (10.0, 4.0, 5.0), element="O"),
        atom_line(951, "S", "SO4", "A", 202, (14.0, 0.0, 5.5), element="S"),
        atom_line(952, "O1", "SO4", "A", 202, (15.4, 0.0, 5.5), element="O"),
    ]
    second = benzene("A", 100, (14.5, 3.0, 5.0), start=960)
    path = write_entry(tmp_path, strand("A", 1), benzene("A", 99, ABOVE_STRAND), others, second)
    for kept in cleaned(path, find).kept:
        assert around(kept, "crystal") == {"ALA"}


def test_target_has_all_target_chains_and_chain_the_nearest(tmp_path: Path, find: Find) -> None:
    """The ligand is between two strands, 0.3 A nearer to the first."""
    path = write_entry(tmp_path, strand("A", 1), strand("B", 101, (0.0, 0.0, 9.7)), benzene("A", 99, (10.0, 0.5, 5.1)))
    kept = only(path, find)
    near = kept.neighbourhood
    distance = np.linalg.norm(near.xyz[:, None] - kept.instance.atoms.xyz[None], axis=2).min(axis=1)
    is_nearest = near.auth_asym_id == near.auth_asym_id[distance.argmin()]
    levels = set(zip(is_nearest.tolist(), near.context.tolist(), strict=True))
    assert levels == {(True, CONTEXTS.index("chain")), (False, CONTEXTS.index("target"))}


def assembly(*motions: tuple[int, int, float]) -> str:
    """Return the copies of chain A by the first elements of diagonal matrices, and shifts along z."""
    lines = ["REMARK 350 BIOMOLECULE: 1\n", "REMARK 350 APPLY THE FOLLOWING TO CHAINS: A\n"]
    for number, (x, y, shift) in enumerate(motions, start=1):
        for row, (value, moved) in enumerate(((x, 0.0), (y, 0.0), (1, shift))):
            cells = "".join(f"{value if column == row else 0:10.6f}" for column in range(3))
            lines.append(f"REMARK 350   BIOMT{row + 1}{number:4d}{cells}{moved:15.5f}\n")
    return "".join(lines)


def test_copy_in_the_assembly_is_part_of_the_target(tmp_path: Path, find: Find) -> None:
    header = assembly((1, 1, 0.0), (1, 1, 9.7))
    kept = only(write_entry(tmp_path, strand("A", 1), benzene("A", 99, (10.0, 0.5, 5.1)), header=header), find)
    assert "" in (copies := set(kept.neighbourhood.copy_name.tolist()))
    assert len(copies) == 2
    assert set(kept.neighbourhood.context.tolist()) == {CONTEXTS.index("chain"), CONTEXTS.index("target")}


def test_chain_outside_the_target_is_in_the_assembly(tmp_path: Path, find: Find) -> None:
    header = "COMPND    MOL_ID: 1;\nCOMPND   2 MOLECULE: KINASE;\nCOMPND   3 CHAIN: A;\n"
    header += "COMPND   4 MOL_ID: 2;\nCOMPND   5 MOLECULE: LIGASE;\nCOMPND   6 CHAIN: B;\n"
    polymers = strand("A", 1) + strand("B", 101, (0.0, 0.0, 9.7))
    path = write_entry(tmp_path, polymers, benzene("A", 99, (10.0, 0.5, 5.1)), header=header)
    kept = only(path, find, replace(WANTED, target=TargetQuery("kinase")))
    chains, levels = kept.neighbourhood.auth_asym_id, kept.neighbourhood.context
    assert set(levels[chains == "A"].tolist()) == {CONTEXTS.index("chain")}
    assert set(levels[chains == "B"].tolist()) == {CONTEXTS.index("assembly")}


def test_ligand_on_an_axis_is_flagged(tmp_path: Path, find: Find) -> None:
    """In P 2 the ring sits on the axis through the origin along b, so its image has the same position."""
    cell = "CRYST1   60.000   60.000   60.000  90.00  90.00  90.00 P 1 2 1       2\n"
    path = write_entry(tmp_path, strand("A", 1, (-10.0, 0.0, -5.0)), benzene("A", 99, (0.0, 0.0, 0.0)), header=cell)
    assert "special_position" in only(path, find).instance.flags
    away = write_entry(tmp_path, strand("A", 1, (0.0, 0.0, 10.0)), benzene("A", 99, (10.0, 0.0, 15.0)), header=cell)
    assert "special_position" not in only(away, find).instance.flags


def ring(comp_id: str, number: int, centre: Xyz, altloc: str = " ", occupancy: float = 1.0) -> list[str]:
    """Return the atoms of benzene under another name, as one alternate."""
    lines = benzene("A", number, centre, start=800 + number)
    return [f"{line[:16]}{altloc}{comp_id}{line[20:54]}{occupancy:6.2f}{line[60:]}" for line in lines]


def written(kept: KeptInstance, comp_id: str) -> int:
    """Return the number of atoms of a component in the cleaned file."""
    assert kept.cleaned.pdb is not None
    return sum(line[:6] == "HETATM" and line[17:20] == comp_id for line in kept.cleaned.pdb.splitlines())


@pytest.mark.parametrize("context", ["chain", "entry"])
def test_cofactor_modelled_as_a_ligands_alternate_is_not_around_it(tmp_path: Path, context: str, find: Find) -> None:
    bound = ring("BNZ", 99, (10.0, 0.5, 4.9), "B", 0.60)
    alternate = ring("PLP", 98, (10.2, 0.5, 4.9), "A", 0.40)
    path = write_entry(tmp_path, strand("A", 1), bound, alternate, ring("PLP", 97, (17.0, 0.5, 4.9)))
    kept = only(path, find, replace(WANTED, context=context))
    assert set(kept.neighbourhood.residue_id[kept.neighbourhood.comp_id == "PLP"].tolist()) == {"97"}
    assert written(kept, "PLP") == 6
    assert "shares_site" in kept.instance.flags
    assert "special_position" not in kept.instance.flags


CELL = "CRYST1   60.000   60.000   60.000  90.00  90.00  90.00 "
TWO_FOLD = f"{assembly((1, 1, 0.0), (-1, -1, 0.0))}{CELL}P 1 1 2       2\n"
BESIDE_AXIS = strand("A", 1, (1.5, 1.0, 0.0))
"""A dimer about z, which is an axis of the crystal too."""


@pytest.mark.parametrize("off_axis", [0.0, 0.3])
@pytest.mark.parametrize("context", ["target", "assembly", "entry"])
def test_metal_on_an_axis_occurs_once(tmp_path: Path, off_axis: float, context: str, find: Find) -> None:
    zinc = atom_line(950, "ZN", "ZN", "A", 98, (off_axis, 0.0, 0.0), element="ZN")
    path = write_entry(tmp_path, BESIDE_AXIS, benzene("A", 99, (4.0, 2.0, 4.9)), [zinc], header=TWO_FOLD)
    kept = only(path, find, replace(WANTED, context=context))
    assert kept.neighbourhood.copy_name[kept.neighbourhood.comp_id == "ZN"].tolist() == [""]
    assert written(kept, " ZN") == 1


@pytest.mark.parametrize("off_axis", [0.0, 0.3, 0.9])
def test_cofactor_on_an_axis_is_not_buried_by_itself(tmp_path: Path, off_axis: float, find: Find) -> None:
    """After a half turn about z the ring overlaps itself, or is so near that only one of the two can exist."""
    path = write_entry(tmp_path, BESIDE_AXIS, ring("PLP", 98, (off_axis, 0.0, 4.0)), header=TWO_FOLD)
    kept = only(path, find, replace(WANTED, kinds=frozenset({"cofactor"}), context="assembly"))
    assert around(kept, "crystal") == {"ALA"}
    assert written(kept, "PLP") == 6
    assert "special_position" in kept.instance.flags


def test_deposited_entry_has_no_metal_of_a_symmetry_mate(tmp_path: Path, find: Find) -> None:
    """The zinc is below the strand; that of the strand 12 A above is 4.7 A above the ligand."""
    cell = "CRYST1   60.000   60.000   12.000  90.00  90.00  90.00 P 1           1\n"
    zinc = atom_line(950, "ZN", "ZN", "A", 98, (11.4, 0.8, -2.4), element="ZN")
    path = write_entry(tmp_path, strand("A", 1), benzene("A", 99, (11.4, 1.7, 4.9)), [zinc], header=cell)
    kept = only(path, find, replace(WANTED, context="entry"))
    assert "ZN" in around(kept, "crystal")
    assert kept.cleaned.renamed == ()
    assert written(kept, " ZN") == 1


@pytest.mark.parametrize(("own_files", "reason"), [(False, "zero_occupancy"), (True, "kept")])
def test_zero_occupancy_is_allowed_in_a_users_file(tmp_path: Path, own_files: bool, reason: str, find: Find) -> None:
    """Simulation programs write zeros."""
    path = write_entry(tmp_path, strand("A", 1), ring("BNZ", 99, ABOVE_STRAND, occupancy=0.0))
    rows = cleaned(path, find, replace(WANTED, own_files=own_files)).ligand_rows
    assert [row["reason"] for row in rows] == [reason]


def test_names_that_are_only_elements_are_numbered(tmp_path: Path, find: Find) -> None:
    """Open Babel writes such PDB files."""
    lines = [f"{line[:12]} C  {line[16:]}" for line in benzene("A", 99, ABOVE_STRAND)]
    instance = only(write_entry(tmp_path, strand("A", 1), lines), find).instance
    assert [*instance.atoms.name] == ["C1", "C2", "C3", "C4", "C5", "C6"]
    assert "duplicate_atom_names" not in instance.flags


def test_ligand_with_duplicate_atom_names_is_kept_and_flagged(tmp_path: Path, find: Find) -> None:
    lines = [line.replace(" C6 ", " C1 ") for line in benzene("A", 99, ABOVE_STRAND)]
    assert "duplicate_atom_names" in only(write_entry(tmp_path, strand("A", 1), lines), find).instance.flags
