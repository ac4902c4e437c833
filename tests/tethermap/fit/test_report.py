import gzip
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from gemmi import cif

from tests.tethermap.fit.make import report_cif, report_xml
from tethermap.fit.model import UNKNOWN, EntryFit, ResidueFit
from tethermap.fit.report import ReportError, check_report, read_report

Attributes = dict[str, str]
FORMS: dict[str, Callable[[str], str]] = {"cif": report_cif, "xml": report_xml}


@pytest.mark.parametrize("form", FORMS)
def test_both_forms_have_the_same_values(tmp_path: Path, form: str) -> None:
    path = tmp_path / "1abc_validation"
    path.write_text(FORMS[form]("1abc"))
    report = read_report(path, "1abc")
    poor = ResidueFit(rscc=0.528, rsr=0.686, n_atoms=8, n_clashes=3)
    good = ResidueFit(rscc=0.912, rsr=0.12, n_atoms=8, n_clashes=0)
    place = ("A", "100", "")
    assert [report.fit(place, "LIG", label) for label in ("A", "B", None)] == [poor, good, poor]
    assert report.fit(place, "LIG", "") == UNKNOWN
    assert report.fit(("A", "101", "A"), "ZZZ", "C") == ResidueFit(n_clashes=0)
    assert not report.fit(("A", "101", "A"), "ZZZ", "").assessed
    assert report.outliers == {("A", "1", "")}
    assert (report.entry.r_free, report.entry.clashscore) == (0.23, 5.03)
    assert report.entry.percent_rsrz_outliers is None


def test_missing_value_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_text(report_xml("1abc", "NotAvailable"))
    assert read_report(path, "1abc").entry == EntryFit(clashscore=5.03, created="Aug 9, 2020 -- 04:27 PM BST")


