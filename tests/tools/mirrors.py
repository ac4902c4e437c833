"""Large mirrors made of a small one: its entries again and again under distinct ids, as links or with other ligands.

Only entries with different ligands show growth with the number of different ligands. In each the largest unbonded
ligand is replaced, in all its places, by another component of the dictionary with about the same number of atoms: ideal
coordinates, rotated so that the principal axes agree with those of the ligand, around its centre. So proteins, entry
sizes and numbers of copies stay those of real entries, and each entry goes through all steps from its file on. Poses
are artificial: contacts and exits are not results.
"""

import gzip
import re
import string
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice, product
from pathlib import Path
from typing import TypeVar

import numpy as np

from tests.tools.components import component_codes
from tests.tools.runs import grouped
from tests.tools.small_entry import atom_line
from tethermap.base.arrays import FloatArray
from tethermap.base.component_index import default_index
from tethermap.base.layout import walk
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.sources.mirror import choose_files
from tethermap.sources.own.sniff import StructureFile

SIZES = range(8, 61)
"""Heavy atoms of the ligands that are replaced."""

_LOOKED_AT = 5
"""Components that are read for each that is needed, from all over the alphabet."""

ELEMENTS = frozenset(("C", "N", "O", "S", "F", "CL", "BR", "P"))
_LINKED = re.compile(r"^(LINK|covale|metalc|MODRES)")


_T = TypeVar("_T")


def entry_ids() -> Iterator[str]:
    """Yield distinct PDB ids of four characters in order, 466,560 of them."""
    signs = string.digits + string.ascii_lowercase
    for parts in product(string.digits, signs, signs, signs):
        yield "".join(parts)


def structures(mirror: Path) -> list[StructureFile]:
    """Return the files of a mirror, one an entry, by size and then id."""
    files, _ = choose_files(walk(mirror))
    return sorted(files, key=lambda file: (file.path.stat().st_size, file.entry_id))


def repeated(files: Sequence[_T], count: int) -> list[_T]:
    """Return so many files: all of them as often as they fit in, the rest evenly from the small to the large.

    Parameters
    ----------
    files : sequence
        By size.
    count : int
        Number of files to return.
    """
    whole, rest = divmod(count, len(files))
    return [*files] * whole + [files[int((k + 0.5) * len(files) / rest)] for k in range(rest)]


def link_mirror(folder: Path, source: Path, number: int) -> list[str]:
    """Make a mirror of a number of entries in the divided layout, which contains only links; return their ids."""
    ids = list(islice(entry_ids(), number))
    for entry_id, file in zip(ids, repeated(structures(source), number), strict=True):
        _path(folder, entry_id, file).symlink_to(file.path.resolve())
    return ids


def _path(folder: Path, entry_id: str, file: StructureFile) -> Path:
    """Return the path of an entry in the format of a file; its folder is created."""
    place = folder / entry_id[1:3]
    place.mkdir(parents=True, exist_ok=True)
    return place / f"{entry_id}{'.cif.gz' if file.is_mmcif else '.pdb.gz'}"


@dataclass(frozen=True)
class Template:
    """An entry's file whose ligand can be replaced.

    Parameters
    ----------
    columns : dict of str to int
        Columns of the atoms by name in mmCIF, empty in PDB.
    lines : list of str
        All lines.
    comp_id : str
        Component code of the ligand.
    places : list of list of int
        Line numbers of the ligand's atoms, consecutive, in each of its places.
    """

    columns: dict[str, int]
    lines: list[str]
    comp_id: str
    places: list[list[int]]

    def text(self, component: Component) -> str:
        """Return the file with another ligand."""
        atoms = [atom for atom in component.atoms if atom.xyz is not None]
        ideal = np.array([atom.xyz for atom in atoms])
        token = re.compile(rf"(?<!\S){re.escape(self.comp_id)}(?!\S)")
        serials = count(90_001)
        new: dict[int, list[str]] = {}
        for numbers in self.places:
            old = self.lines[numbers[0]]
            laid = _laid_on(ideal, self._xyz(numbers)).tolist()
            new |= {number: [] for number in numbers}
            new[numbers[0]] = [
                self._line(old, next(serials), component.comp_id, atom.name, atom.element, place)
                for atom, place in zip(atoms, laid, strict=True)
            ]
        out: list[str] = []
        for number, line in enumerate(self.lines):
            if number in new:
                out += new[number]
            elif not line.startswith("CONECT"):
                out.append(token.sub(component.comp_id, line) if self.comp_id in line else line)
        return "\n".join(out) + "\n"

    def _xyz(self, numbers: Sequence[int]) -> FloatArray:
        x, lines = self.columns.get("Cartn_x", 0), [self.lines[number] for number in numbers]
        cells = [line.split()[x : x + 3] if self.columns else [line[30:38], line[38:46], line[46:54]] for line in lines]
        return np.array(cells, dtype=np.float64)

    def _line(self, old: str, serial: int, comp_id: str, name: str, element: str, place: Sequence[float]) -> str:
        """Return the line of an atom, in the style of another one."""
        if not self.columns:
            residue = (comp_id, old[21], int(old[22:26]), place)
            return atom_line(serial, name, *residue, element=element.upper(), ins_code=old[26]).rstrip()
        new = {"id": str(serial), "type_symbol": element, "label_alt_id": ".", "occupancy": "1.00"}
        new |= dict.fromkeys(("label_comp_id", "auth_comp_id"), comp_id)
        new |= dict.fromkeys(("label_atom_id", "auth_atom_id"), f'"{name}"' if "'" in name else name)
        new |= {f"Cartn_{axis}": f"{value:.3f}" for axis, value in zip("xyz", place, strict=True)}
        cells = old.split()
        for column in new.keys() & self.columns.keys():
            cells[self.columns[column]] = new[column]
        return " ".join(cells)


