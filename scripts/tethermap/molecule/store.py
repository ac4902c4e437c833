"""Molecules on disk between two stages: one stream of records per shard."""

from dataclasses import fields

import numpy as np
from rdkit import Chem

from tethermap.base.records import packed, unpacked
from tethermap.instance.store import of_plain
from tethermap.molecule.protonation import FormsAtPh, forms_at_ph
from tethermap.molecule.record import LigandMolecule

_PROPERTIES = Chem.PropertyPickleOptions.AllProps | Chem.PropertyPickleOptions.CoordsAsDouble


def packed_molecule(molecule: LigandMolecule) -> bytes:
    """Return a molecule as a record."""
    names = (item.name for item in fields(molecule) if item.name not in ("stem", "mol"))
    values = ((name, getattr(molecule, name)) for name in names)
    header = {name: value.tolist() if isinstance(value, np.ndarray) else value for name, value in values}
    return packed(molecule.stem, header, molecule.mol.ToBinary(_PROPERTIES))


def molecule_of_record(record: bytes) -> LigandMolecule:
    """Return the content of a record of `packed_molecule`."""
    values, mol = unpacked(record)
    forms = values.get("at_ph")  # missing in jobs of earlier versions
    values["at_ph"] = FormsAtPh(*forms) if forms else forms_at_ph(values["parent_smiles"])
    return of_plain(LigandMolecule, {**values, "mol": Chem.Mol(bytes(mol))})  # type: ignore[call-overload]
