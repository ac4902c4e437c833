"""Molecules written and read again."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.components import Known, ideal_instance
from tests.tools.shard_files import read_molecules, write_molecules
from tethermap.base.records import packed, unpacked
from tethermap.components.index import ComponentIndex
from tethermap.matching.build import build_ligand
from tethermap.molecule.protonation import NO_FORMS
from tethermap.molecule.store import molecule_of_record, packed_molecule


def test_records_are_read_back_unchanged(known: Known, index: ComponentIndex, tmp_path: Path) -> None:
    records = [build_ligand(ideal_instance(known(code)), index) for code in ("478", "HEM", "CL", "08T")]
    path = tmp_path / "molecules.bin"
    write_molecules(path, iter(records))
    for before, after in zip(records, read_molecules(path), strict=True):
        for field in fields(before):
            mine, theirs = getattr(before, field.name), getattr(after, field.name)
            if isinstance(mine, np.ndarray):
                assert mine.dtype == theirs.dtype
                assert np.array_equal(mine, theirs)
            elif field.name != "mol":
                assert mine == theirs
        assert Chem.MolToCXSmiles(before.mol) == Chem.MolToCXSmiles(after.mol)
        assert (before.mol.GetConformer().GetPositions() == after.mol.GetConformer().GetPositions()).all()
        assert before.names == after.names


def test_record_without_forms_at_ph_gets_them_from_its_molecule(known: Known, index: ComponentIndex) -> None:
    molecule = build_ligand(ideal_instance(known("478")), index)
    values, mol = unpacked(packed_molecule(molecule))
    del values["at_ph"], values["inchi"]
    earlier = molecule_of_record(packed(values.pop("stem"), values, bytes(mol)))
    assert earlier.at_ph == molecule.at_ph != NO_FORMS


def test_files_that_are_empty_cut_off_or_of_another_format(known: Known, index: ComponentIndex, tmp_path: Path) -> None:
    path = tmp_path / "molecules.bin"
    write_molecules(path, [])
    assert list(read_molecules(path)) == []
    write_molecules(path, [build_ligand(ideal_instance(known("478")), index)])
    whole = path.read_bytes()
    for size in (len(whole) - 1, len(whole) // 2, 25):
        path.write_bytes(whole[:size])
        with pytest.raises(ValueError, match="cut off"):
            list(read_molecules(path))
    path.write_text("something else entirely")
    with pytest.raises(ValueError, match="not a file of records"):
        list(read_molecules(path))