def template(path: Path, *, is_mmcif: bool) -> Template | None:
    """Return an entry's file with the ligand that can be replaced, None if it has none."""
    lines = gzip.decompress(path.read_bytes()).decode("utf-8", "replace").splitlines()
    tags = [line.strip() for line in lines if line.startswith("_atom_site.")] if is_mmcif else []
    columns = {tag.removeprefix("_atom_site."): place for place, tag in enumerate(tags)}

    def residue(number: int) -> tuple[str, ...]:
        line, cells = lines[number], lines[number].split()
        if columns:
            return tuple(cells[columns[name]] for name in ("label_comp_id", "label_asym_id", "auth_seq_id"))
        return line[17:20].strip(), line[21], line[22:27]

    atoms = grouped((number for number, line in enumerate(lines) if line.startswith("HETATM")), residue)
    linked = " ".join(line for line in lines if _LINKED.match(line)).split()
    sizes = Counter({name: len(numbers) for (name, *_), numbers in atoms.items()})
    for comp_id, size in sizes.most_common():
        if size in SIZES and len(comp_id) == 3 and not comp_id.isdigit() and comp_id not in linked:
            places = [numbers for (name, *_), numbers in atoms.items() if name == comp_id]
            if all(numbers[-1] - numbers[0] == len(numbers) - 1 for numbers in places):
                return Template(columns, lines, comp_id, places)
    return None


def different_mirror(folder: Path, source: Path, number: int) -> list[str]:
    """Make a mirror of a number of entries, each with a separate ligand; return their ids."""
    ids = list(islice(entry_ids(), number))
    files = [(file, template(file.path, is_mmcif=file.is_mmcif)) for file in structures(source)]
    templates = [(file, found) for file, found in files if found is not None]
    pool = _Pool(ComponentIndex(default_index()), number)
    for entry_id, (file, found) in zip(ids, repeated(templates, number), strict=True):
        text = found.text(pool.take(len(found.places[0])))
        _path(folder, entry_id, file).write_bytes(gzip.compress(text.encode(), 1, mtime=0))
    return ids


class _Pool:
    """Components of the dictionary, each given once, by their number of heavy atoms."""

    def __init__(self, index: ComponentIndex, number: int) -> None:
        self._index = index
        codes = [code for code in component_codes() if len(code) == 3]
        self._left: dict[int, list[str]] = defaultdict(list)
        for code in codes[:: max(1, len(codes) // (_LOOKED_AT * (number + 50)))]:
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


def _laid_on(ideal: FloatArray, place: FloatArray) -> FloatArray:
    """Return coordinates whose principal axes agree with those of other coordinates."""
    axes = [np.linalg.svd(xyz - xyz.mean(axis=0), full_matrices=False)[2] for xyz in (ideal, place)]
    turn = axes[0].T @ axes[1]
    if np.linalg.det(turn) < 0:
        turn = axes[0].T @ (axes[1] * np.array([[1.0], [1.0], [-1.0]]))
    laid: FloatArray = (ideal - ideal.mean(axis=0)) @ turn + place.mean(axis=0)
    return laid
