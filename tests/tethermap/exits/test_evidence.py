"""Evidence of an exit in a structure: each reason at its limit, and the most serious grade."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.tools.exits import embedded, joined, opening_of, surroundings
from tethermap.base.reasons import EXIT_EVIDENCE, FLAGS
from tethermap.exits.evidence import FLAG_REASONS, Witness
from tethermap.exits.graph import ligand_graph
from tethermap.exits.limits import BOND
from tethermap.exits.model import Evidence, Exit
from tethermap.exits.rank import rank_candidates
from tethermap.fit.limits import limit
from tethermap.fit.model import LigandFit, ResidueFit
from tethermap.instance.backbone import GAP, RSRZ_OUTLIER, TRUNCATED, Backbone
from tethermap.instance.model import EntryFacts, Instance, Surroundings

INSTANCE, MOLECULE = embedded("CCCCN")
GRAPH = ligand_graph(MOLECULE)
SHARP = replace(INSTANCE, facts=EntryFacts(resolution=1.5))
AMINE = 4


def chain(*places: tuple[np.ndarray, int], mean: float = 20.0, spread: float = 5.0) -> Backbone:
    far = [(np.full(3, 900.0), 0)]
    xyz, marks = zip(*(list(places) or far), strict=True)
    return Backbone("A", "A" * len(xyz), np.array(xyz), np.array(marks, dtype=np.int8), mean, spread)


def amine(around: Surroundings | None = None) -> Exit:
    exits = rank_candidates(GRAPH, around or surroundings(), np.zeros(len(GRAPH)))
    return next(one for one in exits if one.candidate.anchor == AMINE and one.rank)


def evidence(instance: Instance = SHARP, backbone: Backbone | None = None, one: Exit | None = None) -> Evidence:
    return Witness(instance, MOLECULE, GRAPH, backbone or chain()).evidence(one or amine())


def with_atoms(**changed: Any) -> Instance:
    return replace(SHARP, atoms=replace(SHARP.atoms, **changed))


def at(atom: int, value: float, otherwise: float) -> np.ndarray:
    values = np.full(len(GRAPH), otherwise)
    values[atom] = value
    return values


def test_grade_is_a_without_doubts() -> None:
    found = evidence()
    assert (found.grade, found.reasons) == ("A", ())
    assert (found.occupancy, found.b_iso, found.b_normalised) == (1.0, 20.0, 0.0)


@pytest.mark.parametrize(
    ("resolution", "reasons"),
    [(2.5, ()), (2.51, ("moderate_resolution",)), (3.0, ("moderate_resolution",)), (3.01, ("low_resolution",)),
     (None, ("no_resolution",))],
)  # fmt: skip
def test_resolution_counts_from_its_limits_on(resolution: float | None, reasons: tuple[str, ...]) -> None:
    assert evidence(replace(SHARP, facts=EntryFacts(resolution=resolution))).reasons == reasons


@pytest.mark.parametrize(
    ("occupancy", "reasons"),
    [(0.99, ("partial_occupancy",)), (0.5, ("partial_occupancy",)), (0.49, ("low_occupancy",)),
     (0.0, ("zero_occupancy",))],
)  # fmt: skip
def test_least_occupancy_of_anchor_and_bonded_atoms_counts(occupancy: float, reasons: tuple[str, ...]) -> None:
    for atom in (AMINE, AMINE - 1):
        assert evidence(with_atoms(occupancy=at(atom, occupancy, 1.0))).reasons == reasons
    assert evidence(with_atoms(occupancy=at(0, occupancy, 1.0))).reasons == ()


@pytest.mark.parametrize(("b", "reasons"), [(30.0, ()), (30.1, ("mobile",)), (40.0, ("mobile",)),
                                            (40.1, ("very_mobile",))])  # fmt: skip
def test_b_factors_count_in_standard_deviations_of_the_chain(b: float, reasons: tuple[str, ...]) -> None:
    """Mean 20 and standard deviation 5: 2 are at 30, 4 at 40."""
    found = evidence(with_atoms(b_iso=np.full(len(GRAPH), b)))
    assert found.reasons == reasons
    assert found.b_normalised == pytest.approx((b - 20) / 5)


def test_chain_with_constant_b_factors_has_no_normalised_ones() -> None:
    found = evidence(backbone=chain(spread=0.0))
    assert np.isnan(found.b_normalised)
    assert found.reasons == ()


@pytest.mark.parametrize(
    ("fit", "reasons"),
    [
        ({"rscc": 0.8, "rsr": 0.4, "bonds_rmsz": 2.0}, ()),
        ({"rscc": 0.799, "rsr": 0.1}, ("poor_fit",)),
        ({"rscc": 0.9, "rsr": 0.401}, ("poor_fit",)),
        ({"rscc": 0.9, "angles_rmsz": 2.01}, ("geometry_outliers",)),
        ({}, ()),
    ],
)
def test_fit_to_the_density_counts_beyond_its_limits_if_assessed(
    fit: dict[str, float], reasons: tuple[str, ...]
) -> None:
    whole = ResidueFit(**fit)  # type: ignore[arg-type]
    found = evidence(replace(SHARP, fit=LigandFit("assessed", whole, (whole,))))
    assert found.reasons == reasons
    assert found.grade == ("C" if reasons == ("poor_fit",) else "B" if reasons else "A")


@pytest.mark.parametrize("fit", [ResidueFit(rscc=0.5), ResidueFit(rsr=0.5), ResidueFit(rsrz=2.1)])
def test_residue_of_the_anchor_in_a_linked_group_counts_separately(fit: ResidueFit) -> None:
    good, parts = ResidueFit(rscc=0.9), np.array([0, 0, 0, 1, 1])
    molecule = replace(MOLECULE, residue=parts)
    for fits, reasons in (((good, fit), ("anchor_poor_fit",)), ((fit, good), ())):
        instance = replace(SHARP, fit=LigandFit("assessed", good, fits))
        assert Witness(instance, molecule, GRAPH, chain()).evidence(amine()).reasons == reasons


def test_sentences_of_fit_give_the_limits_of_the_reference_table() -> None:
    for reason, names in {
        "poor_fit": ("rscc_poor", "rsr_poor"),
        "anchor_poor_fit": ("rscc_poor", "rsr_poor", "rsrz_outlier"),
        "pocket_poor_fit": ("rsrz_outlier",),
        "geometry_outliers": ("mogul_rmsz_poor",),
    }.items():
        assert all(f"{limit(name):g}" in EXIT_EVIDENCE[reason].sentence for name in names)


def test_alternate_positions_count_only_for_atoms_of_the_exit() -> None:
    assert evidence(with_atoms(altloc=("", "", "", "A", ""))).reasons == ("alternate_places",)
    assert evidence(with_atoms(altloc=("A", "", "", "", ""))).reasons == ()


@pytest.mark.parametrize(
    ("mark", "within", "reason"),
    [(GAP, 10.0, "chain_gap"), (TRUNCATED, 8.0, "side_chain_incomplete"), (RSRZ_OUTLIER, 8.0, "pocket_poor_fit")],
)
def test_unobserved_residues_count_near_the_way_out(mark: int, within: float, reason: str) -> None:
    one = amine()
    u = opening_of(one).direction
    across = np.cross(u, [0.3, 0.5, 0.8])
    across /= np.linalg.norm(across)
    middle = GRAPH.xyz[AMINE] + BOND * u + 4.0 * u
    for distance, expected in ((within - 0.1, (reason,)), (within + 0.1, ())):
        assert evidence(backbone=chain((middle + distance * across, mark)), one=one).reasons == expected
    assert evidence(backbone=chain((middle, 0)), one=one).reasons == ()


@pytest.mark.parametrize("context", ["assembly", "crystal"])
def test_neighbour_in_the_way_out_counts_only_in_its_context(context: str) -> None:
    open_one = amine()
    u = opening_of(open_one).direction
    wall = GRAPH.xyz[AMINE] + BOND * u + 5.0 * u
    atoms = [(wall + offset).tolist() for offset in np.random.default_rng(1).uniform(-4, 4, (120, 3))]
    around = joined(surroundings((500.0, 0.0, 0.0)), surroundings(*atoms, context=context))
    blocked = amine(around)
    assert evidence(one=blocked).reasons == (f"{context}_in_way",)


def test_closed_exit_has_the_worst_grade_and_its_reason_first() -> None:
    found = evidence(replace(SHARP, facts=EntryFacts(resolution=2.8)), one=replace(amine(), closed=True))
    assert (found.grade, found.reasons) == ("D", ("closed", "moderate_resolution"))


@pytest.mark.parametrize("flag", FLAG_REASONS)
def test_flags_of_the_instance_count(flag: str) -> None:
    assert flag in FLAGS
    found = evidence(replace(SHARP, flags=(flag,)))
    assert found.reasons == (FLAG_REASONS[flag],)
    assert found.grade == EXIT_EVIDENCE[FLAG_REASONS[flag]].grade


def test_reasons_are_listed_from_the_most_serious() -> None:
    grades = [doubt.grade for doubt in EXIT_EVIDENCE.values()]
    assert grades == sorted(grades, reverse=True)
    assert all(doubt.sentence.endswith(".") for doubt in EXIT_EVIDENCE.values())
