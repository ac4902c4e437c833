"""Rows of the table of answers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path
from statistics import median

import numpy as np

from tethermap.answers.names import group_name, is_nucleotide, leaving_name
from tethermap.answers.observed_rows import Degrader, Seen, Transfers
from tethermap.answers.pockets.directions import AHEAD
from tethermap.answers.pockets.groups import Group, Member, Placed
from tethermap.answers.pockets.sites import by_site
from tethermap.answers.sites import SiteAnswer, answers_of
from tethermap.answers.waiting import StoredValues, spool
from tethermap.base.reasons import MAIN
from tethermap.base.tables import JOINED, Row, Value, by_key, split_cell
from tethermap.exits.confidence import confidence
from tethermap.exits.reactions import reaction_at
from tethermap.exits.sites import site_numbers
from tethermap.exits.words import (
    CHEMISTRY,
    GRADE_WEIGHT,
    GRADES,
    MOSTLY,
    SMALLEST_LIGAND,
    UNUSUAL,
    Action,
    action_sentence,
    seen_action,
)
from tethermap.molecule.record import LigandMolecule, atom_keys

_DIGITS = 4


@dataclass(frozen=True, slots=True)
class KnownLigands:
    """Inputs of the answers.

    Parameters
    ----------
    degraders : mapping of str to Degrader
        Degraders by stem.
    complete : mapping of str to LigandMolecule
        The most complete copy of each ligand by component.
    sites : mapping of str to sequence of int
        The numbers of the exit sites of its heavy atoms, `tethermap.exits.sites.site_numbers`.
    observed : mapping of str to Row
        The target's rows of `tables.OBSERVED_EXITS` by the degrader's stem.
    """

    degraders: Mapping[str, Degrader]
    complete: Mapping[str, LigandMolecule]
    sites: Mapping[str, Sequence[int]]
    observed: Mapping[str, Row] = field(default_factory=dict)


def answer_rows(
    target_name: str, groups: Sequence[Group], known: KnownLigands, folder: Path | None = None
) -> Iterator[dict[str, Value]]:
    """Yield the rows of `tables.EXIT_ANSWERS`: ligands of main sites by their rank in the job, then the other sites.

    Parameters
    ----------
    groups : sequence of Group
        All groups of a job, that of most entries first.
    folder : Path or None
        Folder of the rows until they have ranks, `tethermap.answers.waiting.spool`.
    """
    transfers = Transfers()
    best: list[tuple[tuple[object, ...], int]] = []
    places: list[tuple[tuple[object, ...], Value]] = []
    with spool(folder) as spooled:
        waiting = StoredValues[int, dict[str, Value]](spooled)
        for order, group in enumerate(groups):
            for names, placed in by_site(group):
                site = names["site"]
                for row in _of_site(group, placed, known, transfers):
                    if row["answer_rank"] == 1 and site == MAIN:
                        best.append((_job_key(row), len(waiting)))
                    places.append(((order, site != MAIN, site, row["Warhead"], row["InChIKey"]), row["answer_rank"]))
                    waiting.add(len(waiting), {"Target": target_name, **names, **row})
        job_rank = {number: rank for rank, (_, number) in enumerate(sorted(best, key=itemgetter(0)), 1)}
        of_ligand = {places[number][0]: rank for number, rank in job_rank.items()}
        keys = [(of_ligand.get(ligand, len(places) + 1), *ligand, answer_rank) for ligand, answer_rank in places]
        for number in sorted(waiting, key=keys.__getitem__):
            yield {**waiting[number], "job_rank": job_rank.get(number)}


def _job_key(row: Mapping[str, Value]) -> tuple[object, ...]:
    """Sort key of best places: recommended ones first, then the score less the doubts, then the share of open copies.

    Observed exits without a prediction have no score: such rows are last among the recommended.
    """
    grade = str(row["evidence"])
    share = int(row["n_open"] or 0) / max(int(row["n_copies"] or 0), 1)
    score = float(row.get("score_median") or 0) - GRADE_WEIGHT * max(GRADES.find(grade), 0)
    return (
        bool(row["not_recommended"]),
        grade == GRADES[-1],
        -round(score, _DIGITS),
        -share,
        row["Warhead"],
        row["best_stem"],
    )


def _of_site(
    group: Group, placed: Sequence[Placed], known: KnownLigands, transfers: Transfers
) -> Iterator[dict[str, Value]]:
    """Yield the rows of one binding site without its names."""
    by_component = by_key((copy.member.component, copy) for copy in placed if copy.member.decides)
    degraders = [(known.degraders[copy.member.stem], copy) for copy in placed if copy.member.stem in known.degraders]
    by_stem = {copy.member.stem: copy for copy in placed}
    for component, members in by_component.items():
        copies = [copy.member for copy in members if copy.member.complete] or [copy.member for copy in members]
        molecule = known.complete[component]
        whole = next((copy for copy in members if len(copy.member.ligand) == molecule.n_heavy), None)
        whole = by_stem.get(molecule.stem, whole)
        seen = transfers.seen_on(molecule, whole, degraders) if degraders and whole else Seen({}, {})
        cofactor = any(copy.cofactor for copy in copies) or is_nucleotide(molecule)
        name = group_name(molecule)
        for rank, answer in enumerate(answers_of(copies, molecule, known.sites[component]), 1):
            cells = _cells(group, by_stem, molecule, answer, seen, copies, cofactor=cofactor)
            yield {"answer_rank": rank, **cells, "group_name": name}
    yield from _of_degraders(group, degraders, known.observed)


def _of_degraders(
    group: Group, degraders: Sequence[tuple[Degrader, Placed]], observed: Mapping[str, Row]
) -> Iterator[dict[str, Value]]:
    """Yield one row for each ligand between two proteins: the observed exit from the target's half."""
    deciding = [pair for pair in degraders if not pair[1].member.packed]
    for members in by_key((pair[0].molecule.component_names, pair) for pair in deciding).values():
        rows = {placed.member.stem: observed[placed.member.stem] for _, placed in members}
        with_exit = [row for row in rows.values() if row.get("anchor_atom")]
        if not with_exit:
            continue
        counts = Counter(str(row["anchor_atom"]) for row in with_exit)
        anchor = max(counts, key=lambda name: (counts[name], name))
        same_anchor = [row for row in with_exit if row["anchor_atom"] == anchor]
        best = min(same_anchor, key=lambda row: (str(row["grade"]), str(row["stem"])))
        degrader, placed = next(pair for pair in members if pair[1].member.stem == best["stem"])
        vector = np.array([float(best[f"vector_{axis}"] or 0) for axis in "xyz"])
        beyond = degrader.graph.xyz[degrader.graph.names.index(str(best["linker_atom"]))] + AHEAD * vector
        yield {
            "answer_rank": 1,
            **_observed_cells(degrader, best, with_exit),
            **_residue(group, placed, beyond.tolist()),
            "n_copies": len(members),
            "n_open": len(same_anchor),
            "n_entries": len({degrader.instance.entry_id for degrader, _ in members}),
            "n_entries_open": len({row["pdb_id"] for row in same_anchor}),
            "observed_entries": JOINED.join(sorted({str(row["pdb_id"]) for row in same_anchor})),
            "stems": JOINED.join(rows),
        }


