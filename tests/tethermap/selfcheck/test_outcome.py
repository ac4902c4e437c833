import pytest

from tethermap.base.tables import Row
from tethermap.selfcheck.outcome import processed, status_rows

KEPT: Row = {"kept": True, "reason": "kept", "stem": "a", "instances_kept": 1}
LOST: Row = {"kept": False, "reason": "far_from_target", "stem": ""}


def test_status_rows_that_fit_pass() -> None:
    member: Row = {"kept": True, "reason": "member_of_group", "stem": "a"}
    assert status_rows(KEPT, [KEPT, member, LOST], ["a"]).passed
    assert status_rows({**LOST, "instances_kept": 0}, [LOST], []).passed


@pytest.mark.parametrize(
    ("entry", "ligands", "stems"),
    [
        (KEPT, [LOST], ["a"]),  # an instance without a row
        (KEPT, [KEPT], []),  # a row without an instance
        ({**KEPT, "instances_kept": 2}, [KEPT], ["a"]),
        (KEPT, [KEPT, {**LOST, "reason": ""}], ["a"]),
        ({**LOST, "instances_kept": 0}, [KEPT], ["a"]),
    ],
)
def test_contradictory_status_rows_are_reported(entry: Row, ligands: list[Row], stems: list[str]) -> None:
    assert not status_rows(entry, ligands, stems).passed


def test_an_entry_lost_to_a_program_error_is_reported() -> None:
    assert processed(KEPT).passed
    assert not processed({"reason": "program_error", "value": "KeyError"}).passed
