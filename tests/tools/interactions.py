"""Contacts of a job's ligands as PLIP and ProLIF see them: ``python -m tests.tools.interactions <job> <table.csv>``.

Needs ``plip`` (with Open Babel), ``prolif`` and ``rdkit``, 600 MB that no other part uses, in a separate environment.
One ligand of each component is used: its cleaned complex in the job, the residues within `AROUND`, and the waters near
it. PLIP perceives the ligand's bonds by Open Babel; ProLIF gets our molecule in its charge state at pH
7.4, and hydrogens from RDKit on both sides. A row is a residue that a program finds in a contact of one type, with
the shortest of its distances.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rdkit import Chem, rdBase

from tests.tools.shard_files import read_instances_alone
from tethermap.base import layout
from tethermap.base.records import part
from tethermap.instance.model import Instance
from tethermap.molecule.protonation import charged

AROUND = 12.0
"""Residues with an atom this near to the ligand are shown to the programs, in angstroms."""

MOST = 150
"""Ligands that are compared."""

COLUMNS = ("stem", "program", "type", "chain", "residue", "distance_A", "atoms")

PLIP_TYPES = {
    "hydrophobic_contacts": "hydrophobic", "hbonds_pdon": "hbond", "hbonds_ldon": "hbond", "saltbridge_lneg": "ionic",
    "saltbridge_pneg": "ionic", "pistacking": "pi_stacking", "pication_laro": "cation_pi", "pication_paro": "cation_pi",
    "halogen_bonds": "halogen", "water_bridges": "water", "metal_complexes": "metal",
}  # fmt: skip

PROLIF_TYPES = {
    "Hydrophobic": "hydrophobic", "HBDonor": "hbond", "HBAcceptor": "hbond", "Cationic": "ionic", "Anionic": "ionic",
    "CationPi": "cation_pi", "PiCation": "cation_pi", "PiStacking": "pi_stacking", "XBDonor": "halogen",
    "MetalAcceptor": "metal", "MetalDonor": "metal",
}  # fmt: skip

CHARGES = {("LYS", "NZ"): 1, ("ARG", "NH2"): 1, ("ASP", "OD2"): -1, ("GLU", "OE2"): -1}


class Contact(NamedTuple):
    """A residue in a contact: type, chain in the file, residue number, distance in angstroms, both elements."""

    type: str
    chain: str
    residue: str
    distance: float
    atoms: str = ""


def main(job: Path, table: Path, programs: tuple[str, ...] = ("PLIP", "ProLIF")) -> None:
    """Write the results of the programs."""
    rdBase.DisableLog("rdApp.*")
    readers = {"PLIP": plip_contacts, "ProLIF": prolif_contacts}
    with table.open("w", encoding="utf-8", newline="") as stream:
        write = csv.writer(stream, lineterminator="\n").writerow
        write(COLUMNS)
        for instance in chosen(job):
            lines = complex_lines(job, instance)
            sdf = job / layout.ligand_sdf(instance.stem)
            mol = next(iter(Chem.SDMolSupplier(str(sdf), removeHs=True)))
            for program in programs:
                shortest: dict[tuple[str, str, str], Contact] = {}
                for contact in readers[program](instance, mol, lines):
                    if contact.distance < shortest.get(contact[:3], contact._replace(distance=np.inf)).distance:
                        shortest[contact[:3]] = contact
                for contact in sorted(shortest.values()):
                    write([instance.stem, program, *contact[:3], f"{contact.distance:.2f}", contact.atoms])


def chosen(job: Path) -> Iterator[Instance]:
    """Yield the first instance of each component of one residue, in the order of files."""
    with (job / layout.RESULTS_DISPLAY).open(encoding="utf-8", newline="") as stream:
        rows = [row for row in csv.DictReader(stream) if row["sanitised"] == "True" and row["kind"] == "ligand"]
    usual = [row for row in rows if row["bond_source"] in ("entry", "dictionary") and "+" not in row["components"]]
    first = {row["Warhead"]: row["stem"] for row in reversed(usual) if len(row["Warhead"]) <= 3}
    wanted = set(sorted(first.values())[:MOST])
    for shard in layout.shard_folders(job):
        for instance in read_instances_alone(part(job, shard.name, "clean_complexes/instances")):
            if instance.stem in wanted:
                yield instance


def complex_lines(job: Path, instance: Instance) -> list[str]:
    """Return the lines of a complex near its ligand, followed by waters."""
    text = (job / layout.war_pdb(instance.stem)).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith(("ATOM", "HETATM"))]
    xyz = np.array([[float(line[k : k + 8]) for k in (30, 38, 46)] for line in lines])
    ligand = instance.atoms.xyz[instance.atoms.heavy]
    apart = np.array([np.linalg.norm(ligand - place, axis=1).min() for place in xyz])
    near = {line[17:27] for line, distance in zip(lines, apart, strict=True) if distance < AROUND}
    kept = [line for line in lines if line[17:27] in near]
    for number, water in enumerate(instance.waters, 1):
        x, y, z = water.xyz
        kept.append(
            f"HETATM{90000 + number:5d}  O   HOH z{number:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00 20.00           O"
        )
    return kept


def _is_ligand(line: str, instance: Instance) -> bool:
    name = instance.name
    return (line[17:20].strip(), line[21], line[22:27].strip()) == (
        instance.pdb_comp_id, instance.pdb_chain_id, name.residue_id,
    )  # fmt: skip


def plip_contacts(instance: Instance, _: Chem.Mol, lines: list[str]) -> Iterator[Contact]:
    """Yield the contacts of PLIP."""
    preparation = import_module("plip.structure.preparation")
    vars(import_module("plip.basic.config"))["NOFIXFILE"] = True
    whole = preparation.PDBComplex()
    whole.load_pdb("\n".join([*lines, "END", ""]), as_string=True)
    for ligand in whole.ligands:
        if (ligand.hetid, ligand.chain, str(ligand.position)) != (
            instance.pdb_comp_id, instance.pdb_chain_id, str(instance.name.auth_seq_id),
        ):  # fmt: skip
            continue
        whole.characterize_complex(ligand)
        found = whole.interaction_sets[":".join([ligand.hetid, ligand.chain, str(ligand.position)])]
        for attribute, kind in PLIP_TYPES.items():
            for one in getattr(found, attribute):
                yield from _of_plip(one, kind, lines)


def _of_plip(one: Any, kind: str, lines: list[str]) -> Iterator[Contact]:
    if kind == "hbond":
        distance = one.distance_ad
    elif kind == "water":
        distance = max(one.distance_aw, one.distance_dw)
    else:
        distance = one.distance
    if kind != "metal":
        atoms = f"{one.donortype}-{one.acctype}" if kind == "halogen" else ""
        yield Contact(kind, one.reschain, str(one.resnr), float(distance), atoms)
    elif one.location == "ligand":
        place = "".join(f"{value:8.3f}" for value in one.metal.coords)
        for line in lines:
            if line[30:54] == place:
                yield Contact(kind, line[21], line[22:27].strip(), distance)


def prolif_contacts(instance: Instance, mol: Chem.Mol, lines: list[str]) -> Iterator[Contact]:
    """Yield the contacts of ProLIF; none if RDKit can't read the protein."""
    prolif = import_module("prolif")
    import_module("prolif.exceptions").FragmentedResidueError.on_error = "warn"  # a gap within a residue
    block = "\n".join(line for line in lines if line[17:20] != "HOH" and not _is_ligand(line, instance))
    protein = Chem.MolFromPDBBlock(block, sanitize=True, removeHs=True)
    if protein is None:
        sys.stderr.write(f"{instance.stem}: no protein for ProLIF\n")  # type: ignore[unreachable]
        return
    for atom in protein.GetAtoms():
        info = atom.GetPDBResidueInfo()
        charge = CHARGES.get((info.GetResidueName().strip(), info.GetName().strip()))
        if charge is not None and atom.GetDegree() == 1:
            atom.SetFormalCharge(charge)
            atom.UpdatePropertyCache(strict=False)
    protein = Chem.AddHs(protein, addCoords=True, addResidueInfo=True)
    ligand = Chem.AddHs(charged(mol)[0], addCoords=True)
    fingerprint = prolif.Fingerprint(list(PROLIF_TYPES))
    found = fingerprint.generate(prolif.Molecule.from_rdkit(ligand), prolif.Molecule.from_rdkit(protein), metadata=True)
    for (_, residue), contacts in found.items():
        for name, several in contacts.items():
            for one in several:
                first, second = (
                    mol.GetAtomWithIdx(one["parent_indices"][side][0]).GetSymbol()
                    for side, mol in (("ligand", ligand), ("protein", protein))
                )
                distance, chain = float(one["distance"]), residue.chain or ""
                yield Contact(PROLIF_TYPES[name], chain, str(residue.number), distance, f"{first}-{second}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), tuple(sys.argv[3:]) or ("PLIP", "ProLIF"))
