"""Results on the ligands of a shard between two proteins, on disk."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from tethermap.answers.observed.bridging import BoundSide, Bridging
from tethermap.answers.observed.split import ObservedExit
from tethermap.base.records import Source
from tethermap.instance.model import Polymer


def bridging_line(stem: str, bridging: Bridging) -> bytes:
    """Return the binding of an instance by two proteins as a line of JSON."""
    sides = {name: _side(getattr(bridging, name)) for name in ("target", "partner")}
    return json.dumps({"stem": stem, "reason": bridging.reason, **sides}).encode() + b"\n"


def read_bridging(path: Source) -> dict[str, Bridging]:
    """Return the ligands of a shard between two proteins, by their stems: lines of `bridging_line`, usually none."""
    with path.open(encoding="utf-8") as stream:
        records = [json.loads(line) for line in stream]
    return {
        record["stem"]: Bridging(_read_side(record["target"]), _read_side(record["partner"]), record["reason"])
        for record in records
    }


def _side(side: BoundSide) -> dict[str, Any]:
    seen = side.exit
    return {
        "protein": asdict(side.protein),
        "areas": side.areas.round(3).tolist(),
        "half": sorted(side.half),
        "exit": seen and {**asdict(seen), "half": sorted(seen.half)},
    }


def _read_side(record: dict[str, Any]) -> BoundSide:
    protein, seen = record["protein"], record["exit"]
    return BoundSide(
        Polymer(protein["name"], tuple(protein["chains"]), protein["target"]),
        np.array(record["areas"], dtype=np.float64),
        seen and ObservedExit(
            **{
                **seen,
                "alternatives": tuple((first, second) for first, second in seen["alternatives"]),
                "half": frozenset(seen["half"]),
            }
        ),
        frozenset(record["half"]),
    )  # fmt: skip
