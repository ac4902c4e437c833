"""Rows of the tables that join what several stages know of one instance."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tethermap.base import layout
from tethermap.base.reasons import REASONS
from tethermap.base.tables import JOINED, Row, Value, instance_key
from tethermap.fit.fit import by_residue, entry_cells, fit_cells
from tethermap.instance.model import Instance, Link
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.warheads import warhead_classes

_OF_FILE = ("source_file", "source_record", "pose_rank")


@dataclass(frozen=True, slots=True)
class Membership:
    """The series of an instance: its name and the heavy atoms that are the core's, in the core's order."""

    series: str = ""
    core: tuple[int, ...] = ()


def row_sort_key(row: Row) -> tuple[object, ...]:
    """Return the key by which every table of instances is sorted."""
    names = (str(row[column]) for column in ("pdb_id", "Chain", "Warhead", "Residue_ID"))
    return *instance_key(*names), str(row["stem"])


def result_row(
    instance: Instance,
    mol: LigandMolecule,
    summary: Row,
    membership: Membership,
    files: Collection[str],
    geometry: Row,
    smiles_at_ph: str,
) -> Row:
    """Return the row of Results_Display.csv of one instance.

    Parameters
    ----------
    summary : Row
        Its row of Resolved_SASA_Summary.
    files : collection of str
        Files of the job, relative to its folder; paths of other files are empty.
    geometry : Row
        Its row of `tethermap.base.tables.GEOMETRIES`.
    smiles_at_ph : str
        Its ligand's SMILES as charged at pH 7.4.
    """
    facts = instance.facts
    heavy = instance.atoms.heavy
    covalent = [link for link in instance.links if link.kind == "covalent"]
    return {
        **instance.cells,
        **{name: summary[name] for name in ("Target", "%Exposed", "SASA_in_complex_A2", "SASA_free_A2")},
        "SMILES": mol.smiles,
        **{name: getattr(facts, name) for name in ("resolution", "method", "release_date", *_OF_FILE)},
        "components": instance.component_names,
        "kind": instance.kind,
        "altloc": instance.altloc,
        "occupancy": None if facts.docked else float(np.mean(instance.atoms.occupancy[heavy])),
        "mean_B": instance.mean_b,
        "atoms_missing": JOINED.join(mol.atoms_missing),
        "covalent": bool(covalent),
        "link_residue": JOINED.join(link.partner_label for link in covalent),
        "link_atom": JOINED.join(instance.atom_label(link.atom) for link in covalent),
        "bond_source": mol.bond_source,
        "sanitised": mol.sanitised,
        "target_chains": ",".join(instance.target_chains),
        "buried_fraction": summary["Buried_fraction"],
        **_file_cells(instance.stem, files),
        "series": membership.series,
        "InChIKey": mol.inchikey,
        "flags": JOINED.join(sorted({*instance.flags, *mol.flags})),
        **fit_cells(instance.fit),
        "RSCC_by_residue": by_residue(instance.fit, instance.residue_names),
        **entry_cells(instance.fit.entry),
        **geometry,
        "link_uniprot": JOINED.join(_uniprot(instance, link) for link in covalent),
        "mutations": JOINED.join(instance.mutations),
        "mutations_near": JOINED.join(instance.mutations_near),
        "ligand_name": mol.common_name,
        "SMILES_pH74": smiles_at_ph,
        "warhead_class": warhead_classes(mol.smiles_adduct, instance.kind),
        "mean_pLDDT": instance.mean_plddt,
        "aligned_error_A": facts.aligned_error,
        "chemistry_notes": chemistry_notes(instance, mol),
    }


def pose_rows(instance: Instance) -> Iterator[Row]:
    """Yield the rows of Poses.csv of one instance: one per field of its record, or one without a name."""
    facts = instance.facts
    if not facts.docked and not facts.pose_fields:
        return
    names = {"stem": instance.stem, **{name: getattr(facts, name) for name in _OF_FILE}}
    for name, value in (facts.pose_fields or {"": ""}).items():
        yield {**names, "name": name, "value": value}


def chemistry_notes(instance: Instance, mol: LigandMolecule) -> str:
    """Return the differences, atom by atom, between the coordinates of a user's model and its definition.

    For deposited entries, flags report them: their coordinates are evidence, the definition a convention.
    """
    if not instance.facts.confidence_scale and mol.bond_source not in ("user", "file"):
        return ""
    flags = ("stereo_differs", "stereo_unassigned", "strained_bonds", "atoms_missing")
    return JOINED.join(f"{flag}: {mol.notes[flag]}" for flag in flags if flag in mol.notes)


def _file_cells(stem: str, files: Collection[str]) -> Row:
    """Return the paths of an instance's files, empty for one that was not written."""
    paths = {
        "pdb_path": layout.war_pdb(stem),
        "cif_path": layout.war_pdb(stem, "cif"),
        "sdf_path": layout.ligand_sdf(stem),
        "svg_plain_path": layout.ligand_svg(stem, "plain"),
        "svg_exposed_path": layout.ligand_svg(stem, "exposed"),
        "svg_exits_path": layout.ligand_svg(stem, "exits"),
    }
    cells = {column: path if path in files else "" for column, path in paths.items()}
    return {**cells, "sdf_available": bool(cells["sdf_path"])}


def _uniprot(instance: Instance, link: Link) -> str:
    """Return accession and number of the residue that a ligand is bonded to (``P00533:797``), empty if unknown."""
    return instance.uniprot.get(f"{link.partner.auth_asym_id} {link.partner.residue_id}", "")


def map_columns(
    instance: Instance, mol: LigandMolecule, target: str, membership: Membership
) -> dict[str, str | Sequence[Value]]:
    """Return the columns of Ligand_MCS_Map.csv of one instance, with a row a heavy atom in SDF order.

    `SMILES` is that of the molecule as observed, the one `SMILES_ID` counts in; `core_index`
    is the atom's place in the common core of its series.
    """
    atoms, indices = instance.atoms, mol.atom_index.tolist()
    core_index = {atom: place for place, atom in enumerate(membership.core)}
    sdf_index = range(mol.n_heavy)
    smiles_index = [place if place >= 0 else None for place in mol.smiles_index.tolist()]
    return {
        **instance.cells,
        "Ligand": instance.name.comp_id,
        "Target": target,
        "AtomIndex": sdf_index,
        "AtomSymbol": [atoms.element[index] for index in indices],
        "atom_id": atoms.serial[indices].tolist(),
        "atom_name": [instance.atom_label(index) for index in indices],
        **dict(zip("xyz", atoms.xyz[indices].T.tolist(), strict=True)),
        "SMILES_ID": smiles_index,
        "SMILES": mol.observed_smiles,
        "dictionary_name": mol.dictionary_names,
        "sdf_index": sdf_index,
        "smiles_index": smiles_index,
        "in_core": [k in core_index for k in sdf_index],
        "core_index": [core_index.get(k) for k in sdf_index],
        "symmetry_class": mol.symmetry_class.tolist(),
        "series": membership.series,
    }


def unselected_entry_row(entry: Row, source: str) -> Row:
    """Return the row of Entry_Status of an entry that the search left out."""
    copied = ("pdb_id", "rank", "reason", "threshold", "value", "requested_id", "successor")
    sentence = REASONS[str(entry["reason"])]
    copy = {name: entry[name] for name in copied}
    return {**copy, "kept": False, "instances_kept": 0, "source": source, "sentence": sentence}
