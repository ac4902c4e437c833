from pathlib import Path

import pytest

from tests.tethermap.sources.make import write
from tethermap.sources.obsolete import find_obsolete, follow, load_obsolete

_DAT = """ LIST OF OBSOLETE COORDINATE ENTRIES AND SUCCESSORS
OBSLTE    31-JUL-94 116L     216L
OBSLTE    08-JUL-08 179L
OBSLTE    18-JUL-84 1HHB     2HHB 3HHB 4HHB
"""
_CSV = "pdb_id,obsoleted_date,replaced_by\n116l,1994-07-31,216l\n179l,2008-07-08,\n1hhb,1984-07-18,2hhb 3hhb 4hhb\n"
_TABLE = {"116l": ("216l",), "179l": (), "1hhb": ("2hhb", "3hhb", "4hhb")}


@pytest.mark.parametrize(("name", "text"), [("obsolete.dat", _DAT), ("obsolete.csv", _CSV)])
def test_lists_of_the_wwpdb_and_csv_files_are_read(name: str, text: str, tmp_path: Path) -> None:
    assert load_obsolete(write(tmp_path / name, text)) == _TABLE


def test_the_list_is_found_up_to_two_folders_above_the_mirror(tmp_path: Path) -> None:
    mirror = tmp_path / "data" / "structures"
    mirror.mkdir(parents=True)
    assert find_obsolete(mirror) == {}
    write(tmp_path / "status" / "obsolete.dat", _DAT)
    assert find_obsolete(mirror) == _TABLE


def test_several_withdrawals_in_a_row_are_followed() -> None:
    table = {"1abc": ("2abc",), "2abc": ("3abc", "4abc"), "3abc": ()}
    found = follow("1abc", table["1abc"], table.__getitem__, {"4abc"}.intersection)
    assert (found.entry_id, found.successors) == ("4abc", ("4abc",))


def test_circular_withdrawals_are_followed_once() -> None:
    table = {"1abc": ("2abc",), "2abc": ("1abc",)}
    assert follow("1abc", table["1abc"], table.__getitem__, set[str]().intersection).entry_id == ""
