"""Reads the inputs for programs that model degraders back, each as its program would, and compares the atoms.

Nothing of the code that writes them is used: SDF and ligands are read with RDKit, complexes with gemmi, the
dictionary with biotite.
"""

import csv
import json
from collections.abc import Iterator, Mapping
from functools import cache
from io import TextIOWrapper
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import biotite.structure.info as dictionary
import gemmi
import numpy as np
import numpy.typing as npt
from rdkit import Chem

from tests.tools.runs import Row, by_stem, rows_of

Places = npt.NDArray[np.float64]

WITHIN = 0.0011
"""Largest difference of coordinates with three and four decimals, in angstroms."""


def problems_of_job(job: Path) -> Iterator[str]:
    """Yield the faults of the inputs of a complete job, ligand by ligand."""
    results = job / "TARGET_RESULTS"
    shown = by_stem(rows_of(results, "PROTAC_Inputs/index.csv"))
    ranked = by_stem(row for row in rows_of(results, "Exit_Vectors.csv") if row["rank"])
    for path in sorted((job / ".work" / "shards").glob("*/measure_sasa.zip")):
        with ZipFile(path) as archive, archive.open("observed") as stream:
            # For a ligand between two proteins, the programs get only the observed exit.
            ranked |= by_stem(csv.DictReader(TextIOWrapper(stream, "utf-8", newline="")))
    atoms = by_stem(rows_of(results, "MCS_Output/Ligand_MCS_Map.csv"))
    stems = {row["stem"] for row in rows_of(results, "Results_Display.csv")}
    yield from (f"{stem}: not in the index" for stem in sorted(stems ^ shown.keys()))
    folders = {path.name for path in (results / "PROTAC_Inputs").iterdir() if path.is_dir()}
    yield from (f"{stem}: a folder and no ranked exit, or the other way" for stem in sorted(folders ^ ranked.keys()))
    for stem in sorted(ranked.keys() & folders):
        reader = LigandInputs(results, stem, shown.get(stem, []), ranked[stem], atoms[stem])
        yield from (f"{stem}: {problem}" for problem in reader.problems())


MOST_MATCHES = 100_000
"""Symmetry operations that are tried; molecules in many pieces have more."""


