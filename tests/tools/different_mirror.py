"""A large mirror in which each entry has a different ligand: only this shows growth with the number of different
ligands.

Entries of a real mirror are reused as often as needed. In each the largest unbonded ligand is replaced, in all its
places, by another component of the dictionary with about the same number of atoms: ideal coordinates, rotated so that
the principal axes agree with those of the ligand, around its centre. So proteins, entry sizes and numbers of copies
stay those of real
entries, and each entry goes through all steps from its file on. Poses are artificial: contacts and exits are not
results.
"""

import gzip
import re
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from tests.tools.large_mirror import entry_ids, repeated, structures
from tests.tools.small_entry import atom_line
from tethermap.base.arrays import FloatArray
from tethermap.base.component_index import default_index
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex

SIZES = range(8, 61)
"""Heavy atoms of the ligands that are replaced."""

_LOOKED_AT = 5
"""Components that are read for each that is needed, from all over the alphabet."""

ELEMENTS = frozenset(("C", "N", "O", "S", "F", "CL", "BR", "P"))
_LINKED = re.compile(r"^(LINK|covale|metalc|MODRES)")


@dataclass(frozen=True)
class Site:
    """Atom lines of one ligand in one place, and their coordinates."""

    first: int
    lines: tuple[str, ...]
    xyz: FloatArray


@dataclass(frozen=True)
class Template:
    """An entry's file whose ligand can be replaced; `columns` of its atoms by name in mmCIF, none in PDB."""

    columns: dict[str, int]
    lines: list[str]
    comp_id: str
    sites: list[Site]

    def text(self, component: Component) -> str:
        """Return the file with another ligand."""
        atoms = [atom for atom in component.atoms if atom.xyz is not None]
        ideal = np.array([atom.xyz for atom in atoms])
        token = re.compile(rf"(?<!\S){re.escape(self.comp_id)}(?!\S)")
        replaced = {site.first: site for site in self.sites}
        gone = {site.first + k for site in self.sites for k in range(len(site.lines))}
        out: list[str] = []
        serial = 90_000
        for number, line in enumerate(self.lines):
            if number in replaced:
                site = replaced[number]
                for atom, place in zip(atoms, _laid_on(ideal, site.xyz).tolist(), strict=True):
                    serial += 1
                    cells = serial, component.comp_id, atom.name, atom.element, place
                    old = site.lines[0]
                    out.append(_mmcif_line(old, self.columns, *cells) if self.columns else _pdb_line(old, *cells))
            if number not in gone and not line.startswith("CONECT"):
                out.append(token.sub(component.comp_id, line) if self.comp_id in line else line)
        return "\n".join(out) + "\n"


def template(path: Path, *, is_mmcif: bool) -> Template | None:
    """Return an entry's file with the ligand that can be replaced, None if it has none."""
    lines = gzip.decompress(path.read_bytes()).decode("utf-8", "replace").splitlines()
    tags = [line.strip() for line in lines if line.startswith("_atom_site.")] if is_mmcif else []
    columns = {tag.removeprefix("_atom_site."): place for place, tag in enumerate(tags)}
    atoms: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for number, line in enumerate(lines):
        if line.startswith("HETATM"):
            atoms[_residue(line, columns)].append(number)
    linked = " ".join(line for line in lines if _LINKED.match(line)).split()
    sizes = Counter({residue[0]: len(numbers) for residue, numbers in atoms.items()})
    for comp_id, size in sizes.most_common():
        if size in SIZES and len(comp_id) == 3 and not comp_id.isdigit() and comp_id not in linked:
            places = [numbers for residue, numbers in atoms.items() if residue[0] == comp_id]
            if all(numbers[-1] - numbers[0] == len(numbers) - 1 for numbers in places):
                return Template(columns, lines, comp_id, [_site(lines, numbers, columns) for numbers in places])
    return None


