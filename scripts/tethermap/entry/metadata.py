"""Metadata of an entry besides its atoms: title, polymers, genes, ligands, dates."""

import re

import gemmi

from tethermap.entry.mmcif_header import from_mmcif
from tethermap.entry.model import EntryMetadata, LigandName, PolymerEntity
from tethermap.entry.pdb_header import from_pdb
from tethermap.entry.text_search import find_mark

__all__ = ["EntryMetadata", "LigandName", "PolymerEntity", "from_mmcif", "from_pdb", "metadata_of"]

_BULKY = re.compile(rb"\nloop_\s*\n(_atom_site|_atom_site_anisotrop|_pdbx_poly_seq_scheme|_pdbx_sifts_xref_db)\.")
"""Categories that make up most of an mmCIF file and contain no metadata of the entry."""


def metadata_of(content: bytes, *, is_mmcif: bool, entry_id: str = "") -> EntryMetadata:
    """Return the metadata of a file's content without parsing its atoms.

    Parameters
    ----------
    content : bytes
        The uncompressed file; of a PDB file the part before the first coordinate is enough.
    is_mmcif : bool
        Whether the file is mmCIF rather than PDB.
    entry_id : str
        Id to use instead of the file's own.

    Raises
    ------
    ValueError
        If an mmCIF file can't be parsed at all.
    """
    if not is_mmcif:
        return from_pdb(content.decode("utf-8", "replace"), entry_id=entry_id)
    try:
        document = gemmi.cif.read_string(without_atoms(content))
    except (ValueError, RuntimeError):
        try:
            document = gemmi.cif.read_string(content)
        except RuntimeError as error:
            raise ValueError(str(error)) from error
    if len(document) == 0:
        raise ValueError("no data block")
    block = next((b for b in document if b.find_loop("_entity.id") or b.find_value("_entry.id")), document[0])
    return from_mmcif(block, entry_id=entry_id)


def without_atoms(content: bytes) -> bytes:
    """Return the content of an mmCIF file without the long loops.

    Only loops that end in the wwPDB's format, with a line ``#``, are removed.
    """
    kept = []
    position = 0
    while match := _BULKY.search(content, position):
        end = find_mark(content, b"\n#", match.end())
        if end < 0:
            break
        kept.append(content[position : match.start()])
        position = end
    kept.append(content[position:])
    return b"".join(kept)