class LigandInputs:
    """The inputs of one ligand.

    Parameters
    ----------
    results : Path
        The folder of results.
    stem : str
        Stem of the ligand.
    shown, ranked, atoms : list of dict
        Its rows of the index, its ranked rows of Exit_Vectors.csv, its rows of Ligand_MCS_Map.csv.
    """

    def __init__(self, results: Path, stem: str, shown: list[Row], ranked: list[Row], atoms: list[Row]) -> None:
        self.folder = results / "PROTAC_Inputs" / stem
        self.shown, self.ranked = shown, ranked
        self.told: dict[str, Any] = json.loads((self.folder / "exits.json").read_text(encoding="utf-8"))
        self.atoms = {int(row["sdf_index"]): row for row in atoms}
        self.sdf = _first(results / "MCS_Output" / "MCS_SDF" / f"{stem}.sdf", sanitize=False, remove=False)
        self.places = self.sdf.GetConformer().GetPositions()
        complex_file = results / "WAR_PDB" / f"{stem}.pdb"
        found = complex_file if complex_file.exists() else complex_file.with_suffix(".cif")
        self.complex = gemmi.read_structure(str(found))
        self.ligand = _pdb(self.folder / self.told["ligand_file"])

    def problems(self) -> Iterator[str]:
        """Yield the faults."""
        yield from self._names()
        yield from self._protein()
        if [one["rank"] for one in self.told["exits"]] != [int(row["rank"]) for row in self.ranked]:
            yield "the exits of the JSON differ from those of the table"
        for one, row in zip(self.told["exits"], self.ranked, strict=False):
            yield from self._anchor(one, row)
        made = {row["rank"]: row for row in self.shown}
        with_files = {str(one["rank"]): one for one in self.told["exits"] if "files" in one}
        if made.keys() != with_files.keys() or not made:
            yield "the exits of the index differ from those with files in the JSON"
        for rank, row in made.items():
            yield from self._files(with_files[rank], row)

    def _names(self) -> Iterator[str]:
        """Compare SDF, complex, map of atoms, dictionary and the ligand's own PDB file, atom by atom."""
        heavy = [atom.GetIdx() for atom in self.sdf.GetAtoms() if atom.GetAtomicNum() > 1]
        if heavy != list(range(len(self.told["atoms"]))) or heavy != sorted(self.atoms):
            yield "the SDF has other heavy atoms"
            return
        first = min(told["pdb_serial"] for told in self.told["atoms"])
        residues = (one for chain in self.complex[0] for one in chain if one[-1].serial >= first)
        serials = {atom.serial: (atom, one) for one in residues for atom in one}
        positions = self.ligand.GetConformer().GetPositions()
        for k, told in enumerate(self.told["atoms"]):
            row = self.atoms[k]
            atom, residue = serials[told["pdb_serial"]]
            info = self.ligand.GetAtomWithIdx(k).GetPDBResidueInfo()
            own = (told["name"], told["residue_id"], told["element"].upper())
            seen = (atom.name, str(residue.seqid).strip(), atom.element.name.upper())
            places = [np.array(atom.pos.tolist()), np.array(told["xyz"]), positions[k]]
            if own != seen or int(row["atom_id"]) != told["pdb_serial"]:
                yield f"atom {k} is {own} in the JSON and {seen} in the complex"
            if row["dictionary_name"] != told["dictionary_name"]:
                yield f"atom {k} has another dictionary name in the map of atoms"
            if max(np.abs(place - self.places[k]).max() for place in places) > WITHIN:
                yield f"atom {k} is elsewhere"
            if info.GetSerialNumber() != k + 1 or info.GetName().strip() != told["ligand_file_name"]:
                yield f"atom {k} has another name or serial in the ligand's file"
        names = [told["ligand_file_name"] for told in self.told["atoms"]]
        if len(set(names)) != len(names) or max(map(len, names)) > 4:
            yield "names in the ligand's file are not their own"
        yield from self._dictionary()

    def _dictionary(self) -> Iterator[str]:
        """Compare every bond within a component with the dictionary's bond of the same names."""
        for bond in self.sdf.GetBonds():
            ends = [bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()]
            if max(ends) >= len(self.told["atoms"]):
                continue
            first, second = (self.told["atoms"][k] for k in ends)
            pair = first["dictionary_name"], second["dictionary_name"]
            same = (first["component"], first["residue_id"]) == (second["component"], second["residue_id"])
            bonds = _bonds(first["component"])
            if same and all(pair) and bonds is not None and frozenset(pair) not in bonds:
                yield f"the dictionary has no bond {pair} in {first['component']}"

    def _protein(self) -> Iterator[str]:
        """Compare the protein's atoms with those of the complex, chain by chain."""
        protein = self.told["protein"]
        if protein["file"] is None:
            if not protein["reason"]:
                yield "no protein and no reason"
            return
        found = gemmi.read_pdb(str(self.folder / protein["file"]))
        letters = [chain.name for chain in found[0]]
        if letters != list(protein["chains"].values()) or {"X", "Y"} & set(letters):
            yield f"chains {letters}"
        self.complex.setup_entities()
        own = [told["pdb_serial"] for told in self.told["atoms"]]
        whole, copy = _flat(self.complex), _flat(found)
        others = (whole.entity_type == gemmi.EntityType.Polymer.value) & ~np.isin(whole.serials, own)
        for old, new in protein["chains"].items():
            here = _atoms(whole, others & (whole.chain_ids == old.encode()))
            if not all(map(np.array_equal, here, _atoms(copy, copy.chain_ids == new.encode()))):
                yield f"chain {new} is not the polymer of chain {old}"

    def _anchor(self, one: Mapping[str, Any], row: Row) -> Iterator[str]:
        """Compare an exit of the JSON with its row of the table and the atom that it names."""
        anchor = one["anchor"]
        told = self.told["atoms"][anchor["sdf_index"]]
        if anchor["sdf_index"] != int(row["sdf_index"]) or any(told[key] != anchor[key] for key in anchor):
            yield f"exit {one['rank']} has another anchor"
        if row["anchor_atom"].rpartition(".")[2] != anchor["name"]:
            yield f"exit {one['rank']} has another name"
        if np.abs(np.array(one["direction"]) - [float(row[f"vector_{axis}"]) for axis in "xyz"]).max() > 1e-3:
            yield f"exit {one['rank']} has another direction"
        modelled = row["leaving_atoms"].split(";") if row["kind"] != "unseen" else []
        leaving = [name.rpartition(".")[2] for name in modelled if name]
        if leaving != [self.told["atoms"][k]["name"] for k in one["leaving_atoms"]]:
            yield f"exit {one['rank']} has another leaving group"
        if one["smiles"].count("[*]") != (1 if one["smiles"] else 0):
            yield f"exit {one['rank']} has no place for the linker"

    def _files(self, one: Mapping[str, Any], row: Row) -> Iterator[str]:
        """Find the anchor in the files of each program."""
        k, rank = one["core"]["anchor_sdf_index"], one["rank"]
        place = self.places[k]
        gone = one["core"]["leaving_atoms"]
        kept = [i for i in range(len(self.told["atoms"])) if i not in gone]
        if k != one["anchor"]["sdf_index"] and {one["anchor"]["sdf_index"], *one["leaving_atoms"]} - set(gone):
            yield f"exit {rank}: the core includes atoms that change"
        yield from (f"exit {rank}, {problem}" for problem in self._prosettac(one, row, place, kept))
        name = self.told["atoms"][k]["ligand_file_name"]
        residue = self.told["residue_name"]
        ligand = _pdb(self.folder / "protac_ternary" / f"{self.told['side']}_ligand.pdb")
        if np.abs(ligand.GetConformer().GetPositions() - self.sdf.GetConformer().GetPositions()).max() > WITHIN:
            yield f"exit {rank}, PROTAC_ternary: an atom or hydrogen is elsewhere"
        by_name = _by_name(ligand)
        lines = (self.folder.parent / row["atom_list_file"]).read_text(encoding="utf-8").split("\n")
        listed = [f"{line.split()[0]} {name}" for line in lines if line for name in line.split()[1:]]
        if listed[-1] != f"{residue} {name}" or by_name[listed[-1]] != k or len(set(listed)) != len(listed):
            yield f"exit {rank}, PROTAC_ternary: the list ends with {listed[-1]}"
        if any(by_name[key] not in kept for key in listed):
            yield f"exit {rank}, PROTAC_ternary: an atom that leaves is aligned"
        deleted = (self.folder.parent / row["atom_delete_file"]).read_text(encoding="utf-8").splitlines()
        lost = {*gone, k}
        hydrogens = (other for i in lost for other in self.sdf.GetAtomWithIdx(i).GetNeighbors())
        lost |= {other.GetIdx() for other in hydrogens if other.GetAtomicNum() == 1}
        if {by_name[key] for key in deleted} != lost or len(deleted) != len(lost):
            yield f"exit {rank}, PROTAC_ternary: other atoms are deleted"
        mask = _pdb(self.folder.parent / row["mask_file"])
        serials = [atom.GetPDBResidueInfo().GetSerialNumber() - 1 for atom in mask.GetAtoms()]
        here = mask.GetConformer().GetPositions()
        if serials != kept or np.abs(here - self.places[kept]).max() > WITHIN:
            yield f"exit {rank}, DeepTernary: the atoms of the mask differ"
        bonds = {frozenset((b.GetBeginAtomIdx(), b.GetEndAtomIdx())) for b in self.sdf.GetBonds()}
        masked = {frozenset((kept[b.GetBeginAtomIdx()], kept[b.GetEndAtomIdx()])) for b in mask.GetBonds()}
        if masked != {bond for bond in bonds if bond <= set(kept)}:
            yield f"exit {rank}, DeepTernary: the mask has other bonds"

    def _prosettac(self, one: Mapping[str, Any], row: Row, place: Places, kept: list[int]) -> Iterator[str]:
        """Read parameters and head as PRosettaC's main.py does."""
        with (self.folder.parent / row["params_file"]).open(encoding="utf-8") as stream:
            structures, chains, heads, anchors = (stream.readline().split(":")[1].split() for _ in range(4))
            last = [stream.readline().split(":") for _ in range(2)]
        side = 1 if self.told["side"] == "target" else 0
        head = _first(self.folder / "prosettac" / heads[side], sanitize=bool(one["smiles"]), remove=True)
        number = int(anchors[side])
        if last != [["Protac", " protac.smi\n"], ["Full", " True\n"]] or anchors[1 - side].isdigit():
            yield "PRosettaC: the parameters are others"
        if structures[side] != (self.told["protein"]["file"] or f"{self.told['side']}.pdb"):
            yield "PRosettaC: another structure"
        if chains[side : side + 1] != [row["protein_chains"]] and row["protein_chains"]:
            yield "PRosettaC: other chains"
        here = head.GetConformer().GetPositions()
        if np.abs(here[number - 1] - place).max() > WITHIN or row["head_anchor"] != anchors[side]:
            yield "PRosettaC: the anchor is another atom"
        if np.abs(here - self.places[kept]).max() > WITHIN:
            yield "PRosettaC: the head differs from the remaining atoms"
        if heads[side] != Path(row["head_file"]).name:
            yield "PRosettaC: another head"
        matches = head.GetSubstructMatches(head, uniquify=False, maxMatches=MOST_MATCHES)
        images = {match[number - 1] + 1 for match in matches} - {number}
        alike = {int(k) for k in row["alike_atoms"].split(";") if k}
        if images - alike or (images != alike and len(matches) < MOST_MATCHES):
            yield f"PRosettaC: {images} are the same as the anchor, not {row['alike_atoms']}"


