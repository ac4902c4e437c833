"""Content of uploaded files: chains, ligands, and the reason if one can't be used.

``python -m scripts.inspect_files <folder> <cache>`` writes JSON to standard output, one object a file. It reads files
from anyone, therefore in a separate process with limited memory.
"""

import argparse
import json
import resource
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tethermap.base.errors import isolate_errors
from tethermap.base.packed import ending_of
from tethermap.base.reasons import BOND_SOURCES, sentence
from tethermap.complex.clean import clean_entry
from tethermap.complex.settings import CleanSettings
from tethermap.components.finder import JobComponents
from tethermap.components.user import UserComponentError, read_user_components
from tethermap.drawing.ligand import plain_svg
from tethermap.entry.reader import Entry, EntryError, read_entry
from tethermap.entry.target_query import TargetQuery
from tethermap.exposure.radii import PolymerRadii
from tethermap.instance.classify import is_unknown_atom
from tethermap.instance.find import Residues, find_groups
from tethermap.instance.kinds import KindRules
from tethermap.matching.build import build_ligand
from tethermap.sources.base import FetchError, SourceError
from tethermap.sources.files import FilesSource
from tethermap.sources.naming import own_file
from tethermap.sources.own.archives import ArchiveError, members
from tethermap.sources.own.definitions import is_definition
from tethermap.sources.own.pairing import read_list
from tethermap.sources.own.poses import LigandFileError, read_poses
from tethermap.sources.own.sniff import BESIDE, COMPLEXES, LIGANDS, MMCIF, STRUCTURES, kind_of

MOST_MEMORY = 6 << 30
"""Bytes of address space; a file that needs more is refused."""

_MOST_NOTES = 12
_MOST_DRAWN = 12
"""Ligands of one structure that are drawn, each molecule once."""

_MOST_DRAWN_OF_ALL = 48
"""Ligands of an upload that are drawn."""

_MOST_ATOMS = 200
"""Largest number of heavy atoms of a ligand that is drawn."""

_MOST_POSES = 500
"""Largest number of ligands in a file for which each is checked."""

_DRAWING_SECONDS = 30.0
"""Time after which no more structures are drawn; the check of an upload has a limit."""

_NOT_DRAWN = "its ligands can't be drawn because of an error in this program"

Found = dict[str, Any]


def main(folder: Path, cache: Path) -> list[Found]:
    """Return name, kind, entry, notes and faults of each file of a folder, in order of their names."""
    end = time.monotonic() + _DRAWING_SECONDS
    files = [_of_file(path) for path in sorted(folder.iterdir()) if path.is_file()]
    if any(file["error"] for file in files):
        return files
    try:
        source = FilesSource([folder], cache).open()
    except SourceError as error:
        return [{**file, "error": error.message} for file in files]
    definitions = [folder / file["name"] for file in files if file["kind"] == "components"]
    components = JobComponents("files", None, list(map(str, definitions)))
    by_name = {file["name"]: file for file in files}

    def file_of(place: str) -> Found:
        return by_name[source.labels[place].partition("/")[0]]

    try:
        codes: set[str] = set()
        for entry_id, arguments in source.given.items():
            certain = entry_id in source.ligands_of.values()
            drawn = sum(len(file["ligands"]) for file in files)
            room = _MOST_DRAWN_OF_ALL - drawn if time.monotonic() < end else 0
            codes |= _tell_entry(source, entry_id, file_of(arguments), components, room, certain=certain)
        for ligand, entry_id in source.ligands_of.items():
            file = file_of(ligand)
            file["entry_id"] = entry_id
            if file["kind"] == "structure":  # only coordinates, of a ligand without its protein
                file |= _ligands(Path(ligand))
        for path in definitions:
            if codes.isdisjoint(read_user_components(path)):
                by_name[path.name]["notes"].append(
                    f"no structure here has it; the ligands here: {', '.join(sorted(codes)[:_MOST_NOTES]) or 'none'}"
                )
        for note in source.notes:
            for file in files:
                if file["name"] in note and not file["error"]:
                    file["notes"].append(note)
    finally:
        source.close()
    return files


def _of_file(path: Path) -> Found:
    """Return the kind and faults of a single file."""
    file: Found = {"name": path.name, "kind": "", "entry_id": "", "notes": [], "ligands": [], "error": ""}
    ending = ending_of(path.name)
    kind, reason = kind_of(path)
    try:
        if kind == "archive":
            file |= _archive(path)
        elif kind in LIGANDS or (kind == "text" and ending in ("sdf", "sd", "mol", "mol2", "dlg")):
            file |= _ligands(path)
        elif reason:
            file |= {"kind": "other", "error": reason}
        elif kind in COMPLEXES or (kind in STRUCTURES and not (kind in MMCIF and is_definition(path))):
            file["kind"] = "structure"
        elif ending in BESIDE:
            file["kind"] = BESIDE[ending]
        elif is_definition(path):
            codes = ", ".join(read_user_components(path))
            file |= {"kind": "components", "notes": [f"defines {codes}"]}
        elif ending in ("smi", "csv", "tsv"):
            pairs = read_list(path)
            error = "" if pairs else "it has no codes with SMILES and no pairs of the given files"
            file |= {"kind": "pairs", "notes": [f"{len(pairs)} pair{'s' * (len(pairs) != 1)}"], "error": error}
        else:
            other = own_file(str(path), kind)
            file |= {"kind": "other", "error": other} if isinstance(other, str) else {"kind": "structure"}
    except UserComponentError as wrong:
        file["error"] = str(wrong)
    return file


