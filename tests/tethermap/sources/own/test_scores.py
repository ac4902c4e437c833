"""Scores of predictions next to a model, with the program's own names."""

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.tools.styles import programs
from tethermap.entry.reader import read_entry
from tethermap.sources.files import FilesSource

Opened = Callable[[Path], FilesSource]

SCORES = {"iptm": 0.87, "ptm": 0.9, "ranking_score": 0.88, "has_clash": 0.0, "chain_iptm": [0.1, 0.2]}


def write_packed(path: Path, text: str) -> None:
    pack: Any = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}.get(path.suffix, bytes)
    path.write_bytes(pack(text.encode()))


@pytest.mark.parametrize(
    ("style", "model", "beside"),
    [
        ("alphafold3", "model.cif", "summary_confidences.json"),
        ("alphafold3", "fold_x_model_0.cif", "fold_x_summary_confidences_0.json"),
        ("boltz", "x_model_0.cif", "confidence_x_model_0.json"),
        ("chai", "pred.model_idx_0.cif", "scores.model_idx_0.npz"),
        ("boltz-pdb", "x_model_1.pdb", "confidence_x_model_1.json"),
        ("boltz", "x_model_0.cif", "confidence_x_model_0.json.gz"),
        ("alphafold3", "x_model.cif.bz2", "x_summary_confidences.json.xz"),
    ],
)
def test_scores_next_to_a_prediction_are_read(style: str, model: str, beside: str, own: Path, opened: Opened) -> None:
    write_packed(own / model, next(one for one in programs() if one.name == style).text)
    if "json" in beside:
        write_packed(own / beside, json.dumps(SCORES))
    else:
        np.savez(own / beside, iptm=np.array([0.87]), ptm=np.array([0.9]), ranking_score=np.array([0.88]))
    source = opened(own)
    (entry_id,) = source.all_entries()
    entry = read_entry(source.fetch(entry_id).path, entry_id)
    assert entry.additions.model.fields == {"iptm": "0.87", "ptm": "0.9", "ranking_score": "0.88"}
    assert entry.additions.poses == {}


@pytest.mark.parametrize("name", ["summary_confidences.json", "confidences.json"])
@pytest.mark.parametrize("content", [b"{", b"[1]", b"PK\x03\x04 cut off", b"\x1f\x8b cut off"])
def test_confidences_that_cannot_be_read_change_nothing(name: str, content: bytes, own: Path, opened: Opened) -> None:
    (own / "model.cif").write_text(next(one for one in programs() if one.name == "alphafold3").text)
    (own / name).write_bytes(content)
    source = opened(own)
    (entry_id,) = source.all_entries()
    assert source.fetch(entry_id).path == own / "model.cif"
    assert source.failed == {}