def different_mirror(folder: Path, source: Path, count: int) -> list[str]:
    """Make a mirror of so many entries with a ligand of its own each; return their ids.

    Parameters
    ----------
    folder : Path
        Made.
    source : Path
        A mirror of real entries.
    count : int
        Number of entries.
    """
    ids = list(islice(entry_ids(), count))
    files = [(file, template(file.path, is_mmcif=file.is_mmcif)) for file in structures(source)]
    templates = [(file, found) for file, found in files if found is not None]
    pool = _Pool(ComponentIndex(default_index()), count)
    for entry_id, (file, found) in zip(ids, repeated(templates, count), strict=True):
        text = found.text(pool.take(len(found.sites[0].lines)))
        place = folder / entry_id[1:3] / f"{entry_id}{'.cif.gz' if file.is_mmcif else '.pdb.gz'}"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(gzip.compress(text.encode(), 1, mtime=0))
    return ids


class _Pool:
    """Components of the dictionary, each given once, by their number of heavy atoms."""

    def __init__(self, index: ComponentIndex, count: int) -> None:
        self._index = index
        with closing(sqlite3.connect(default_index())) as database:
            codes = [code for (code,) in database.execute("SELECT id FROM component ORDER BY id") if len(code) == 3]
        self._left: dict[int, list[str]] = defaultdict(list)
        for code in codes[:: max(1, len(codes) // (_LOOKED_AT * (count + 50)))]:
            component = index.get(code)
            if component is not None and _fits(component):
                self._left[sum(atom.xyz is not None for atom in component.atoms)].append(code)

    def take(self, size: int) -> Component:
        """Return a component of about so many atoms that was not given before."""
        nearest = min((n for n in self._left if self._left[n]), key=lambda n: (abs(n - size), n))
        component = self._index.get(self._left[nearest].pop())
        assert component is not None
        return component


def _fits(component: Component) -> bool:
    heavy = [atom for atom in component.atoms if atom.element not in ("H", "D")]
    plain = all(atom.element.upper() in ELEMENTS and atom.xyz is not None for atom in heavy)
    return len(heavy) in SIZES and plain and component.type == "NON-POLYMER"


def _residue(line: str, columns: dict[str, int]) -> tuple[str, ...]:
    cells = line.split()
    if columns:
        return tuple(cells[columns[name]] for name in ("label_comp_id", "label_asym_id", "auth_seq_id"))
    return line[17:20].strip(), line[21], line[22:27]


def _site(lines: Sequence[str], numbers: Sequence[int], columns: dict[str, int]) -> Site:
    own = tuple(lines[number] for number in numbers)
    x = columns.get("Cartn_x", 0)
    cells = [line.split()[x : x + 3] if columns else [line[30:38], line[38:46], line[46:54]] for line in own]
    return Site(numbers[0], own, np.array(cells, dtype=np.float64))


def _laid_on(ideal: FloatArray, place: FloatArray) -> FloatArray:
    """Return coordinates whose principal axes agree with those of other coordinates."""
    axes = [np.linalg.svd(xyz - xyz.mean(axis=0), full_matrices=False)[2] for xyz in (ideal, place)]
    turn = axes[0].T @ axes[1]
    if np.linalg.det(turn) < 0:
        turn = axes[0].T @ (axes[1] * np.array([[1.0], [1.0], [-1.0]]))
    laid: FloatArray = (ideal - ideal.mean(axis=0)) @ turn + place.mean(axis=0)
    return laid


def _mmcif_line(
    line: str, columns: dict[str, int], serial: int, comp_id: str, name: str, element: str, place: Sequence[float]
) -> str:
    quoted = f'"{name}"' if "'" in name else name
    new = {"id": str(serial), "type_symbol": element, "label_alt_id": ".", "occupancy": "1.00"}
    new |= dict.fromkeys(("label_comp_id", "auth_comp_id"), comp_id)
    new |= dict.fromkeys(("label_atom_id", "auth_atom_id"), quoted)
    new |= {f"Cartn_{axis}": f"{value:.3f}" for axis, value in zip("xyz", place, strict=True)}
    cells = line.split()
    for column, text in new.items():
        if column in columns:
            cells[columns[column]] = text
    return " ".join(cells)


def _pdb_line(line: str, serial: int, comp_id: str, name: str, element: str, place: Sequence[float]) -> str:
    residue = (comp_id, line[21], int(line[22:26]), place)
    return atom_line(serial, name, *residue, element=element.upper(), ins_code=line[26]).rstrip()
