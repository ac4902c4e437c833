"""Writes the inputs for programs that model degraders, ligand by ligand."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from scripts.lib import layout
from scripts.lib.exits.graph import LigandGraph
from scripts.lib.exits.rank import Exit
from scripts.lib.instance.model import Instance
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.protac.inputs import InputMaker
from scripts.lib.protac.ligand import Ligand
from scripts.lib.protac.side import side_of
from scripts.lib.reference import E3_LIGASES
from scripts.lib.result_files import ResultFiles
from scripts.lib.sources.query import parse_query
from scripts.lib.tables import PROTAC_INPUTS, Row, table_writer

Add = Callable[[Instance, LigandMolecule, LigandGraph, Sequence[tuple[Exit, Row]]], None]
"""Takes a ligand with its candidates for exits, each with its row of `tables.EXIT_VECTORS`."""


@contextmanager
def protac_writer(job: Path, index: Path, results: ResultFiles, config: Mapping[str, Any]) -> Iterator[Add]:
    """Yield a function that writes the inputs of one ligand; the index appears when the block ends well.

    Parameters
    ----------
    job : Path
        The job folder.
    index : Path
        Written: rows of `tables.PROTAC_INPUTS`.
    results : ResultFiles
        Writes the files.
    config : mapping
        The configuration as resolved; `protac_inputs.exits` 0 writes nothing.
    """
    settings = config["protac_inputs"]
    accessions = parse_query(config["search_query"]).accessions
    side = side_of(settings["side"], config["target_name"], accessions, E3_LIGASES)
    maker = InputMaker(side, settings["exits"], settings["open_babel"])
    with table_writer(index, PROTAC_INPUTS) as write:

        def add(
            instance: Instance, molecule: LigandMolecule, graph: LigandGraph, exits: Sequence[tuple[Exit, Row]]
        ) -> None:
            if not maker.most:
                return
            ranked = [(one, row) for one, row in exits if one.rank is not None]
            ligand = Ligand(instance, molecule, graph, ranked)
            texts, rows = maker.make(config["target_name"], ligand, _complex_text(job, instance) if ranked else None)
            for path, text in texts.items():
                results.write(path, text)
            for row in rows:
                write(row)

        yield add


def _complex_text(job: Path, instance: Instance) -> str | None:
    """Return the cleaned complex of an instance; None where there is no PDB file."""
    if "mmcif_only" in instance.flags:
        return None
    return (job / layout.war_pdb(instance.stem)).read_text(encoding="utf-8")