@pytest.mark.parametrize(
    "damage",
    [
        lambda _: b"",
        lambda data: data[: len(data) // 2],
        lambda data: gzip.compress(data)[:-20],
        lambda _: b"<!DOCTYPE html><html><body>Back soon.</body></html>",
        lambda _: b"data_1ABC\n#\n_entry.id 1ABC\n#\n",
    ],
)
@pytest.mark.parametrize("form", FORMS)
def test_damaged_report_is_detected_without_reading_it(form: str, damage: Callable[[bytes], bytes]) -> None:
    data = FORMS[form]("1abc").encode()
    assert check_report(data) == check_report(gzip.compress(data)) == ""
    assert check_report(damage(data))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("text", ["", "data_x\n#\n", "<wwPDB-validation-information>", "of another entry"])
def test_file_that_is_not_a_report_of_the_entry_is_refused(tmp_path: Path, form: str, text: str) -> None:
    path = tmp_path / "report"
    path.write_text(FORMS[form]("2abc") if text == "of another entry" else text)
    with pytest.raises(ReportError):
        read_report(path, "1abc")


# Real reports, with all their values read by other means.


def _of_xml(text: str) -> Iterator[tuple[Attributes, int]]:
    """Yield the attributes of each residue of the first model, and how many clashes are listed with it."""
    for piece in text.split("<ModelledSubgroup ")[1:]:
        attributes = dict(re.findall(r'([\w-]+)="([^"]*)"', piece[: piece.index(">")]))
        if attributes["model"] == "1":
            yield attributes, piece.count("<clash ")


def _of_cif(text: str) -> Iterator[tuple[Attributes, int]]:
    """Yield the same from an mmCIF report, under the names that the XML has."""
    block = cif.read_string(text).sole_block()

    def rows(category: str) -> list[Attributes]:
        table = block.get_mmcif_category(f"_pdbx_vrpt_{category}.")
        columns = [[value or "" for value in column] for column in table.values()]
        return [dict(zip(table, row, strict=True)) for row in zip(*columns, strict=True)]

    numbers = Counter(row["instance_id"] for row in rows("instance_clashes"))
    named = {"chain": "auth_asym_id", "resnum": "auth_seq_id", "icode": "PDB_ins_code", "resname": "label_comp_id",
             "altcode": "label_alt_id"}  # fmt: skip
    values = {"rscc": "RSRCC", "rsr": "RSR", "rsrz": "RSRZ", "NatomsEDS": "natoms_eds", "avgoccu": "average_occupancy",
              **{name: name for name in ("Q_score", "residue_inclusion", "EDIAm", "OPIA")}}  # fmt: skip
    mogul = {"mogul_bonds_rmsz": "bonds_RMSZ", "mogul_angles_rmsz": "angles_RMSZ",
             "mogul_rmsz_numbonds": "num_bonds_RMSZ", "mogul_rmsz_numangles": "num_angles_RMSZ"}  # fmt: skip
    by_id: dict[str, Attributes] = {}
    for row in (one for name in ("geometry", "density", "map_fitting") for one in rows(f"model_instance_{name}")):
        by_id.setdefault(row["instance_id"], {}).update(row)
    for row in rows("model_instance"):
        if row["PDB_model_num"] == "1":
            found = by_id.get(row["id"], {})
            wanted = {**values, **(mogul if found.get("program_for_bond_angle_geometry") == "mogul" else {})}
            told = {key: found[name] for key, name in wanted.items() if found.get(name)}
            yield {**{key: row.get(name, "") for key, name in named.items()}, **told}, numbers[row["id"]]


_NAMES = {
    "rscc": "rscc", "rsr": "rsr", "rsrz": "rsrz", "n_atoms": "NatomsEDS", "mean_occupancy": "avgoccu",
    "bonds_rmsz": "mogul_bonds_rmsz", "angles_rmsz": "mogul_angles_rmsz", "n_bonds": "mogul_rmsz_numbonds",
    "n_angles": "mogul_rmsz_numangles", "q_score": "Q_score", "residue_inclusion": "residue_inclusion",
    "edia_m": "EDIAm", "opia": "OPIA",
}  # fmt: skip


def _expected(attributes: Attributes, clashes: int) -> ResidueFit:
    values = {name: float(attributes[key]) for name, key in _NAMES.items() if key in attributes}
    return ResidueFit(**values, n_clashes=clashes)  # type: ignore[arg-type]


@pytest.mark.parametrize(("form", "read"), [("cif", _of_cif), ("xml", _of_xml)])
def test_every_residue_of_real_reports_has_the_values_of_the_file(
    validation_reports: Path, form: str, read: Callable[[str], Iterator[tuple[Attributes, int]]]
) -> None:
    paths = sorted(validation_reports.glob(f"*/*/*_validation.{form}.gz"))
    assert len(paths) >= 18
    compared = assessed = 0
    for path in paths:
        report = read_report(path, path.name[:4])
        seen = set()
        for attributes, clashes in read(gzip.decompress(path.read_bytes()).decode()):
            names = [attributes[name].strip() for name in ("chain", "resnum", "icode", "resname", "altcode")]
            *place, comp_id, label = names
            if comp_id == "HOH" or tuple(names) in seen:
                continue
            seen.add(tuple(names))
            found = report.fit(tuple(place), comp_id, label)
            assert found == _expected(attributes, clashes), (path.name, names)
            compared += 1
            assessed += found.assessed
    assert compared > 10_000
    assert 0 < assessed < compared


@pytest.mark.parametrize("entry_id", ["1ah1", "1bmv", "1kqe", "3iyd", "6fsz", "6rku"])
def test_entries_without_density_have_no_rscc_and_no_poor_fit(validation_reports: Path, entry_id: str) -> None:
    report = read_report(validation_reports / entry_id[1:3] / entry_id / f"{entry_id}_validation.cif.gz", entry_id)
    fits = [report.read(key) for key in report.residues.values()]
    assert fits
    assert not any(fit.assessed for fit in fits)
    assert not report.outliers
    if entry_id in ("3iyd", "6fsz", "6rku"):
        assert any(fit.q_score is not None for fit in fits)
        assert report.entry.q_score is not None


def test_reading_is_cheap(validation_reports: Path) -> None:
    """Less than 4.5 times the time for unpacking and splitting the same text into words on the same machine."""
    paths = sorted(validation_reports.glob("*/*/*_validation.cif.gz"))[::3]

    def best(read: Callable[[Path], object]) -> float:
        times = []
        for _ in range(3):
            begin = time.process_time()
            for path in paths:
                read(path)
            times.append(time.process_time() - begin)
        return min(times)

    split = best(lambda path: gzip.decompress(path.read_bytes()).split())
    assert best(lambda path: read_report(path, path.name[:4])) < 4.5 * split
