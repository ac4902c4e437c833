from __future__ import annotations

from tests.tools.exits import graph_of
from tethermap.exits.sites import exit_sites, site_numbers


def sites(smiles: str) -> list[tuple[int, ...]]:
    return exit_sites(graph_of(smiles))


def test_saturated_ring_at_the_end_is_one_site_with_its_chain() -> None:
    gefitinib = "C1COCCN1CCCOc1cc2c(ncnc2cc1OC)Nc1ccc(F)c(Cl)c1"
    found = sites(gefitinib)
    assert tuple(range(10)) in found


def test_ring_with_four_atoms_of_substituents_is_one_site_and_with_five_is_not() -> None:
    assert tuple(range(10)) in sites("CCC1CC(CC)CCN1c1ccccc1")
    found = sites("CCCC1CC(CC)CCN1c1ccccc1")
    assert {(0, 1, 2, 3), (4,), (5, 6, 7), (8,), (9,), (10,)} <= set(found)


def test_substituent_belongs_to_the_only_ring_atom_that_carries_it() -> None:
    assert sites("Fc1ccccc1") == [(0, 1), (2,), (3,), (4,), (5,), (6,)]


def test_chain_between_two_aromatic_rings_is_a_separate_site() -> None:
    assert (6, 7) in sites("c1ccccc1CCc1ccccc1")


def test_long_piece_is_split_at_its_fork() -> None:
    found = sites("CCCCC(CCCC)(O)CCCC")
    assert (4, 9) in found
    assert (0, 1, 2, 3) in found


def test_piece_of_six_atoms_is_one_site_and_a_forked_one_of_seven_is_not() -> None:
    assert (6, 7, 8, 9, 10, 11) in [site[-6:] for site in sites("c1ccccc1C(CC)CCC")]
    assert len(sites("c1ccccc1C(CCC)CCC")) > len(sites("c1ccccc1C(CC)CCC"))


def test_every_atom_is_in_exactly_one_site() -> None:
    for smiles in ("CN1CCN(CC1)C1CCN(CC1)c1ccccc1", "CC(C)(C)c1ccccc1C(=O)NC1CCCCC1", "CCO"):
        found = sites(smiles)
        atoms = sorted(atom for site in found for atom in site)
        assert atoms == list(range(len(graph_of(smiles))))


def test_second_saturated_ring_becomes_the_end_after_the_first() -> None:
    found = sites("CN1CCN(CC1)C1CCN(CC1)c1ccccc1")
    assert tuple(range(7)) in found
    assert tuple(range(7, 13)) in found


def test_symmetry_equivalent_sites_have_one_number() -> None:
    p_xylene = "Cc1ccc(C)cc1"
    assert site_numbers(graph_of(p_xylene)) == [1, 1, 2, 2, 1, 1, 2, 2]
    m_xylene = "Cc1cccc(C)c1"
    assert site_numbers(graph_of(m_xylene)) == [1, 1, 2, 3, 2, 1, 1, 6]


def test_numbers_of_sites_are_unchanged_without_symmetry() -> None:
    gefitinib = graph_of("C1COCCN1CCCOc1cc2c(ncnc2cc1OC)Nc1ccc(F)c(Cl)c1")
    sites = enumerate(exit_sites(gefitinib), 1)
    assert dict(enumerate(site_numbers(gefitinib))) == {atom: number for number, site in sites for atom in site}
