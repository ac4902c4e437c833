"""All ranked exits of a ligand as JSON, each atom by every name it has."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tethermap.extras.protac.ligand import RankedExit, RankedLigand
from tethermap.extras.protac.program import WrittenSite
from tethermap.extras.protac.protein import Protein
from tethermap.extras.protac.side import Side

_ELSEWHERE = {
    "Target", "pdb_id", "Chain", "Warhead", "Residue_ID", "stem", "anchor_atom", "anchor_equivalents", "leaving_atoms",
    "sdf_index", "vector_x", "vector_y", "vector_z", "reason", "incomplete",
}  # fmt: skip
"""Columns of the table of exits that have another form here, or that ranked exits don't need."""


def exits_json(
    ligand: RankedLigand, side: Side, protein: Protein, shown: Sequence[WrittenSite], smiles: Mapping[int, str]
) -> str:
    """Return the ranked exits of a ligand as JSON, one atom or exit on each line.

    Parameters
    ----------
    side : Side
        Half of the degrader that it is.
    smiles : mapping of int to str
        SMILES of the warhead of each exit by its rank, ``[*]`` for the linker.
    """
    atoms = _atoms(ligand)
    files = {one.site.exit.rank: one for one in shown}
    exits = [_exit(one, atoms, files.get(one.rank), smiles[one.rank]) for one in ligand.exits]
    parts = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in _head(ligand, side, protein).items()]
    parts += [_lines("atoms", atoms), _lines("exits", exits)]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(key: str, items: Sequence[Mapping[str, Any]]) -> str:
    return f' "{key}": [\n' + ",\n".join(f"  {json.dumps(item)}" for item in items) + "\n ]"


def _head(ligand: RankedLigand, side: Side, protein: Protein) -> dict[str, Any]:
    instance, molecule = ligand.instance, ligand.molecule
    return {
        "stem": instance.stem,
        "pdb_id": instance.entry_id,
        "chain": instance.name.auth_asym_id,
        "ligand": instance.name.comp_id,
        "residue_id": instance.name.residue_id,
        "components": instance.component_names,
        "side": side.name,
        "frame": "deposited coordinates, angstroms",
        "protein": {
            "file": f"{side.name}.pdb" if protein.text else None,
            "chains": dict(protein.letters or {}),
            "reason": protein.reason,
        },
        "ligand_file": f"{side.name}_ligand.pdb",
        "residue_name": side.residue_name,
        "smiles": molecule.observed_smiles,
        "atoms_missing": list(molecule.atoms_missing),
        "covalent_links": [
            {
                "sdf_index": molecule.atom_index.tolist().index(link.atom),
                "partner": f"{link.partner.comp_id} {link.partner.auth_asym_id} {link.partner.residue_id}",
                "partner_atom": link.partner_atom,
            }
            for link in instance.links
            if link.kind == "covalent" and link.atom in molecule.atom_index
        ],
    }


def _atoms(ligand: RankedLigand) -> list[dict[str, Any]]:
    instance, molecule, graph = ligand.instance, ligand.molecule, ligand.graph
    rows = []
    for k, index in enumerate(molecule.atom_index.tolist()):
        residue = instance.components[int(instance.atoms.component[index])]
        rows.append(
            {
                "sdf_index": k,
                "pdb_serial": int(instance.atoms.serial[index]),
                "name": instance.atoms.name[index],
                "dictionary_name": molecule.dictionary_names[k],
                "ligand_file_name": ligand.names[k],
                "element": graph.element[k],
                "component": residue.comp_id,
                "residue_id": residue.residue_id,
                "xyz": [round(value, 3) for value in graph.xyz[k].tolist()],
            }
        )
    return rows


_CALLED = ("sdf_index", "pdb_serial", "name", "dictionary_name", "ligand_file_name", "xyz")


def _exit(one: RankedExit, atoms: Sequence[Mapping[str, Any]], made: WrittenSite | None, smiles: str) -> dict[str, Any]:
    values: dict[str, Any] = {
        "rank": one.rank,
        "anchor": {key: atoms[one.anchor][key] for key in _CALLED},
        "equivalent_anchors": list(one.equivalents),
        "leaving_atoms": list(one.leaving),
        "direction": [one.row[f"vector_{axis}"] for axis in "xyz"],
        "smiles": smiles,
    }
    values.update((key, value) for key, value in one.row.items() if key not in _ELSEWHERE and key not in values)
    if made is not None:
        anchor, leaving = made.site.cut
        values["core"] = {"anchor_sdf_index": anchor, "leaving_atoms": list(leaving)}
        values["files"] = {name: part.summary for name, part in made.programs.items()}
    return values
