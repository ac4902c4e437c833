"""Rows of the exposure tables, and the lists for a ligand's SDF."""

from collections.abc import Iterator, Sequence

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import CONTEXTS, EXPOSED_ABOVE, HEADLINE_CONTEXT, area_column
from tethermap.base.tables import Row, Value
from tethermap.exposure.radii import RADII_NAME
from tethermap.exposure.sasa import ALGORITHM, Exposure, Sasa
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule

SDF_LISTS = {
    "sasa_free": "SASA_free_A2",
    "relative_sasa": "relative_sasa",
    **{f"sasa_{context}": area_column(context) for context in CONTEXTS},
}
"""Column of Warhead_SASA_atoms by the SDF's atom property list."""

OF_EXITS = frozenset({"stem", "Exposure_A2", *SDF_LISTS.values()})
"""Columns of Warhead_SASA_atoms that the search for exits and a ligand's files use."""


def _total(areas: FloatArray) -> float:
    """Return the sum of per-atom areas rounded to the written decimals, so that tables add up exactly."""
    return float(np.round(areas, 3).sum())


def instance_cells(target_name: str, instance: Instance) -> dict[str, Value]:
    """Return the cells that name an instance in tables."""
    return {"Target": target_name, **instance.cells}


def summary_row(
    target_name: str, instance: Instance, molecule: LigandMolecule, exposure: Exposure, method: Sasa
) -> Row:
    """Return the row of one instance in `tethermap.base.tables.SASA_SUMMARY`."""
    code = instance.name.comp_id
    exposed = int((exposure.headline > EXPOSED_ABOVE).sum())
    share = exposed / molecule.n_heavy
    free, bound = _total(exposure.free), _total(exposure.headline)
    return {
        **instance_cells(target_name, instance),
        "Total_atoms": molecule.n_heavy,
        "Exposed_atoms": exposed,
        "SASA_in_complex_A2": bound,
        "%Exposed": share,
        "%Buried": 1 - share,
        "LigandX_Source": instance.pdb_comp_id,
        "Ligand5_Source": code if len(code) == 5 else "",
        "Ligand_Resolved": code,
        "Warhead_5": code if len(code) == 5 else "",
        "SMILES": molecule.smiles,
        "Ion_Dropped": False,
        "Ion_Drop_Reason": "",
        "Parent_SMILES": molecule.parent_smiles,
        "Salt_Stripped": molecule.smiles != molecule.parent_smiles,
        "SASA_free_A2": free,
        "Buried_fraction": 1 - bound / free if free > 0 else None,
        **{area_column(context): _total(exposure.bound[context]) for context in CONTEXTS},
        "context": HEADLINE_CONTEXT,
        "algorithm": ALGORITHM,
        "slices": method.slices,
        "probe_radius_A": method.probe_radius,
        "radii": RADII_NAME,
        "engine": method.engine,
    }


def atom_rows(
    target_name: str, instance: Instance, molecule: LigandMolecule, exposure: Exposure, radii: FloatArray
) -> Iterator[Row]:
    """Yield the rows of one instance in `tethermap.base.tables.SASA_ATOMS`, one for each heavy atom.

    Parameters
    ----------
    radii : ndarray of float, shape (n_heavy,)
        In angstroms.
    """
    names = instance_cells(target_name, instance)
    relative = exposure.relative
    atoms = instance.atoms
    docked = instance.facts.docked
    for k, index in enumerate(molecule.atom_index.tolist()):
        component = instance.components[int(atoms.component[index])]
        x, y, z = atoms.xyz[index].tolist()
        yield {
            **names,
            "Variant": instance.altloc or "1",
            "atom_id": int(atoms.serial[index]),
            "exact_atom": instance.atom_label(index),
            "x": x,
            "y": y,
            "z": z,
            "Exposure_A2": float(exposure.headline[k]),
            "SASA_free_A2": float(exposure.free[k]),
            "relative_sasa": float(relative[k]),
            "buried_fraction": 1.0 - float(relative[k]),
            **{area_column(context): float(exposure.bound[context][k]) for context in CONTEXTS},
            "element": atoms.element[index],
            "radius_A": float(radii[k]),
            "sdf_index": k,
            "component": component.comp_id,
            "component_residue": component.residue_id,
            "occupancy": None if docked else float(atoms.occupancy[index]),
            "B_iso": None if docked or instance.facts.confidence_scale else float(atoms.b_iso[index]),
        }


def sdf_fields(target_name: str, atoms: Sequence[Row], method: Sasa) -> dict[str, str]:
    """Return the fields that exposure adds to a ligand's SDF.

    Parameters
    ----------
    atoms : sequence of Row
        Its rows of `tethermap.base.tables.SASA_ATOMS`.

    >>> sdf_fields("BRD4", [{"SASA_free_A2": 40.0, "Exposure_A2": 10.0}], Sasa(1.4, 100))["buried_fraction"]
    '0.7500'
    """
    free, bound = (sum(float(row[name] or 0) for row in atoms) for name in ("SASA_free_A2", "Exposure_A2"))
    return {
        "target": target_name,
        "SASA_in_complex_A2": f"{bound:.3f}",
        "SASA_free_A2": f"{free:.3f}",
        "buried_fraction": f"{1 - bound / free:.4f}" if free > 0 else "",
        "SASA_method": f"{ALGORITHM}, {method.slices} slices, probe {method.probe_radius} A, radii {RADII_NAME},"
        f" context {HEADLINE_CONTEXT}, engine {method.engine}",
    }


def sdf_lists(atoms: Sequence[Row]) -> dict[str, list[float | None]]:
    """Return the per-atom lists that exposure adds to a ligand's SDF, None if not defined.

    Parameters
    ----------
    atoms : sequence of Row
        Its rows of `tethermap.base.tables.SASA_ATOMS`, in SDF order.
    """
    columns = {name: [row[column] for row in atoms] for name, column in SDF_LISTS.items()}
    return {name: [None if v is None else float(v or 0) for v in values] for name, values in columns.items()}