def _archive(path: Path) -> Found:
    """Return the content of an archive, or the reason why it can't be read."""
    try:
        names = [name for name, _, _ in members(path)]
    except ArchiveError as error:
        return {"kind": "archive", "error": str(error)}
    if not names:
        return {"kind": "archive", "error": "no file is in it"}
    return {"kind": "archive", "notes": [f"{len(names)} file(s): {', '.join(sorted(names)[:_MOST_NOTES])}"]}


def _ligands(path: Path) -> Found:
    """Return the content of a file of ligands without protein, or the reason why it can't be read."""
    try:
        poses, notes = read_poses(path)
    except LigandFileError as error:
        reason = str(error).removeprefix(path.name).lstrip(",: ")
        return {"kind": "ligand", "notes": [], "error": reason}
    titles = ", ".join(dict.fromkeys(pose.title for pose in poses[:5] if pose.title))
    count = f"{len(poses)} pose{'s' if len(poses) > 1 else ''}" + (f" of {titles}" if titles else "")
    return {"kind": "ligand", "notes": [count, *notes], "error": ""}


def _tell_entry(
    source: FilesSource, entry_id: str, file: Found, components: JobComponents, room: int, *, certain: bool
) -> set[str]:
    """Add the content of a structure to the report on its file; return the codes of its ligands.

    Parameters
    ----------
    room : int
        Maximum number of drawings.
    certain : bool
        Whether the bonds of its ligands came in a separate file.
    """
    file["entry_id"] = file["entry_id"] or entry_id
    try:
        entry = read_entry(source.fetch(entry_id).path, entry_id)
    except (EntryError, FetchError) as error:
        file["error"] = sentence(error.reason).removesuffix(".") + (f" ({error.value})" if error.value else "")
        return set()
    notes, ligands = _contents(entry, components)
    if not certain and not entry.additions.ligands:
        notes += [
            f"bonds of {code} come from distances: add a table with its SMILES ({code},SMILES)"
            for code, names in ligands.items()
            if not _defined(components, code, names)
        ]
    file["notes"] += notes[:_MOST_NOTES]
    if room > 0 and len(entry.poses) <= _MOST_POSES:
        with isolate_errors(f"drawing of {file['name']}") as errors:
            file["ligands"] += _drawn(entry, components, min(room, _MOST_DRAWN))
        file["notes"] += [_NOT_DRAWN for _ in errors]
    return set(ligands)


def _drawn(entry: Entry, components: JobComponents, most: int) -> list[Found]:
    """Return the distinct molecules among the ligands of a structure: drawn, with the source of their bonds."""
    settings = CleanSettings(TargetQuery(""), own_files=True)
    rules, radii = KindRules(components, components.of_dictionary), PolymerRadii(components)
    cleaned = clean_entry(entry, settings, rules, radii)
    found: dict[tuple[str, str], Found] = {}
    for kept in cleaned.kept:
        if len(found) == most:
            break
        name, mol = kept.instance.name, build_ligand(kept.instance, components.index, components.user)
        if (name.comp_id, mol.observed_smiles) not in found and len(mol.names) <= _MOST_ATOMS:
            found[name.comp_id, mol.observed_smiles] = {
                "comp_id": name.comp_id,
                "place": f"{name.auth_asym_id} {name.residue_id}",
                "smiles": mol.observed_smiles,
                "bond_source": mol.bond_source,
                "bonds_from": BOND_SOURCES.get(mol.bond_source, mol.bond_source),
                "svg": plain_svg(mol, kept.instance),
            }
    return list(found.values())


def _defined(components: JobComponents, comp_id: str, names: set[str]) -> bool:
    """Return whether the definition of a code describes a ligand with these atoms, perhaps with other names."""
    component = components(comp_id)
    own = components.user is not None and comp_id in components.user
    return component is not None and (own or names <= {atom.name for atom in component.atoms})


def _contents(entry: Entry, components: JobComponents) -> tuple[list[str], dict[str, set[str]]]:
    """Return the content of a structure in words, and the names of the heavy atoms of its single-component ligands."""
    residues = Residues(entry)
    ligands: dict[str, set[str]] = {}
    atoms = entry.atoms
    chains = Counter(atoms.auth_asym_id[first].decode() for first in atoms.starts[residues.polymer].tolist())
    lines = [f"chain {chain or '(no name)'}: {count} residues" for chain, count in chains.items()]
    lines = lines or ["no polymer: give the protein too"]
    if entry.confidence_scale:
        lines.append("a prediction: its pLDDT is read as confidence")
    rules = KindRules(components, components.of_dictionary)
    groups = find_groups(entry, residues, rules)
    for group in groups:
        name = residues.name(group.head)
        heavy = sum(int(atoms.heavy[atoms.at(residue)].sum()) for residue in group.residues)
        kind = "ligand" if group.kind == "unknown" and not is_unknown_atom(atoms, group.head, rules) else group.kind
        lines.append(f"{kind} {name.comp_id} {name.auth_asym_id}{name.residue_id}: {heavy} heavy atoms")
        if kind == "ligand" and len(group.residues) == 1:
            at = atoms.at(group.head)
            ligands.setdefault(name.comp_id, set()).update(atoms.name[at][atoms.heavy[at]].astype(str).tolist())
    return lines if groups else [*lines, "no ligand: add it to this file or as a separate file"], ligands


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m scripts.inspect_files", description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with the files")
    parser.add_argument("cache", type=Path, help="folder for derived files")
    arguments = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    sys.stdout.write(json.dumps(main(arguments.folder, arguments.cache)))
