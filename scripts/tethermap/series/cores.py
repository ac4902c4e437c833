"""The core of one series of a job, its pictures, and the rows of its ligands."""

import json
import logging
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rdkit import Chem

from tethermap.base import layout
from tethermap.base.arrays import FloatArray
from tethermap.base.tables import JOINED, Row
from tethermap.drawing.series import aligned_layout, core_svg, member_svg
from tethermap.molecule.properties import descriptors
from tethermap.molecule.record import AtomKey, LigandMolecule
from tethermap.series.ligands import Series, SeriesLigand, core_of_member
from tethermap.series.series import Core, common_core, murcko_scaffold

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SeriesResults:
    """Output for a series: its row, a line for each instance, the rows of its ligands, and pictures by path."""

    row: Row | None
    members: list[bytes]
    ligands: list[Row]
    pictures: dict[str, str]


def series_results(series: Series, seconds: float, *, draws: bool) -> SeriesResults:
    """Find the core of a series, describe its ligands and, with `draws`, draw them aligned on the core.

    Parameters
    ----------
    seconds : float
        Limit of the search for the core.
    draws : bool
        Whether there are pictures.
    """
    read = [ligand.parent() for ligand in series.ligands]
    described = [_metadata(ligand, parent) for ligand, parent in zip(series.ligands, read, strict=True)]
    if not series.name:
        return SeriesResults(None, [], described, {})
    parents = [parent for parent in read if parent is not None]
    core = common_core(parents, seconds)
    if core.timed_out:
        log.warning("%s: the search for the core ended at its limit", series.name)
    atoms_of = [ligand.parent_atoms(parent) for ligand, parent in zip(series.ligands, parents, strict=True)]
    lines = (
        {"stem": member.stem, "series": series.name, "core": core_of_member(member, atoms, match)}
        for ligand, atoms, match in zip(series.ligands, atoms_of, core.matches, strict=True)
        for member in ligand.members
    )
    row: Row = {
        "series": series.name,
        "scaffold_smiles": murcko_scaffold(parents[0]),
        "mcs_smarts": core.smarts,
        "n_components": len(series.ligands),
        "n_instances": len(series.instances),
        "members": JOINED.join(ligand.component_names for ligand in series.ligands),
        "timed_out": core.timed_out,
        "n_core_atoms": len(core.matches[0]),
    }
    members = [json.dumps(line).encode() + b"\n" for line in lines]
    pictures = dict(_pictures(series, parents, core, atoms_of)) if draws else {}
    return SeriesResults(row, members, described, pictures)


def _pictures(
    series: Series, parents: Sequence[Chem.Mol], core: Core, atoms_of: Sequence[dict[AtomKey, int]]
) -> Iterator[tuple[str, str]]:
    """Yield the depictions of a core and of its ligands with their paths."""
    places: FloatArray | None = None
    numbers: Counter[str] = Counter()
    start = f"{layout.SERIES_FOLDER}/{series.name}"
    for ligand, parent, match, atoms in zip(series.ligands, parents, core.matches, atoms_of, strict=True):
        if places is None:
            positions = ligand.parent_layout(parent, atoms)
            places = positions[list(match)]
            if match:
                counted = _counted(len(series.ligands), "ligand")
                lines = [f"{series.name} · core of {counted}", _counted(len(match), "atom")]
                yield f"{start}.svg", core_svg(parent, positions, match, lines)
        else:
            positions = aligned_layout(parent, match, places)
        comp_id = ligand.fullest.comp_id
        numbers[comp_id] += 1
        number = f"-{numbers[comp_id]}" if numbers[comp_id] > 1 else ""
        lines = _member_legend(series.name, ligand, f"{len(match)} of {parent.GetNumAtoms()} atoms in the core")
        of_atoms = {index: name for (_, name), index in atoms.items()}
        yield f"{start}_{comp_id}{number}.svg", member_svg(parent, positions, match, of_atoms, lines)


def _member_legend(series: str, ligand: SeriesLigand, in_core: str) -> list[str]:
    names = ligand.component_names
    shown = names if len(names) < 40 else ligand.fullest.comp_id
    return [f"{series} · {shown}", f"{_counted(len(ligand.members), 'instance')}, {in_core}"]


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("s" if number != 1 else "")


def _metadata(ligand: SeriesLigand, parent: Chem.Mol | None) -> Row:
    """Return the row of Ligand_Metadata; descriptors stay empty where RDKit cannot read the molecule."""
    best = ligand.fullest
    return {
        **(descriptors(parent, {best.observed_smiles: best.inchi}) if parent is not None else {}),
        "Ligand": best.component_names,
        "Name": best.title,
        "Formula": best.formula,
        "Type": best.type,
        "SMILES": best.smiles,
        "Parent_SMILES": best.parent_smiles,
        "Instances": len(ligand.members),
        "source": _source(best),
        "Common_Name": best.common_name,
        "Synonyms": JOINED.join(best.synonyms),
        "SMILES_pH74": best.at_ph.main,
        "SMILES_pH74_other": best.at_ph.other,
        "groups_near_pH74": best.at_ph.near,
    }


def _source(molecule: LigandMolecule) -> str:
    """Return the source of a ligand's definition: ``dictionary``, ``user``, ``file`` or ``observed``."""
    if "perceived_bonds" in molecule.flags:
        return "observed"
    return molecule.bond_source if molecule.bond_source in ("user", "file") else "dictionary"
