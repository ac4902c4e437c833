import gzip
import hashlib
from pathlib import Path

import pytest

from tests.tethermap.sources.make import cif_text, pdb_text, write
from tethermap.entry.reader import EntryError, read_entry
from tethermap.sources.base import FetchError
from tethermap.sources.content import check_file, read_content


def _reason(data: bytes) -> str:
    with pytest.raises(FetchError) as caught:
        check_file(data, "1abc")
    return caught.value.reason


@pytest.mark.parametrize(
    ("text", "described"),
    [(cif_text("1abc"), ("mmcif", "1.1 2024-02-07")), (pdb_text("1abc"), ("pdb", "1 2010-05-05"))],
)
def test_file_is_described_with_the_checksum_of_its_uncompressed_content(
    text: str, described: tuple[str, str], tmp_path: Path
) -> None:
    for name in ("1abc", "1abc.gz"):
        content = read_content(write(tmp_path / name, text), "1abc")
        assert (content.format, content.revision) == described
        assert content.sha256 == hashlib.sha256(text.encode()).hexdigest()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "file_empty"),
        (b" \n\n", "file_empty"),
        (gzip.compress(b"", mtime=0), "file_empty"),
        (gzip.compress(b"data_1ABC\n" * 500, mtime=0)[:40], "file_truncated"),
        (b"<!DOCTYPE html><html></html>", "file_not_structure"),
        (b'{"status": 404}', "file_not_structure"),
        (b"once upon a time\n", "file_not_structure"),
        (b"\x1f\x9d\x90abc", "file_not_structure"),
        (b"\x00\x01\x02\xff" * 50, "file_not_structure"),
        (b"data_1ABC\n#\n_entry.id 1ABC\n#\n", "no_atoms"),
        (b"data_1ABC\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n#\n", "no_atoms"),
        (b"HEADER    TRANSFERASE\nEND\n", "no_atoms"),
        (b"data_1ABC\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2.0 3\n", "file_unreadable"),
        (b"data_1ABC\n#\nloop_\n_a.b\n_a.c\n1 2 3\n#\nloop_\n_atom_site.id\nATOM 2\n#\n", "file_unreadable"),
    ],
)
def test_file_that_is_not_a_structure_has_its_reason(data: bytes, reason: str, tmp_path: Path) -> None:
    """When it is downloaded, and when it is read."""
    assert _reason(data) == reason
    (tmp_path / "1abc.cif.gz").write_bytes(data)
    with pytest.raises(EntryError, match=f"^{reason}"):
        read_entry(tmp_path / "1abc.cif.gz", "1abc")


def test_atoms_outside_a_loop_do_not_count() -> None:
    text = "data_1ABC\n#\nloop_\n_entity.id\n_entity.type\n1 2 3\n#\n_atom_site.id 1\n_atom_site.x 2\n#\n"
    assert _reason(text.encode()) == "no_atoms"


def test_binary_content_is_described_in_printable_letters() -> None:
    packed = gzip.compress(cif_text("1abc").encode())
    for data, shown in (
        (gzip.compress(packed), "packed twice with gzip: unpack it once"),
        (b"A\x00\x1b[2JB\n", "begins with 'A[2JB'"),
    ):
        with pytest.raises(FetchError) as caught:
            check_file(data, "1abc")
        assert caught.value.value == shown


def test_file_of_another_program_without_end_line_is_accepted() -> None:
    atom = "ATOM      1  CA  GLY A   1      11.104  13.207   2.100  1.00 20.00           C\n"
    text = f"HEADER    1JLD_PROTEIN\nSEQRES   1 A    1  GLY\n{atom}"
    assert check_file(text.encode(), "1abc", own=True).format == "pdb"


@pytest.mark.parametrize(
    "line", ["USER  MOD  Set 1.1: A  50 ASN     :      amide:sc=   0.5\n", "HELIX    1   1 SER A    6\n"]
)
def test_file_with_many_lines_before_its_atoms_is_accepted_and_read(line: str, tmp_path: Path) -> None:
    """Reduce begins with a line for each side chain, ChimeraX with helices and strands."""
    path = write(tmp_path / "1abc.pdb", line * 300 + pdb_text("1abc"))
    assert check_file(path.read_bytes(), "1abc", own=True).format == "pdb"
    assert len(read_entry(path, "1abc").atoms) == 1


def test_a_damaged_or_truncated_gzip_is_noticed_at_any_length() -> None:
    packed = gzip.compress(cif_text("1abc").encode())
    assert {_reason(packed[:end]) for end in range(2, len(packed), 37)} == {"file_truncated"}
    damaged = bytearray(packed)
    damaged[len(packed) // 2] ^= 0xFF
    assert _reason(bytes(damaged)) == "file_truncated"


def test_a_plain_mmcif_file_cut_between_two_atoms_is_noticed() -> None:
    text = cif_text("1abc").replace("3.0\n#\n", "3.0\nATOM 2 C CA GLY A A 2.0 2.0 3.0\n#\n")
    check_file(text.encode(), "1abc")
    assert _reason(text[: text.index("ATOM 2")].encode()) == "file_truncated"


def test_a_pdb_file_without_its_end_is_noticed() -> None:
    assert _reason(pdb_text("1abc").rpartition("END")[0].encode()) == "file_truncated"


@pytest.mark.parametrize(
    ("data", "form"),
    [
        (b"ATOM      1  N   GLY A   1       1.000   2.000   3.000  1.00 20.00           N\n", "pdb"),
        (b"data_x\nloop_\n_atom_site.id\n_atom_site.Cartn_x\n1 2.0\n", "mmcif"),
        (b"# made by hand\n\n" + cif_text("1abc").encode(), "mmcif"),
    ],
)
def test_files_of_other_programs_need_no_header_separators_or_end(data: bytes, form: str) -> None:
    assert check_file(data, "pose").format == form
