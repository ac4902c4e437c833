from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

from tests.tethermap.sources.make import cif_text, pdb_text, write
from tethermap.sources.base import FetchError
from tethermap.sources.content import check_file, read_content


def _reason(data: bytes) -> str:
    with pytest.raises(FetchError) as caught:
        check_file(data, "1abc")
    return caught.value.reason


def test_an_mmcif_file_is_described() -> None:
    content = check_file(cif_text("1abc").encode(), "1abc")
    assert (content.format, content.revision) == ("mmcif", "1.1 2024-02-07")
    assert content.sha256 == hashlib.sha256(cif_text("1abc").encode()).hexdigest()


def test_a_pdb_file_is_described() -> None:
    content = check_file(pdb_text("1abc").encode(), "1abc")
    assert (content.format, content.revision) == ("pdb", "1 2010-05-05")


def test_the_checksum_is_that_of_the_uncompressed_content(tmp_path: Path) -> None:
    plain = read_content(write(tmp_path / "1abc.cif", cif_text("1abc")), "1abc")
    packed = read_content(write(tmp_path / "1abc.cif.gz", cif_text("1abc")), "1abc")
    assert plain.sha256 == packed.sha256


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "file_empty"),
        (b" \n\n", "file_empty"),
        (gzip.compress(b"", mtime=0), "file_empty"),
        (b"<!DOCTYPE html><html></html>", "file_not_structure"),
        (b'{"status": 404}', "file_not_structure"),
        (b"once upon a time\n", "file_not_structure"),
        (b"\x1f\x9d\x90abc", "file_not_structure"),
        (b"\x00\x01\x02\xff" * 50, "file_not_structure"),
        (b"data_1ABC\n#\n_entry.id 1ABC\n#\n", "no_atoms"),
        (b"data_1ABC\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n#\n", "no_atoms"),
        (b"HEADER    TRANSFERASE\nEND\n", "no_atoms"),
        (b"data_1ABC\n#\nloop_\n_entity.id\n_entity.type\n1 2 3\n#\n_atom_site.id 1\n_atom_site.x 2\n#\n", "no_atoms"),
        (b"data_1ABC\n#\nloop_\n_a.b\n_a.c\n1 2 3\n#\nloop_\n_atom_site.id\nATOM 2\n#\n", "file_unreadable"),
    ],
)
def test_file_that_is_not_a_structure_has_its_reason(data: bytes, reason: str) -> None:
    assert _reason(data) == reason


def test_binary_content_is_described_in_printable_letters() -> None:
    packed = gzip.compress(cif_text("1abc").encode())
    for data, shown in (
        (gzip.compress(packed), "packed twice with gzip: unpack it once"),
        (b"A\x00\x1b[2JB\n", "begins with 'A[2JB'"),
    ):
        with pytest.raises(FetchError) as caught:
            check_file(data, "1abc")
        assert caught.value.value == shown


def test_a_truncated_gzip_is_noticed_at_any_length() -> None:
    packed = gzip.compress(cif_text("1abc").encode())
    assert {_reason(packed[:end]) for end in range(2, len(packed), 37)} == {"file_truncated"}


def test_a_damaged_gzip_is_noticed() -> None:
    packed = bytearray(gzip.compress(cif_text("1abc").encode()))
    packed[len(packed) // 2] ^= 0xFF
    assert _reason(bytes(packed)) == "file_truncated"


def test_a_plain_mmcif_file_cut_between_two_atoms_is_noticed() -> None:
    text = cif_text("1abc").replace("3.0\n#\n", "3.0\nATOM 2 C CA GLY A A 2.0 2.0 3.0\n#\n")
    check_file(text.encode(), "1abc")
    assert _reason(text[: text.index("ATOM 2")].encode()) == "file_truncated"


def test_a_pdb_file_without_its_end_is_noticed() -> None:
    assert _reason(pdb_text("1abc").rpartition("END")[0].encode()) == "file_truncated"


def test_a_users_pdb_file_needs_no_header_and_no_end() -> None:
    atom = b"ATOM      1  N   GLY A   1       1.000   2.000   3.000  1.00 20.00           N\n"
    assert check_file(atom, "pose").format == "pdb"


def test_mmcif_of_other_programs_needs_no_separators() -> None:
    data = b"data_x\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2.0\n"
    assert check_file(data, "pose").format == "mmcif"


def test_comments_may_precede_the_data() -> None:
    assert check_file(b"# made by hand\n\n" + cif_text("1abc").encode(), "1abc").format == "mmcif"
