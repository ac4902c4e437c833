"""Published degraders that contain the ligands of a job, and the atoms at which the rest of each is bonded.

The user's tables are read in place. They appear with the answers and change no score or rank.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from rdkit import Chem, rdBase
from rdkit.Chem.MolStandardize import rdMolStandardize

from tethermap.answers.observed.contained import Contained, DegraderLibrary
from tethermap.answers.observed.transfer import heavy_part
from tethermap.answers.sites import exit_sites
from tethermap.base.errors import UserError
from tethermap.base.packed import DAMAGED
from tethermap.base.tables import JOINED, Row, Value
from tethermap.molecule.neutral import neutralised
from tethermap.molecule.record import LigandMolecule
from tethermap.results.measurement import columns_of, concentration, opened, opened_text, table_rows

_NAMES: Mapping[str, tuple[str, ...]] = {
    "smiles": ("smiles", "canonical_smiles"),
    "name": ("name", "compound_id", "id"),
    "target": ("target",),
    "uniprot": ("uniprot",),
    "e3": ("e3_ligase", "e3", "ligase"),
    "dc50": ("dc50_(nm)", "dc50_nm"),
    "reference": ("article_doi", "reference", "doi"),
}
"""Columns or SDF fields in lower case: those of PROTAC-DB first, then plain ones."""

_ERROR = re.compile(r"\s*(?:±|\+/?-|\().*")


@dataclass(frozen=True, slots=True)
class _Published:
    """One value of a degrader, or none, and its publication."""

    name: str
    target: str
    uniprot: str
    e3: str
    dc50: tuple[str, float] | None
    reference: str

    def order(self, accessions: Collection[str]) -> tuple[object, ...]:
        """Return the sort key of values: measured ones on a protein of the pocket first, then the lowest."""
        relation, value = self.dc50 or (">", float("inf"))
        own = not set(self.uniprot.split(JOINED)).isdisjoint(accessions)
        return self.dc50 is None, not own, relation == ">", value, self.name, self.reference

    @property
    def says(self) -> str:
        """Its value in words, with its proteins."""
        value = f"DC50 {self.dc50[0]} {self.dc50[1]:g} nM" if self.dc50 else ""
        return ", ".join(part for part in (value, self.target, self.e3) if part)


class PublishedDegraders:
    """The degraders of the given tables, and their matches with the ligands of a job.

    Parameters
    ----------
    files : sequence of str
        The user's tables.

    Raises
    ------
    UserError
        If a file has no SMILES.
    """

    def __init__(self, files: Sequence[str]) -> None:
        self._library = DegraderLibrary()
        self._rows: list[list[_Published]] = []
        self._smiles: list[str] = []
        self._found: dict[str, _Holders] = {}
        numbers: dict[str, int] = {}
        for file in files:
            for mol, smiles, published in _read(Path(file)):
                if smiles not in numbers:
                    numbers[smiles] = self._library.add(mol)
                    self._rows.append([])
                    self._smiles.append(smiles)
                rows = self._rows[numbers[smiles]]
                rows += [one for one in published if one not in rows]

    def add(self, molecule: LigandMolecule, accessions: Collection[str]) -> None:
        """Look for a ligand in all degraders.

        Parameters
        ----------
        molecule : LigandMolecule
            The most complete copy of the ligand.
        accessions : collection of str
            UniProt accessions of its pockets, whose values have priority.
        """
        mol = heavy_part(molecule)
        contained = self._library.containing(mol) if molecule.sanitised else ()
        found = sorted((_in_place(mol, one) for one in contained), key=lambda one: self._smiles[one.number])
        sites = exit_sites(molecule) if found else []
        self._found[molecule.component_names] = _Holders(molecule, found, sites, frozenset(accessions))

    def cells(self, component: str, row: Row) -> dict[str, Value]:
        """Return the cells of `tables.PUBLISHED_CELLS` of an answer: the degraders that leave at its exit site.

        Parameters
        ----------
        component : str
            Components of the ligand, joined by ``+``.
        row : Row
            The answer, a row of `tables.EXIT_ANSWERS`.
        """
        ligand = self._found.get(component)
        if ligand is None or row["kind"] == "observed":
            return {}
        names = ligand.molecule.names
        at_site = {k: names[k] for k, site in enumerate(ligand.sites) if site == row["exit_site"]}
        found = [one for one in ligand.found if one.anchors & at_site.keys()]
        counts = {name: sum(k in one.anchors for one in found) for k, name in at_site.items()}
        values = [value for one in found for value in self._rows[one.number]]
        best = min(values, key=lambda one: one.order(ligand.accessions), default=None)
        return {
            "published": len(found),
            "published_atoms": JOINED.join(f"{name}:{count}" for name, count in counts.items() if count),
            "published_best": best.says if best else "",
            "published_reference": best.reference if best else "",
        }

    def rows(self) -> Iterator[Row]:
        """Yield the rows of `tables.PUBLISHED`."""
        for _, ligand in sorted(self._found.items()):
            molecule = ligand.molecule
            for one in ligand.found:
                cells: dict[str, Value] = {
                    "Warhead": molecule.comp_id,
                    "InChIKey": molecule.inchikey,
                    "anchor_atoms": JOINED.join(molecule.names[k] for k in sorted(one.anchors)),
                    "left_out": JOINED.join(molecule.names[k] for k in sorted(one.leaving)),
                    "is_whole": one.is_whole,
                    "degrader_SMILES": self._smiles[one.number],
                }
                for value in sorted(self._rows[one.number], key=lambda value: value.order(ligand.accessions)):
                    relation, amount = value.dc50 or ("", None)
                    yield {
                        **cells,
                        **{name: getattr(value, name) for name in ("target", "uniprot", "e3", "reference")},
                        "degrader": value.name,
                        "DC50_relation": relation,
                        "DC50_nM": amount,
                    }


def _in_place(mol: Chem.Mol, one: Contained) -> Contained:
    """Return a match with the leaving group's anchors as its anchors, if the rest can replace the group."""
    beside = {other.GetIdx() for k in one.leaving for other in mol.GetAtomWithIdx(k).GetNeighbors()}
    return replace(one, anchors=one.anchors & beside or one.anchors)


