"""Status rows of entries that are rejected as a whole."""

from tethermap.base.reasons import sentence
from tethermap.complex.clean import CleanedEntry
from tethermap.entry.reader import Entry
from tethermap.instance.find import Residues


def status_of_missing(entry_id: str, reason: str, value: str = "") -> CleanedEntry:
    """Return the status of an entry that is missing or unreadable.

    Parameters
    ----------
    reason : str
        Code of `tethermap.base.reasons.REASONS`.
    """
    return CleanedEntry(
        {
            "pdb_id": entry_id,
            "kept": False,
            "reason": reason,
            "value": value,
            "sentence": sentence(reason),
            "target_match": "none",
            "instances_found": 0,
            "instances_kept": 0,
        }
    )


def rejected_entry(entry: Entry, reason: str, value: str = "") -> CleanedEntry:
    """Return the status of an entry that was read but can't be used, with a row for each het group.

    Parameters
    ----------
    reason : str
        Code of `tethermap.base.reasons.REASONS`.
    """
    result = status_of_missing(entry.entry_id, reason, value)
    residues = Residues(entry)
    modified = set(residues.modified.tolist())
    n_instances = 0
    for residue in sorted({*residues.het.tolist(), *modified}):
        if residues.standard[residue]:
            continue
        name = residues.name(residue)
        n_instances += residue not in modified
        result.ligand_rows.append(
            {
                "pdb_id": entry.entry_id,
                "chain": name.auth_asym_id,
                "ligand": name.comp_id,
                "residue": name.residue_id,
                "components": name.comp_id,
                "kind": "modified_residue" if residue in modified else "unknown",
                "kept": False,
                "reason": reason,
                "value": value,
                "sentence": sentence(reason),
            }
        )
    result.entry_row["instances_found"] = n_instances
    return result