def _first(path: Path, *, sanitize: bool, remove: bool) -> Chem.Mol:
    mol = Chem.SDMolSupplier(str(path), sanitize=sanitize, removeHs=remove and sanitize)[0]
    assert mol is not None, path
    return mol


def _pdb(path: Path) -> Chem.Mol:
    """Read a ligand with the method of PROTAC_ternary."""
    mol = Chem.MolFromPDBFile(str(path), sanitize=False, removeHs=False, flavor=0, proximityBonding=False)
    assert mol is not None, path
    return mol


def _by_name(mol: Chem.Mol) -> dict[str, int]:
    infos = ((atom.GetPDBResidueInfo(), atom.GetIdx()) for atom in mol.GetAtoms())
    return {f"{info.GetResidueName().strip()} {info.GetName().strip()}": k for info, k in infos}


def _flat(structure: gemmi.Structure) -> gemmi.FlatStructure:
    flat = gemmi.FlatStructure(structure)
    flat.strings_as_numbers = False
    return flat


def _atoms(flat: gemmi.FlatStructure, rows: npt.NDArray[np.bool_]) -> list[npt.NDArray[Any]]:
    """Return numbers and names of residues, and names and places of atoms."""
    columns = (flat.resnums, flat.icodes, flat.residue_names, flat.atom_names, flat.pos)
    return [np.asarray(column)[rows] for column in columns]


@cache
def _bonds(comp_id: str) -> set[frozenset[str]] | None:
    """Return the bonds of a component as biotite's dictionary has them, by the names of their atoms."""
    return {frozenset(names) for names in dictionary.bonds_in_residue(comp_id)} or None
