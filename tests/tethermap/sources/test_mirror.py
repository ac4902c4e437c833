import csv
import hashlib
import os
import re
from pathlib import Path

import pytest

from tests.tethermap.sources.make import cif_text, pdb_text, write
from tethermap.base import layout
from tethermap.sources.base import FetchError, KnownEntry, SourceError
from tethermap.sources.mirror import MirrorSource


def _open(folder: Path, tmp_path: Path, **options: str) -> MirrorSource:
    return MirrorSource(folder, tmp_path / "cache", **options).open()


def _text(source: MirrorSource, *terms: str) -> set[str]:
    return {entry_id for entry_id, _ in source.text_search(terms, (), any_term=False)}


def test_layouts_may_be_mixed(tmp_path: Path) -> None:
    m = tmp_path / "m"
    write(m / "1abc.cif", cif_text("1abc"))
    write(m / "ab" / "2abc.cif.gz", cif_text("2abc"))
    write(m / "pdb" / "ab" / "pdb3abc.ent.gz", pdb_text("3abc"))
    write(m / "4ABC.pdb", pdb_text("4abc"))
    write(m / "deep" / "er" / "pdb_00005abc.cif.gz", cif_text("5abc"))
    assert _open(m, tmp_path).all_entries() == ["1abc", "2abc", "3abc", "4abc", "5abc"]


def test_mmcif_is_preferred_to_pdb(tmp_path: Path) -> None:
    write(tmp_path / "m" / "1abc.pdb", pdb_text("1abc"))
    write(tmp_path / "m" / "divided" / "ab" / "1abc.cif.gz", cif_text("1abc"))
    fetched = _open(tmp_path / "m", tmp_path).fetch("1abc")
    assert (fetched.format, fetched.path.name) == ("mmcif", "1abc.cif.gz")


@pytest.mark.parametrize(("options", "label"), [({}, "my pdb"), ({"label": "in house"}, "in house")])
def test_a_file_is_used_in_place_and_described(tmp_path: Path, options: dict[str, str], label: str) -> None:
    path = write(tmp_path / "my pdb" / "1abc.cif.gz", cif_text("1abc"))
    source = _open(tmp_path / "my pdb", tmp_path, **options)
    fetched = source.fetch("1abc")
    assert (source.label, fetched.source, fetched.path) == (label, f"mirror:{label}", path)
    assert (fetched.sha256, fetched.revision) == (
        hashlib.sha256(cif_text("1abc").encode()).hexdigest(), "1.1 2024-02-07",
    )  # fmt: skip


def test_skipped_files_are_reported(tmp_path: Path) -> None:
    write(tmp_path / "m" / "1abc.cif", cif_text("1abc"))
    write(tmp_path / "m" / "pdb2abc.ent.Z", b"\x1f\x9d")
    write(tmp_path / "m" / "README.md", "")
    (note,) = _open(tmp_path / "m", tmp_path).notes
    assert re.match(r"1 file\(s\) .*\.Z", note)


def test_links_to_folders_are_followed_once_and_hidden_ones_and_jobs_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "real" / "ab" / "1abc.cif", cif_text("1abc"))
    write(tmp_path / "real" / "job" / layout.SETTINGS, "{}")
    write(tmp_path / "real" / "job" / "2abc.cif", cif_text("2abc"))
    write(tmp_path / "real" / ".hidden" / "3abc.cif", cif_text("3abc"))
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "all").symlink_to(tmp_path / "real")
    (tmp_path / "m" / "again").symlink_to(tmp_path / "m")
    assert _open(tmp_path / "m", tmp_path).all_entries() == ["1abc"]


def test_results_of_a_job_in_the_folder_of_its_files_are_left_out(tmp_path: Path) -> None:
    write(tmp_path / "model.cif", cif_text("1abc"))
    write(tmp_path / "logs" / "older.cif", cif_text("2abc"))
    assert len(list(layout.walk(tmp_path))) == 2
    for path in (layout.SETTINGS, layout.MANIFEST, f"{layout.WAR_PDB}/{layout.MANIFEST}", "search/structure.cif"):
        write(tmp_path / path, "{}")
    write(tmp_path / "kept" / "search" / "other.cif", cif_text("3abc"))
    assert list(layout.walk(tmp_path)) == [str(tmp_path / name) for name in ("model.cif", "kept/search/other.cif")]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda _: None, "does not exist"),
        (lambda path: path.write_text(""), "is a file"),
        (lambda path: path.mkdir(), "no structure file"),
        (lambda path: write(path / "pdb1abc.ent.Z", b"x"), "compress"),
    ],
)
def test_a_place_without_structures_is_one_sentence(tmp_path: Path, make: object, words: str) -> None:
    make(tmp_path / "nowhere")  # type: ignore[operator]
    with pytest.raises(SourceError, match=words) as caught:
        _open(tmp_path / "nowhere", tmp_path)
    assert re.fullmatch(r"source\.mirror.*nowhere.*", caught.value.message)
    assert caught.value.kind == "input"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_may_not_be_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir(mode=0)
    with pytest.raises(SourceError, match="can't be read"):
        _open(tmp_path / "m", tmp_path)


