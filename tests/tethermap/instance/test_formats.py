"""Both formats of an entry give the same decisions, rows and molecules."""

from pathlib import Path

import pytest
from rdkit import Chem

from tests.tools.cleaning import Find, clean_file
from tethermap.complex.clean import CleanedEntry
from tethermap.components.index import ComponentIndex
from tethermap.matching.build import build_ligand

SPLIT_LATER = "1a4w"
"""Its inhibitor is one component in the file of 2011, four linked ones in the other."""
REFINED_AGAIN = "6lu7"
"""Its files have the coordinates of March and of July 2020 (revision 3.0)."""

TOLD = ("chain", "ligand", "residue", "components", "kind", "kept", "reason", "stem")


@pytest.fixture(scope="module")
def pairs(mirror: Path) -> dict[str, list[Path]]:
    paths = sorted(mirror.glob("*.cif.gz"))
    return {name: [p, other] for p in paths if (other := mirror / f"{(name := p.name[:4])}.pdb.gz").is_file()}


def told(cleaned: CleanedEntry) -> list[tuple[str, ...]]:
    return sorted(tuple(str(row.get(column, "")) for column in TOLD) for row in cleaned.ligand_rows)


def test_both_formats_of_an_entry_agree(pairs: dict[str, list[Path]], index: ComponentIndex) -> None:
    """Decisions, reasons, target chains, molecules and coordinates, except for differences between the two files."""
    assert len(pairs) == 46
    for name, paths in pairs.items():
        entries = [clean_file(path, index.get)[1] for path in paths]
        chains = [set(str(entry.entry_row["target_chains"]).split(",")) for entry in entries]
        assert chains[0] == chains[1], name
        if name != SPLIT_LATER:
            assert told(entries[0]) == told(entries[1]), name
        kept = [[one.instance for one in entry.kept] for entry in entries]
        molecules = [{one.stem: Chem.RemoveHs(build_ligand(one, index).mol) for one in ligands} for ligands in kept]
        first, second = (sorted(map(Chem.MolToSmiles, mols.values())) for mols in molecules)
        assert first == second, name
        for stem in molecules[0] if name not in (SPLIT_LATER, REFINED_AGAIN) else ():
            blocks = [Chem.MolToMolBlock(mols[stem]) for mols in molecules]
            assert blocks[0] == blocks[1], stem


@pytest.mark.parametrize("entry_id", ["6lu7", "7bqy", "6xa4", "6xbg", "6xbh", "6xbi", "6xch", "6yz6", "6xfn", "4ejd"])
def test_peptide_like_inhibitor_is_a_ligand_and_no_target(entry_id: str, mirror: Path, find: Find) -> None:
    _, cleaned = clean_file(mirror / f"{entry_id}.pdb.gz", find)
    found = [kept.instance for kept in cleaned.kept if len(kept.instance.components) > 2]
    assert found
    assert not {one.name.auth_asym_id for one in found} & set(str(cleaned.entry_row["target_chains"]).split(","))
    if entry_id not in ("6yz6", "4ejd"):  # bound as a hydrate, and to an aspartic protease
        assert all([link.partner.comp_id for link in one.links] == ["CYS"] for one in found)


def test_bicyclic_peptide_is_one_ligand_with_its_scaffold(mirror: Path, find: Find) -> None:
    _, cleaned = clean_file(mirror / "8qfz.pdb.gz", find)
    (kept,) = cleaned.kept
    assert len(kept.instance.components) == 13
    assert kept.instance.name.comp_id == "LFI"


def test_short_unmodified_chain_is_a_peptide_and_remains_around_other_ligands(mirror: Path, find: Find) -> None:
    """In 2P1Q a peptide of the degron covers the auxin that glues it to the ligase."""
    _, cleaned = clean_file(mirror / "2p1q.cif.gz", find)
    (peptide,) = (row for row in cleaned.ligand_rows if row["kind"] == "peptide")
    assert (peptide["chain"], peptide["kept"]) == ("C", False)
    auxin = next(kept for kept in cleaned.kept if kept.instance.name.comp_id == "IAC")
    assert "C" in auxin.neighbourhood.auth_asym_id
    assert "C" not in auxin.instance.target_chains
