"""All inputs of one ligand for programs that model degraders, as texts by path.

Besides the files of programs: ``exits.json`` with all ranked exits, each atom by every name it has, and
``fragments.json`` for programs that design linkers. These need the two fragments' SMILES with ``*``, the attachment
atoms, and in a common frame the distance and angles between them (LinkLlama).
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from rdkit import Chem

from tethermap.base.reasons import PROTAC_REASONS
from tethermap.base.tables import JOINED, Row, Value
from tethermap.extras.protac.half import Halves, LigandHalf, in_one_frame
from tethermap.extras.protac.ligand import RankedExit, RankedLigand
from tethermap.extras.protac.program import Written, text_of
from tethermap.extras.protac.programs import names, program
from tethermap.extras.protac.protein import Protein, protein_of
from tethermap.extras.protac.round_trip import OpenBabel
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.warhead import warhead_smiles
from tethermap.molecule.geometry import angle_between

_FRAME = "deposited coordinates, angstroms"
_OF_EXIT = ("site_rank", "rank", "anchor_atom", "sdf_index", "score", "closed")
"""Columns of the table of exits that the rows repeat."""


@dataclass(slots=True)
class InputMaker:
    """Makes the inputs of ligands of a job; remembers the SMILES that ligands of one component share.

    Parameters
    ----------
    target_name : str
        Target as given.
    side : Side
        Half of the degrader that the job is about.
    gene : str
        Gene of the E3 ligase, if degraders recruit it; only programs of both halves use it.
    babel : OpenBabel or None
        Converts each head with PRosettaC's method, which shows whether its anchor survives; runs never do so.
    """

    target_name: str
    side: Side
    gene: str = ""
    babel: OpenBabel | None = None
    _smiles: dict[tuple[object, ...], str] = field(default_factory=dict)

    def make(
        self, ligand: RankedLigand, complex_text: str | None, chosen: Sequence[RankedExit]
    ) -> tuple[dict[str, str], list[Row], list[LigandHalf]]:
        """Return the files of a ligand by path in its folder, its rows of `tables.PROTAC_INPUTS`, and its halves.

        Parameters
        ----------
        ligand : RankedLigand
            The ligand; one without ranked exits has a row with the reason and no files.
        complex_text : str or None
            Its cleaned complex as PDB; None if it does not fit the format.
        chosen : sequence of RankedExit
            The exits that get files, one of each site at most; all ranked exits are in the JSON.
        """
        instance, side = ligand.instance, self.side
        cells: dict[str, Value] = {
            "Target": self.target_name,
            **instance.cells,
            "side": side.name,
            "atoms_missing": JOINED.join(ligand.molecule.atoms_missing),
        }
        if not ligand.exits:
            return {}, [{**cells, "reason": "no_ranked_exit"}], []
        own = {int(serial) for serial in instance.atoms.serial.tolist()} - {0}
        protein = protein_of(complex_text, own, side, instance.stem)
        smiles = {one.rank: self._smiles_of(ligand, one) for one in ligand.exits}
        halves = [
            LigandHalf(
                self.target_name, self.gene, side, ligand, one, complex_text, protein, smiles[one.rank], self.babel
            )
            for one in chosen
        ]
        files = {side.ligand_file: ligand.pdb(side)}
        if protein.text:
            files[side.protein_file] = protein.text
            cells["protein_file"] = f"{instance.stem}/{side.protein_file}"
        cells.update(
            reason=protein.reason, protein_chains=protein.chains, ligand_file=f"{instance.stem}/{side.ligand_file}"
        )
        makers = {name: maker for name in names() if (maker := program(name)).site}
        written = {half: {name: maker.site(half) for name, maker in makers.items() if maker.site} for half in halves}
        rows: list[Row] = []
        for half, made in written.items():
            row = {**cells, "smiles": half.smiles, **{key: half.exit.row[key] for key in _OF_EXIT}}
            for part in made.values():
                files.update(part.files)
                paths = {key: path for key, path in part.summary.items() if str(path) in part.files}
                row.update({f"{key}_file": f"{instance.stem}/{path}" for key, path in paths.items()})
                row.update(part.columns)
            rows.append(row)
        files["README.txt"] = readme(ligand, side, protein)
        files |= {f"{name}/README.txt": maker.readme(side, written) for name, maker in makers.items()}
        files["exits.json"] = exits_json(ligand, side, protein, written, smiles)
        return files, rows, halves

    def _smiles_of(self, ligand: RankedLigand, one: RankedExit) -> str:
        """Return the SMILES of the warhead of an exit, made once for equal molecules with equal order."""
        molecule = ligand.molecule
        key = (molecule.observed_smiles, tuple(molecule.smiles_index.tolist()), one.anchor, one.leaving)
        if key not in self._smiles:
            self._smiles[key] = warhead_smiles(ligand.bare, one.anchor, one.leaving)
        return self._smiles[key]


def shared_files(halves: Sequence[LigandHalf], degrader: str, tools: Collection[str] | None = None) -> dict[str, str]:
    """Return the files that are made on demand, of one half or both, by path.

    Parameters
    ----------
    halves : sequence of LigandHalf
        One, or the target's and that of the E3 ligase.
    degrader : str
        SMILES of the degrader; empty if unknown.
    tools : collection of str or None
        One of `programs.tools`; None for all.
    """
    files = {"fragments.json": fragments_json(halves)}
    both = Halves(tuple(sorted(halves, key=lambda half: half.side.number)), degrader)
    for name in names():
        if tools is not None and name not in tools:
            continue
        maker = program(name)
        made = maker.halves(both) if maker.halves else {}
        files.update(made)
        if len(halves) > 1 and maker.pair:
            files[f"{name}/README.txt"] = maker.pair
        elif made and not maker.site:
            files[f"{name}/README.txt"] = maker.readme(both.ordered[0].side, {})
    return files


def readme(ligand: RankedLigand, side: Side, protein: Protein) -> str:
    """Return the README text on the files that all programs share."""
    chains = f"{side.protein_file}: its polymer as {' '.join(protein.chains)}"
    return text_of("all").format(
        stem=ligand.instance.stem,
        protein=chains if protein.text else PROTAC_REASONS[protein.reason],
        warning=_warning(ligand),
        side=side.name,
        named=side.says,
    )


def _warning(ligand: RankedLigand) -> str:
    """Return the notes on a covalent ligand and on an incompletely observed one."""
    links = [link for link in ligand.instance.links if link.kind == "covalent"]
    partners = ", ".join(f"{one.partner_atom} of {one.partner.comp_id} {one.partner.residue_id}" for one in links)
    stated = "jobs of AlphaFold 3, Boltz and Protenix state that bond if the ligand has a component code, others do not"
    covalent = f" It is covalently bound to {partners}; {stated}." if links else ""
    missing = ligand.molecule.atoms_missing
    if not missing:
        return covalent
    count = "1 atom was" if len(missing) == 1 else f"{len(missing)} atoms were"
    return f"{covalent} {count} not observed: {' '.join(missing)}; heads, masks and SMILES do not contain them."


_ELSEWHERE = {
    "Target", "pdb_id", "Chain", "Warhead", "Residue_ID", "stem", "anchor_atom", "anchor_equivalents", "leaving_atoms",
    "sdf_index", "vector_x", "vector_y", "vector_z", "reason", "incomplete",
}  # fmt: skip
"""Columns of the table of exits that have another form here, or that ranked exits don't need."""


