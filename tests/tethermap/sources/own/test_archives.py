"""Archives of a user's files: unpacked into one folder with their folders, within bounds."""

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.styles import programs
from tethermap.sources.files import FilesSource
from tethermap.sources.own import archives
from tethermap.sources.own.archives import ArchiveError, is_archive, members_size, unpack

MODEL = next(style for style in programs() if style.name == "alphafold3").text.encode()


def packed(path: Path, files: dict[str, bytes], compression: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write a ZIP or, by its name, a tar archive."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path, "w", compression) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
        return path
    compressed = {".gz": "w:gz", ".bz2": "w:bz2", ".xz": "w:xz"}
    with tarfile.TarFile.open(path, compressed.get(path.suffix, "w:")) as tar:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return path


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz", "x.tar.bz2", "x.tar.xz"])
def test_models_in_folders_are_entries_that_name_archive_and_folder(
    name: str, own: Path, opened: Callable[[Path], FilesSource]
) -> None:
    path = packed(own / name, {f"seed-{n}/model.cif": MODEL for n in (10, 2)})
    source = opened(own)
    assert is_archive(path)
    assert members_size(path, 1 << 30) == 2 * len(MODEL)
    assert sorted(source.all_entries()) == ["seed-10-model", "seed-2-model"]
    assert source.fetch("seed-2-model").source_file == f"{name}/seed-2/model.cif"


def test_names_that_point_outside_the_folder_are_kept_inside(tmp_path: Path) -> None:
    path = packed(tmp_path / "x.zip", {"../../out.cif": MODEL, "/root.cif": MODEL, "a\\b.cif": MODEL})
    files = unpack(path, tmp_path / "cache")
    assert [file.name for file in files] == ["out.cif", "root.cif", "b.cif"]
    assert all(file.resolve().is_relative_to((tmp_path / "cache").resolve()) for file in files)


def test_archive_beyond_the_bounds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(tmp_path / "x.zip", {"a.pdb": b"x" * 5_000_000, "b.pdb": b"x" * 5_000_000})
    assert members_size(path, 1_000_000) > 1_000_000
    monkeypatch.setattr(archives, "MOST_UNPACKED", 6_000_000)
    with pytest.raises(ArchiveError, match="more than 6000000 bytes"):
        unpack(path, tmp_path / "cache")


@pytest.mark.parametrize("name", ["x.zip", "x.tar", "x.tar.gz"])
@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_of_an_archive_count_with_their_content(
    name: str, compress: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    """A few kB in an archive of a few kB that a reader of structures unpacks to 10 MB."""
    path = packed(tmp_path / name, {"a.cif.gz": compress(bytes(5_000_000)), "b.cif": compress(bytes(5_000_000))})
    assert members_size(path, 1 << 30) == 10_000_000
    assert 6_000_000 < members_size(path, 6_000_000) < 8_000_000


def _with_false_size(whole: bytes) -> bytes:
    entry = whole.index(b"PK\x01\x02")
    return whole[: entry + 24] + (7).to_bytes(4, "little") + whole[entry + 28 :]


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        ("x.zip", lambda whole: whole.replace(b"data_", b"DATA_", 1)),  # another checksum
        ("x.zip", _with_false_size),
        ("x.zip", lambda whole: whole.replace(b"\xc3\xa9.cif", b"\xff\xff.cif")),  # a name that is not UTF-8
        ("x.tar", lambda whole: whole[:2000]),
    ],
)
def test_damage_that_shows_only_while_a_file_is_read_is_reported(
    name: str, damage: Callable[[bytes], bytes], tmp_path: Path
) -> None:
    path = packed(tmp_path / name, {"\xe9.cif": MODEL}, zipfile.ZIP_STORED)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ArchiveError, match="damaged archive"):
        members_size(path, 1 << 30)
    with pytest.raises(ArchiveError, match="damaged archive"):
        unpack(path, tmp_path / "cache")


def test_unknown_compression_is_not_reported_as_a_password(tmp_path: Path) -> None:
    whole = bytearray(packed(tmp_path / "x.zip", {"a.cif": MODEL}).read_bytes())
    entry = whole.index(b"PK\x01\x02")
    for place, value, reason in ((6, 1, "has a password"), (8, 9, "compression that can't be read")):
        changed = bytearray(whole)
        changed[place] = changed[entry + place + 2] = value
        (tmp_path / "x.zip").write_bytes(changed)
        with pytest.raises(ArchiveError, match=reason):
            members_size(tmp_path / "x.zip", 1 << 30)


def test_links_are_left_out_and_damage_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w") as tar:
        link = tarfile.TarInfo("link.cif")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        tar.addfile(link)
    assert unpack(path, tmp_path / "cache") == []
    whole = packed(tmp_path / "y.zip", {"a.cif": MODEL}).read_bytes()
    (tmp_path / "y.zip").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ArchiveError, match="damaged archive"):
        unpack(tmp_path / "y.zip", tmp_path / "cache")
