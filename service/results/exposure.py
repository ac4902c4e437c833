"""Exposure of one ligand instance as clients see it, from the tables of a job."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from service.http.sasa_answers import MappedAtom, MeasuredAtom, OverlayAtom, SasaMethod, SasaRange, SasaTotals
from service.results.tables import INSTANCE_COLUMNS, OF_STEMS, JobTables, number, same_entry
from tethermap.base import tables
from tethermap.base.contexts import CONTEXTS, EXPOSED_ABOVE, HEADLINE_CONTEXT, area_column
from tethermap.base.tables import Row
from tethermap.drawing.exposed import AtomExposure, exposed_card
from tethermap.drawing.ramp import exposure_colour
from tethermap.drawing.reader import Depiction
from tethermap.exposure.method import KERNEL

_HEADLINE = area_column(HEADLINE_CONTEXT)
_AREAS = tuple(area_column(context) for context in (*CONTEXTS, "free"))
_OF_SUMMARY = (*INSTANCE_COLUMNS, *_AREAS, "algorithm", "slices", "probe_radius_A", "radii", "engine")


def summaries_of(reader: JobTables, pdb_ids: Collection[str]) -> dict[str, list[Row]]:
    """Return the rows of a job's summary by entry, those of the given entries."""
    rows = reader.of_entries(tables.SASA_SUMMARY, pdb_ids, _OF_SUMMARY)
    return tables.by_key((same_entry(str(row["pdb_id"])), row) for row in rows)


_NAMES = ("stem", "exact_atom", "element", "atom_id", "x", "y", "z", "relative_sasa", "sdf_index", *_AREAS)


def instance_atoms(reader: JobTables, stem: str) -> list[Row]:
    """Return the rows of the heavy atoms of one instance, in the order of its SDF."""
    return sorted(reader.rows(tables.SASA_ATOMS, "WHERE stem = ?", [stem], _NAMES), key=_place)


def _place(row: Mapping[str, Any]) -> Any:
    """Return the sort key of atoms; for many instances a sort in SQL takes three times as long."""
    return row["sdf_index"] or 0


def atoms_by_instance(reader: JobTables, stems: Collection[str]) -> dict[str, list[Row]]:
    """Return names, places and areas of the heavy atoms of several instances."""
    rows_of: dict[str, list[Row]] = {stem: [] for stem in stems}
    rows = reader.rows(tables.SASA_ATOMS, f"WHERE {OF_STEMS}", [list(rows_of)], _NAMES)
    for row in sorted(rows, key=_place):
        rows_of[str(row["stem"])].append(row)
    return rows_of


def exposure_of(
    summary: Row, atoms: Sequence[Mapping[str, Any]], context: str, *, include_buried: bool = True
) -> dict[str, Any]:
    """Return the fields of a `LigandExposure` of one instance: statistics, totals, method, atoms."""
    column = area_column(context)
    pdb_id, chain, residue = (str(summary[name]) for name in ("pdb_id", "Chain", "Residue_ID"))
    bound, free = number(summary, column), number(summary, "SASA_free_A2")
    listed: list[MeasuredAtom] = [
        {
            "atom_name": row["exact_atom"],
            "element": row["element"],
            "atom_id": row["atom_id"],
            "x": row["x"],
            "y": row["y"],
            "z": row["z"],
            "exposure": row[column],
            "exposure_a2": row[column],
            "sasa_free": row["SASA_free_A2"],
            "relative_sasa": relative(row, column),
            "rdkit_atom_index": row["sdf_index"],
        }
        for row in atoms
    ]
    exposures = sorted(atom["exposure"] for atom in listed if atom["exposure"] is not None)
    if not include_buried:
        listed = [atom for atom in listed if (atom["exposure"] or 0) > EXPOSED_ABOVE]
    return {
        "key": f"{pdb_id}|{chain}|{residue}",
        "pdb_id": pdb_id,
        "chain": chain,
        "residue_id": residue,
        "ligand": summary["Warhead"],
        "stats": SasaRange(
            min=exposures[0] if exposures else None,
            max=exposures[-1] if exposures else None,
            p95=exposures[math.ceil(0.95 * len(exposures)) - 1] if exposures else None,
        ),
        "totals": SasaTotals(
            sasa_bound=bound,
            sasa_free=free,
            buried_fraction=round(1 - bound / free, 4) if bound is not None and free else None,
        ),
        "method": SasaMethod.model_construct(
            algorithm=summary["algorithm"],
            slices=summary["slices"],
            probe_radius=summary["probe_radius_A"],
            radii=summary["radii"],
            engine=summary.get("engine") or KERNEL,
            context=context,
        ),
        "atoms": listed,
    }


def relative(row: Mapping[str, Any], column: str) -> float | None:
    """Return an atom's SASA in a context over its own, as the table has it for the headline."""
    if column == _HEADLINE:
        share: float | None = row["relative_sasa"]
        return share
    bound, free = row[column], row["SASA_free_A2"]
    return round(bound / free, 4) if bound is not None and free else None


def overlay(atoms: Sequence[Mapping[str, Any]], context: str) -> list[OverlayAtom]:
    """Return the atoms with exposure, its bucket and its colour, for a viewer."""
    column = area_column(context)
    marked: list[OverlayAtom] = []
    for row in atoms:
        exposure = number(row, column)
        area = exposure or 0
        colour = exposure_colour(relative(row, column)).removeprefix("#")
        marked.append(
            {
                "atom_id": row["atom_id"],
                "atom_name": row["exact_atom"],
                "x": row["x"],
                "y": row["y"],
                "z": row["z"],
                "exposure": exposure,
                "bucket": "low" if area < 15 else "medium" if area < 35 else "high",  # Å²
                "color": [round(int(colour[place : place + 2], 16) / 255, 4) for place in (0, 2, 4)],
            }
        )
    return marked


def atom_map(atoms: Sequence[Mapping[str, Any]], context: str) -> list[MappedAtom]:
    """Return exposure by the 0-based index of the atom in the SDF."""
    return [{"atomIndex": row["sdf_index"], "exposure": number(row, area_column(context))} for row in atoms]


def recoloured(depiction: Depiction, atoms: Sequence[Row], context: str) -> str:
    """Return the file of an exposed depiction in a context; no molecule is drawn for it.

    Parameters
    ----------
    depiction : Depiction
        Depiction in the headline context.
    atoms : sequence of mapping
        Rows of the instance's heavy atoms.
    context : str
        One of `tethermap.base.contexts.CONTEXTS`.
    """
    column = area_column(context)
    exposures = {row["sdf_index"]: AtomExposure(number(row, column), relative(row, column)) for row in atoms}
    marks = depiction.atoms
    return exposed_card(
        depiction.title,
        depiction.description,
        depiction.drawing("discs"),
        [{"index": str(mark.index), "atom-name": mark.name, "element": mark.element} for mark in marks],
        [exposures.get(mark.index, AtomExposure(None, None)) for mark in marks],
        context,
    )
