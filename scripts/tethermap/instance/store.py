"""Instances and their neighbourhoods on disk, between the stages of one shard."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import numpy as np

from tethermap.base.arrays import as_bytes, as_text, packed_arrays, unpacked_arrays
from tethermap.entry.model import EntryBond
from tethermap.fit.model import EntryFit, LigandFit, ResidueFit
from tethermap.instance.model import (
    EntryFacts,
    Instance,
    LigandAtoms,
    Link,
    Lysine,
    Neighbourhood,
    Polymer,
    Residue,
    Surroundings,
    Water,
)

_ARRAYS = tuple(field.name for field in fields(Neighbourhood) if field.name != "largest")


def packed_neighbourhood(stem: str, around: Neighbourhood) -> bytes:
    """Return the neighbourhood of an instance as a record."""
    return packed_arrays(stem, {name: getattr(around, name) for name in _ARRAYS}, largest=int(around.largest))


def neighbourhood_of_record(record: bytes) -> Neighbourhood:
    """Return the content of a record of `packed_neighbourhood`."""
    arrays, values = unpacked_arrays(record)
    return Neighbourhood(**arrays, largest=values["largest"])


def packed_surroundings(stem: str, around: Surroundings) -> bytes:
    """Return the surroundings of an instance as a record; 15 bytes an atom."""
    arrays = {"xyz": around.xyz, "element": as_bytes(around.element), "context": around.context}
    return packed_arrays(stem, arrays, largest=int(around.largest))


def surroundings_of_record(record: bytes) -> Surroundings:
    """Return the content of a record of `packed_surroundings`."""
    arrays, values = unpacked_arrays(record)
    element = as_text(arrays.pop("element"))
    return Surroundings(**arrays, element=element, largest=values["largest"])


def instance_line(instance: Instance) -> bytes:
    """Return an instance as a line of JSON."""
    return json.dumps(instance, separators=(",", ":"), default=_plain).encode() + b"\n"


def instance_of_line(line: bytes) -> Instance:
    """Return the instance of a line of `instance_line`."""
    return _from_json(json.loads(line))


def _plain(value: Any) -> Any:
    """Return a dataclass or an array of the model as values for `json`, which converts nested parts in turn."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _from_json(record: dict[str, Any]) -> Instance:
    atoms = record["atoms"]
    record["atoms"] = LigandAtoms(
        component=np.array(atoms["component"], dtype=np.int64),
        name=tuple(atoms["name"]),
        element=tuple(atoms["element"]),
        xyz=np.array(atoms["xyz"], dtype=np.float64).reshape(-1, 3),
        occupancy=np.array(atoms["occupancy"], dtype=np.float64),
        b_iso=np.array(atoms["b_iso"], dtype=np.float64),
        charge=np.array(atoms["charge"], dtype=np.int64),
        altloc=tuple(atoms["altloc"]),
        serial=np.array(atoms["serial"], dtype=np.int64),
    )
    record["components"] = tuple(Residue(**residue) for residue in record["components"])
    record["inner_links"] = tuple((int(i), int(j)) for i, j in record["inner_links"])
    record["links"] = tuple(
        Link(**{**link, "partner": Residue(**link["partner"]), "partner_xyz": tuple(link["partner_xyz"])})
        for link in record["links"]
    )
    record["entry_bonds"] = {
        comp_id: tuple(EntryBond(**bond) for bond in bonds) for comp_id, bonds in record["entry_bonds"].items()
    }
    record["facts"] = EntryFacts(**record["facts"])
    record["target_chains"] = tuple(record["target_chains"])
    for name in ("flags", "mutations", "mutations_near"):
        record[name] = tuple(record[name])
    record["waters"] = tuple(Water(**{**water, "xyz": tuple(water["xyz"])}) for water in record["waters"])
    record["lysines"] = tuple(Lysine(**{**lysine, "xyz": tuple(lysine["xyz"])}) for lysine in record["lysines"])
    record["fit"] = _fit_from_json(record["fit"])
    record["polymers"] = tuple(
        Polymer(polymer["name"], tuple(polymer["chains"]), polymer["target"]) for polymer in record["polymers"]
    )
    return Instance(**record)


def _fit_from_json(record: dict[str, Any]) -> LigandFit:
    residues = tuple(ResidueFit(**fit) for fit in record["residues"])
    entry, whole = EntryFit(**record["entry"]), ResidueFit(**record["whole"])
    return LigandFit(record["status"], whole, residues, entry, record["source"], tuple(record["atom_rscc"]))