@dataclass(frozen=True)
class _Holders:
    """A ligand with the degraders that contain it, its exit site of each atom, and the proteins of its pockets."""

    molecule: LigandMolecule
    found: list[Contained]
    sites: list[str]
    accessions: frozenset[str]


def check_tables(files: Sequence[str]) -> None:
    """Make sure that the user's tables of degraders can be read.

    Raises
    ------
    UserError
        If a file is damaged or has no column of SMILES.
    """
    for name in files:
        path = Path(name)
        try:
            if ".sdf" not in path.suffixes:
                next(_csv_rows(path), None)
            else:
                with opened(path) as stream:
                    stream.read(1)
        except DAMAGED as error:
            raise UserError(f"{path.name} of source.degraders can't be read ({error}).") from None


def _read(path: Path) -> Iterator[tuple[Chem.Mol, str, list[_Published]]]:
    """Yield each degrader of a table, neutral, with its SMILES and values; invalid molecules are skipped.

    Raises
    ------
    UserError
        If it has no column of SMILES.
    """
    rows = _sdf_rows(path) if ".sdf" in path.suffixes else _csv_rows(path)
    known: dict[str, tuple[Chem.Mol, str] | None] = {}
    for row in rows:
        cells = {field: _cell(row, names) for field, names in _NAMES.items()}
        written = cells["smiles"]
        if written not in known:
            known = {written: _neutral(written)}  # rows of one degrader are adjacent
        if degrader := known[written]:
            values = [concentration(_ERROR.sub("", part), "nM") for part in re.split("[/;]", cells["dc50"])]
            uniprot = JOINED.join(re.split(r"[\s,;/]+", cells["uniprot"]))
            about = cells["name"], cells["target"], uniprot, cells["e3"]
            yield (
                *degrader,
                [_Published(*about, value, cells["reference"]) for value in dict.fromkeys(values) if value]
                or [_Published(*about, None, cells["reference"])],
            )


def _cell(row: Mapping[str, str], names: Iterable[str]) -> str:
    return next((row[name].strip() for name in names if row.get(name)), "")


def _csv_rows(path: Path) -> Iterator[dict[str, str]]:
    with opened_text(path) as lines:
        header = next(lines, "")
        if not set(_NAMES["smiles"]) & set(columns_of(header)[0]):
            raise UserError(
                f"{path.name} of source.degraders has no column smiles: scripts/README.md names those that are read."
            )
        yield from table_rows(chain([header], lines))


def _sdf_rows(path: Path) -> Iterator[dict[str, str]]:
    with opened(path) as stream, rdBase.BlockLogs():
        for mol in Chem.ForwardSDMolSupplier(stream):
            if mol is not None:
                fields = {name.strip().lower().replace(" ", "_"): mol.GetProp(name) for name in mol.GetPropNames()}
                yield {"name": mol.GetProp("_Name"), **fields, "smiles": Chem.MolToSmiles(mol)}


def _neutral(smiles: str) -> tuple[Chem.Mol, str] | None:
    """Return the neutral largest part of a molecule with its canonical SMILES; None if it is invalid."""
    with rdBase.BlockLogs():
        mol = Chem.MolFromSmiles(smiles)
        if mol is None:
            return None  # type: ignore[unreachable]
        if "." in smiles:
            mol = rdMolStandardize.LargestFragmentChooser().choose(mol)
        mol = neutralised(mol)
        return mol, str(Chem.MolToSmiles(mol))
