"""Experimental data of one entry: its validation report and the user's map, if any."""

from collections.abc import Iterable
from dataclasses import dataclass

from tethermap.base.arrays import FloatArray
from tethermap.base.tables import Row
from tethermap.fit.fit import fit_cells, ligand_fit, with_map
from tethermap.fit.model import LigandFit
from tethermap.fit.own_map import Density
from tethermap.fit.report import EMPTY, Place, Report
from tethermap.instance.model import Residue


@dataclass(frozen=True, eq=False)
class Experiment:
    """The evidence next to one model.

    Parameters
    ----------
    report : Report
        The validation report of the entry.
    density : Density or None
        A map of the user's own.
    """

    report: Report = EMPTY
    density: Density | None = None

    def fit(self, names: Iterable[Residue], xyz: FloatArray, altloc: str) -> LigandFit:
        """Return the fit of a ligand's residues in a conformer with heavy atoms at `xyz` (angstroms)."""
        fit = ligand_fit(self.report, [(_place(name), name.comp_id) for name in names], altloc)
        return with_map(fit, *self.density.rscc(xyz)) if self.density else fit

    def cells(self, name: Residue, altloc: str | None) -> Row:
        """Return the cells of one residue: of a conformer, or of the first that is reported."""
        return fit_cells(ligand_fit(self.report, [(_place(name), name.comp_id)], altloc))


NO_EXPERIMENT = Experiment()
"""Neither report nor map."""


def _place(name: Residue) -> Place:
    return name.auth_asym_id, str(name.auth_seq_id), name.ins_code
