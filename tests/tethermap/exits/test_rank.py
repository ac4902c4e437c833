"""Properties of the ranking: changes that must not affect it, and the values of each candidate."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.tools.components import Known, ideal_instance
from tests.tools.exits import (
    caged,
    embedded,
    graph_of,
    is_open,
    joined,
    moved,
    opening_of,
    reordered,
    same_openings,
    scattered,
    surroundings,
)
from tests.tools.ligands import small_neighbourhood
from tethermap.base.reasons import EXIT_REASONS
from tethermap.base.tables import EXIT_VECTORS
from tethermap.components.index import ComponentIndex
from tethermap.exits.evidence import Witness
from tethermap.exits.graph import LigandGraph, ligand_graph
from tethermap.exits.model import Exit
from tethermap.exits.rank import rank_candidates
from tethermap.exits.rows import LYSINE_SITES, exit_rows, linked_atoms, residues_beside
from tethermap.exits.unseen import missing_atoms
from tethermap.instance.backbone import NO_BACKBONE
from tethermap.instance.model import Link, Lysine, Residue, Surroundings
from tethermap.matching.build import build_ligand

DRUG = "CC(C)(C)OC(=O)CC1CCN(CC1)c1ccc(cc1)C(F)(F)F"
"""t-Butyl ester, piperidine, phenylene and CF3: four kinds of equivalent atoms."""


def ranked(graph: LigandGraph, around: Surroundings, lost: np.ndarray | None = None) -> list[Exit]:
    area = np.linspace(0.0, 9.0, len(graph))[graph.symmetry_class.argsort().argsort()] if lost is None else lost
    return rank_candidates(graph, around, area)


def no_area(graph: LigandGraph) -> np.ndarray:
    return np.zeros(len(graph))


def table(exits: list[Exit]) -> list[tuple[object, ...]]:
    return [(one.rank, one.candidate.anchor, one.chem_class, one.candidate.kind) for one in exits if one.rank]


@pytest.mark.parametrize("seed", range(3))
def test_motion_of_the_complex_changes_nothing(seed: int) -> None:
    graph = graph_of(DRUG)
    around = scattered(graph, 150, seed=seed)
    turn = Rotation.random(random_state=seed).as_matrix()
    still, there = ranked(graph, around), ranked(*moved(graph, around, turn, np.array([30.0, -7.0, 12.0])))
    assert table(still) == table(there)
    for before, after in zip(still, there, strict=True):
        assert same_openings(before, after)
        assert turn @ opening_of(before).direction == pytest.approx(opening_of(after).direction, abs=1e-4)


@pytest.mark.parametrize("seed", range(3))
def test_names_and_order_of_the_atoms_change_nothing(seed: int) -> None:
    graph = graph_of(DRUG)
    around = scattered(graph, 150, seed=seed)
    order = np.random.default_rng(seed).permutation(len(graph)).tolist()
    area = np.random.default_rng(seed + 10).uniform(0, 9, len(graph))
    before = ranked(graph, around, area)
    after = ranked(reordered(graph, order), around, area[order])
    scores = {one.candidate.anchor: one.score for one in before if one.rank}
    assert {order[one.candidate.anchor]: one.score for one in after if one.rank} == pytest.approx(scores, abs=0.02)
    assert [one.score for one in after if one.rank] == sorted((one.score for one in after if one.rank), reverse=True)


@pytest.mark.parametrize(
    ("smiles", "atoms"),
    [("CC(C)(C)c1ccncc1", {0, 2, 3}), ("c1ccccc1CC(=O)O", {0, 4}), ("O1CCN(CC1)CCc1ccccc1", {1, 5}),
     ("FC(F)(F)CCNC", {1})],  # three fluorines that leave are three actions of one anchor
)  # fmt: skip
def test_equivalent_anchors_are_one_entry(smiles: str, atoms: set[int]) -> None:
    graph = graph_of(smiles)
    exits = ranked(graph, surroundings(), no_area(graph))
    first = [one for one in exits if one.rank and one.candidate.anchor in atoms]
    assert [{one.candidate.anchor, *one.equivalents} for one in first] == [atoms]
    of_same = [one for one in exits if one.candidate.anchor in atoms and not one.rank]
    assert {one.reason for one in of_same} <= {"better_action", "equivalent_anchor"}


def test_every_candidate_has_a_rank_or_a_reason() -> None:
    exits = rank_candidates(graph := graph_of(DRUG), surroundings(), no_area(graph), linked=frozenset({0}))
    assert all((one.rank is None) != (one.reason == "") for one in exits)
    assert {one.reason for one in exits} - {""} <= EXIT_REASONS.keys()
    ranks = [one.rank for one in exits if one.rank]
    assert ranks == list(range(1, len(ranks) + 1))


def test_score_is_the_sum_of_its_terms() -> None:
    graph = graph_of(DRUG)
    area = 3.0 * np.arange(len(graph), dtype=np.float64)
    around = joined(scattered(graph, 150), surroundings((graph.xyz[6] + [0.0, 0.0, 3.0]).tolist(), element="N"))
    exits = rank_candidates(graph, around, area)
    assert max(one.area_lost for one in exits) > 120
    assert any(one.hbonds_lost + one.hbonds_anchor for one in exits)
    for one in exits:
        terms = opening_of(one).room["target"] + one.way_out + 2 * one.prior
        lost = 3.0 * sum(one.candidate.leaving)
        assert one.area_lost == pytest.approx(lost)
        lost_bonds = 0.15 * (one.hbonds_lost + one.hbonds_anchor)
        assert one.score == pytest.approx(terms - 0.003 * lost - 0.01 * max(0, lost - 120) - lost_bonds, abs=1e-5)


def test_site_has_the_rank_of_its_best_anchor() -> None:
    exits = ranked(graph := graph_of(DRUG), scattered(graph, 150))
    order = list(dict.fromkeys(one.site for one in exits if one.rank))
    assert all(one.site_rank == order.index(one.site) + 1 for one in exits if one.rank)


def test_candidate_walled_in_on_all_sides_is_closed() -> None:
    graph = graph_of("c1ccccc1")
    assert all(one.closed for one in ranked(graph, caged(graph)))
    assert not any(one.closed for one in ranked(graph, surroundings()))


def test_contacts_of_leaving_group_and_anchor_are_counted_within_the_limit() -> None:
    graph = graph_of("OCCCCN")
    away = graph.xyz[0] - graph.xyz[1]
    away /= np.linalg.norm(away)
    near = [(graph.xyz[0] + length * away).tolist() for length in (3.3, 3.5)]
    around = joined(surroundings(*near, element="N"), surroundings(near[0], element="C"))
    exits = ranked(graph, around, no_area(graph))
    lost = {one.candidate.leaving[:1]: one.hbonds_lost for one in exits if one.candidate.anchor == 1}
    assert lost[0,] == 1
    assert next(one for one in exits if one.candidate.anchor == 0).hbonds_anchor == 1


def test_cut_that_frees_the_bond_to_the_protein_is_between_open_and_closed_exits() -> None:
    graph = graph_of("C=CC(=O)N1CCCCC1c1ccccc1")

    def order(around: Surroundings) -> list[int]:
        """Return the place of each ranked exit: open 0, freed and open 1, closed 2, freed and closed 3."""
        exits = rank_candidates(graph, around, no_area(graph), linked=frozenset({0}))
        return [2 * (not is_open(one)) + one.candidate.frees_link for one in exits if one.rank]

    places = [order(surroundings()), *(order(scattered(graph, 400, seed=seed)) for seed in range(6))]
    assert all(found == sorted(found) for found in places)
    assert 1 in places[0]
    assert places[0][0] == 0


def test_ligand_without_hydrogens_and_bonds_has_no_exits_but_a_reason() -> None:
    instance, molecule = embedded("[Cl-]")
    graph = ligand_graph(molecule)
    exits = rank_candidates(graph, surroundings(), np.zeros(1))
    assert exits == []
    (row,) = exit_rows("T", instance, graph, exits)
    assert row["reason"] == "no_candidate"
    assert "rank" not in row


def test_rows_name_all_columns_of_the_table_but_no_others() -> None:
    instance, molecule = embedded(DRUG)
    graph = ligand_graph(molecule)
    witness = Witness(instance, molecule, graph, NO_BACKBONE)
    exits = [replace(one, evidence=witness.evidence(one)) for one in ranked(graph, surroundings())]
    beside = residues_beside(instance, graph.xyz, small_neighbourhood())
    anchor = exits[0].candidate.anchor
    ahead = graph.xyz[anchor] + (1.5 + 9.0) * opening_of(exits[0]).direction
    lysines = (Lysine("A", "716", "", "P00533:716", (x, y, z + 25.0), 20.0) for x, y, z in [graph.xyz[anchor].tolist()])
    instance = replace(instance, lysines=(*lysines, Lysine("A", "60A", "2", "", tuple(ahead.tolist()), 30.0)))
    rows = list(exit_rows("T", instance, graph, exits, beside))
    told = [str(rows[0][name]).split(";") for name in EXIT_VECTORS.names if name.startswith("lysine")]
    assert [column[0] for column in told] == ["A-2 60A", "", "9.0", "0"]
    sites = [row["site_rank"] for row in rows if row.get("lysines")]
    assert len(sites) == len(set(sites))  # the best of each site
    assert set(sites) == {row["site_rank"] for row in rows if int(row["site_rank"] or 99) <= LYSINE_SITES}
    assert rows[0].keys() == set(EXIT_VECTORS.names)
    assert all(row.keys() <= set(EXIT_VECTORS.names) for row in rows)
    assert rows[0]["rank"] == 1
    vector = [float(str(rows[0][f"vector_{axis}"])) for axis in "xyz"]
    assert math.hypot(*vector) == pytest.approx(1.0)


def test_residues_near_an_atom_have_both_numbers_the_nearest_first() -> None:
    instance, molecule = embedded("CCO")
    x, y, z = ligand_graph(molecule).xyz[0].tolist()
    around = small_neighbourhood(
        ("A", "797", "CYS", "SG", "S", (x + 4.0, y, z), "", "chain"),
        ("A", "797", "CYS", "CB", "C", (x, y, z + 3.9), "", "chain"),
        ("A", "60A", "ALA", "CB", "C", (x, y + 3.5, z), "2", "target"),
        ("B", "1", "ALA", "CB", "C", (x, y, z + 3.0), "", "assembly"),
    )
    numbered = replace(instance, uniprot={"A 797": "P00533:797"})
    first = residues_beside(numbered, ligand_graph(molecule).xyz, around)[0]
    assert first == {"anchor_residues": "ALA A-2 60A;CYS A 797", "anchor_uniprot": ";P00533:797"}


def test_atoms_that_were_not_observed_make_their_neighbours_incomplete(index: ComponentIndex, known: Known) -> None:
    component = known("JQ1")
    instance = ideal_instance(component, omit=("CAB", "CAA", "CAC"))
    molecule = build_ligand(instance, index)
    assert molecule.atoms_missing
    graph = ligand_graph(molecule)
    missing = missing_atoms(instance, molecule, graph, index.get)
    incomplete = missing.beside
    bonds = [(component.atoms[bond.first].name, component.atoms[bond.second].name) for bond in component.bonds]
    beside = {name for pair in bonds for name, other in (pair, pair[::-1]) if other in molecule.atoms_missing}
    assert {molecule.names[k] for k in incomplete} == beside & set(molecule.names)
    exits = rank_candidates(graph, surroundings(), no_area(graph), missing=missing)
    modelled = [one for one in exits if one.candidate.unseen is None]
    touched = [one for one in modelled if incomplete & {one.candidate.anchor, *one.candidate.leaving}]
    assert touched
    assert all(one.reason == "incomplete" and one.rank is None and one.opening is None for one in touched)


def test_atoms_linked_to_the_protein_are_found_and_metals_are_not() -> None:
    instance, molecule = embedded("CCCCO")
    partner = Residue("A", "A", "CYS", 145)
    links = tuple(
        Link(atom, partner, "SG", "S", (0.0, 0.0, 0.0), 1.8, kind, True)
        for atom, kind in ((2, "covalent"), (4, "metal"))
    )
    assert linked_atoms(replace(instance, links=links), molecule) == {2}
