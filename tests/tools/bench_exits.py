"""Compare the ranking of exits with the attachment points of published degraders (`make bench-exits`).

``data/benchmark/exits/README.md`` describes sets, rules and the entry of another method; entries are read from the
mirror named by TETHERMAP_TEST_MIRROR, missing ones are skipped and counted.
"""

import gzip
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path

import numpy as np

from tests.tools.cleaning import Sample, clean_file, exposure_of
from tests.tools.exit_truth import derived_truth, interval
from tests.tools.exit_weights import NEVER, Terms, terms_of
from tests.tools.figures import Cell, Figure, Section, Table, large_mirror, measure_section
from tests.tools.runs import ROOT, Row, grouped, rows_of
from tests.tools.ternary import VARIABLE as TERNARY, score, ternaries
from tethermap.base.component_index import default_index
from tethermap.base.contexts import CONTEXTS
from tethermap.complex.clean import KeptInstance
from tethermap.complex.settings import CleanSettings
from tethermap.components.index import ComponentIndex
from tethermap.entry.metadata import metadata_of
from tethermap.entry.target_query import TargetQuery
from tethermap.exits.confidence import MEASURED, Bin, Share, bin_of, words_of
from tethermap.exits.graph import ligand_graph
from tethermap.exits.model import Exit
from tethermap.exits.rank import rank_candidates
from tethermap.exits.rows import linked_atoms
from tethermap.exits.sites import exit_sites
from tethermap.exits.words import OPEN_FROM
from tethermap.matching.build import build_ligand

DEVELOPMENT = "data/benchmark/exits/development.csv"
GATES = {"atom top-1": 0.8, "atom top-3": 0.9, "site top-3": 0.9}
"""Least shares on the ligands of the archive, in the headline context."""

METHODS = ("exits, target", "exits, nearest chain", "absolute SASA", "relative SASA", "swept cone", "most hydrogens")
ENTRY = "ENTRY"
"""Variable that names the CSV of another method: pdb_id, ccd, atom, score."""

FIGURES = tuple(f"{what} top-{top}" for what in ("atom", "site") for top in (1, 3, 5))
_ligand, _target = attrgetter("ligand"), attrgetter("target")


@dataclass(frozen=True)
class Case:
    """One ligand of the set with the ranks of its best right atom and site, by method."""

    entry_id: str
    ligand: str
    target: str
    atom: Mapping[str, int]
    site: Mapping[str, int]
    exits: tuple[Exit, ...]
    terms: Terms
    cpu_seconds: float


def development_rows() -> list[Row]:
    """Return the rows of the development set."""
    return rows_of(ROOT, DEVELOPMENT)


def other_methods() -> dict[str, dict[tuple[str, str], dict[str, float]]]:
    """Return the scores of the method that the environment names, by entry and component, then by atom."""
    if not (named := os.environ.get(ENTRY)):
        return {}
    scores: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for row in rows_of(Path(), named):
        scores[row["pdb_id"].upper(), row["ccd"]][row["atom"]] = float(row["score"])
    return {Path(named).stem: scores}


def cases(mirror: Path, index: ComponentIndex) -> Iterator[Case]:
    """Yield the ligands of the set whose entries are in the mirror."""
    for row in development_rows():
        settings = CleanSettings(TargetQuery(row["target"]), always_keep=frozenset({row["ccd"]}))
        for path in sorted(mirror.glob(f"{row['pdb_id'].lower()}.*.gz"))[:1]:  # mmCIF before PDB
            named = ((kept, kept.instance.name) for kept in clean_file(path, index.get, settings)[1].kept)
            wanted = (row["chain"], row["ccd"])
            first = next(kept for kept, name in named if (name.auth_asym_id, name.comp_id) == wanted)
            yield case_of(row["target"], first, index, frozenset(row["accepted_anchor_atoms"].split()))


