"""The truth that `make bench-exits` derives from the dictionary: degraders there, and ligands within them."""

from tests.tools.exit_truth import derived_truth


def test_ligands_in_mz1_and_dbet6_have_the_authors_atoms() -> None:
    """759 is MZ1 (Gadd 2017, doi:10.1038/nchembio.2329), RN6 dBET6 (Nowak 2018, doi:10.1038/s41589-018-0055-y)."""
    pairs = derived_truth({"759", "RN6", "JQ1", "0S6", "EF2", "IMY"}).pairs
    assert {(pair.parent, pair.degrader): pair.atoms for pair in pairs} == {
        ("JQ1", "759"): {"CAS"},
        ("JQ1", "RN6"): {"CAS"},
        ("0S6", "759"): {"C23"},
        ("0S6", "RN6"): {"C23"},
        ("EF2", "RN6"): {"C12", "C19"},
    }


def test_large_inhibitor_of_a_ligase_is_not_a_degrader() -> None:
    assert derived_truth({"NUT", "IMY"}).pairs == ()
