"""Files of other programs in the form of the wwPDB's, so that all readers get the same atoms."""

import re

from gemmi import cif

from tethermap.formats.cif_repair import ITEMS, QUOTED_NUMBER, complete_atoms, with_plain_numbers
from tethermap.formats.pdb_repair import repaired_pdb
from tethermap.formats.text import structure_text

_CIF = re.compile(r"(?:\s|#[^\n]*(?:\n|$))*data_", re.IGNORECASE)
_QUOTED = re.compile(rf"\s{QUOTED_NUMBER.pattern}(?=\s)")
_ROW = re.compile(r"^(?:ATOM|HETATM)\s", re.MULTILINE)
_NEEDED = tuple(f"\n_atom_site.{item}" for item in ITEMS)


def plain_text(data: bytes) -> str:
    """Return unpacked content as text of a plain PDB or mmCIF file.

    Text that needs no change is returned unchanged; the reader rejects text that can't be read.

    Raises
    ------
    FormatError
        If BinaryCIF or mmJSON can't be read.
    """
    text = structure_text(data)
    return _plain_mmcif(text) if _CIF.match(text) else repaired_pdb(text)[0]


def _plain_mmcif(text: str) -> str:
    at = text.find("\n_atom_site.")
    if text.startswith("data_") and at >= 0 and not _QUOTED.search(text):
        row = _ROW.search(text, at)
        head = text[at : row.start()] if row is not None else ""
        if head.startswith("\n_atom_site.group_PDB") and all(item in head for item in _NEEDED):
            return text
    try:
        document = cif.read_string(text)
    except (ValueError, RuntimeError):
        return text
    for block in document:
        if not block.find_values("_atom_site.label_comp_id") and not block.find_values("_atom_site.auth_comp_id"):
            continue
        complete_atoms(block)
        with_plain_numbers(block)
        _order_items(block)
    return str(document.as_string())


def _order_items(block: cif.Block) -> None:
    """Write the items of the atoms in their usual spelling, the record first."""
    loop: cif.Loop | None = block.find_mmcif_category("_atom_site.").loop
    if loop is None:
        return
    usual = {f"_atom_site.{item}".lower(): f"_atom_site.{item}" for item in ITEMS}
    columns = {usual.get(tag.lower(), tag): list(block.find_values(tag)) for tag in loop.tags}
    first = [tag for tag in usual.values() if tag in columns]
    ordered = [*first, *(tag for tag in columns if tag not in first)]
    block.init_loop("", ordered).set_all_values([columns[tag] for tag in ordered])