def case_of(target: str, kept: KeptInstance, index: ComponentIndex, names: frozenset[str]) -> Case:
    """Return the ranks that all methods give one ligand.

    Parameters
    ----------
    target : str
        Name under which it is drawn for intervals.
    kept : KeptInstance
        The ligand.
    index : ComponentIndex
        Definitions of components.
    names : frozenset of str
        Atoms that are right.
    """
    molecule = build_ligand(kept.instance, index)
    accepted = frozenset(k for k, name in enumerate(molecule.names) if name in names)
    exposure = exposure_of(Sample(kept.instance, kept.neighbourhood, None, molecule), index.get)
    begin = time.process_time()
    graph = ligand_graph(molecule)
    lost = exposure.free - exposure.bound["target"]
    linked = linked_atoms(kept.instance, molecule)
    exits = rank_candidates(graph, kept.surroundings, lost, linked=linked)
    spent = time.process_time() - begin
    lost_to_chain = exposure.free - exposure.bound["chain"]
    around = kept.surroundings
    beyond = np.where(around.context > 0, CONTEXTS.index("assembly"), around.context)  # only the chain counts
    near = rank_candidates(graph, replace(around, context=beyond), lost_to_chain, linked=linked)
    score = {"exits, target": _by_atom(exits), "exits, nearest chain": _by_atom(near)}
    score["absolute SASA"] = dict(enumerate(exposure.bound["target"].tolist()))
    score["relative SASA"] = dict(enumerate(np.nan_to_num(exposure.relative).tolist()))
    score["swept cone"] = {
        one.candidate.anchor: one.opening.way_out["target"]
        for one in exits
        if one.opening is not None and one.candidate.kind == "H"
    }
    score["most hydrogens"] = {k: float(graph.n_hydrogens(k)) for k in range(len(graph))}
    ligand, entry_id = kept.instance.name.comp_id, kept.instance.entry_id.upper()
    for method, entry in other_methods().items():
        scores = entry.get((entry_id, ligand), {})
        score[method] = {k: scores[name] for k, name in enumerate(molecule.names) if name in scores}
    alike = [np.flatnonzero(graph.symmetry_class == one).tolist() for one in np.unique(graph.symmetry_class)]
    atom = {
        method: _rank([[k for k in group if k in values] for group in alike], values, accepted)
        for method, values in score.items()
    }
    site = {method: _rank(exit_sites(graph), values, accepted) for method, values in score.items()}
    terms = terms_of(ligand, exits, graph, accepted)
    return Case(entry_id, ligand, target, atom, site, tuple(exits), terms, spent)


def _by_atom(exits: Iterable[Exit]) -> dict[int, float]:
    """Return the score of each anchor, equivalent ones included."""
    return {k: one.score for one in exits if one.rank for k in (one.candidate.anchor, *one.equivalents)}


def _rank(groups: Iterable[Collection[int]], values: Mapping[int, float], accepted: frozenset[int]) -> int:
    """Return the rank of the best group of atoms with an accepted one; ties count against it."""
    right: list[float] = []
    wrong: list[float] = []
    for group in groups:
        if valued := [values[k] for k in group if k in values]:
            (right if accepted.intersection(group) else wrong).append(max(valued))
    return 1 + sum(value >= max(right) for value in wrong) if right else NEVER


def ligand_hits(
    found: Iterable[Case], method: str, figure: str, group: Callable[[Case], str] = lambda _: ""
) -> dict[str, list[float]]:
    """Return the share of each ligand's rows with a right answer among the first, by group; a figure: `atom top-1`."""
    what, _, top = figure.partition(" top-")
    return {
        name: [
            float(np.mean([(case.atom if what == "atom" else case.site)[method] <= int(top) for case in rows]))
            for rows in grouped(cases, _ligand).values()
        ]
        for name, cases in grouped(found, group).items()
    }


def shares(found: Collection[Case], method: str) -> tuple[int, dict[str, float]]:
    """Return the number of ligands and the share of them with a right answer among the first, by figure."""
    hits = {name: ligand_hits(found, method, name).get("", [float("nan")]) for name in FIGURES}
    return len(grouped(found, _ligand)), {name: float(np.mean(values)) for name, values in hits.items()}


def methods_table(found: list[Case], title: str = "Intact ligands") -> Table:
    """Return how often each method finds the attachment point among its first, with 95 % intervals over targets."""
    rows: list[list[Cell]] = []
    for method in (*METHODS, *other_methods()):
        count, figures = shares(found, method)
        rows.append([method, count])
        for name, share in figures.items():
            low, high = interval(ligand_hits(found, method, name, _target))
            rows[-1].append(f"{share:.2f} ({low:.2f}-{high:.2f})")
    return Table(title, ("method", "ligands", *FIGURES), rows)


def calibration(found: list[Case]) -> dict[Bin, Share]:
    """Return how often the first atom is right in each bin of `tethermap.exits.confidence`, by ligand."""
    by_bin: dict[Bin, list[Case]] = defaultdict(list)
    for case in {(case.entry_id, case.ligand): case for case in reversed(found)}.values():
        first = next((one for one in case.exits if one.rank == 1), None)
        if first is not None and first.opening is not None:
            is_open = min(first.opening.room["target"], first.opening.way_out["target"]) >= OPEN_FROM
            by_bin[bin_of(first.score, float(is_open), first.chem_class)].append(case)
    shares = {}
    for place, cases in by_bin.items():
        of_target = ligand_hits(cases, METHODS[0], "atom top-1", _target)
        values = [value for of in of_target.values() for value in of]
        shares[place] = Share(len(values), float(np.mean(values)), *interval(of_target))
    return shares


