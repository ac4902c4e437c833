import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.tethermap.sources.make import cif_text, pdb_text, write
from tests.tools.runs import ROOT
from tethermap.base.errors import UserError
from tethermap.sources import index_rows, text_index
from tethermap.sources.naming import structure_file
from tethermap.sources.own.sniff import StructureFile
from tethermap.sources.text_index import TextIndex


def _files(folder: Path) -> list[StructureFile]:
    found = [structure_file(str(path)) for path in sorted(folder.rglob("*.*"))]
    return [file for file in found if not isinstance(file, str)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    kinase = cif_text("1abc", title="Structure of an EGFR kinase", gene="EGFR", uniprot="P00533")
    write(tmp_path / "m" / "1abc.cif.gz", kinase)
    write(tmp_path / "m" / "2abc.cif.gz", cif_text("2abc", title="A ligase", description="Ligase", gene="LIG1"))
    write(tmp_path / "m" / "3abc.pdb.gz", pdb_text("3abc", "THE EGFR LIGASE COMPLEX"))
    return tmp_path / "m"


def _indexed(folder: Path) -> TextIndex:
    made = TextIndex(folder.with_name("index.sqlite"))
    made.refresh(_files(folder))
    return made


@pytest.fixture
def index(folder: Path) -> TextIndex:
    return _indexed(folder)


def _found(index: TextIndex, *terms: str, any_term: bool = False, accessions: tuple[str, ...] = ()) -> list[str]:
    return [entry_id for entry_id, _ in index.search(terms, accessions, any_term=any_term)]


@pytest.mark.parametrize(
    ("terms", "options", "found"),
    [
        (["EGFR"], {}, ["1abc", "3abc"]),
        (["egfr", "ligase"], {}, ["3abc"]),
        (["egfr", "ligase"], {"any_term": True}, ["1abc", "2abc", "3abc"]),
        (["egfr ligase"], {}, ["3abc"]),
        (["ligase egfr"], {}, []),
        (["kinases"], {}, ["1abc"]),
        ([], {"accessions": ("P00533",)}, ["1abc"]),
        (["ligase"], {"accessions": ("P00533",)}, []),
        *(([], {}, []), (["*"], {}, []), (["egfr", "*"], {"any_term": True}, ["1abc", "3abc"])),
    ],
)
def test_words_phrases_and_accessions_are_combined(
    terms: list[str], options: dict[str, Any], found: list[str], index: TextIndex
) -> None:
    assert sorted(_found(index, *terms, **options)) == found


def test_a_gene_outranks_a_mention(tmp_path: Path) -> None:
    write(tmp_path / "m" / "1abc.cif", cif_text("1abc", title="SRC inhibitor bound to another kinase", gene="ABL1"))
    write(tmp_path / "m" / "2abc.cif", cif_text("2abc", title="A kinase with its inhibitor bound", gene="SRC"))
    index = _indexed(tmp_path / "m")
    assert _found(index, "SRC") == ["2abc", "1abc"]


def test_only_changed_files_are_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    original = index_rows.read_row

    def counting(file: StructureFile) -> index_rows.IndexRow:
        read.append(file.entry_id)
        return original(file)

    monkeypatch.setattr(index_rows, "read_row", counting)
    index = _indexed(folder)
    assert read == ["1abc", "2abc", "3abc"]
    read.clear()
    index.refresh(_files(folder))
    assert read == []
    write(folder / "2abc.cif.gz", cif_text("2abc", title="A phosphatase", description="Phosphatase"))
    (folder / "3abc.pdb.gz").unlink()
    write(folder / "4abc.cif.gz", cif_text("4abc", title="A helicase"))
    index.refresh(_files(folder))
    assert read == ["2abc", "4abc"]
    assert index.entry_ids() == ["1abc", "2abc", "4abc"]
    assert [_found(index, word) for word in ("ligase", "phosphatase", "helicase")] == [[], ["2abc"], ["4abc"]]


def test_a_changed_file_of_equal_size_is_read_again(index: TextIndex, folder: Path) -> None:
    path = write(folder / "2abc.cif.gz", cif_text("2abc", title="A lipase", description="Ligase", gene="LIG1"))
    os.utime(path, ns=(1, 1))
    index.refresh(_files(folder))
    assert _found(index, "lipase") == ["2abc"]


def test_unreadable_files_are_listed_by_id(tmp_path: Path) -> None:
    write(tmp_path / "m" / "1abc.cif", b"<html>")
    (tmp_path / "m" / "2abc.cif.gz").write_bytes(b"\x1f\x8b\x08garbage")
    write(tmp_path / "m" / "3abc.pdb", b"")
    index = _indexed(tmp_path / "m")
    assert index.entry_ids() == ["1abc", "2abc", "3abc"]


@pytest.mark.parametrize("left", [b"", b"not a database at all", b"SQLite format 3\x00" + b"\x00" * 200])
def test_a_damaged_index_is_rebuilt(tmp_path: Path, folder: Path, left: bytes) -> None:
    for name in ("index.sqlite", "index.building"):
        (tmp_path / name).write_bytes(left)
    assert _indexed(folder).entry_ids() == ["1abc", "2abc", "3abc"]


def test_an_index_of_another_version_is_rebuilt(
    index: TextIndex, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr(text_index, "SCHEMA_VERSION", 99)
    assert not index.open()
    index.refresh(_files(folder))
    assert index.entry_ids() == ["1abc", "2abc", "3abc"]


def test_an_interrupted_build_continues_at_its_last_file(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index, "_BATCH", 1)
    insert = text_index._insert
    done: list[str] = []

    def failing(connection: sqlite3.Connection, key: tuple[str, str, int, int, int], row: index_rows.IndexRow) -> None:
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(key[0])
        insert(connection, key, row)

    monkeypatch.setattr(text_index, "_insert", failing)
    with pytest.raises(KeyboardInterrupt):
        _indexed(folder)
    assert not (tmp_path / "index.sqlite").exists()
    done.clear()
    assert _indexed(folder).entry_ids() == ["1abc", "2abc", "3abc"]
    assert done == ["3abc"]


def test_readers_continue_with_the_opened_index(index: TextIndex, folder: Path) -> None:
    write(folder / "4abc.cif.gz", cif_text("4abc"))
    assert _indexed(folder).entry_ids() == ["1abc", "2abc", "3abc", "4abc"]
    assert index.entry_ids() == ["1abc", "2abc", "3abc"]


def test_a_full_disk_is_one_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(text_index, "_insert", full)
    with pytest.raises(UserError, match="disk of the cache folder is full") as caught:
        _indexed(folder)
    assert caught.value.kind == "disk_full"


def test_a_cache_that_is_a_file_is_one_sentence(tmp_path: Path, folder: Path) -> None:
    write(tmp_path / "cache", "")
    with pytest.raises(UserError, match="set cache_dir to"):
        TextIndex(tmp_path / "cache" / "index.sqlite").refresh(_files(folder))


def test_an_index_damaged_while_in_use_is_one_sentence(index: TextIndex, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    whole = path.read_bytes()
    path.write_bytes(whole[:4096].ljust(len(whole), b"\xff"))
    assert index.open()
    with pytest.raises(UserError, match="remove the cache's folder 'mirrors'"):
        index.search(["egfr"], (), any_term=False)


@pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork:DeprecationWarning")  # the stand-in's thread
def test_several_processes_give_the_same_rows_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = []
    for number in range(120):
        path = write(tmp_path / f"1a{number:03d}.cif", cif_text("1abc", title=f"number {number}"))
        files.append(StructureFile(f"1a{number:03d}", str(path), is_mmcif=True))
    alone = list(index_rows.read_rows(files))
    monkeypatch.setattr(index_rows, "_MANY", 10)
    assert list(index_rows.read_rows(files)) == alone


_BUILD = """
import sys
from pathlib import Path
from tethermap.sources.mirror import MirrorSource
source = MirrorSource(Path(sys.argv[1]), Path(sys.argv[2])).open()
print(len(source.all_entries()))
"""


def test_two_jobs_may_build_one_index_at_once(tmp_path: Path) -> None:
    for number in range(60):
        write(tmp_path / "m" / f"1a{number:02d}.cif.gz", cif_text("1abc"))
    command = [sys.executable, "-c", _BUILD, str(tmp_path / "m"), str(tmp_path / "cache")]
    jobs = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [job.communicate()[0].strip() for job in jobs] == ["60"] * 2
    left = sorted(path.suffix for path in (tmp_path / "cache" / "mirrors").iterdir())
    assert left == [".lock", ".sqlite"]
