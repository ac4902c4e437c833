"""Rows of the status table: the decision on each het group of an entry, with the reason."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tethermap.base.reasons import sentence
from tethermap.base.tables import Row, Value
from tethermap.entry.reader import Entry
from tethermap.instance.classify import HetGroup
from tethermap.instance.find import Residues
from tethermap.instance.model import Instance, Residue

FitOf = Callable[[Residue], Row]
"""Return the cells of a residue's fit to the experiment."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Decision on a group: reason code, and the decisive threshold and value."""

    reason: str
    threshold: str = ""
    value: str = ""


def group_rows(
    entry: Entry, residues: Residues, group: HetGroup, verdict: Verdict, instance: Instance | None, fit_of: FitOf
) -> Iterator[Row]:
    """Yield a row for each residue of a het group; standard residues of a ligand chain have none unless they name it.

    Parameters
    ----------
    entry, residues, group : Entry, Residues, HetGroup
        The entry and the groups of the rows.
    verdict : Verdict
        Decision on the group.
    instance : Instance or None
        The accepted group with one conformer; None if it is rejected.
    fit_of : FitOf
        Returns the fit of the chosen conformer.
    """
    components = "+".join(residues.name(residue).comp_id for residue in group.residues)
    stem = instance.stem if instance else ""
    head = instance.components[instance.head] if instance else residues.name(group.head)
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
        yield _row(
            entry,
            residues,
            residue,
            {
                "components": components,
                "kind": group.kind,
                "kind_reason": group.kind_reason,
                "kept": kept,
                "reason": decision.reason,
                "threshold": decision.threshold,
                "value": decision.value,
                "stem": stem if kept else "",
            },
            fit_of,
        )


def modified_rows(entry: Entry, residues: Residues, fit_of: FitOf) -> Iterator[Row]:
    """Yield a row for each modified residue of a polymer."""
    for residue in residues.modified.tolist():
        what: dict[str, Value] = {
            "kind": "modified_residue",
            "kept": False,
            "reason": "part_of_polymer",
            "threshold": "",
            "value": "",
        }
        yield _row(entry, residues, residue, {"components": residues.name(residue).comp_id, **what}, fit_of)


def _row(entry: Entry, residues: Residues, residue: int, what: dict[str, Value], fit_of: FitOf) -> Row:
    name = residues.name(residue)
    return {
        "pdb_id": entry.entry_id,
        "chain": name.auth_asym_id,
        "label_chain": name.label_asym_id if entry.is_mmcif else "",
        "ligand": name.comp_id,
        "residue": name.residue_id,
        "sentence": sentence(str(what["reason"])),
        **what,
        **fit_of(name),
    }