def _observed_cells(degrader: Degrader, best: Row, with_exit: Sequence[Row]) -> dict[str, Value]:
    molecule, anchor, linker = degrader.molecule, str(best["anchor_atom"]), str(best["linker_atom"])
    bonds = {f"{row['anchor_atom']}-{row['linker_atom']}" for row in with_exit}
    bonds |= {bond for row in with_exit for bond in split_cell(row["alternatives"])}
    number = site_numbers(degrader.graph)[int(best["sdf_index"] or 0)]
    return {
        "Warhead": molecule.comp_id,
        "InChIKey": molecule.inchikey,
        "anchor_atom": anchor,
        "action": seen_action(anchor, linker, sorted(bonds - {f"{anchor}-{linker}"})),
        "kind": "observed",
        "leaving_atoms": linker,
        "closed": False,
        "observed": 1,
        "observed_atoms": f"{anchor}:0",
        "evidence": best["grade"],
        "best_stem": best["stem"],
        "exit_site": f"S{number}",
        "breaks_covalent_bond": False,
        "not_recommended": "",
        "best_resolution": degrader.instance.facts.resolution,
        "best_title": degrader.instance.facts.title,
        "group_name": group_name(molecule),
    }


def _cells(
    group: Group, by_stem: Mapping[str, Placed], molecule: LigandMolecule, answer: SiteAnswer, seen: Seen,
    copies: Sequence[Member], *, cofactor: bool,
) -> dict[str, Value]:  # fmt: skip
    exits = [exit_ for _, exit_ in answer.members]
    opened, (copy, best), usual = answer.opened, answer.best, answer.action
    entries_by_atom = {key: seen.entries[key] for key in sorted(answer.site_atoms & seen.entries.keys())}
    entries = {entry for codes in entries_by_atom.values() for entry_ids in codes.values() for entry in entry_ids}
    labels = dict(zip(atom_keys(molecule), molecule.names, strict=True)) if entries_by_atom else {}
    holds = {
        "no_way_out": answer.open_share < MOSTLY,
        "unusual_group": usual.chem_class == UNUSUAL,
        "cofactor": cofactor,
        "fragment": molecule.n_heavy < SMALLEST_LIGAND,
    }
    not_recommended = [code for code, applies in holds.items() if applies]
    leaving, residues = split_cell(usual.leaving), split_cell(usual.residues)
    # The copy may have atoms that this one lacks; names may not be unique.
    whole = usual.kind == "cut" and all(molecule.names.count(name) == 1 for name in leaving)
    atoms = [molecule.names.index(name) for name in leaving] if whole else []
    alike = answer.anchor, *answer.equivalents
    bonded = {one.GetIdx() for k in atoms[:1] for one in molecule.mol.GetAtomWithIdx(k).GetNeighbors()}
    anchor = next((name for name in alike if molecule.names.index(name) in bonded), answer.anchor)
    reaction = CHEMISTRY[usual.chem_class]
    if molecule.sanitised:
        reaction = reaction_at(molecule.mol, molecule.names.index(anchor), atoms, usual.chem_class)
    made = Action(
        anchor, leaving, usual.chem_class, usual.kind, usual.area_lost, usual.hbonds_lost, residues,
        answer.frees_link, reaction, leaving_name(molecule.mol, atoms),
    )  # fmt: skip
    return {
        **_residue(group, by_stem[copy.stem], best.ahead),
        "Warhead": molecule.comp_id,
        "InChIKey": molecule.inchikey,
        "anchor_atom": anchor,
        "anchor_equivalents": JOINED.join(name for name in alike if name != anchor),
        "action": action_sentence(made, not_recommended),
        "kind": usual.kind,
        "leaving_atoms": usual.leaving,
        "chem_class": usual.chem_class,
        "n_copies": answer.n_copies,
        "n_open": len(opened),
        "n_entries": answer.n_entries,
        "n_entries_open": len({copy.key[0] for copy, _ in opened}),
        "E_median": median(exit_.room for exit_ in exits),
        "F_median": median(exit_.way_out for exit_ in exits),
        "score_median": answer.score,
        "score_best": max(exit_.score for exit_ in exits),
        "closed": not opened,
        "observed": len({code for codes in entries_by_atom.values() for code in codes}),
        "observed_entries": JOINED.join(sorted(entries)),
        "observed_atoms": JOINED.join(f"{labels[key]}:{seen.steps[key]}" for key in entries_by_atom),
        "evidence": best.evidence,
        "evidence_reasons": best.reasons,
        "best_stem": copy.stem,
        "stems": JOINED.join(copy.stem for copy in copies),
        "exit_site": f"S{answer.exit_site}",
        "breaks_covalent_bond": answer.frees_link,
        "area_lost_A2": usual.area_lost,
        "leaving_residues": usual.residues,
        "not_recommended": JOINED.join(not_recommended),
        "best_resolution": copy.resolution,
        "best_title": copy.title,
        "confidence": confidence(answer.score, answer.open_share, usual.chem_class),
    }


def _residue(group: Group, placed: Placed, ahead: Iterable[float]) -> dict[str, Value]:
    """Return the residue that marks a place, and its UniProt number.

    The residue is that of the reference, or of the copy if it was not superposed.
    """
    point = np.array(list(ahead))[None]
    if placed.superposition.reason:
        residue, uniprot = placed.member.residue_near(point[0])
    else:
        residue, uniprot = group.placed[0].member.residue_near(placed.superposition.apply(point)[0])
    return {"site_residue": residue, "site_uniprot": uniprot}
