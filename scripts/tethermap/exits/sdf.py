"""A ligand's SDF with its exposure and its exits: a field for each of the best sites, ranks and scores per atom."""

from collections.abc import Mapping, Sequence

from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.base.tables import Row
from tethermap.exits.arrows import best_of_sites
from tethermap.exits.graph import LigandGraph
from tethermap.exits.model import Exit
from tethermap.exposure.rows import sdf_lists
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.sdf import sdf_text

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
    """Return a ligand's record of an SDF with all its atom properties.

    It has the fields ``exit_1`` to ``exit_5`` by the rank of the site, as ``key=value`` words: ``sdf_index`` counts
    from 0 in the order of the SDF; ``leaving`` is ``H`` or names of atoms joined by commas; ``vector`` is the unit
    vector from the anchor to the linker's first atom in the deposited frame.

    Parameters
    ----------
    exits : sequence of Exit
        Its candidates, ranked ones first.
    atoms : sequence of Row
        Its rows of `tethermap.base.tables.SASA_ATOMS`, in SDF order.
    fields : mapping of str to str
        Further fields, put before those of exits.
    """
    ranked = [exit_ for exit_ in exits if exit_.rank is not None]
    by_anchor = {atom: exit_ for exit_ in ranked for atom in (exit_.candidate.anchor, *exit_.equivalents)}
    of_atoms = [by_anchor.get(atom) for atom in range(len(graph))]
    scores = [None if exit_ is None else exit_.score for exit_ in of_atoms]
    of_sites = {f"exit_{exit_.site_rank}": _words(graph, exit_) for exit_ in best_of_sites(exits, FIELD_SITES)}
    map_list = {}
    if instance.fit.atom_rscc:  # the user gave a map
        fits = dict(zip(instance.atoms.heavy.tolist(), instance.fit.atom_rscc, strict=True))
        map_list["RSCC"] = [fits[index] for index in molecule.atom_index.tolist()]
    return sdf_text(
        molecule,
        instance,
        {**fields, **of_sites},
        {**sdf_lists(atoms), SCORE_LIST: scores, **map_list},
        {RANK_LIST: [None if exit_ is None else exit_.rank for exit_ in of_atoms]},
    )


def _words(graph: LigandGraph, exit_: Exit) -> str:
    assert exit_.opening is not None
    values = {
        "anchor": graph.names[exit_.candidate.anchor],
        "sdf_index": str(exit_.candidate.anchor),
        "leaving": ",".join(exit_.candidate.leaving_names(graph)) or "H",
        "vector": ",".join(f"{value:.4f}" for value in exit_.opening.direction.tolist()),
        "E": f"{exit_.opening.room[HEADLINE_CONTEXT]:.4f}",
        "F": f"{exit_.opening.way_out[HEADLINE_CONTEXT]:.4f}",
        "prior": f"{exit_.prior:.2f}",
        "score": f"{exit_.score:.4f}",
        "closed": "yes" if exit_.closed else "no",
        "evidence": exit_.evidence.grade if exit_.evidence else "",
    }
    return " ".join(f"{name}={value.replace(' ', '_')}" for name, value in values.items() if value)