def exits_json(ligand: RankedLigand, side: Side, protein: Protein, written: Written, smiles: Mapping[int, str]) -> str:
    """Return the ranked exits of a ligand as JSON, one atom or exit on each line.

    Parameters
    ----------
    side : Side
        Half of the degrader that it is.
    smiles : mapping of int to str
        SMILES of the warhead of each exit by its rank, ``[*]`` for the linker.
    """
    atoms = _atoms(ligand)
    halves = {half.exit.rank: half for half in written}
    exits = []
    for one in ligand.exits:
        exits.append(_exit(one, atoms, smiles[one.rank]))
        if half := halves.get(one.rank):
            anchor, leaving = half.cut
            exits[-1]["core"] = {"anchor_sdf_index": anchor, "leaving_atoms": list(leaving)}
            exits[-1]["files"] = {name: part.summary for name, part in written[half].items()}
    parts = [f" {json.dumps(key)}: {json.dumps(value)}" for key, value in _head(ligand, side, protein).items()]
    parts += [_lines("atoms", atoms), _lines("exits", exits)]
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _lines(key: str, items: Sequence[Mapping[str, Any]]) -> str:
    return f' "{key}": [\n' + ",\n".join(f"  {json.dumps(item)}" for item in items) + "\n ]"


def _head(ligand: RankedLigand, side: Side, protein: Protein) -> dict[str, Any]:
    instance, molecule = ligand.instance, ligand.molecule
    file = side.protein_file if protein.text else None
    return {
        "stem": instance.stem,
        "pdb_id": instance.entry_id,
        "chain": instance.name.auth_asym_id,
        "ligand": instance.name.comp_id,
        "residue_id": instance.name.residue_id,
        "components": instance.component_names,
        "side": side.name,
        "frame": _FRAME,
        "protein": {"file": file, "chains": protein.letters, "reason": protein.reason},
        "ligand_file": side.ligand_file,
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


def _exit(one: RankedExit, atoms: Sequence[Mapping[str, Any]], smiles: str) -> dict[str, Any]:
    values: dict[str, Any] = {
        "rank": one.rank,
        "anchor": {key: atoms[one.anchor][key] for key in _CALLED},
        "equivalent_anchors": list(one.equivalents),
        "leaving_atoms": list(one.leaving),
        "direction": [one.row[f"vector_{axis}"] for axis in "xyz"],
        "smiles": smiles,
    }
    values.update((key, value) for key, value in one.row.items() if key not in _ELSEWHERE and key not in values)
    return values


def fragments_json(halves: Sequence[LigandHalf]) -> str:
    """Return one half, or two with the geometry between them, as JSON."""
    content: dict[str, Any] = {"frame": _FRAME, "fragments": [_fragment(half) for half in halves]}
    if len(halves) > 1:
        content["between"] = _between(*halves[:2])
    return json.dumps(content, indent=1) + "\n"


def _fragment(half: LigandHalf) -> dict[str, Any]:
    mol = half.warhead.mol
    return {
        "side": half.side.name,
        "stem": half.ligand.instance.stem,
        "smiles": half.smiles,
        "attachment_atom": half.warhead.anchor,
        "attachment_direction": np.round(half.direction, 4).tolist(),
        "elements": [atom.GetSymbol() for atom in mol.GetAtoms()],
        "xyz": mol.GetConformer().GetPositions().round(3).tolist(),
        "bonds": [[b.GetBeginAtomIdx(), b.GetEndAtomIdx(), b.GetBondTypeAsDouble()] for b in mol.GetBonds()],
        "molblock": Chem.MolToMolBlock(mol, kekulize=False),
    }


def _between(first: LigandHalf, second: LigandHalf) -> dict[str, Any]:
    """Return distance and angles if both halves share one frame, else the reason."""
    if not in_one_frame(first, second):
        return {"distance_A": None, "reason": "the halves come from structures in different frames"}
    way = second.anchor - first.anchor
    return {
        "distance_A": round(float(np.linalg.norm(way)), 3),
        "angle_deg": round(angle_between(first.direction, second.direction), 1),
        "angles_to_way_deg": [
            round(angle_between(half.direction, along), 1) for half, along in ((first, way), (second, -way))
        ],
    }
