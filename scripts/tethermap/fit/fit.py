"""The fit of a ligand from that of its residues, as a value and as cells of tables."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from math import sqrt
from typing import Any

from tethermap.base.tables import JOINED, RESULTS_TABLE, Row, format_value
from tethermap.fit.limits import limit
from tethermap.fit.model import ASSESSED, NO_FIT, NOT_ASSESSED, EntryFit, LigandFit, ResidueFit, fit_values
from tethermap.fit.report import EMPTY, Place, Report


def ligand_fit(report: Report, residues: Sequence[tuple[Place, str]], altloc: str | None) -> LigandFit:
    """Return the fit of an instance.

    Parameters
    ----------
    report : Report
        The report of its entry.
    residues : sequence of (Place, str)
        Place and component of each of its residues.
    altloc : str or None
        Label of its conformer; None for the first that is reported.
    """
    if report is EMPTY:
        return NO_FIT
    fits = tuple(report.fit(place, comp_id, altloc) for place, comp_id in residues)
    status = ASSESSED if any(fit.assessed for fit in fits) else NOT_ASSESSED
    whole = fits[0] if len(fits) == 1 else _joined(fits)
    return LigandFit(status, whole, fits, report.entry, "" if whole.rscc is None else "report")


def with_map(fit: LigandFit, whole: float | None, atoms: Sequence[float | None]) -> LigandFit:
    """Return a fit with the values of a user's map; the RSCC of a report is kept."""
    fit = replace(fit, atom_rscc=tuple(atoms))
    if fit.whole.rscc is not None or whole is None:
        return fit
    return replace(fit, status=ASSESSED, source="map", whole=replace(fit.whole, rscc=whole, n_atoms=len(atoms)))


def _joined(fits: Sequence[ResidueFit]) -> ResidueFit:
    """Return the fit of a linked group as a whole; residues without a value don't count in it."""
    values: dict[str, Any] = {}
    for name in ("rscc", "rsr", "mean_occupancy", "edia_m", "opia", "q_score", "residue_inclusion"):
        values[name] = _mean((getattr(fit, name), fit.n_atoms or 1) for fit in fits)
    for name in ("n_atoms", "n_bonds", "n_angles", "n_clashes"):
        counts = [count for fit in fits if (count := getattr(fit, name)) is not None]
        values[name] = sum(counts) if counts else None
    values["bonds_rmsz"] = _pooled((fit.bonds_rmsz, fit.n_bonds) for fit in fits)
    values["angles_rmsz"] = _pooled((fit.angles_rmsz, fit.n_angles) for fit in fits)
    return ResidueFit(**values)


def _mean(weighted: Iterable[tuple[float | None, int]]) -> float | None:
    known = [(value, weight) for value, weight in weighted if value is not None]
    return sum(value * weight for value, weight in known) / sum(weight for _, weight in known) if known else None


def _pooled(scores: Iterable[tuple[float | None, int | None]]) -> float | None:
    known = [(value, number) for value, number in scores if value is not None and number]
    squares = sum(number * value * value for value, number in known)
    return sqrt(squares / sum(number for _, number in known)) if known else None


def is_rsrz_outlier(fit: ResidueFit) -> bool:
    """Return whether a residue fits the density worse than residues of its kind."""
    return fit.rsrz is not None and fit.rsrz > limit("rsrz_outlier")


def has_geometry_outliers(fit: ResidueFit) -> bool:
    """Return whether bonds or angles are far from Mogul's expected values."""
    return max(fit.bonds_rmsz or 0.0, fit.angles_rmsz or 0.0) > limit("mogul_rmsz_poor")


def fit_cells(fit: LigandFit) -> Row:
    """Return the cells of a fit in the tables of ligands."""
    return {
        **{value.column: getattr(fit.whole, value.name) for value in fit_values("residue", "mogul") if value.column},
        "n_clashes": fit.whole.n_clashes,
        "fit_status": fit.status,
        "fit_source": fit.source,
    }


def by_residue(fit: LigandFit, names: Sequence[str]) -> str:
    """Return the RSCC of each residue of a linked group: ``02J C1 0.839;ALA C2 0.960``; empty for a single one."""
    if len(fit.residues) < 2:
        return ""
    values = ("not assessed" if one.rscc is None else f"{one.rscc:.3f}" for one in fit.residues)
    return JOINED.join(f"{name} {value}" for name, value in zip(names, values, strict=True))


def fit_fields(fit: LigandFit, names: Sequence[str]) -> dict[str, str]:
    """Return the fields of a fit in a ligand's SDF, without those that have no value."""
    cells = fit_cells(fit)
    fields = {c.name: format_value(cells[c.name], c) for c in RESULTS_TABLE.columns if c.name in cells}
    return {**fields, "RSCC_by_residue": by_residue(fit, names)}


def entry_cells(entry: EntryFit) -> Row:
    """Return the cells of an entry."""
    return {value.column: getattr(entry, value.name) for value in fit_values("entry")}
