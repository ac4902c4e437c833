"""Mirrors made of small ones by repeating their entries, and those in which each entry has a different ligand."""

import gzip
import shutil
from collections import Counter
from itertools import islice
from pathlib import Path

import gemmi
import numpy as np
import pytest

from tests.tools.mirrors import different_mirror, entry_ids, link_mirror, repeated, structures, template
from tethermap.sources.mirror import MirrorSource

LIGAND = "ZYB"


@pytest.fixture(scope="module")
def source(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One entry as mmCIF and as PDB."""
    folder = tmp_path_factory.mktemp("source")
    (original,) = archive.glob("4cup*")
    shutil.copy(original, folder)
    text = gemmi.read_structure(str(original)).make_pdb_string()
    (folder / "5cup.pdb.gz").write_bytes(gzip.compress(text.encode()))
    return folder


def ligands(path: Path) -> dict[str, list[gemmi.Residue]]:
    """Return the residues of a file by name, without polymers, water and the other het groups of 4CUP."""
    structure = gemmi.read_structure(str(path))
    structure.setup_entities()
    found: dict[str, list[gemmi.Residue]] = {}
    for chain in structure[0]:
        for residue in chain.get_ligands():
            found.setdefault(residue.name, []).append(residue)
    return {name: residues for name, residues in found.items() if name not in ("EDO", "MEO", "MOH")}


def test_each_entry_has_a_different_ligand_in_the_place_of_the_old_one(source: Path, tmp_path: Path) -> None:
    ids = different_mirror(tmp_path, source, 4)
    files = [next(tmp_path.rglob(f"{entry_id}*")) for entry_id in ids]
    assert {path.suffixes[-2] for path in files} == {".cif", ".pdb"}
    (before,) = ligands(source / "4cup.cif.gz")[LIGAND]
    centre = np.mean([atom.pos.tolist() for atom in before if not atom.is_hydrogen()], axis=0)
    names = []
    for path in files:
        ((name, (residue,)),) = ligands(path).items()
        names.append(name)
        assert np.abs(np.mean([atom.pos.tolist() for atom in residue], axis=0) - centre).max() < 1.0
        assert {atom.name for atom in residue} != {atom.name for atom in before}
        assert path.read_bytes() != (source / "4cup.cif.gz").read_bytes()
    assert len({*names, LIGAND}) == 5


def test_entry_without_an_unbonded_ligand_has_no_template(archive: Path) -> None:
    (path,) = archive.glob("1a8o*")
    assert template(path, is_mmcif=True) is None


def test_ids_are_distinct() -> None:
    ids = list(islice(entry_ids(), 250_000))
    assert len(set(ids)) == len(ids)
    assert all(len(entry_id) == 4 and entry_id[0].isdigit() for entry_id in ids)


def test_each_entry_is_used_equally_often(archive: Path) -> None:
    files = structures(archive)
    counts = Counter(file.entry_id for file in repeated(files, 12))
    assert sorted(counts.values()) == [2, 2, 2, 3, 3]


def test_a_mirror_of_links_is_searched_like_any_other(archive: Path, tmp_path: Path) -> None:
    ids = link_mirror(tmp_path / "mirror", archive, 10)
    source = MirrorSource(tmp_path / "mirror", tmp_path / "cache").open()
    assert source.all_entries() == ids
    assert len(source.text_search(["BAZ2B"], [], any_term=False)) == 2
    assert source.fetch(ids[0]).entry_id == ids[0]
    source.close()
