"""Status rows of entries that are rejected as a whole."""

from tethermap.complex.clean import CleanedEntry
from tethermap.complex.status import StatusRows, Verdict, entry_row
from tethermap.entry.reader import Entry
from tethermap.instance.classify import HetGroup
from tethermap.instance.find import Residues


def status_of_missing(entry_id: str, reason: str, value: str = "") -> CleanedEntry:
    """Return the status of an entry that is missing or unreadable.

    Parameters
    ----------
    reason : str
        Code of `tethermap.base.reasons.REASONS`.
    """
    return CleanedEntry(entry_row(entry_id, Verdict(reason, value=value)))


def rejected_entry(entry: Entry, reason: str, value: str = "") -> CleanedEntry:
    """Return the status of an entry that was read but can't be used, with a row for each het group.

    Parameters
    ----------
    reason : str
        Code of `tethermap.base.reasons.REASONS`.
    """
    residues, verdict = Residues(entry), Verdict(reason, value=value)
    status = StatusRows(entry, residues)
    groups = [HetGroup((one,), one, "unknown") for one in residues.het.tolist() if not residues.standard[one]]
    rows = [row for group in groups for row in status.of_group(group, verdict)] + status.of_modified(verdict)
    return CleanedEntry(entry_row(entry.entry_id, verdict, instances_found=len(groups)), rows)
