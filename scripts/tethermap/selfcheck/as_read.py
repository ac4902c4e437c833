"""Atoms of het groups by the pipeline's own reader, which forgives what `tethermap.selfcheck.deposited` does not."""

from __future__ import annotations

from pathlib import Path

from tethermap.entry.atoms import text
from tethermap.entry.reader import EntryError, read_entry
from tethermap.instance.find import Residues
from tethermap.selfcheck.deposited import DepositedAtom, ResidueKey


def read_as_pipeline(path: Path, entry_id: str) -> dict[ResidueKey, list[DepositedAtom]]:
    """Return the heavy atoms of all het groups in the first model.

    Raises
    ------
    ValueError
        If the file can't be read.
    """
    try:
        entry = read_entry(path, entry_id)
    except EntryError as error:
        raise ValueError(str(error)) from error
    atoms, residues = entry.atoms, Residues(entry)
    found: dict[ResidueKey, list[DepositedAtom]] = {}
    for residue in residues.het.tolist():
        name = residues.name(residue)
        of_residue = found.setdefault((name.auth_asym_id, name.comp_id, name.residue_id), [])
        for k in range(*atoms.at(residue).indices(len(atoms))):
            if atoms.heavy[k]:
                x, y, z = atoms.xyz[k].tolist()
                element = text(atoms.element[k]).capitalize()
                of_residue.append(DepositedAtom(text(atoms.name[k]), element, text(atoms.altloc[k]), (x, y, z)))
    return found
