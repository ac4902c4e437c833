import bz2
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.standin import StandIn
from tests.tethermap.fit.make import report_cif, report_xml
from tests.tethermap.sources.make import FAULTS_OF_FILES, cif_text, settings, write
from tethermap.fit.file import ReportFile
from tethermap.sources.base import Fetched, SourceError
from tethermap.sources.choose import Reports, open_reports, open_source
from tethermap.sources.rcsb import RcsbSource
from tethermap.steps.download_entries import structure_row


def fetched(entry_id: str, path: Path = Path("x.cif")) -> Fetched:
    return Fetched(entry_id, "mmcif", "", path=path)


@pytest.fixture
def reports(standin: StandIn, tmp_path: Path) -> Iterator[Reports]:
    assert standin.seen == []
    with closing(RcsbSource(tmp_path / "cache")) as source:
        yield open_reports({"kind": "rcsb"}, str(tmp_path / "cache"), source)


def _of_folder(cache: Path, chosen: dict[str, Any], entry_id: str) -> tuple[Fetched, ReportFile]:
    """Return the file of an entry that a job finds, and its report."""
    config = settings(cache, chosen)
    with closing(open_source(config["source"], config["cache_dir"])) as source:
        structure = source.fetch(entry_id)
        return structure, open_reports(config["source"], config["cache_dir"], source)(structure)


def _of_service(tmp_path: Path, entry_id: str) -> ReportFile:
    """Return a report as a later job gets it."""
    with closing(RcsbSource(tmp_path / "cache")) as source:
        return open_reports({"kind": "rcsb"}, str(tmp_path / "cache"), source)(fetched(entry_id))


def test_report_is_fetched_once_for_all_jobs(reports: Reports, standin: StandIn, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(reports, [fetched("1abc")] * 4))
    assert {one.status for one in (*found, _of_service(tmp_path, "1abc"))} == {"found"}
    assert found[0].path == tmp_path / "cache/reports/ab/1abc_validation.cif.gz"
    assert found[0].source == "rcsb"
    assert standin.count("reports") == 1


def test_xml_is_used_without_an_mmcif_report(reports: Reports, standin: StandIn) -> None:
    path = reports(fetched("3abc")).path
    assert path is not None
    assert path.name == "3abc_validation.xml.gz"
    assert standin.count("reports", "3abc") == 3  # mmCIF at both addresses


def test_report_missing_from_the_archive_is_downloaded_from_the_files_server(
    reports: Reports, standin: StandIn
) -> None:  # fmt: skip
    standin.reports_moved = True
    assert [reports(fetched(name)).status for name in ("1abc", "3abc", "4abc")] == ["found", "found", "none"]


def test_missing_report_is_recorded_and_not_requested_again(
    reports: Reports, standin: StandIn, tmp_path: Path
) -> None:  # fmt: skip
    assert reports(fetched("4abc")).status == _of_service(tmp_path, "4abc").status == "none"
    assert standin.count("reports") == 4  # two formats at two addresses


@pytest.mark.parametrize("fault", [*FAULTS_OF_FILES, {"kind": "slow", "seconds": 0.01}], ids=str)
def test_fault_of_the_service_is_retried_and_then_recorded(
    reports: Reports, standin: StandIn, fault: dict[str, Any], tmp_path: Path
) -> None:
    standin.fault("reports", **fault, entry="1abc", times=2)
    assert reports(fetched("1abc")).status == "found"
    standin.fault("reports", **fault, entry="2abc")
    found = reports(fetched("2abc"))
    assert (found.status == "found") == (fault["kind"] == "slow")
    assert found.status != "none"
    standin.faults.clear()
    assert _of_service(tmp_path, "2abc").status == "found"


def test_damaged_report_of_the_cache_is_downloaded_again(reports: Reports, standin: StandIn) -> None:
    path = reports(fetched("1abc")).path
    assert path is not None
    path.write_bytes(path.read_bytes()[:-30])
    assert reports(fetched("1abc")).path == path
    assert standin.count("reports") == 2


def test_absent_service_is_not_requested_for_every_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TETHERMAP_RCSB_FILES_URL", "http://127.0.0.1:9/download")
    monkeypatch.setenv("TETHERMAP_HTTP_ATTEMPTS", "1")
    with closing(RcsbSource(tmp_path)) as source:
        reports = open_reports({"kind": "rcsb"}, str(tmp_path), source)
        status = [reports(fetched(f"{number}abc")).status for number in range(1, 6)]
    assert all("no connection" in one for one in status[:3])
    assert set(status[3:]) == {"not requested: the service did not answer for others"}


