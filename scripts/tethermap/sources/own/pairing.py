"""Pairing of ligand files with structures: by a list, by name, or because there is only one."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from tethermap.base.packed import DamagedGzip, ending_of, unpacked
from tethermap.base.tables import by_key
from tethermap.sources.own.sniff import LIGANDS, kind_of, stem_of

_ROLES = frozenset({
    "protein", "receptor", "rec", "apo", "holo", "pocket", "target", "complex", "ligand", "ligands", "lig", "crystal",
    "native", "pose", "poses", "decoys", "docked", "docking", "out", "result", "results", "minimized", "prepared",
    "prep",
})  # fmt: skip
"""Words of file names that describe the kind of file, not the complex (PDBbind, CASF, DUD-E, docking programs)."""

_PREFERRED = ("sdf", "sd", "mol", "mol2", "pdbqt", "pdb")

Pairs = dict[str, list[str]]
"""Paths of ligand files by the path of their structure."""


def read_list(path: Path) -> list[tuple[str, str]]:
    """Return the pairs of structure and ligand of a list of two columns; empty if it is another kind of table.

    Paths are relative to the list's folder.
    """
    try:
        text = unpacked(path.read_bytes()).decode("utf-8-sig", "replace")
    except DamagedGzip:
        return []
    rows = [list(map(str.strip, row)) for row in csv.reader(text.splitlines(), delimiter="\t" if "\t" in text else ",")]
    pairs = ([path.parent / cell for cell in row[:2]] for row in rows if all(row[:2]) and len(row) > 1)
    files = (pair for pair in pairs if all(file.is_file() for file in pair))
    turned = (sorted(pair, key=lambda file: kind_of(file)[0] in LIGANDS) for pair in files)
    return [(str(structure), str(ligand)) for structure, ligand in turned]


def paired(
    structures: Sequence[str],
    ligands: Sequence[str],
    listed: Iterable[tuple[str, str]],
    folders: Mapping[str, str] | None = None,
) -> tuple[Pairs, list[str]]:
    """Return the ligand files of each structure, and those that have none.

    Parameters
    ----------
    structures, ligands : sequence of str
        Paths.
    listed : iterable of (str, str)
        Pairs that the user names.
    folders : mapping of str to str, optional
        Folder of the user's file that a file elsewhere was made from.
    """
    folders = {path: str(Path(path).parent) for path in (*structures, *ligands)} | dict(folders or {})
    pairs: Pairs = by_key(listed)
    named = {ligand for ligands in pairs.values() for ligand in ligands}
    alone: list[str] = []
    left = ((str(Path(one).with_name(stem_of(Path(one).name))).lower(), one) for one in ligands if one not in named)
    for same in by_key(left).values():  # in several formats: the one with most bond information
        ligand = min(same, key=lambda one: (*_PREFERRED, ending_of(one)).index(ending_of(one)))
        structure = _structure_of(ligand, structures, folders)
        (alone if structure is None else pairs.setdefault(structure, [])).append(ligand)
    return pairs, alone


def key_of(path: str) -> tuple[str, ...]:
    """Return the words of a file's name that identify its complex.

    >>> key_of("1a30/1a30_protein.pdb"), key_of("1a30_ligand.mol2")
    (('1a30',), ('1a30',))
    """
    return tuple(word for word in _words(path) if word not in _ROLES)


def is_pocket(path: str) -> bool:
    """Return whether a structure is a part of another by its name."""
    return "pocket" in _words(path)


def _words(path: str) -> list[str]:
    stem = stem_of(Path(path).name.lower())
    return [word for word in re.split(r"[^a-z0-9]+", stem) if word]


def _structure_of(ligand: str, structures: Sequence[str], folders: Mapping[str, str]) -> str | None:
    """Return the structure of the same name, the nearest first; else the only one of the folder, or of all."""
    key = key_of(ligand)
    beside = [structure for structure in structures if folders[structure] == folders[ligand]]
    for place in (beside, structures):
        whole = [structure for structure in place if not is_pocket(structure)] or place
        same = [structure for structure in whole if key_of(structure) == key]
        begins = [structure for structure in whole if (own := key_of(structure)) and key[: len(own)] == own]
        if same:
            return min(same, key=lambda path: (len(Path(path).name), path))
        if begins:
            return max(begins, key=lambda path: (len(key_of(path)), path))
        if len(whole) == 1:
            return whole[0]
    return None
