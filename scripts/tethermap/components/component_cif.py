"""Read component definitions from CIF text: the dictionary's own files, restraint files, a user's."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from gemmi import cif

from tethermap.components.component import Component, ComponentAtom, ComponentBond, is_hydrogen, names_of, on_one_line

_ORDERS = {
    "sing": 1, "single": 1, "1": 1, "metal": 1, "coval": 1,
    "doub": 2, "double": 2, "2": 2,
    "trip": 3, "triple": 3, "3": 3,
    "arom": 4, "aromatic": 4, "ar": 4, "delo": 4, "deloc": 4, "1.5": 4,
}  # fmt: skip
Place = tuple[float, float, float] | None

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
    listed: dict[str, tuple[str, ...]] = {}
    for block in document:
        for row in block.find("_chem_comp.", ["id", "?name", "?type", "?formula", "?pdbx_synonyms"]):
            listed[row.str(0)] = tuple(_first(row, (place,)) for place in (1, 2, 3, 4))
    components: dict[str, Component] = {}
    for block in document:
        for component in _block_components(block, listed, origin):
            components.setdefault(component.comp_id, component)
    return components


def _block_components(block: cif.Block, listed: dict[str, tuple[str, ...]], origin: str) -> Iterator[Component]:
    tags = ["comp_id", "atom_id", "type_symbol", "?alt_atom_id", "?charge", "?pdbx_aromatic_flag"]
    tags += ["?pdbx_leaving_atom_flag", "?pdbx_stereo_config"]
    tags += [f"?pdbx_model_Cartn_{axis}_ideal" for axis in "xyz"] + [f"?model_Cartn_{axis}" for axis in "xyz"]
    tags += ["?x", "?y", "?z"]
    rows: dict[str, list[tuple[ComponentAtom, list[Place]]]] = {}
    for row in block.find("_chem_comp_atom.", tags):
        rows.setdefault(row.str(0), []).append((_atom(row), [_place(row, start) for start in (8, 11, 14)]))
    atoms = {comp: _placed(*zip(*members, strict=True)) for comp, members in rows.items()}
    bonds: dict[str, list[ComponentBond]] = {}
    position = {comp: {atom.name: i for i, atom in enumerate(members)} for comp, members in atoms.items()}
    orders = ["?value_order", "?type", "?pdbx_aromatic_flag", "?aromatic"]
    for row in block.find("_chem_comp_bond.", ["comp_id", "atom_id_1", "atom_id_2", *orders]):
        indices = position.get(row.str(0), {})
        try:
            first, second = indices[row.str(1)], indices[row.str(2)]
        except KeyError as error:
            raise ValueError(f"component {row.str(0)}: a bond names the unknown atom {error.args[0]}") from error
        text = _first(row, (3, 4)).lower() or "sing"
        flagged = _first(row, (5, 6)).lower() in ("y", "1")
        order = _ORDERS.get(text, 1)
        bonds.setdefault(row.str(0), []).append(ComponentBond(first, second, order, flagged or text.startswith("ar")))
    for comp, members in atoms.items():
        name, kind, formula, others = listed.get(comp, ("", "", "", ""))
        own = tuple(bonds.get(comp, ()))
        yield Component(comp, on_one_line(name), kind, formula, tuple(members), own, origin, names_of(others))


def _atom(row: cif.Table.Row) -> ComponentAtom:
    return ComponentAtom(
        name=row.str(1),
        alt_name=_first(row, (3,)) or row.str(1),
        element=row.str(2).strip().capitalize(),
        charge=_charge(_first(row, (4,))),
        aromatic=_first(row, (5,)).upper() == "Y",
        leaving=_first(row, (6,)).upper() == "Y",
        stereo=_first(row, (7,)).upper() or "N",
        xyz=None,
    )


def _placed(atoms: Sequence[ComponentAtom], places: Sequence[Sequence[Place]]) -> Sequence[ComponentAtom]:
    """Return the atoms with the first set of coordinates that all heavy atoms have: ideal, model, restraints."""
    heavy = [not is_hydrogen(atom.element) for atom in atoms]
    for column in zip(*places, strict=True):
        if all(xyz is not None for xyz, needed in zip(column, heavy, strict=True) if needed):
            return [a._replace(xyz=xyz if h else None) for a, xyz, h in zip(atoms, column, heavy, strict=True)]
    return atoms


def _first(row: cif.Table.Row, indices: Sequence[int]) -> str:
    """Return the first optional value that is not empty, else an empty text."""
    for index in indices:
        if row.has(index) and not cif.is_null(row[index]):
            return row.str(index)
    return ""


def _charge(text: str) -> int:
    with suppress(ValueError):
        return round(float(text or 0))
    return 0


def _place(row: cif.Table.Row, start: int) -> Place:
    values = [_first(row, (start + axis,)) for axis in range(3)]
    try:
        x, y, z = (float(cif.as_number(value)) if value else float("nan") for value in values)
    except ValueError:
        return None
    return (x, y, z) if x == x and y == y and z == z else None
