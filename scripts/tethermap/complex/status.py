"""Rows of the status tables: the decision on an entry and on each of its het groups, with the reason."""

from collections.abc import Iterator
from typing import NamedTuple

from tethermap.base.reasons import sentence
from tethermap.base.tables import Row, Value
from tethermap.complex.experiment import Experiment
from tethermap.entry.reader import Entry
from tethermap.instance.classify import HetGroup
from tethermap.instance.find import Residues
from tethermap.instance.model import Instance, Residue


class Verdict(NamedTuple):
    """Decision on an entry or a group: reason code, and the decisive threshold and value."""

    reason: str
    threshold: str = ""
    value: str = ""


IN_POLYMER = Verdict("part_of_polymer")
"""Decision on modified residues of a polymer."""


def entry_row(entry_id: str, verdict: Verdict, **cells: Value) -> dict[str, Value]:
    """Return the row of an entry, without a target and ligands unless the cells have them."""
    return {
        "pdb_id": entry_id,
        "kept": verdict.reason == "kept",
        "reason": verdict.reason,
        "value": verdict.value,
        "sentence": sentence(verdict.reason),
        "target_match": "none",
        "instances_found": 0,
        "instances_kept": 0,
        **cells,
    }


def group_rows(
    residues: Residues,
    experiment: Experiment,
    entry: Entry,
    group: HetGroup,
    verdict: Verdict,
    instance: Instance | None = None,
) -> Iterator[Row]:
    """Yield a row for each residue of a het group; standard residues of a ligand chain have none unless they name it.

    Parameters
    ----------
    residues, experiment, entry, group : Residues, Experiment, Entry, HetGroup
        The entry and the groups of the rows.
    verdict : Verdict
        Decision on the group.
    instance : Instance or None
        The accepted group with one conformer; None if it is rejected.
    """
    components = "+".join(residues.name(residue).comp_id for residue in group.residues)
    stem, altloc = (instance.stem, instance.altloc) if instance else ("", None)
    head = instance.name if instance else residues.name(group.head)
    for residue in group.residues:
        name = residues.name(residue)
        if name != head and residues.standard[residue]:
            continue
        decision = verdict
        if instance and name not in instance.components:
            decision = Verdict("not_single_conformer", instance.altloc, stem)
        elif instance and name != head:
            decision = Verdict("member_of_group", value=stem)
        row = _row(name, entry, experiment, decision, altloc)
        kind = {"components": components, "kind": group.kind, "kind_reason": group.kind_reason}
        yield {**row, **kind, "stem": stem if row["kept"] else ""}


def modified_rows(residues: Residues, experiment: Experiment, entry: Entry, verdict: Verdict = IN_POLYMER) -> list[Row]:
    """Return a row for each modified residue of a polymer."""
    rows = (_row(residues.name(residue), entry, experiment, verdict) for residue in residues.modified.tolist())
    return [{**row, "kind": "modified_residue"} for row in rows]


def _row(
    name: Residue, entry: Entry, experiment: Experiment, verdict: Verdict, altloc: str | None = None
) -> dict[str, Value]:
    """Return the row of one residue: its names, its fit to the experiment, and the decision."""
    return {
        "pdb_id": entry.entry_id,
        "chain": name.auth_asym_id,
        "label_chain": name.label_asym_id if entry.is_mmcif else "",
        "ligand": name.comp_id,
        "residue": name.residue_id,
        "components": name.comp_id,
        **experiment.cells(name, altloc),
        "kept": verdict.reason in ("kept", "member_of_group"),
        "reason": verdict.reason,
        "sentence": sentence(verdict.reason),
        "threshold": verdict.threshold,
        "value": verdict.value,
    }