@pytest.mark.parametrize(
    "place", ["ab/1abc/1abc_validation.cif.gz", "ab/1abc_validation.xml.gz", "1abc_validation.cif"]
)
@pytest.mark.parametrize("beside", [".", "../..", None])
def test_mirror_has_reports_in_the_archives_layout_or_in_a_separate_folder(
    tmp_path: Path, place: str, beside: str | None
) -> None:
    mirror = tmp_path / "pdb/data/structures"
    write(mirror / "ab/1abc.cif.gz", cif_text("1abc"))
    folder = (tmp_path / "elsewhere" if beside is None else mirror / beside / "validation_reports").resolve()
    write(folder / place, report_xml("1abc") if "xml" in place else report_cif("1abc"))
    chosen = {"kind": "mirror", "mirror": str(mirror), **({"validation": str(folder)} if beside is None else {})}
    _, found = _of_folder(tmp_path / "cache", chosen, "1abc")
    assert (found.status, found.source) == ("found", "folder" if beside is None else "mirror")
    assert found.path is not None
    assert found.path.resolve() == folder / place


@pytest.mark.parametrize("validation", ["auto", ".", "entries"])
def test_mirror_in_the_layout_of_2026_has_structures_and_reports(tmp_path: Path, validation: str) -> None:
    """Names as of the archive in August 2026: ``entries/06/pdb_0000306d/structures`` and so on."""
    entry = tmp_path / "data/entries/ab/pdb_00001abc"
    write(entry / "structures/pdb_00001abc.cif.gz", cif_text("1abc"))
    write(entry / "structures/pdb_00001abc-noatom.xml.gz", "<x/>")
    write(entry / "assemblies/pdb_00001abc-assembly1.cif.gz", cif_text("1abc"))
    write(entry / "validation_reports/pdb_00001abc_validation.cif.gz", report_cif("1abc"))
    folder = "auto" if validation == "auto" else str(tmp_path / "data" / validation)
    chosen = {"kind": "mirror", "mirror": str(tmp_path / "data"), "validation": folder}
    structure, found = _of_folder(tmp_path / "cache", chosen, "1abc")
    assert structure.path == entry / "structures/pdb_00001abc.cif.gz"
    assert (found.status, found.path) == ("found", entry / "validation_reports/pdb_00001abc_validation.cif.gz")


def test_users_own_model_has_its_report_next_to_it(tmp_path: Path) -> None:
    write(tmp_path / "own/My model.cif", cif_text("1abc"))
    write(tmp_path / "own/other.cif", cif_text("2abc"))
    write(tmp_path / "own/My model_validation.cif.gz", report_cif("1abc"))
    (tmp_path / "own/other_validation.cif.bz2").write_bytes(bz2.compress(report_cif("2abc").encode()))
    write(tmp_path / "own/third.cif", cif_text("3abc"))
    chosen = {"kind": "files", "files": str(tmp_path / "own")}
    found = [_of_folder(tmp_path / "cache", chosen, name)[1].status for name in ("my-model", "other", "third")]
    assert found == ["found", "found", "none"]


def test_archive_has_no_reports_and_off_requests_none(tmp_path: Path) -> None:
    for chosen, status in (({}, "none"), ({"validation": "off"}, "off"), ({"validation": False}, "off")):
        assert _of_folder(tmp_path, {"kind": "archive", **chosen}, "1hpv")[1].status == status


def test_missing_folder_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        _of_folder(tmp_path, {"kind": "archive", "validation": str(tmp_path / "nowhere")}, "1hpv")


def test_damaged_report_of_a_folder_has_a_reason(tmp_path: Path) -> None:
    write(tmp_path / "own/model.cif", cif_text("1abc"))
    write(tmp_path / "own/model_validation.cif", report_cif("1abc")[:300])
    _, found = _of_folder(tmp_path / "cache", {"kind": "files", "files": str(tmp_path / "own/model.cif")}, "model")
    assert (found.path, found.status) == (None, "the mmCIF file stops in the middle")


def test_model_of_pdb_redo_is_noted_and_has_no_report_of_the_deposited_one(tmp_path: Path) -> None:
    mirror = tmp_path / "redo"
    write(mirror / "ab/1abc/1abc_final.cif", cif_text("1abc"))
    write(mirror / "ab/2abc.cif", cif_text("2abc"))
    for name in ("1abc", "2abc"):
        write(mirror / f"validation_reports/ab/{name}/{name}_validation.cif.gz", report_cif(name))
    chosen = {"kind": "mirror", "mirror": str(mirror), "label": "redo"}
    found = [_of_folder(tmp_path / "cache", chosen, name) for name in ("1abc", "2abc")]
    assert [one.source for one, _ in found] == ["pdb_redo:redo", "mirror:redo"]
    assert ["PDB-REDO" in report.status for _, report in found] == [True, False]
    names = {"requested_id": "", "successor": ""}
    rows = [structure_row({"pdb_id": one.entry_id, **names}, one, set()) for one, _ in found]
    assert [row["flags"] for row in rows] == ["pdb_redo", ""]
