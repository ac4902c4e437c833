"""A finished job as objects: its ligands, and its tables as pandas data frames."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from tethermap.base import layout, parquet, tables
from tethermap.base.errors import UserError
from tethermap.base.root import expanded

if TYPE_CHECKING:
    import pandas as pd
    from rdkit import Chem

_TABLES = tables.TABLES | {
    "status": tables.LIGAND_STATUS,
    "series": tables.SERIES,
    "summary": tables.SASA_SUMMARY,
    "superposition": tables.SUPERPOSITION,
    "atom_map": tables.LIGAND_MCS_MAP,
    "protac_inputs": tables.PROTAC_INPUTS,
    "names": tables.NAME_MAP,
    "affinity": tables.AFFINITY,
    "search": tables.ENTRIES,
}
"""Tables of a job by their name in `Job.table`."""

_MOST_LISTED = 20
_KINDS = {"text": "string", "integer": "Int64", "number": "Float64", "flag": "boolean"}


class Job:
    """A finished job.

    Parameters
    ----------
    folder : Path
        The job folder.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._frames: dict[str, pd.DataFrame] = {}
        self._ligands: WeakValueDictionary[str, Ligand] = WeakValueDictionary()  # each refers to the job

    def __reduce__(self) -> tuple[type[Job], tuple[Path]]:
        return Job, (self.folder,)

    def table(self, name: str) -> pd.DataFrame:
        """Return a table by its name, ``results`` or ``exits`` for example; the error for a wrong name lists all names.

        Codes and residue ids that look like numbers remain text; unknown values are missing.
        """
        if name not in self._frames:
            if name not in _TABLES:
                raise UserError(f"There is no table {name!r}: give one of {', '.join(_TABLES)}.")
            table = _TABLES[name]
            if not (self.folder / table.path).is_file():
                raise UserError(f"This job has no table {name!r}.")
            columns = parquet.file_columns(self.folder / table.path, table)
            cells = ", ".join(f"{parquet.cell_of(one)} AS {parquet.quoted(one.name)}" for one in columns)
            with parquet.connect(memory="1GB") as database:
                rows = database.execute(f"FROM ({parquet.source(self.folder, table, columns)}) SELECT {cells}")
                frame = rows.df().astype({one.name: _KINDS[one.kind] for one in columns})
            self._frames[name] = frame
        return self._frames[name]

    @property
    def results(self) -> pd.DataFrame:
        """One row a ligand that was kept."""
        return self.table("results")

    @property
    def left_out(self) -> pd.DataFrame:
        """Het groups that were not kept, each with its reason in a sentence."""
        status = self.table("status")
        return status[~status["kept"].fillna(value=False)]

    @cached_property
    def _rows(self) -> list[dict[Any, Any]]:
        return self.results.to_dict("records")

    @property
    def ligands(self) -> list[Ligand]:
        """The ligands that were kept, in the order of the table of results."""
        return [self._ligands.setdefault(row["stem"], Ligand(self, row)) for row in self._rows]

    def __iter__(self) -> Iterator[Ligand]:
        return iter(self.ligands)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, stem: str) -> Ligand:
        ligands = {ligand.stem: ligand for ligand in self.ligands}
        if stem not in ligands:
            raise KeyError(f"{stem!r} is no ligand of this job, which has {_listed(list(ligands))}")
        return ligands[stem]

    def __repr__(self) -> str:
        return f"<Job of {len(self)} ligand{'' if len(self) == 1 else 's'}>"

    def _repr_html_(self) -> str:
        shown = ["pdb_id", "Chain", "Warhead", "Residue_ID", "SMILES", "buried_fraction", "flags"]
        return str(self.results[shown].to_html(index=False))


