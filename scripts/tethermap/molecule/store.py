"""Molecules on disk between two stages: one stream of records per shard."""

from dataclasses import fields
from typing import Any

import numpy as np
from rdkit import Chem

from tethermap.base.records import packed, unpacked
from tethermap.molecule.protonation import FormsAtPh, forms_at_ph
from tethermap.molecule.record import LigandMolecule

_PROPERTIES = Chem.PropertyPickleOptions.AllProps | Chem.PropertyPickleOptions.CoordsAsDouble
_INTEGER_ARRAYS = ("atom_index", "residue", "smiles_index", "symmetry_class")
_TUPLES = ("dictionary_names", "atoms_missing", "flags", "synonyms")


def packed_molecule(molecule: LigandMolecule) -> bytes:
    """Return a molecule as a record."""
    names = (item.name for item in fields(molecule) if item.name not in ("stem", "mol"))
    header: dict[str, Any] = {name: getattr(molecule, name) for name in names}
    for name in (*_INTEGER_ARRAYS, "layout"):
        header[name] = header[name].tolist()
    return packed(molecule.stem, header, molecule.mol.ToBinary(_PROPERTIES))


def molecule_of_record(record: bytes) -> LigandMolecule:
    """Return the content of a record of `packed_molecule`."""
    values, mol = unpacked(record)
    for name in _INTEGER_ARRAYS:
        values[name] = np.array(values[name], dtype=np.int64)
    values["layout"] = np.array(values["layout"], dtype=np.float64).reshape(-1, 2)
    forms = values.get("at_ph")  # missing in jobs of earlier versions
    values["at_ph"] = FormsAtPh(*forms) if forms else forms_at_ph(values["parent_smiles"])
    for name in _TUPLES:
        values[name] = tuple(values[name])
    return LigandMolecule(mol=Chem.Mol(bytes(mol)), **values)  # type: ignore[call-overload]
