import pytest

from tests.tools.exits import graph_of
from tethermap.exits.sites import exit_sites, site_numbers

GEFITINIB = "C1COCCN1CCCOc1cc2c(ncnc2cc1OC)Nc1ccc(F)c(Cl)c1"


def sites(smiles: str) -> list[tuple[int, ...]]:
    return exit_sites(graph_of(smiles))


@pytest.mark.parametrize(
    ("smiles", "expected"),
    [
        (GEFITINIB, {tuple(range(10))}),  # a saturated ring at the end with its chain
        ("CCC1CC(CC)CCN1c1ccccc1", {tuple(range(10))}),  # four atoms of substituents
        ("CCCC1CC(CC)CCN1c1ccccc1", {(0, 1, 2, 3), (4,), (5, 6, 7), (8,), (9,), (10,)}),  # five
        ("CN1CCN(CC1)C1CCN(CC1)c1ccccc1", {tuple(range(7)), tuple(range(7, 13))}),  # the end after the first end
        ("Fc1ccccc1", {(0, 1), (2,), (3,), (4,), (5,), (6,)}),  # a substituent and its only ring atom
        ("c1ccccc1CCc1ccccc1", {(6, 7)}),  # a chain between two aromatic rings
        ("CCCCC(CCCC)(O)CCCC", {(4, 9), (0, 1, 2, 3)}),  # a long piece is split at its fork
    ],
)
def test_places_are_those_that_a_chemist_would_name(smiles: str, expected: set[tuple[int, ...]]) -> None:
    assert expected <= set(sites(smiles))


def test_piece_of_six_atoms_is_one_site_and_a_forked_one_of_seven_is_not() -> None:
    assert (6, 7, 8, 9, 10, 11) in [site[-6:] for site in sites("c1ccccc1C(CC)CCC")]
    assert len(sites("c1ccccc1C(CCC)CCC")) > len(sites("c1ccccc1C(CC)CCC"))


def test_every_atom_is_in_exactly_one_site() -> None:
    for smiles in ("CN1CCN(CC1)C1CCN(CC1)c1ccccc1", "CC(C)(C)c1ccccc1C(=O)NC1CCCCC1", "CCO"):
        found = sites(smiles)
        atoms = sorted(atom for site in found for atom in site)
        assert atoms == list(range(len(graph_of(smiles))))


def test_symmetry_equivalent_sites_have_one_number() -> None:
    assert site_numbers(graph_of("Cc1ccc(C)cc1")) == (1, 1, 2, 2, 1, 1, 2, 2)
    both_ends = graph_of("CC(=O)Nc1ccc(cc1)-c1ccc(cc1)NC(C)=O")
    assert len(set(zip(both_ends.symmetry_class.tolist(), site_numbers(both_ends), strict=True))) == len(
        set(both_ends.symmetry_class.tolist())
    )
    assert site_numbers(graph_of("Cc1cccc(C)c1")) == (1, 1, 2, 3, 2, 1, 1, 6)


def test_numbers_of_sites_are_unchanged_without_symmetry() -> None:
    found = enumerate(sites(GEFITINIB), 1)
    numbers = site_numbers(graph_of(GEFITINIB))
    assert dict(enumerate(numbers)) == {atom: number for number, site in found for atom in site}
