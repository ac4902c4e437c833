"""The atoms of a structure as lines of a PDB file: as gemmi writes them, four times as fast."""

from __future__ import annotations

import gemmi
import numpy as np

from scripts.lib.arrays import BoolArray
from scripts.lib.entry.atoms import POLYMER, SYMBOLS
from scripts.lib.kernels.library import call

LINE = 81
"""Letters of a line, its end included."""

_SYMBOLS = np.char.upper(SYMBOLS)


def polymer_ends(flat: gemmi.FlatStructure) -> BoolArray:
    """Return the atoms with which a polymer ends, behind which a TER record stands, shape (n_atoms,)."""
    flat.strings_as_numbers = False
    chains = np.array(flat.chain_ids)
    ends: BoolArray = np.asarray(flat.entity_type) == POLYMER
    ends[:-1] &= ~ends[1:] | (chains[1:] != chains[:-1])
    return ends


def atom_lines(flat: gemmi.FlatStructure, ends: BoolArray) -> str | None:
    """Return the records ATOM, HETATM and TER of the atoms of one model, without segments and displacements.

    Parameters
    ----------
    flat : gemmi.FlatStructure
        Its atoms have serial numbers, which leave one for each TER record.
    ends : ndarray of bool, shape (n_atoms,)
        Behind which atoms a TER record stands.

    Returns
    -------
    str or None
        None where an atom does not fit its columns as it is, or is said to be neither ATOM nor HETATM.
    """
    flat.strings_as_numbers = False
    names = [np.array(column) for column in (flat.atom_names, flat.residue_names, flat.chain_ids)]
    columns = [flat.serials, flat.resnums, flat.icodes, flat.altlocs, flat.pos, flat.occ, flat.b_iso, flat.charge]
    table = [np.asarray(column) for column in (*columns, flat.het_flags, flat.elements)]  # all in one of gemmi's own
    lines = np.empty((len(flat) + int(ends.sum()), LINE), dtype=np.uint8)
    written = call("pdb_lines", len(flat), *names, ends, table[0].strides[0], *table, _SYMBOLS, lines)
    return str(lines.data, "ascii") if written else None
