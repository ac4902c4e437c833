"""Names of structure files in wwPDB mirrors: entry, format, and reasons to skip a file."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, count
from typing import TypeVar

from tethermap.base.identifiers import ENTRY_ID, entry_id_of
from tethermap.sources.own.sniff import MMCIF, STRUCTURES, StructureFile, stem_of, unsupported

_ID = rf"(?P<id>{ENTRY_ID})"
_MMCIF = re.compile(_ID + r"(?:_updated|_final|_xyz(?:-enrich)?(?:_v\d+-\d+)?|-enrich)?\.(?:cif|mmcif)(?:\.gz)?")
_PDB = re.compile(r"(?:pdb)?" + _ID + r"(?:_final)?\.(?:ent|pdb)(?:\.gz)?")
REDONE = re.compile(_ID + r"_final\.(?:cif|pdb)(?:\.gz)?", re.IGNORECASE)
"""Files of a mirror with a name of PDB-REDO, ``1abc_final.cif``: re-refined."""

_REPORT = (re.compile(r".*_validation\.(?:cif|xml)(?:\.(?:gz|bz2|xz))?"), "a validation report")
_ASSEMBLY = (re.compile(r".*(?:-assembly\d*\.cif|\.pdb\d+)(?:\.gz)?"), "an assembly, not the deposited entry")
_OTHER = (_REPORT, _ASSEMBLY, *unsupported("name"))
_STRUCTURE = re.compile(r"(?P<stem>.+)\.(?P<suffix>cif|mmcif|ent|pdb)(?:\.gz)?", re.IGNORECASE)
TABLE = re.compile(r".+\.(?:smi|csv|tsv)(?:\.(?:gz|bz2|xz))?", re.IGNORECASE)
"""Files that may be tables of SMILES, or of pairs of ligands and structures."""

_NUMBERS = re.compile(r"(\D*)(\d{0,18})")

File = TypeVar("File", bound=StructureFile)

PDB_REDO = "pdb_redo"
"""Source and flag of models of PDB-REDO (Joosten et al. 2014, doi:10.1107/S2052252514009324)."""


def structure_file(place: str) -> StructureFile | str:
    """Return which entry a file of a mirror contains, or why it is skipped.

    Parameters
    ----------
    place : str
        A path, for example ``m1/1m17.cif.gz``, ``pdb1hpv.ent.gz``, ``1HPV.pdb``, ``pdb_00001m17.cif.gz``.

    >>> structure_file("pdb/1HPV.ent.gz").entry_id, structure_file("1hpv-sf.cif.gz")
    ('1hpv', 'not coordinates')
    >>> structure_file("docked.maegz")
    'a format of one program; export it as PDB or mmCIF, ligands as SDF'
    """
    name = place.rpartition(os.sep)[2].lower()
    for pattern, is_mmcif in ((_MMCIF, True), (_PDB, False)):
        if match := pattern.fullmatch(name):
            return StructureFile(entry_id_of(match["id"]), place, is_mmcif)
    unnamed = "its name gives no PDB id" if _STRUCTURE.fullmatch(name) else "not a structure file"
    return next((reason for pattern, reason in _OTHER if pattern.fullmatch(name)), unnamed)


def own_file(place: str, kind: str) -> StructureFile | str:
    """Return the entry of one of the user's own files, whose names are free, or why it is skipped.

    Parameters
    ----------
    place : str
        Path of the file.
    kind : str
        Kind of its content (`tethermap.sources.own.sniff.kind_of`).
    """
    file = structure_file(place)
    if isinstance(file, StructureFile):
        return StructureFile(file.entry_id, place, kind in MMCIF or (kind not in STRUCTURES and file.is_mmcif))
    name = place.rpartition(os.sep)[2]
    match = _STRUCTURE.fullmatch(name)
    if file == _REPORT[1] or (kind not in STRUCTURES and match is None):
        return file
    named_mmcif = match is not None and match["suffix"].lower() in ("cif", "mmcif")
    return StructureFile(own_id(stem_of(name)), place, kind in MMCIF or (kind not in STRUCTURES and named_mmcif))


def is_assembly(name: str) -> bool:
    """Return whether a file's name is that of an assembly of an entry."""
    return _ASSEMBLY[0].fullmatch(name.lower()) is not None


def own_id(stem: str) -> str:
    """Return an id made from a file's name: lower case, letters, digits and dashes only."""
    plain = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
    return plain[:48].strip("-") or "structure"


def numbered(files: Sequence[File], labels: Mapping[str, str] | None = None) -> list[File]:
    """Return the files with ids that are unique: those of one name get their folder's before it, or a number.

    Parameters
    ----------
    labels : mapping of str to str, optional
        Path shown to the user, for files stored elsewhere.
    """
    folders_of: dict[str, set[str]] = {}
    places = [(labels or {}).get(file.place, file.place).rpartition(os.sep)[0] for file in files]
    for file, folder in zip(files, places, strict=True):
        folders_of.setdefault(file.entry_id, set()).add(folder)
    result: dict[str, File] = {}
    for file, folder in zip(files, places, strict=True):
        wanted = file.entry_id
        if len(folders_of[wanted]) > 1 and folder:
            wanted = own_id(f"{folder.rpartition(os.sep)[2]}-{wanted}")
        numbers = (f"{wanted}-{number}" for number in count(2))
        entry_id = next(name for name in chain([wanted], numbers) if name not in result)
        result[entry_id] = replace(file, entry_id=entry_id)
    return list(result.values())


def natural(place: str) -> tuple[tuple[str, int], ...]:
    """Return a key that sorts names by the numbers in them.

    >>> sorted(["rank10.sdf", "rank2.sdf"], key=natural)
    ['rank2.sdf', 'rank10.sdf']
    """
    return tuple((word, int(digits or 0)) for word, digits in _NUMBERS.findall(place))