def calibration_table(measured: Mapping[Bin, Share]) -> Table:
    """Return the shares of right first atoms by bin, and the word of `confidence` that each bin earns."""
    words = words_of(measured)
    rows: list[list[Cell]] = [
        [str(place), one.n_ligands, f"{one.right:.2f} ({one.low:.2f}-{one.high:.2f})", words.get(place, "")]
        for place, one in sorted(measured.items(), reverse=True)
    ]
    return Table("Calibration", ("first place", "ligands", "right", "confidence"), rows)


def derived_cases(mirror: Path, index: ComponentIndex, accepted: Mapping[str, frozenset[str]]) -> Iterator[Case]:
    """Yield one copy of each parent of the derived truth in each entry of a mirror; all polymers are its target."""
    for path in sorted(mirror.glob("*.gz")):
        content = gzip.decompress(path.read_bytes())
        metadata = metadata_of(content, is_mmcif=".cif" in path.name)
        named = accepted.keys() & {ligand.comp_id for ligand in metadata.ligands}
        if not named:
            continue
        settings = CleanSettings(
            TargetQuery("no such target"), only_ligands=frozenset(named), always_keep=frozenset(named)
        )
        done: set[str] = set()
        for kept in clean_file(path, index.get, settings)[1].kept:
            code = kept.instance.name.comp_id
            if code not in done and len(kept.instance.components) == 1:
                done.add(code)
                nearest = kept.backbone.chain
                target = next((one.name for one in kept.instance.polymers if nearest in one.chains), "")
                yield case_of(target, kept, index, accepted[code])


def ternary_figures(folder: Path, index: ComponentIndex) -> list[Figure]:
    """Return the number of complexes whose observed exit agrees with the authors' cut, by side, and the CPU time."""
    found = list(ternaries(folder, index))
    spent = 1000 * max(case.cpu_seconds for case in found)
    right = {side: sum(score(case, side)[0] for case in found) for side in ("target", "partner")}
    return [
        *(Figure(f"ternary complexes, {side} side right", right[side], at_least=10) for side in right),
        Figure("CPU per bridging ligand, longest", spent, "ms", "cpu", at_most=1500),
    ]


def _told(case: Case) -> list[tuple[object, ...]]:
    return [(one.rank, one.site_rank, one.candidate.anchor, one.score, one.reason) for one in case.exits if one.rank]


def measure(_folder: Path) -> Section:
    """Measure the ranking on the development set, the ternary complexes and the derived truth."""
    mirror = large_mirror()
    index = ComponentIndex(default_index())
    found = list(cases(mirror, index))
    spent = [1000 * case.cpu_seconds for case in found]
    _, reached = shares(found, METHODS[0])
    repeated = [_told(case) for case in found] == [_told(case) for case in cases(mirror, index)]
    figures = [
        *(Figure(name, reached[name], "", "share", at_least=least) for name, least in GATES.items()),
        Figure("CPU per ligand, longest", max(spent), "ms", "cpu", at_most=300),
        Figure("CPU per ligand, mean", float(np.mean(spent)), "ms", "cpu"),
        Figure("a second run gives the same ranks and scores", int(repeated), at_least=1),
    ]
    tables = [methods_table(found)]
    note = (
        f"{len(found)} of the {len(development_rows())} rows of the development set have their entry in the"
        " mirror of the tests; a share is a mean over ligands, with the 95 % interval when targets are drawn with"
        " replacement. No parameter is set per target."
    )
    notes = [note]
    if folder := os.environ.get(TERNARY):
        figures += ternary_figures(Path(folder), index)
    truth = derived_truth()
    accepted = truth.accepted()
    derived = list(derived_cases(mirror, index, accepted))
    tables.append(methods_table(derived, "Derived truth"))
    sure = {pair.parent for pair in truth.pairs if pair.high}
    tables.append(methods_table([case for case in derived if case.ligand in sure], "Derived truth, high confidence"))
    notes.append(
        f"Derived truth: of {truth.n_with_motif} components with a ligand of an E3 ligase"
        f" {len({pair.degrader for pair in truth.pairs})} contain {len(accepted)} smaller ones"
        f" ({len(truth.pairs)} pairs, {sum(pair.high for pair in truth.pairs)} of high confidence); the mirror of "
        f"the tests contains {len({case.ligand for case in derived})} of these in {len(derived)} entries. All "
        "polymers of an entry count as its target. Accepted atoms are a lower bound, because published linkers do not "
        "cover all suitable atoms; the true fractions are higher."
    )
    measured = calibration([*found, *derived])
    tables.append(calibration_table(measured))
    differing = words_of(measured).items() ^ words_of(MEASURED).items()
    figures.append(Figure("words of confidence that the measured bins contradict", len(differing), at_most=0))
    return figures, tables, notes


if __name__ == "__main__":
    sys.exit(measure_section("exits", "make bench-exits", measure))
