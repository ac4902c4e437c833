"""A ligand's SDF with its exposure and its exits: a field for each of the best sites, ranks and scores per atom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from scripts.lib.contexts import HEADLINE_CONTEXT
from scripts.lib.exits.arrows import best_of_sites
from scripts.lib.exits.graph import LigandGraph
from scripts.lib.exits.rank import Exit
from scripts.lib.exposure.rows import sdf_lists
from scripts.lib.instance.model import Instance
from scripts.lib.molecule.record import LigandMolecule
from scripts.lib.molecule.sdf import sdf_text
from scripts.lib.tables import Row

FIELD_SITES = 5
"""Sites that have a field."""

RANK_LIST, SCORE_LIST = "exit_rank", "exit_score"
"""Names of the atom property lists, ``atom.iprop.exit_rank`` and ``atom.dprop.exit_score``."""


def exits_sdf(
    instance: Instance,
    molecule: LigandMolecule,
    graph: LigandGraph,
    exits: Sequence[Exit],
    atoms: Sequence[Row],
    fields: Mapping[str, str],
) -> str:
    """Return a ligand's record of an SDF with all that is known of its atoms.

    Parameters
    ----------
    instance, molecule, graph : Instance, LigandMolecule, LigandGraph
        The ligand.
    exits : sequence of Exit
        Its candidates, ranked ones first.
    atoms : sequence of Row
        Its rows of `scripts.lib.tables.SASA_ATOMS`, in SDF order.
    fields : mapping of str to str
        Further fields, put before those of exits.
    """
    return sdf_text(
        molecule,
        instance,
        {**fields, **exit_fields(graph, exits)},
        {**sdf_lists(atoms), SCORE_LIST: _scores(len(graph), exits)},
        {RANK_LIST: _ranks(len(graph), exits)},
    )


def exit_fields(graph: LigandGraph, exits: Sequence[Exit]) -> dict[str, str]:
    """Return the fields ``exit_1`` to ``exit_5`` by the rank of the site, as ``key=value`` words.

    ``sdf_index`` counts from 0 in the order of the SDF; ``leaving`` is ``H`` or names of atoms
    joined by commas; ``vector`` is the unit vector from the anchor to the linker's first atom in
    the deposited frame.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    exits : sequence of Exit
        Its candidates, ranked ones first.
    """
    return {f"exit_{one.site_rank}": _words(graph, one) for one in best_of_sites(exits, FIELD_SITES)}


def _words(graph: LigandGraph, one: Exit) -> str:
    assert one.opening is not None
    leaving = ",".join(_word(graph.names[k]) for k in one.candidate.leaving) or "H"
    values = {
        "anchor": _word(graph.names[one.candidate.anchor]),
        "sdf_index": str(one.candidate.anchor),
        "leaving": leaving,
        "vector": ",".join(f"{value:.4f}" for value in one.opening.direction.tolist()),
        "E": f"{one.opening.room[HEADLINE_CONTEXT]:.4f}",
        "F": f"{one.opening.way_out[HEADLINE_CONTEXT]:.4f}",
        "prior": f"{one.prior:.2f}",
        "score": f"{one.score:.4f}",
        "closed": "yes" if one.closed else "no",
        "evidence": one.evidence.grade if one.evidence else "",
    }
    return " ".join(f"{name}={value}" for name, value in values.items() if value)


def _word(name: str) -> str:
    """Return an atom's name as one word."""
    return name.replace(" ", "_")


def _ranks(n_heavy: int, exits: Sequence[Exit]) -> list[int | None]:
    """Return the rank of each heavy atom as an anchor, equivalent ones alike; None where it has none."""
    ranks: list[int | None] = [None] * n_heavy
    for one in exits:
        if one.rank is not None:
            for atom in (one.candidate.anchor, *one.equivalents):
                ranks[atom] = one.rank
    return ranks


def _scores(n_heavy: int, exits: Sequence[Exit]) -> list[float | None]:
    """Return the best score of each heavy atom as an anchor, equivalent ones alike; None where it has none."""
    scores: list[float | None] = [None] * n_heavy
    for one in exits:
        if one.rank is not None:
            for atom in (one.candidate.anchor, *one.equivalents):
                scores[atom] = one.score
    return scores
