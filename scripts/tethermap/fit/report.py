"""Read the fit and geometry of a wwPDB validation report, mmCIF or XML.

Both forms describe the same run of the validation, but the two files of an entry often have different dates. Only the
first model is read. Values are converted on request: an entry has a thousand residues for one
ligand.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from string import ascii_uppercase, digits
from typing import Any
from xml.etree import ElementTree

import gemmi

from tethermap.base import packed
from tethermap.fit.limits import limit
from tethermap.fit.model import NO_ENTRY_FIT, UNKNOWN, EntryFit, ResidueFit, fit_values

Place = tuple[str, ...]
"""Author chain, author number and insertion code."""

Read = Callable[[str], str | None]
"""Returns a value by its name, None if there is none."""

_VRPT = "_pdbx_vrpt_"
_OF_INSTANCE = ("model_instance_geometry", "model_instance_density", "model_instance_map_fitting")
_PLACE = ("auth_asym_id", "auth_seq_id", "PDB_ins_code", "label_comp_id", "label_alt_id")
_LABELS = ("", *ascii_uppercase, *digits)


class ReportError(Exception):
    """A file that is not a complete validation report of the entry; the message gives the reason."""


@dataclass(frozen=True)
class Report:
    """A report of one entry.

    Parameters
    ----------
    entry : EntryFit
        Fit of the entry.
    outliers : frozenset of Place
        Residues whose RSRZ is above the limit of `tethermap.fit.limits`.
    residues : mapping
        A key for each residue to pass to `read`, by place, component and conformer.
    read : callable
        Converts such a key into values.
    """

    entry: EntryFit
    outliers: frozenset[Place]
    residues: Mapping[tuple[str, ...], int]
    read: Callable[[int], ResidueFit]

    def fit(self, place: Place, comp_id: str, altloc: str | None) -> ResidueFit:
        """Return the fit of a residue in a conformer, or in the one without a label.

        Parameters
        ----------
        place, comp_id : Place, str
            The residue.
        altloc : str or None
            Label of the conformer; None for the first one.
        """
        labels = _LABELS if altloc is None else (altloc, "")
        keys = (self.residues.get((*place, comp_id, label)) for label in labels)
        return next((self.read(key) for key in keys if key is not None), UNKNOWN)


EMPTY = Report(NO_ENTRY_FIT, frozenset(), {}, lambda _: UNKNOWN)
"""Report of an entry that has none."""


def read_report(path: Path, entry_id: str) -> Report:
    """Read a report, gzipped or not.

    Raises
    ------
    ReportError
        If it is damaged, no validation report, or of another entry.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ReportError(error.strerror or "it can't be read") from error
    data = unpacked(data)
    try:
        return _read_xml(data, entry_id) if _is_xml(data) else _read_cif(data, entry_id)
    except (ElementTree.ParseError, ValueError, RuntimeError, LookupError) as error:
        raise ReportError(" ".join(str(error).split())[:200]) from error


def check_report(data: bytes) -> str:
    """Return the fault of the bytes of a report, without reading all of it; empty if it is valid."""
    try:
        data = unpacked(data)
    except ReportError as error:
        return str(error)
    start, end = data[:4000], data.rstrip()[-60:]
    if _is_xml(data):
        return "" if end.endswith(b"</wwPDB-validation-information>") else "the XML file stops in the middle"
    if not start.lstrip().startswith(b"data_") or _VRPT.encode() not in start:
        return f"not a validation report, it begins with {' '.join(start[:40].decode('utf-8', 'replace').split())!r}"
    return "" if end.endswith(b"#") else "the mmCIF file stops in the middle"


def unpacked(data: bytes) -> bytes:
    """Return the content of a file, gzipped or not.

    Raises
    ------
    ReportError
        If a gzip is cut off or damaged, or nothing is in it.
    """
    try:
        data = packed.unpacked(data)
    except packed.DamagedGzip as error:
        raise ReportError(f"gzip: {error}") from error
    if not data.strip():
        raise ReportError("the file is empty")
    return data


def _is_xml(data: bytes) -> bool:
    return b"<wwPDB-validation-information" in data[:1000]


