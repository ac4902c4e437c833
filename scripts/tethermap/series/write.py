"""Write the series of a job: its ligands grouped, their cores, what is known of each ligand."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from rdkit import Chem, rdBase

from tethermap.base.arrays import FloatArray
from tethermap.base.atomic import replacing, write_text
from tethermap.base.records import Source, named_records
from tethermap.base.tables import JOINED, LIGAND_METADATA, SERIES, Row, table_writer
from tethermap.drawing.series import aligned_layout, core_svg, member_svg
from tethermap.molecule.alerts import WORTH_SCREENING
from tethermap.molecule.properties import descriptors
from tethermap.molecule.protonation import forms_at_ph
from tethermap.molecule.record import AtomKey
from tethermap.molecule.store import molecule_of_record
from tethermap.series.ligands import SeriesLigand, collect_ligands, core_of_member
from tethermap.series.series import Core, clustered, common_core, murcko_scaffold

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Series:
    """A named series: its ligands, the centre first, with their parents and their core."""

    name: str
    ligands: tuple[SeriesLigand, ...]
    parents: tuple[Chem.Mol, ...]
    core: Core

    @property
    def n_instances(self) -> int:
        """Number of instances of all its ligands."""
        return sum(len(ligand.members) for ligand in self.ligands)


def write_series(
    molecules: Sequence[Source],
    series: Path,
    members: Path,
    ligands: Path,
    folder: Path,
    *,
    seconds: float,
    left_out: AbstractSet[str] = frozenset(),
) -> None:
    """Write the series of a job, where each instance has its core, and the metadata of each ligand.

    Parameters
    ----------
    molecules : sequence of Source
        Molecules of all shards.
    series, members, ligands : Path
        Written: the table of series, one JSON line an instance, rows of Ligand_Metadata.
    folder : Path
        Folder of the depictions.
    seconds : float
        Limit of the search for one core.
    left_out : set of str
        Stems of instances that are not looked at.
    """
    for left in folder.glob("*.svg"):  # what an earlier run left: the folder is this step's alone
        left.unlink()
    with rdBase.BlockLogs():
        records = chain.from_iterable(map(named_records, molecules))
        collected = collect_ligands(molecule_of_record(record) for stem, record in records if stem not in left_out)
        parents = [ligand.parent() for ligand in collected]
        many = len(collected) >= WORTH_SCREENING
        with table_writer(ligands, LIGAND_METADATA) as write_ligand:
            for ligand, parent in zip(collected, parents, strict=True):
                write_ligand(_metadata(ligand, parent, one_of_many=many))
        with (
            table_writer(series, SERIES) as write_row,
            replacing(members) as temporary,
            temporary.open("w", encoding="utf-8") as stream,
        ):
            for one in _series(collected, parents, seconds):
                write_row(_series_row(one))
                stream.writelines(json.dumps(line) + "\n" for line in _write_members(one, folder))


def _series(ligands: Sequence[SeriesLigand], parents: Sequence[Chem.Mol | None], seconds: float) -> Iterator[Series]:
    """Yield the series, those with most ligands first."""
    known: list[tuple[SeriesLigand, Chem.Mol]] = []
    for ligand, parent in zip(ligands, parents, strict=True):
        if parent is not None:
            known.append((ligand, parent))
        else:
            log.warning(
                "%s is in no series: RDKit cannot read %s", ligand.fullest.component_names, ligand.fullest.parent_smiles
            )
    groups = clustered([parent for _, parent in known])
    groups.sort(key=lambda group: (-len(group), -sum(len(known[index][0].members) for index in group), group))
    for number, group in enumerate(groups, start=1):
        members = tuple(known[index][1] for index in group)
        core = common_core(members, seconds)
        name = f"S{number:03d}"
        if core.timed_out:
            log.warning("%s: the search for the core ended at its limit", name)
        yield Series(name, tuple(known[index][0] for index in group), members, core)


def _series_row(series: Series) -> Row:
    return {
        "series": series.name,
        "scaffold_smiles": murcko_scaffold(series.parents[0]),
        "mcs_smarts": series.core.smarts,
        "n_components": len(series.ligands),
        "n_instances": series.n_instances,
        "members": ";".join(ligand.fullest.component_names for ligand in series.ligands),
        "timed_out": series.core.timed_out,
        "n_core_atoms": len(series.core.matches[0]),
    }


def _write_members(series: Series, folder: Path) -> Iterator[dict[str, object]]:
    """Draw the ligands of a series; yield where each instance has the core's atoms."""
    places: FloatArray | None = None
    taken: dict[str, int] = {}
    for ligand, parent, core in zip(series.ligands, series.parents, series.core.matches, strict=True):
        atoms = ligand.parent_atoms(parent)
        if places is None:
            positions = ligand.parent_layout(parent, atoms)
            places = positions[list(core)]
            if core:
                lines = [
                    f"{series.name} · core of {_counted(len(series.ligands), 'ligand')}",
                    _counted(len(core), "atom"),
                ]
                write_text(folder / f"{series.name}.svg", core_svg(parent, positions, core, lines))
        else:
            positions = aligned_layout(parent, core, places)
        comp_id = ligand.fullest.comp_id
        number = taken[comp_id] = taken.get(comp_id, 0) + 1
        name = f"{series.name}_{comp_id}" + (f"-{number}" if number > 1 else "")
        write_text(folder / f"{name}.svg", _member_svg(series, ligand, parent, positions, core, atoms))
        for member in ligand.members:
            yield {"stem": member.stem, "series": series.name, "core": core_of_member(member, atoms, core)}


def _member_svg(
    series: Series,
    ligand: SeriesLigand,
    parent: Chem.Mol,
    positions: FloatArray,
    core: Sequence[int],
    atoms: dict[AtomKey, int],
) -> str:
    count = len(ligand.members)
    names, comp_id = ligand.fullest.component_names, ligand.fullest.comp_id
    counted = f"{_counted(count, 'instance')}, {len(core)} of {parent.GetNumAtoms()} atoms in the core"
    lines = [f"{series.name} · {names if len(names) < 40 else comp_id}", counted]
    return member_svg(parent, positions, core, {index: name for (_, name), index in atoms.items()}, lines)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("s" if number != 1 else "")


def _metadata(ligand: SeriesLigand, parent: Chem.Mol | None, *, one_of_many: bool) -> Row:
    """Return the row of Ligand_Metadata; descriptors stay empty where RDKit cannot read the molecule."""
    best = ligand.fullest
    forms = forms_at_ph(best.parent_smiles)
    own = Chem.Mol(parent) if parent is not None else None  # RDKit notes on it what it has found out
    return {
        **(descriptors(own, one_of_many=one_of_many) if own is not None else {}),
        "Ligand": best.component_names,
        "Name": best.title,
        "Formula": best.formula,
        "Type": best.type,
        "SMILES": best.smiles,
        "Parent_SMILES": best.parent_smiles,
        "Instances": len(ligand.members),
        "source": ligand.source,
        "Common_Name": best.common_name,
        "Synonyms": JOINED.join(best.synonyms),
        "SMILES_pH74": forms.main,
        "SMILES_pH74_other": forms.other,
        "groups_near_pH74": forms.near,
    }
