"""Molecules written and read again."""

from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from rdkit import Chem

from tests.tools.components import Known, ideal_instance
from tethermap.base.records import MAGIC, packed, read_records, unpacked
from tethermap.components.index import ComponentIndex
from tethermap.matching.build import build_ligand
from tethermap.molecule.protonation import NO_FORMS
from tethermap.molecule.store import molecule_of_record, packed_molecule


def test_records_are_read_back_unchanged(known: Known, index: ComponentIndex, tmp_path: Path) -> None:
    records = [build_ligand(ideal_instance(known(code)), index) for code in ("478", "HEM", "CL", "08T")]
    path = tmp_path / "molecules.bin"
    path.write_bytes(b"".join((MAGIC, *map(packed_molecule, records))))
    for before, after in zip(records, map(molecule_of_record, read_records(path)), strict=True):
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


def test_files_that_are_empty_cut_off_or_of_another_format(tmp_path: Path) -> None:
    path, whole = tmp_path / "molecules.bin", MAGIC + packed("1abc_A_LIG_1", {}, b"content")
    path.write_bytes(MAGIC)
    assert list(read_records(path)) == []
    for content, error in ((whole[:-1], "cut off"), (whole[:25], "cut off"), (b"else", "not a file of records")):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=error):
            list(read_records(path))
