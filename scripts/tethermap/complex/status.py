"""Rows of the status tables: the decision on an entry and on each of its het groups, with the reason."""

from dataclasses import dataclass
from typing import NamedTuple

from tethermap.base.reasons import sentence
from tethermap.base.tables import Row, Value
from tethermap.complex.experiment import NO_EXPERIMENT, Experiment
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


@dataclass(frozen=True)
class StatusRows:
    """Makes the rows of the het groups of one entry."""

    entry: Entry
    residues: Residues
    experiment: Experiment = NO_EXPERIMENT

    def of_group(self, group: HetGroup, verdict: Verdict, instance: Instance | None = None) -> list[Row]:
        """Return a row for each residue of a group; standard residues of a ligand chain have none unless they name it.

        Parameters
        ----------
        verdict : Verdict
            Decision on the group.
        instance : Instance or None
            The accepted group with one conformer; None if it is rejected.
        """
        names = [self.residues.name(residue) for residue in group.residues]
        stem, altloc = (instance.stem, instance.altloc) if instance else ("", None)
        head = instance.name if instance else self.residues.name(group.head)
        rows: list[Row] = []
        for residue, name in zip(group.residues, names, strict=True):
            if name != head and self.residues.standard[residue]:
                continue
            decision = verdict
            if instance and name not in instance.components:
                decision = Verdict("not_single_conformer", instance.altloc, stem)
            elif instance and name != head:
                decision = Verdict("member_of_group", value=stem)
            row = self._row(name, decision, altloc)
            row |= {"components": "+".join(one.comp_id for one in names), "stem": stem if row["kept"] else ""}
            rows.append(row | {"kind": group.kind, "kind_reason": group.kind_reason})
        return rows

    def of_modified(self, verdict: Verdict = IN_POLYMER) -> list[Row]:
        """Return a row for each modified residue of a polymer."""
        rows = (self._row(self.residues.name(residue), verdict) for residue in self.residues.modified.tolist())
        return [row | {"kind": "modified_residue"} for row in rows]

    def _row(self, name: Residue, verdict: Verdict, altloc: str | None = None) -> dict[str, Value]:
        """Return the row of one residue: its names, its fit to the experiment, and the decision."""
        return {
            "pdb_id": self.entry.entry_id,
            "chain": name.auth_asym_id,
            "label_chain": name.label_asym_id if self.entry.is_mmcif else "",
            "ligand": name.comp_id,
            "residue": name.residue_id,
            "components": name.comp_id,
            **self.experiment.cells(name, altloc),
            "kept": verdict.reason in ("kept", "member_of_group"),
            "sentence": sentence(verdict.reason),
            **verdict._asdict(),
        }
