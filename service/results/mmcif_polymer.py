"""Takes a chain's polymer out of a complex that is too large for the PDB format: text to text."""

from __future__ import annotations

from collections.abc import Sequence

from service.results.tables import pick_chain

_ITEMS = (
    *("group_PDB", "auth_asym_id", "auth_seq_id", "pdbx_PDB_ins_code", "label_entity_id", "label_comp_id"),
    *("label_atom_id", "label_alt_id", "type_symbol", "Cartn_x", "Cartn_y", "Cartn_z", "occupancy", "B_iso_or_equiv"),
)


def polymer_of_mmcif(lines: Sequence[str], asked: str) -> tuple[str, list[str]] | None:
    """Return the polymer of one chain of an mmCIF file as the lines of a PDB file.

    Parameters
    ----------
    lines : sequence of str
        The file, in the pipeline's format: one row of a loop per line.
    asked : str
        The author chain, as a client gave it.

    Returns
    -------
    tuple of str and list of str, or None
        The chain's name and the lines; None when there is no such polymer. A name that doesn't fit the format is
        replaced, with a REMARK.
    """
    import gemmi

    document = gemmi.cif.read_string("\n".join(lines))
    if not document:
        return None
    polymers = {row.str(0) for row in document[0].find("_entity.", ["id", "type"]) if row.str(1) == "polymer"}
    table = document[0].find("_atom_site.", _ITEMS)
    rows = [dict(zip(_ITEMS, map(gemmi.cif.as_string, row), strict=True)) for row in table]
    atoms = [row for row in rows if row["label_entity_id"] in polymers]
    chain = pick_chain(list(dict.fromkeys(row["auth_asym_id"] for row in atoms)), asked)
    if chain is None:
        return None
    name = chain if len(chain) <= 2 else "A"
    head = [] if name == chain else [f"REMARK   6 chain {name} is {chain}"]
    own = [row for row in atoms if row["auth_asym_id"] == chain]
    coordinates = [_pdb_line(number, row, name) for number, row in enumerate(own, 1)]
    ter = f"TER   {min(len(own) + 1, 99999):5d}      {coordinates[-1][17:27]}"
    return chain, [*head, *coordinates, ter.ljust(80), "END"]


def _pdb_line(number: int, row: dict[str, str], chain: str) -> str:
    """Return an atom as a line of the PDB format."""
    element, name = row["type_symbol"].upper(), row["label_atom_id"]
    padded = name if len(name) >= 4 or len(element) > 1 else f" {name}"
    altloc, insertion = row["label_alt_id"], row["pdbx_PDB_ins_code"]
    x, y, z = (float(row[f"Cartn_{axis}"]) for axis in "xyz")
    occupancy, b_factor = float(row["occupancy"]), float(row["B_iso_or_equiv"])
    return (
        f"{row['group_PDB']:<6}{min(number, 99999):5d} {padded:<4}{altloc:1}{row['label_comp_id']:>3}{chain:>2}"
        f"{row['auth_seq_id']:>4}{insertion:1}   {x:8.3f}{y:8.3f}{z:8.3f}{occupancy:6.2f}{min(b_factor, 999.99):6.2f}"
        f"          {element:>2}  "
    )
