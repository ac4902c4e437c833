"""Names of structure files in wwPDB mirrors: which entry, which format, and what is skipped why."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path

from scripts.lib.sources.query import entry_id_of

_ID = r"(?P<id>[0-9][a-z0-9]{3}|pdb_[a-z0-9]{8})"
_MMCIF = re.compile(_ID + r"(?:_updated|_xyz(?:-enrich)?(?:_v\d+-\d+)?|-enrich)?\.(?:cif|mmcif)(?:\.gz)?")
_PDB = re.compile(r"(?:pdb)?" + _ID + r"\.(?:ent|pdb)(?:\.gz)?")
_OTHER = (
    (re.compile(r".*\.z"), "compressed by compress (.Z); write it as .gz"),
    (re.compile(r".*\.(?:bz2|xz|zst|zip|tar|tgz)"), "compressed in another way than gzip; write it as .gz"),
    (re.compile(r".*\.bcif(?:\.gz)?"), "binary CIF is not read"),
    (re.compile(r".*(?:-sf\.cif|sf\.ent|\.mtz|\.mr)(?:\.gz)?"), "not coordinates"),
    (re.compile(r".*(?:-assembly\d*\.cif|\.pdb\d+)(?:\.gz)?"), "an assembly, not the deposited entry"),
    (re.compile(r".*\.(?:xml|json|csv|dat|txt|md|html|log|sqlite)(?:\.gz)?"), "not a structure file"),
)
_STRUCTURE = re.compile(r"(?P<stem>.+)\.(?P<suffix>cif|mmcif|ent|pdb)(?:\.gz)?", re.IGNORECASE)
_MAX_OWN_ID = 48


@dataclass(frozen=True, slots=True)
class StructureFile:
    """A file that holds an entry.

    Parameters
    ----------
    entry_id : str
        Lower-case id.
    place : str
        Its path as text: a mirror has a quarter of a million.
    is_mmcif : bool
        Whether its name says mmCIF.
    """

    entry_id: str
    place: str
    is_mmcif: bool

    @property
    def path(self) -> Path:
        """The file."""
        return Path(self.place)


def structure_file(place: str) -> StructureFile | str:
    """Return which entry a file of a mirror holds, or why it is skipped.

    Parameters
    ----------
    place : str
        A path, for example ``m1/1m17.cif.gz``, ``pdb1hpv.ent.gz``, ``1HPV.pdb``, ``pdb_00001m17.cif.gz``.
    """
    name = place.rpartition(os.sep)[2].lower()
    for pattern, is_mmcif in ((_MMCIF, True), (_PDB, False)):
        match = pattern.fullmatch(name)
        if match:
            return StructureFile(entry_id_of(match["id"]), place, is_mmcif)
    for pattern, reason in _OTHER:
        if pattern.fullmatch(name):
            return reason
    return "its name gives no PDB id" if _STRUCTURE.fullmatch(name) else "not a structure file"


def own_file(place: str) -> StructureFile | str:
    """Return the entry of one of the user's own files, whose names are free, or why it is skipped."""
    found = structure_file(place)
    if isinstance(found, StructureFile):
        return found
    match = _STRUCTURE.fullmatch(place.rpartition(os.sep)[2])
    if match is None:
        return found
    return StructureFile(own_id(match["stem"]), place, match["suffix"].lower() in ("cif", "mmcif"))


def own_id(stem: str) -> str:
    """Return an id made from a file's name: lower case, letters, digits and dashes only."""
    plain = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-")
    return plain[:_MAX_OWN_ID].strip("-") or "structure"


def numbered(files: list[StructureFile]) -> list[StructureFile]:
    """Return the files with ids that are unique, a number added to later ones of the same id."""
    taken: set[str] = set()
    result = []
    for file in files:
        entry_id, number = file.entry_id, 1
        while entry_id in taken:
            number += 1
            entry_id = f"{file.entry_id}-{number}"
        taken.add(entry_id)
        result.append(StructureFile(entry_id, file.place, file.is_mmcif))
    return result