def _read_cif(data: bytes, entry_id: str) -> Report:
    block = gemmi.cif.read_string(data).sole_block()
    _check_entry(_first(block, "summary.entry_id"), entry_id)
    instances = _columns(block, "model_instance")
    ids = list(instances["id"])
    tables = [_columns(block, name) for name in _OF_INSTANCE]
    steps = _first(block, "summary.attempted_validation_steps") or ""
    rows: list[dict[str, int]] = []

    def read(key: int) -> ResidueFit:
        if not rows:
            rows.extend(dict(zip(table.get("instance_id", ()), count(), strict=False)) for table in tables)
        values: dict[str, str | None] = {}
        for table, row_of in zip(tables, rows, strict=True):
            if (row := row_of.get(ids[key])) is not None:
                values |= {name: _value(column[row]) for name, column in table.items()}
        clashes = _whole(_value(instances["count_clashes"][key])) if "count_clashes" in instances else None
        if clashes is None and "molprobity" in steps:
            clashes = 0
        of = ("residue", "mogul") if values.get("program_for_bond_angle_geometry") == "mogul" else ("residue",)
        return ResidueFit(**_read(values.get, "mmcif", *of), n_clashes=clashes)

    places = list(zip(*(_texts(instances.get(name), len(ids)) for name in _PLACE), strict=True))
    score_of = dict(zip(tables[1].get("instance_id", ()), tables[1].get("RSRZ", ()), strict=False))
    values = _read(partial(_first, block), "mmcif", "entry")
    return _report(values, _first(block, "summary.report_creation_date"), places, map(score_of.get, ids), read)


def _read_xml(data: bytes, entry_id: str) -> Report:
    root = ElementTree.fromstring(data)  # noqa: S314 - expat refuses entity bombs, and there are no external entities
    entry = root.find("Entry")
    if entry is None:
        raise ReportError("it has no Entry")
    _check_entry(entry.get("pdbid"), entry_id)
    groups = root.findall("ModelledSubgroup")
    steps = entry.get("attemptedValidationSteps", "")

    def read(key: int) -> ResidueFit:
        group = groups[key]
        clashes = len(group.findall("clash"))
        n_clashes = clashes if clashes or "molprobity" in steps else None
        return ResidueFit(**_read(group.get, "xml", "residue", "mogul"), n_clashes=n_clashes)

    names = ("chain", "resnum", "icode", "resname", "altcode")
    places = [tuple(group.get(name, "").strip() for name in names) for group in groups]
    scores = (group.get("rsrz") for group in groups)
    return _report(_read(entry.get, "xml", "entry"), entry.get("XMLcreationDate"), places, scores, read)


def _report(
    values: Mapping[str, Any],
    created: str | None,
    places: Sequence[tuple[str, ...]],
    scores: Iterable[str | None],
    read: Callable[[int], ResidueFit],
) -> Report:
    """Return a report; of several models the residues are those of the first."""
    highest, scored = limit("rsrz_outlier"), zip(places, scores, strict=True)
    outliers = frozenset(place[:3] for place, score in scored if (_number(score) or 0.0) > highest)
    rows = dict(zip(reversed(places), range(len(places) - 1, -1, -1), strict=True))
    return Report(EntryFit(**values, created=" ".join((created or "").split())), outliers, rows, read)


def _columns(block: gemmi.cif.Block, category: str) -> dict[str, gemmi.cif.Column]:
    table = block.find_mmcif_category(f"{_VRPT}{category}.")
    prefix = len(_VRPT) + len(category) + 1
    return {tag[prefix:]: table.column(k) for k, tag in enumerate(table.tags)} if table.width() else {}


def _first(block: gemmi.cif.Block, name: str) -> str | None:
    """Return the first value of an item; entries solved by two methods have several."""
    return next((value for item in block.find_values(_VRPT + name) if (value := _value(item)) is not None), None)


def _texts(column: gemmi.cif.Column | None, length: int) -> list[str]:
    """Return the values of a column, empty if not given."""
    if column is None:
        return [""] * length
    raw = list(column)
    plain = {item: _value(item) or "" for item in set(raw)}
    return [plain[item] for item in raw]


def _read(get: Read, form: str, *of: str) -> dict[str, Any]:
    """Return values by their names; `form` is ``mmcif`` or ``xml``."""
    read = {"integer": _whole, "number": _number}
    return {value.name: read[value.kind](get(getattr(value, form))) for value in fit_values(*of)}


def _check_entry(given: str | None, entry_id: str) -> None:
    """Refuse the report of another entry; only PDB ids are compared, a user's own file has any name."""
    name = (given or "").lower()
    if len(entry_id) == 4 and entry_id[0].isdigit() and name[-4:] != entry_id:
        raise ReportError(f"it is the report of {name or 'no entry'}")


def _value(item: str | None) -> str | None:
    """Return a value of an mmCIF file; None for one that is not given."""
    if item is None or item in ("?", "."):
        return None
    return gemmi.cif.as_string(item) if item[0] in "'\";" else item


def _number(text: str | None) -> float | None:
    """Return a number; None for text such as ``NotAvailable``."""
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is None or abs(value) < float("inf") else None


def _whole(text: str | None) -> int | None:
    return None if (value := _number(text)) is None else int(value)
