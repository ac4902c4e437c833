import os
from pathlib import Path

import pytest

from tests.tethermap.sources.make import cif_text, pdb_text, write
from tethermap.sources.base import SourceError
from tethermap.sources.files import FilesSource


def test_a_folder_with_any_names_is_listed(tmp_path: Path) -> None:
    m = tmp_path / "m"
    write(m / "My Model_3.pdb", pdb_text("XXXX"))
    write(m / "sub" / "pose.cif.gz", cif_text("pose"))
    write(m / "1abc.cif", cif_text("1abc"))
    write(m / "notes.txt", "")
    source = FilesSource([m], tmp_path / "cache").open()
    assert source.all_entries() == ["1abc", "my-model-3", "pose"]
    assert source.notes == ["notes.txt was not used: not a structure file."]


def test_files_and_folders_may_be_mixed_and_given_twice(tmp_path: Path) -> None:
    one = write(tmp_path / "a" / "x.pdb", pdb_text("XXXX"))
    write(tmp_path / "b" / "x.pdb", pdb_text("XXXX"))
    source = FilesSource([one, tmp_path / "b", one], tmp_path / "cache").open()
    assert source.all_entries() == ["a-x", "b-x"]
    assert source.fetch("a-x").path == one
    assert source.fetch("b-x").path == tmp_path / "b" / "x.pdb"


def test_file_is_used_in_place_and_found_by_its_name(tmp_path: Path) -> None:
    path = write(tmp_path / "compound_17_soak.pdb", pdb_text("XXXX"))
    source = FilesSource([path], tmp_path / "cache").open()
    assert [entry_id for entry_id, _ in source.text_search(["soak"], (), any_term=False)] == ["compound-17-soak"]
    fetched = source.fetch("compound-17-soak")
    assert (fetched.path, fetched.source, fetched.format) == (path, "files", "pdb")


def test_names_of_files_may_be_in_another_encoding(tmp_path: Path) -> None:
    write(tmp_path / "m" / "good.pdb", pdb_text("XXXX"))
    for path in (os.fsencode(tmp_path) + b"/m/\xf6.pdb", os.fsencode(tmp_path) + b"/m/\xe4/other.pdb"):
        write(Path(os.fsdecode(path)), pdb_text("XXXX"))
    source = FilesSource([tmp_path / "m"], tmp_path / "cache").open()
    assert source.all_entries() == ["good"]
    assert source.notes == [r"\udcf6.pdb, \udce4/other.pdb were not used: a path that is not in UTF-8; rename it."]


@pytest.mark.parametrize("name", ["missing.pdb", "missing"])
def test_a_path_that_does_not_exist_is_one_sentence(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match=f"source.files: '.*{name}' does not exist"):
        FilesSource([tmp_path / name], tmp_path / "cache").open()


def test_files_of_another_kind_are_one_sentence(tmp_path: Path) -> None:
    path = write(tmp_path / "x.docx", "")
    with pytest.raises(SourceError, match=r"No structure is among the files: x\.docx was not used: "):
        FilesSource([path], tmp_path / "cache").open()