class Ligand:
    """One ligand in one place; a notebook draws it with its exposure.

    Parameters
    ----------
    job : Job
        The job.
    row : dict
        Its row of the table of results.
    """

    def __init__(self, job: Job, row: dict[Any, Any]) -> None:
        self._job = job
        self.row = row

    @property
    def stem(self) -> str:
        """Stem of the names of all its files, unique in the job."""
        return str(self.row["stem"])

    @property
    def name(self) -> str:
        """Component code."""
        return str(self.row["Warhead"])

    @property
    def smiles(self) -> str:
        """SMILES by definition."""
        return str(self.row["SMILES"])

    @property
    def exposed(self) -> float:
        """Share of the heavy atoms that the target leaves exposed, 0 to 1."""
        return float(self.row["%Exposed"])

    @property
    def buried(self) -> float:
        """Share of its surface that the target covers, 0 to 1."""
        return float(self.row["buried_fraction"])

    @property
    def sdf(self) -> str:
        """The SDF, in the frame of the structure."""
        return self._text(layout.ligand_sdf(self.stem))

    @property
    def pdb(self) -> str:
        """The cleaned complex as a PDB file; empty if it is too large for the format."""
        return self._text(str(self.row["pdb_path"])) if self.row["pdb_path"] else ""

    @cached_property
    def molecule(self) -> Chem.Mol:
        """The molecule with its hydrogens and coordinates; atom k is row k of `exposure`."""
        from rdkit import Chem, rdBase

        # Unchanged: molecules that RDKit would reject are flagged, not dropped.
        supplier = Chem.SDMolSupplier()
        supplier.SetData(self.sdf, sanitize=bool(self.row["sanitised"]), removeHs=False)
        with rdBase.BlockLogs():
            return supplier[0]

    @property
    def exposure(self) -> pd.DataFrame:
        """Areas of its heavy atoms, free and in each context, in the order of the SDF."""
        rows = self._of("atoms")
        return rows.sort_values("sdf_index", ignore_index=True)

    @property
    def exits(self) -> pd.DataFrame:
        """Exits for a linker, the best first; candidates without a rank, with their reason, last."""
        return self._of("exits").sort_values("rank", ignore_index=True, na_position="last")

    @property
    def contacts(self) -> pd.DataFrame:
        """Contacts of the ligand."""
        return self._of("contacts")

    def drawing(self, style: str = "exposed") -> str:
        """Return a depiction as SVG: ``plain``, ``exposed`` or ``exits``."""
        if style not in layout.SVG_STYLES:
            raise UserError(f"There is no drawing {style!r}: give one of {', '.join(layout.SVG_STYLES)}.")
        return self._text(layout.ligand_svg(self.stem, style))

    def view(self, width: int = 640, height: int = 420) -> Any:
        """Return a 3D view of the complex for a notebook.

        Raises
        ------
        TethermapError
            If py3Dmol is not installed.
        """
        try:
            import py3Dmol
        except ImportError:
            raise UserError("A 3D view needs py3Dmol: pip install py3Dmol.") from None
        view = py3Dmol.view(width=width, height=height)
        view.addModel(self.pdb, "pdb")
        view.setStyle({"cartoon": {"color": "lightgray"}})
        view.addModel(self.sdf, "sdf")
        view.setStyle({"model": -1}, {"stick": {}})
        view.zoomTo({"model": -1})
        return view

    def _of(self, table: str) -> pd.DataFrame:
        rows = self._job.table(table)
        return rows[rows["stem"] == self.stem].reset_index(drop=True)

    def _text(self, path: str) -> str:
        return (self._job.folder / path).read_text(encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Ligand {self.stem}: {1 - self.buried:.0%} of its surface exposed>"

    def _repr_svg_(self) -> str:
        return self.drawing()


def _listed(stems: list[str]) -> str:
    more = f" and {len(stems) - _MOST_LISTED} more" if len(stems) > _MOST_LISTED else ""
    return ", ".join(stems[:_MOST_LISTED]) + more if stems else "none"


def read_job(folder: str | Path) -> Job:
    """Return a finished job.

    Parameters
    ----------
    folder : path
        The job folder, made on the command line, by the service or by `analyse`.

    Raises
    ------
    TethermapError
        If it is not the folder of a finished job.

    Examples
    --------
    >>> from tethermap.sources.suggestions import ARCHIVE
    >>> job = read_job(ARCHIVE.parent / "examples" / "exam4cup")
    >>> job.ligands[0].exits[["anchor_atom", "evidence"]].iloc[0].to_list()
    ['O', 'B']
    """
    path = expanded(folder).absolute()
    if not (path / layout.RESULTS_DISPLAY).is_file():
        raise UserError(f"{str(folder)!r} is no folder of a finished job: it has no {layout.RESULTS_DISPLAY}.")
    return Job(path)
