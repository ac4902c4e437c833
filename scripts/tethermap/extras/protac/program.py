"""A program that models degraders: its files for an exit of a ligand, and for one half or both."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tethermap.base.tables import Row
from tethermap.extras.protac.half import Halves, LigandHalf
from tethermap.extras.protac.side import Side
from tethermap.extras.protac.subject import Subject


@dataclass(frozen=True, slots=True)
class SiteFiles:
    """The files of one program for one site.

    Parameters
    ----------
    files : mapping of str to str
        Texts by path in the ligand's folder.
    summary : mapping
        Its part of ``exits.json``; the path of a file ``head`` is also the cell ``head_file``.
    columns : mapping
        Its other cells of `tables.PROTAC_INPUTS`.
    """

    files: Mapping[str, str]
    summary: Mapping[str, Any] = field(default_factory=dict)
    columns: Row = field(default_factory=dict)


Written = Mapping[LigandHalf, Mapping[str, SiteFiles]]
"""The exits of a ligand with the files of all programs, by the name of the program."""


@dataclass(frozen=True, slots=True)
class Program:
    """The input format of a program, the constant `PROGRAM` of its module in `tethermap.extras.programs`.

    Every path begins with the name of the module and ``/``.

    Parameters
    ----------
    readme : callable
        Returns the README of its files for a side and its exits.
    site : callable or None
        Makes its files for an exit; a job writes them too. They use the protein's and the ligand's file.
    halves : callable or None
        Makes its files for one half or both, on demand.
    pair : str
        README of the files of both halves, if `site` makes some.
    needs : str
        Additional requirements of `halves`, for the message if it makes no files.
    """

    readme: Callable[[Side, Written], str]
    site: Callable[[LigandHalf], SiteFiles] | None = None
    halves: Callable[[Halves], Mapping[str, str]] | None = None
    pair: str = ""
    needs: str = ""


def text_of(name: str) -> str:
    """Return the README of a program's files, or its template: the file ``<name>.md`` next to its module."""
    return (Path(__file__).parents[1] / "programs" / f"{name}.md").read_text(encoding="utf-8")


_SEQUENCES = """\
Sequences are those of SEQRES, with modified residues as their parents, of the chains near the ligand.
"""
"""Line of the READMEs of all co-folding programs."""

_NEEDS = "a protein file of each half and, of both halves, the degrader's SMILES"


def folding_program(name: str, jobs: Callable[[Subject], Mapping[str, str]]) -> Program:
    """Return a co-folding program.

    Parameters
    ----------
    name : str
        Name of its module and README.
    jobs : callable
        Makes its files of the sequences, the ligand and the pocket.
    """

    def halves(both: Halves) -> Mapping[str, str]:
        return jobs(both.subject) if both.subject else {}

    return Program(lambda *_: text_of(name).format(sequences=_SEQUENCES), halves=halves, needs=_NEEDS)
