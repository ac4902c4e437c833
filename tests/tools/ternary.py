"""Ternary complexes with the authors' cut of the degrader."""

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import gemmi

from tests.tools.cleaning import clean_file
from tests.tools.runs import rows_of
from tethermap.answers.observed.bridging import Bridging, bridging_of
from tethermap.complex.clean import KeptInstance
from tethermap.complex.settings import CleanSettings
from tethermap.components.component import Component
from tethermap.components.index import ComponentIndex
from tethermap.components.user import read_user_components
from tethermap.entry.target_query import TargetQuery
from tethermap.exits.graph import LigandGraph, ligand_graph, ring_systems
from tethermap.exits.prior import is_carbonyl
from tethermap.exits.unseen import missing_atoms
from tethermap.exposure.radii import PolymerRadii
from tethermap.exposure.sasa import Sasa
from tethermap.matching.build import build_ligand
from tethermap.molecule.record import LigandMolecule

VARIABLE = "TETHERMAP_TEST_TERNARY"

Bond = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Ternary:
    """One ligand between two proteins, from the pipeline.

    Parameters
    ----------
    kept : KeptInstance
        Its instance and surroundings.
    molecule, graph : LigandMolecule, LigandGraph
        The ligand.
    held : Bridging or None
        Result of the search for both proteins.
    truth : dict of str to (int, int)
        Where the authors cut, by side (``target``, ``partner``): the anchor and the linker's first atom.
    cpu_seconds : float
        Time of the splitting.
    """

    kept: KeptInstance
    molecule: LigandMolecule
    graph: LigandGraph
    held: Bridging | None
    truth: Mapping[str, Bond]
    cpu_seconds: float


class Definitions(ComponentIndex):
    """The dictionary with a user's components before it."""

    def __init__(self, index: ComponentIndex, own: Mapping[str, Component]) -> None:
        self._own, self._index = own, index

    def get(self, comp_id: str) -> Component | None:
        return self._own.get(comp_id) or self._index.get(comp_id)


def ternaries(folder: Path, index: ComponentIndex, *, swapped: bool = False) -> Iterator[Ternary]:
    """Yield the complexes of a folder; `swapped` takes the ligase for the target."""
    definitions = Definitions(index, _own_components(folder / "components.csv"))
    sides = ("partner", "target") if swapped else ("target", "partner")
    for row in rows_of(folder, "truth.csv"):
        path = folder / "structures" / f"{row['pdb_id'].lower()}.pdb.gz"
        settings = CleanSettings(TargetQuery("", sequences=(_sequence(path, "B" if swapped else "A"),)))
        for one in held_ligands(path, row["ligand"], settings, definitions):
            names = one.graph.names
            cuts = {
                side: (names.index(row[f"{column}_anchor"]), names.index(row[f"{column}_linker_atom"]))
                for side, column in zip(sides, ("target", "e3"), strict=True)
            }
            yield replace(one, truth=cuts)


def held_ligands(path: Path, code: str, settings: CleanSettings, index: ComponentIndex) -> Iterator[Ternary]:
    """Yield all instances of one component of an entry with the proteins that bind them."""
    method = PolymerRadii(index.get), Sasa(1.4, 100)
    for kept in clean_file(path, index.get, settings)[1].kept:
        if kept.instance.name.comp_id == code:
            molecule = build_ligand(kept.instance, index)
            graph = ligand_graph(molecule)
            incomplete = missing_atoms(kept.instance, molecule, graph, index.get).beside
            begin = time.process_time()
            held = bridging_of(kept.instance, molecule, graph, kept.neighbourhood, incomplete, *method)
            yield Ternary(kept, molecule, graph, held, {}, time.process_time() - begin)


def is_right(graph: LigandGraph, found: Bond, truth: Bond) -> bool:
    """Return whether a bond is the one that the authors cut, or as good as that.

    It is when both share an atom, are the two ends of one amide, or the two sides of one saturated ring.
    """
    if set(found) & set(truth):
        return True
    between = next(([a, b] for a in found for b in truth if (a, b) in graph.order), [])
    amide = {graph.element[k] for k in between} == {"C", "N"}
    if amide and any(is_carbonyl(graph, k) for k in between):
        return True
    return any(
        set(found) & ring and set(truth) & ring and all(graph.order[a, b] == 1 for a in ring for b in graph.near[a])
        for ring in ring_systems(graph)
    )


def score(case: Ternary, side: str) -> tuple[bool, bool]:
    """Return whether the exit found for a side is right, and whether it or an alternative is."""
    found = getattr(case.held, side).exit if case.held else None
    if found is None:
        return False, False
    right = [is_right(case.graph, bond, case.truth[side]) for bond in found.bonds]
    return right[0], any(right)


@cache
def _own_components(path: Path) -> Mapping[str, Component]:
    return read_user_components(path)  # embeds eleven large molecules: ten seconds


def _sequence(path: Path, chain: str) -> str:
    residues = gemmi.read_structure(str(path))[0][chain].first_conformer()
    return gemmi.one_letter_code([residue.name for residue in residues]).upper()
