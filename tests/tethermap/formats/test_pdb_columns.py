"""Lines of atoms with damaged columns, types in the columns of the element, END lines before the last atom."""

import pytest
from hypothesis import given, strategies as st

from tethermap.formats import pdb_columns, pdb_repair

ATOM = "ATOM     15  CB  ILE A   3      29.850  24.614  -3.121  1.00 24.98           C  "
HETERO = "HETATM 1518  C1 A478 B 200A     -9.850 124.614   0.121  0.50 24.98           C1-"


def text(*lines: str) -> str:
    return "\n".join(("HEADER    HYDROLASE", *lines, "END", ""))


def odd(content: str) -> int:
    return pdb_columns.odd_lines(pdb_columns.kinds_of_atoms(content))


def test_lines_in_the_archives_format_are_plain_and_kept() -> None:
    whole = text(ATOM, HETERO, ATOM.rstrip())
    assert odd(whole) == 0
    assert pdb_repair.repaired_pdb(whole)[0] is whole


@pytest.mark.parametrize(
    ("first", "last", "columns"),
    [
        (13, 13, "é"),  # a letter other than ASCII
        (23, 26, " 3 x"),  # a residue number
        (31, 38, " 29.850 "),  # a column too far to the left
        (47, 54, "   3 .12"),
        (35, 35, " "),  # no point
        (55, 60, "  1.0x"),  # an occupancy
    ],
)
def test_line_with_shifted_or_damaged_columns_is_reported(first: int, last: int, columns: str) -> None:
    damaged = ATOM[: first - 1] + columns + ATOM[last:]
    assert odd(text(damaged, ATOM)) == 1
    assert odd(text(damaged, ATOM).replace("\n", "\r\n")) == 1


@given(
    st.lists(st.tuples(st.integers(0, 79), st.sampled_from(" -.09AzHé\t\r")), max_size=3),
    st.sampled_from((20, 54, 57, 58, 60, 61, 80)),
    st.sampled_from((ATOM, HETERO)),
)
def test_counting_kinds_of_lines_gives_the_sum_over_single_lines(
    changes: list[tuple[int, str]], length: int, line: str
) -> None:
    cells = list(line.ljust(80))
    for place, letter in changes:
        cells[place] = letter
    damaged = "".join(cells)[:length]
    whole = text(damaged, ATOM, damaged.replace("9", "7"), HETERO)
    lines = whole.split("\n")
    assert odd(whole) == sum(odd(f"{one}\n\t") for one in lines)


def test_types_of_other_formats_are_removed_from_the_element_columns() -> None:
    assert pdb_repair.repaired_pdb(text(ATOM[:76] + "C3  "))[0] == text(ATOM)


def test_last_line_without_line_end_is_checked() -> None:
    assert odd(f"HEADER\n{ATOM[:40]}") == 1
    assert odd(f"HEADER\n{ATOM}") == odd("") == 0


def test_end_lines_before_the_last_atom_are_remarks() -> None:
    apart = text(ATOM, "END", ATOM, "END", "END")
    assert pdb_repair.repaired_pdb(apart)[0] == text(ATOM, "REMARK", ATOM, "END", "END")


def test_file_that_begins_with_endmdl_is_read() -> None:
    cut = f"ENDMDL\n{ATOM}\n"
    assert pdb_repair.repaired_pdb(cut)[0] == cut


def test_hydration_waters_and_zinc_positions_of_autodock_are_left_out() -> None:
    """Waters of hydrated docking, without charges after a filter, and free positions around zinc."""
    atom = f"{ATOM[:66]}{'C':>12} "
    water = f"{ATOM[:12]}WAT  UNL L{ATOM[22:66]}{'W':>12} "
    zinc = f"{ATOM[:12]} TZ   ZN B{ATOM[22:66]}     0.000 TZ"
    assert pdb_repair.repaired_pdb(f"ROOT\n{atom}\n{water}\nENDROOT\n")[0] == f"ROOT\n{ATOM}\nENDROOT\n"
    charged = f"{ATOM[:66]}    +0.100 C \n"
    assert pdb_repair.repaired_pdb(f"{charged}{zinc}\n")[0] == f"{ATOM}\n"


def test_flexible_side_chains_are_not_part_of_a_docking_result() -> None:
    side = "BEGIN_RES ILE A   3\nROOT\n{}ENDROOT\nEND_RES ILE A   3\n"
    ligand = f"ROOT\n{HETERO}\nENDROOT\nTORSDOF 0\n"
    assert "ILE" not in pdb_repair.repaired_pdb(ligand + side.format(f"{ATOM}\n"))[0]
    assert "ILE" in pdb_repair.repaired_pdb(f"{ATOM}\n{ligand}{side.format(f'{ATOM}{chr(10)}')}")[0]


@pytest.mark.parametrize("chain", ["A", " "])
def test_ends_of_chains_with_the_names_of_amber_are_standard_residues(chain: str) -> None:
    first, last = (f"{ATOM[:17]}{name}{chain}{ATOM[22:]}" for name in ("NHIE", "CASP"))
    read = [f"{ATOM[:17]}{name} {chain}{ATOM[22:]}" for name in ("HIE", "ASP")]
    assert pdb_repair.repaired_pdb(text(first, last))[0] == text(*read)


def test_residues_with_the_names_of_gromos_are_standard_residues() -> None:
    written, read = (f"{ATOM[:17]}{name} {ATOM[22:]}" for name in ("LYSH", "LYS "))
    assert pdb_repair.repaired_pdb(text(written))[0] == text(read)


@pytest.mark.parametrize("chain", ["A", " "])
@pytest.mark.parametrize("name", ["HISE", "HISD", "HIS1", "ASPP", "GLUP", "CYS2", "CYSD", "ARGN", "LYSN"])
def test_forms_of_residues_with_four_letters_are_standard_residues(name: str, chain: str) -> None:
    """Residues of GROMACS' force fields OPLS-AA, GROMOS and CHARMM, next to others of the same chain."""
    words = enumerate(("GLY", name, "SER"), start=1)
    written = [f"{ATOM[:17]}{word:<4}{chain}{number:4d}{ATOM[26:]}" for number, word in words]
    assert pdb_repair.repaired_pdb(text(*written))[0] == text(*(f"{line[:20]} {line[21:]}" for line in written))


def test_chain_of_two_letters_keeps_its_residues() -> None:
    """A chain EA whose numbers are those of chain A, and one that has other residues than forms of histidine."""
    first = [f"{ATOM[:17]}{name:<4}A{number:4d}{ATOM[26:]}" for number, name in enumerate(("GLY", "HIS", "SER"), 1)]
    second = [f"{ATOM[:17]}{name}{number:4d}{ATOM[26:]}" for number, name in ((2, "HISEA"), (4, "METEA"))]
    for line in second:
        whole = text(*first, line)
        assert pdb_repair.repaired_pdb(whole)[0] == whole
    whole = text(*first, f"{ATOM[:17]}HISEA   4{ATOM[26:]}", second[1].replace("   4", "   5"))
    assert pdb_repair.repaired_pdb(whole)[0] == whole


@pytest.mark.parametrize("names", [("NALAA", "GLYAA"), ("HISA ", "GLYA ")])
def test_residues_in_chains_that_begin_one_column_early_keep_their_names(names: tuple[str, ...]) -> None:
    whole = text(*(f"{ATOM[:17]}{name}{ATOM[22:]}" for name in names))
    assert pdb_repair.repaired_pdb(whole)[0] == whole
