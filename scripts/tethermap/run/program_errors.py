"""Handling of errors of this program: each affects one ligand or entry and is recorded, and the others continue."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

from tethermap.base.errors import PROGRAM_ERROR, ends_step, failed_at
from tethermap.base.reasons import sentence
from tethermap.base.records import Source
from tethermap.base.tables import ERRORS, Row, Value, read_table, write_table

log = logging.getLogger(__name__)


class InstanceId(NamedTuple):
    """An instance of a job with its components, or an entry, whose stem is empty."""

    entry_id: str
    stem: str = ""
    components: str = ""

    @property
    def name(self) -> str:
        """Name of its rows: the stem, or the entry's id."""
        return self.stem or self.entry_id


def error_row(member: InstanceId, value: str, ligand: str = "") -> Row:
    """Return a row of `tethermap.base.tables.ERRORS`.

    Parameters
    ----------
    value : str
        Result of `failed_at`.
    ligand : str
        Names a ligand without a stem.
    """
    return {"pdb_id": member.entry_id, "stem": member.stem, "ligand": ligand, "value": value}


def read_errors(paths: Iterable[Source]) -> list[Row]:
    """Return the errors that steps have recorded, one a ligand or entry."""
    errors: dict[tuple[Value, ...], Row] = {}
    for path in paths:
        for row in read_table(path, ERRORS):
            errors.setdefault((row["stem"] or row["pdb_id"], row["ligand"]), row)
    return list(errors.values())


LeftOut = Mapping[str, Row]
"""Errors by the stems and entries that were lost."""


def without_failing(
    step: str, members: Callable[[], Sequence[InstanceId]], work: Callable[[LeftOut], None], errors: Path | None = None
) -> list[Row]:
    """Run a step over all ligands of a job; leave out those on which it fails.

    Nothing more happens as long as nothing fails. Otherwise bisection finds the first instance with which the step
    fails; if a ligand has two such instances, all its instances are left out.

    Parameters
    ----------
    step : str
        Name of the rule.
    members : callable
        Returns the entries and instances; those of an entry follow it.
    work : callable
        Runs the step without some entries and instances.
    errors : Path or None
        The table of `tethermap.base.tables.ERRORS` to write.

    Returns
    -------
    list of Row
        The errors.
    """
    left_out: dict[str, Row] = {}
    failing: list[str] = []
    while (error := _error_of(work, left_out)) is not None:
        left = [member for member in members() if member.name not in left_out]
        member, error = _first_failing(work, left, left_out, error)
        log.error("%s: %s failed", member.name, step, exc_info=error)
        alike = [one for one in left if one.components == member.components] if member.components in failing else []
        left_out |= {one.name: error_row(one, failed_at(step, error)) for one in alike or [member]}
        failing += [member.components] if member.components else []
    if errors is not None:
        write_table(errors, ERRORS, left_out.values())
    return list(left_out.values())


def _first_failing(
    work: Callable[[LeftOut], None], members: Sequence[InstanceId], left_out: LeftOut, error: Exception
) -> tuple[InstanceId, Exception]:
    """Return the first member up to which a step fails, with the error; raise if it fails without any."""

    def error_of_first(count: int) -> Exception | None:
        return _error_of(work, {**left_out, **{one.name: error_row(one, "") for one in members[count:]}})

    if (of_none := error_of_first(0)) is not None:
        raise of_none
    lowest, highest = 0, len(members)  # succeeds without the rest from lowest on, fails without that from highest on
    while highest - lowest > 1:
        middle = (lowest + highest) // 2
        found = error_of_first(middle)
        lowest, highest = (middle, highest) if found is None else (lowest, middle)
        error = found or error
    return members[highest - 1], error


def instances_of(status: Iterable[Row]) -> Iterator[InstanceId]:
    """Yield the instances in rows of Ligand_Status, each after its entry."""
    entry_id = ""
    for row in status:
        if row["pdb_id"] != entry_id:
            entry_id = str(row["pdb_id"])
            yield InstanceId(entry_id)
        if row["stem"] and row["reason"] != "member_of_group":
            yield InstanceId(entry_id, str(row["stem"]), str(row["components"]))


def but_for(rows: Iterable[Row], left_out: AbstractSet[str]) -> Iterable[Row]:
    """Return rows except those of the given instances and entries."""
    if not left_out:
        return rows
    return (row for row in rows if not left_out & {row.get("stem"), row.get("pdb_id")})


def _error_of(work: Callable[[LeftOut], None], left_out: LeftOut) -> Exception | None:
    """Return the error that ends a step, None if it succeeds; raise one that concerns more than one ligand."""
    try:
        work(left_out)
    except Exception as error:
        if ends_step(error):
            raise
        return error
    return None


class StatusCorrector:
    """Marks the ligands and entries on which a later step has failed in status rows.

    Parameters
    ----------
    errors : iterable of Row
        Rows of `tethermap.base.tables.ERRORS`.
    stems : set of str
        Instances that have results.
    """

    def __init__(self, errors: Iterable[Row], stems: AbstractSet[str]) -> None:
        errors = list(errors)
        self._stems = stems
        self._of_stem = {str(row["stem"]): row["value"] for row in errors if row["stem"]}
        self._of_entry = {str(row["pdb_id"]): row["value"] for row in errors if not row["ligand"]}
        self._whole = {str(row["pdb_id"]) for row in errors if not (row["stem"] or row["ligand"])}
        self._lost: dict[str, int] = {}

    def ligand(self, row: Mapping[str, Value]) -> Row:
        """Return the current row of a het group in Ligand_Status; those of an entry precede its own."""
        stem = str(row["stem"] or "")
        if not stem or row["reason"] == PROGRAM_ERROR or (stem in self._stems and stem not in self._of_stem):
            return row
        kept = stem in self._stems
        if not kept and row["reason"] == "kept":
            entry_id = str(row["pdb_id"])
            self._lost[entry_id] = self._lost.get(entry_id, 0) + 1
        value = self._of_stem.get(stem, self._of_entry.get(str(row["pdb_id"]), "unknown step"))
        return {
            **row,
            "kept": kept,
            "reason": PROGRAM_ERROR,
            "threshold": "",
            "value": value,
            "sentence": sentence(PROGRAM_ERROR),
        }

    def entry(self, row: Mapping[str, Value]) -> Row:
        """Return the row of Entry_Status of an entry as it is now."""
        entry_id = str(row["pdb_id"])
        lost = self._lost.get(entry_id, 0)
        if row["reason"] == PROGRAM_ERROR or not (lost or entry_id in self._whole):
            return row
        n_kept = int(row.get("instances_kept") or 0) - lost
        cells: dict[str, Value] = {"instances_kept": n_kept, "kept": n_kept > 0}
        if not n_kept or entry_id in self._whole:
            value = self._of_entry.get(entry_id, "unknown step")
            cells |= {"reason": PROGRAM_ERROR, "value": value, "sentence": sentence(PROGRAM_ERROR)}
        return {**row, **cells}
