"""Rows of the status table: the decision on each het group of an entry, with the reason."""

from collections.abc import Iterator
from typing import NamedTuple

from tethermap.base.reasons import sentence
from tethermap.base.tables import Row
from tethermap.complex.experiment import Experiment
from tethermap.entry.reader import Entry
from tethermap.instance.classify import HetGroup
from tethermap.instance.find import Residues
from tethermap.instance.model import Instance, Residue


class Verdict(NamedTuple):
    """Decision on a group: reason code, and the decisive threshold and value."""

    reason: str
    threshold: str = ""
    value: str = ""


def group_rows(
    residues: Residues,
    experiment: Experiment,
    entry: Entry,
    group: HetGroup,
    verdict: Verdict,
    instance: Instance | None,
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
    stem = instance.stem if instance else ""
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
        kept = decision.reason in ("kept", "member_of_group")
        yield {
            **_cells(name, entry, experiment, instance.altloc if instance else None),
            "components": components,
            "kind": group.kind,
            "kind_reason": group.kind_reason,
            "kept": kept,
            "reason": decision.reason,
            "sentence": sentence(decision.reason),
            "threshold": decision.threshold,
            "value": decision.value,
            "stem": stem if kept else "",
        }


def modified_rows(residues: Residues, experiment: Experiment, entry: Entry) -> list[Row]:
    """Return a row for each modified residue of a polymer."""
    decision: Row = {
        "kind": "modified_residue",
        "kept": False,
        "reason": "part_of_polymer",
        "sentence": sentence("part_of_polymer"),
        "threshold": "",
        "value": "",
    }
    names = map(residues.name, residues.modified.tolist())
    return [{**_cells(name, entry, experiment, None), "components": name.comp_id, **decision} for name in names]


def _cells(name: Residue, entry: Entry, experiment: Experiment, altloc: str | None) -> Row:
    """Return the cells of a residue's names and of its fit to the experiment."""
    return {
        "pdb_id": entry.entry_id,
        "chain": name.auth_asym_id,
        "label_chain": name.label_asym_id if entry.is_mmcif else "",
        "ligand": name.comp_id,
        "residue": name.residue_id,
        **experiment.cells(name, altloc),
    }
