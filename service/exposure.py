"""Exposure of one ligand instance as clients see it, from the tables of a job."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from scripts.lib import tables
from scripts.lib.exposure.ramp import exposure_colour
from scripts.lib.tables import Value
from service.job_tables import TableCache, matching, number, rows_of_instances

CONTEXTS = ("target", "chain", "assembly", "crystal")
"""Which atoms surround the ligand; the first is the headline."""

BURIED_A2 = 0.1
"""An atom with no more than this counts as buried."""

_LOW_A2, _MEDIUM_A2 = 15.0, 35.0
_P95 = 0.95


def summary_row(
    cache: TableCache, job: Path, pdb_id: str, chain: str | None, residue: str | None, ligand: str | None
) -> Mapping[str, Value] | None:
    """Return the row of the instance that is meant, or None."""
    found = matching(cache.rows(job, tables.SASA_SUMMARY), pdb_id, chain, ligand, residue)
    return found[0] if found else None


def instance_atoms(job: Path, stem: str) -> list[Mapping[str, Value]]:
    """Return the rows of the heavy atoms of one instance, in the order of its SDF."""
    return atoms_by_instance(job, {stem})[stem]


def atoms_by_instance(job: Path, stems: Collection[str]) -> dict[str, list[Mapping[str, Value]]]:
    """Return the same for several instances, reading the table once."""
    found: dict[str, list[Mapping[str, Value]]] = {stem: [] for stem in stems}
    for row in rows_of_instances(job / tables.SASA_ATOMS.path, tables.SASA_ATOMS, stems):
        found[str(row["stem"])].append(row)
    for rows in found.values():
        rows.sort(key=lambda row: number(row, "sdf_index") or 0)
    return found


def exposure_body(
    summary: Mapping[str, Value], atoms: Sequence[Mapping[str, Value]], context: str, *, include_buried: bool = True
) -> dict[str, Any]:
    """Return the exposure of one instance: statistics, totals, method, atoms."""
    column = f"SASA_{context}_A2"
    pdb_id, chain, residue = (str(summary[name]) for name in ("pdb_id", "Chain", "Residue_ID"))
    bound, free = number(summary, column), number(summary, "SASA_free_A2")
    listed = [_atom(row, column) for row in atoms]
    exposures = sorted(atom["exposure"] for atom in listed if atom["exposure"] is not None)
    if not include_buried:
        listed = [atom for atom in listed if (atom["exposure"] or 0) > BURIED_A2]
    return {
        "key": f"{pdb_id}|{chain}|{residue}",
        "pdb_id": pdb_id,
        "chain": chain,
        "residue_id": residue,
        "ligand": summary["Warhead"],
        "stats": {
            "min": exposures[0] if exposures else None,
            "max": exposures[-1] if exposures else None,
            "p95": exposures[math.ceil(_P95 * len(exposures)) - 1] if exposures else None,
        },
        "totals": {
            "sasa_bound": bound,
            "sasa_free": free,
            "buried_fraction": round(1 - bound / free, 4) if bound is not None and free else None,
        },
        "method": {
            "algorithm": summary["algorithm"],
            "slices": summary["slices"],
            "probe_radius": summary["probe_radius_A"],
            "radii": summary["radii"],
            "context": context,
        },
        "atoms": listed,
    }


def _atom(row: Mapping[str, Value], column: str) -> dict[str, Any]:
    exposure = number(row, column)
    return {
        "atom_name": row["exact_atom"],
        "element": row["element"],
        "atom_id": row["atom_id"],
        "x": row["x"],
        "y": row["y"],
        "z": row["z"],
        "exposure": exposure,
        "exposure_a2": exposure,
        "sasa_free": number(row, "SASA_free_A2"),
        "relative_sasa": relative(row, column),
        "rdkit_atom_index": row["sdf_index"],
    }


def relative(row: Mapping[str, Value], column: str) -> float | None:
    """Return an atom's SASA in a context over its own, as the table has it for the headline."""
    if column == "SASA_target_A2":
        return number(row, "relative_sasa")
    bound, free = number(row, column), number(row, "SASA_free_A2")
    return round(bound / free, 4) if bound is not None and free else None


def overlay(atoms: Sequence[Mapping[str, Value]], context: str) -> list[dict[str, Any]]:
    """Return the atoms with exposure, its bucket and its colour, for a viewer."""
    column = f"SASA_{context}_A2"
    found = []
    for row in atoms:
        exposure = number(row, column)
        colour = exposure_colour(relative(row, column)).removeprefix("#")
        found.append(
            {
                "atom_id": row["atom_id"],
                "atom_name": row["exact_atom"],
                "x": row["x"],
                "y": row["y"],
                "z": row["z"],
                "exposure": exposure,
                "bucket": _bucket(exposure),
                "color": [int(colour[place : place + 2], 16) for place in (0, 2, 4)],
            }
        )
    return found


def _bucket(exposure: float | None) -> str:
    if exposure is None or exposure < _LOW_A2:
        return "low"
    return "medium" if exposure < _MEDIUM_A2 else "high"


def atom_map(atoms: Sequence[Mapping[str, Value]], context: str) -> list[dict[str, Any]]:
    """Return exposure by the 0-based index of the atom in the SDF."""
    return [{"atomIndex": row["sdf_index"], "exposure": number(row, f"SASA_{context}_A2")} for row in atoms]
