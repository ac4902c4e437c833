"""Files as text, within limits."""

from pathlib import Path

import pytest

from tethermap.formats import text
from tethermap.formats.text import FormatError, structure_text
from tethermap.sources.own.poses import LigandFileError, read_poses


@pytest.mark.parametrize("line", [b"ATOM\n", b"\r", b"\f", "\u2028".encode()])
def test_text_of_too_many_lines_is_refused(line: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text, "MOST_LINES", 1000)
    assert structure_text(line * 1000)
    with pytest.raises(FormatError, match="more than 1,000 lines"):
        structure_text(line * 1001)


@pytest.mark.parametrize("name", ["pose.sdf", "pose.mol2", "pose.pdbqt"])
def test_ligand_file_without_text_is_refused_by_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\x83 dataBlocks")
    with pytest.raises(LigandFileError, match=rf"{name}: BinaryCIF or mmJSON that can't be read"):
        read_poses(tmp_path / name)