def test_files_that_cannot_be_used_have_their_reasons(tmp_path: Path) -> None:
    write(tmp_path / "m" / "1abc.cif", b"<html></html>")
    gone = write(tmp_path / "m" / "2abc.cif", cif_text("2abc"))
    source = _open(tmp_path / "m", tmp_path)
    gone.unlink()
    for name, reason in (("1abc", "file_not_structure"), ("2abc", "not_found"), ("../x", "not_found")):
        with pytest.raises(FetchError, match=f"^{reason}"):
            source.fetch(name)


_OBSOLETE = "pdb_id,obsoleted_date,replaced_by\n1old,2000-01-01,1new 2new\n2old,2000-01-01,9xyz\n1gon,2000-01-01,\n"


@pytest.fixture
def withdrawn(tmp_path: Path) -> MirrorSource:
    m = tmp_path / "m"
    write(m / "2new.cif", cif_text("2new"))
    write(m / "1gon.cif", cif_text("1gon"))
    write(tmp_path / "obsolete.csv", _OBSOLETE)
    return _open(m, tmp_path)


def test_successor_replaces_an_absent_withdrawn_entry_and_an_existing_one_is_flagged(withdrawn: MirrorSource) -> None:
    assert withdrawn.resolve(["1old"]) == {"1old": KnownEntry("2new", ("2new",))}
    for entry_id, facts in {"1old": ("2new", False, ("2new",)), "1gon": ("1gon", True, ())}.items():
        fetched = withdrawn.fetch(entry_id)
        assert (fetched.entry_id, fetched.withdrawn, fetched.successors) == facts


def test_a_withdrawn_entry_without_successor_has_its_reason(withdrawn: MirrorSource) -> None:
    assert withdrawn.resolve(["2old"])["2old"].entry_id == ""
    with pytest.raises(FetchError) as caught:
        withdrawn.fetch("2old")
    assert (caught.value.reason, caught.value.successor) == ("withdrawn", "9xyz")


def test_an_index_is_used_unchanged_on_request(tmp_path: Path) -> None:
    write(tmp_path / "m" / "1abc.cif", cif_text("1abc"))
    _open(tmp_path / "m", tmp_path).close()
    write(tmp_path / "m" / "2abc.cif", cif_text("2abc"))
    source = MirrorSource(tmp_path / "m", tmp_path / "cache")
    assert source.open(refresh=False).all_entries() == ["1abc"]
    assert source.open().all_entries() == ["1abc", "2abc"]


# The archive that Tethermap includes.


def test_the_archive_has_five_entries_with_their_checksums(archive: Path, tmp_path: Path) -> None:
    source = _open(archive, tmp_path, kind="archive", label="archive")
    sums = dict(line.split()[::-1] for line in (archive / "SHA256SUMS").read_text().splitlines())
    assert source.all_entries() == ["1a8o", "1gbt", "1hpv", "4cup", "4zhl"]
    for entry_id in source.all_entries():
        fetched = source.fetch(entry_id)
        assert fetched.sha256 == sums[fetched.path.name.removesuffix(".gz")]
        assert fetched.source == "archive"


# The large mirror.


@pytest.fixture(scope="module")
def large(mirror: Path, tmp_path_factory: pytest.TempPathFactory) -> MirrorSource:
    return MirrorSource(mirror, tmp_path_factory.mktemp("cache")).open()


def _target_set(mirror: Path, name: str) -> set[str]:
    with (mirror.parent / "manifest.csv").open(newline="") as stream:
        return {row["pdb_id"] for row in csv.DictReader(stream) if row["target_set"] == name}


def test_all_entries_of_the_mirror_are_indexed(large: MirrorSource) -> None:
    assert len(large.all_entries()) == 397
    summaries = large.summaries(large.all_entries())
    assert all(summary.title and summary.methods and summary.size for summary in summaries.values())


def test_words_and_accessions_find_the_entries_of_a_target(large: MirrorSource, mirror: Path) -> None:
    hits = large.text_search((), ("P00533",), any_term=False)
    assert _text(large, "EGFR") == {entry_id for entry_id, _ in hits} == _target_set(mirror, "egfr")
    assert _text(large, "HIV", "protease") == _target_set(mirror, "hiv_protease")
    found, wanted = _text(large, "SARS-CoV-2", "main", "protease"), _target_set(mirror, "mpro_sars2")
    assert wanted - found == {"7c8r", "7c8u"}  # "3CL protease", "COVID-19"
    assert found - wanted == {"7aol", "5rfr"}  # main protease too, in other sets


def test_the_list_next_to_the_mirror_names_successors(large: MirrorSource) -> None:
    assert large.resolve(["1hhb"]) == {"1hhb": KnownEntry("2hhb", ("2hhb", "4hhb"))}
