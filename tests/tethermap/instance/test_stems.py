"""File names of instances."""

from hypothesis import given, strategies as st

from tethermap.instance.model import Residue
from tethermap.instance.stems import Stems


def residue(chain: str, comp_id: str = "LIG", number: int = 1, ins_code: str = "") -> Residue:
    return Residue(chain, "A", comp_id, number, ins_code)


def test_stem_keeps_case_sign_and_insertion_code() -> None:
    assert Stems("1abc").of(residue("a", number=-5, ins_code="B")) == ("1abc_a_LIG_-5B", False)


def test_stem_that_differs_only_by_case_gets_a_number() -> None:
    stems = Stems("1abc")
    assert stems.of(residue("A")) == ("1abc_A_LIG_1", False)
    assert stems.of(residue("a")) == ("1abc_a_LIG_1-2", True)


@given(st.lists(st.tuples(st.text(max_size=3), st.integers(-999, 9999)), max_size=30))
def test_stems_are_different_plain_file_names(names: list[tuple[str, int]]) -> None:
    stems = Stems("1abc")
    made = [stems.of(residue(chain, number=number))[0] for chain, number in names]
    assert len({stem.lower() for stem in made}) == len(made)
    assert all(set(stem) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") for stem in made)
