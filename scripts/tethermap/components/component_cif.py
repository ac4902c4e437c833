"""Read component definitions from CIF text: the dictionary's own files, restraint files, a user's."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from gemmi import cif

from tethermap.base.identifiers import UNKNOWN_BOND
from tethermap.base.tables import by_key
from tethermap.components.component import Component, ComponentAtom, ComponentBond, is_hydrogen, names_of, on_one_line

_ORDERS = {
    "sing": 1, "single": 1, "1": 1, "metal": 1, "coval": 1,
    "doub": 2, "double": 2, "2": 2,
    "trip": 3, "triple": 3, "3": 3,
    "arom": 4, "aromatic": 4, "ar": 4, "delo": 4, "deloc": 4, "1.5": 4,
}  # fmt: skip
Row = Mapping[str, str]

UNKNOWN_ORDER = 0
"""Order of a bond in a ligand's own file whose orders are unusable."""

AROMATIC_ORDER = 4
"""Order of a bond that is given as aromatic or delocalised, not as single or double."""


def read_components(text: str, origin: str) -> dict[str, Component]:
    """Return the components that a CIF text defines, by code.

    Blocks without atoms (``comp_list`` of restraint files) are passed over.

    Parameters
    ----------
    text : str
        One or more data blocks with ``_chem_comp_atom`` and ``_chem_comp_bond``.
    origin : str
        Kept in `Component.origin`.

    Raises
    ------
    ValueError
        If the text is not CIF, or a bond names a missing atom.

    >>> atom = "_chem_comp_atom.comp_id MOH _chem_comp_atom.atom_id O1 _chem_comp_atom.type_symbol O"
    >>> read_components(f"data_MOH {atom}", "user")["MOH"].atoms[0].element
    'O'
    """
    try:
        document = cif.read_string(text)
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"not a CIF file: {error}") from error
    rows = (row for block in document for row in _rows(block, "_chem_comp.", "id"))
    listed = {row["id"]: tuple(row[name] for name in ("name", "type", "formula", "pdbx_synonyms")) for row in rows}
    components: dict[str, Component] = {}
    for block in document:
        for component in _block_components(block, listed, origin):
            components.setdefault(component.comp_id, component)
    return components


def _block_components(block: cif.Block, listed: dict[str, tuple[str, ...]], origin: str) -> Iterator[Component]:
    listed_atoms = _rows(block, "_chem_comp_atom.", "comp_id", "atom_id", "type_symbol")
    rows = by_key((row["comp_id"], row) for row in listed_atoms)
    atoms = {comp_id: _atoms(members) for comp_id, members in rows.items()}
    position = {comp_id: {atom.name: i for i, atom in enumerate(members)} for comp_id, members in atoms.items()}
    bonds: dict[str, list[ComponentBond]] = {}
    for row in _rows(block, "_chem_comp_bond.", "comp_id", "atom_id_1", "atom_id_2"):
        indices = position.get(row["comp_id"], {})
        try:
            first, second = indices[row["atom_id_1"]], indices[row["atom_id_2"]]
        except KeyError as error:
            raise ValueError(f"component {row['comp_id']}: a bond names the unknown atom {error.args[0]}") from error
        text = (row["value_order"] or row["type"] or "sing").lower()
        flagged = (row["pdbx_aromatic_flag"] or row["aromatic"]).lower() in ("y", "1")
        order = UNKNOWN_ORDER if origin == "file" and text == UNKNOWN_BOND else _ORDERS.get(text, 1)
        bond = ComponentBond(first, second, order, flagged or text.startswith("ar"))
        bonds.setdefault(row["comp_id"], []).append(bond)
    for comp_id, members in atoms.items():
        name, kind, formula, others = listed.get(comp_id, ("", "", "", ""))
        own = tuple(bonds.get(comp_id, ()))
        yield Component(comp_id, on_one_line(name), kind, formula, tuple(members), own, origin, names_of(others))


def _rows(block: cif.Block, category: str, *needed: str) -> Iterator[Row]:
    """Yield the values of a category by item in lower case, empty if missing; nothing without the needed items."""
    columns = {name.lower(): values for name, values in block.get_mmcif_category(category).items()}
    if columns.keys() >= {*needed}:
        for values in zip(*columns.values(), strict=True):
            yield defaultdict(str, {name: value for name, value in zip(columns, values, strict=True) if value})


def _atoms(rows: Sequence[Row]) -> list[ComponentAtom]:
    """Return the atoms with the first set of coordinates that all heavy atoms have: ideal, model, restraints."""
    atoms = [
        ComponentAtom(
            name=row["atom_id"],
            alt_name=row["alt_atom_id"] or row["atom_id"],
            element=row["type_symbol"].strip().capitalize(),
            charge=_charge(row["charge"]),
            aromatic=row["pdbx_aromatic_flag"].upper() == "Y",
            leaving=row["pdbx_leaving_atom_flag"].upper() == "Y",
            stereo=row["pdbx_stereo_config"].upper() or "N",
            xyz=None,
        )
        for row in rows
    ]
    for items in ("pdbx_model_cartn_{}_ideal", "model_cartn_{}", "{}"):
        places = [
            None if is_hydrogen(atom.element) else _place(row, items) for atom, row in zip(atoms, rows, strict=True)
        ]
        if all(xyz or is_hydrogen(atom.element) for atom, xyz in zip(atoms, places, strict=True)):
            return [atom._replace(xyz=xyz) for atom, xyz in zip(atoms, places, strict=True)]
    return atoms


def _charge(text: str) -> int:
    with suppress(ValueError):
        return round(float(text or 0))
    return 0


def _place(row: Row, items: str) -> tuple[float, float, float] | None:
    x, y, z = (cif.as_number(row[items.format(axis)]) for axis in "xyz")
    return (x, y, z) if x == x and y == y and z == z else None
