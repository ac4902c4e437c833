"""Molecules on disk between two stages: one stream of records per shard."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from rdkit import Chem

from scripts.lib.atomic import replacing
from scripts.lib.molecule.record import LigandMolecule

_MAGIC = b"tethermap molecules 2\n"
_SIZES = struct.Struct("<II")
_PROPERTIES = Chem.PropertyPickleOptions.AllProps | Chem.PropertyPickleOptions.CoordsAsDouble
_INTEGER_ARRAYS = ("atom_index", "residue", "smiles_index", "symmetry_class")
_TUPLES = ("dictionary_names", "atoms_missing", "flags")


def write_molecules(path: Path, records: Iterable[LigandMolecule]) -> None:
    """Write molecules one after the other; the file appears when all are written.

    Parameters
    ----------
    path : Path
        The file.
    records : iterable of LigandMolecule
        Taken one at a time, so that a generator needs no more memory than one molecule.
    """
    with replacing(path) as temporary, temporary.open("wb") as stream:
        stream.write(_MAGIC)
        for record in records:
            header, mol = _pack(record)
            stream.write(_SIZES.pack(len(header), len(mol)))
            stream.write(header)
            stream.write(mol)


def read_molecules(path: Path) -> Iterator[LigandMolecule]:
    """Yield the molecules of a file in the order they were written.

    Raises
    ------
    ValueError
        If the file is not one of `write_molecules` or is cut off.
    """
    with path.open("rb") as stream:
        if stream.read(len(_MAGIC)) != _MAGIC:
            raise ValueError(f"{path}: not a file of molecules")
        while sizes := stream.read(_SIZES.size):
            if len(sizes) < _SIZES.size:
                raise ValueError(f"{path}: cut off")
            header_size, mol_size = _SIZES.unpack(sizes)
            yield _unpack(_read(stream, header_size, path), _read(stream, mol_size, path))


def _read(stream: BinaryIO, size: int, path: Path) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise ValueError(f"{path}: cut off")
    return data


def _pack(record: LigandMolecule) -> tuple[bytes, bytes]:
    header: dict[str, Any] = {item.name: getattr(record, item.name) for item in fields(record) if item.name != "mol"}
    for name in (*_INTEGER_ARRAYS, "layout"):
        header[name] = header[name].tolist()
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8"), record.mol.ToBinary(_PROPERTIES)


def _unpack(header: bytes, mol: bytes) -> LigandMolecule:
    values: dict[str, Any] = json.loads(header)
    for name in _INTEGER_ARRAYS:
        values[name] = np.array(values[name], dtype=np.int64)
    values["layout"] = np.array(values["layout"], dtype=np.float64).reshape(-1, 2)
    for name in _TUPLES:
        values[name] = tuple(values[name])
    return LigandMolecule(mol=Chem.Mol(mol), **values)  # type: ignore[call-overload]
