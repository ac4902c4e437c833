"""Criteria for the target chains of a job."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TargetQuery:
    """Criteria for the target chains.

    Parameters
    ----------
    name : str
        Target name as given.
    accessions : frozenset of str
        UniProt accessions of the query, upper case.
    named_entries : frozenset of str
        Entry ids of the query, lower case.
    sequences : tuple of str
        Sequences of the FASTA text; if there are any, names are not used.
    min_identity, min_coverage : float
        Least identity and coverage of a match, 0 to 1.
    strict : bool
        Whether an entry in which nothing matches is rejected.
    """

    name: str
    accessions: frozenset[str] = frozenset()
    named_entries: frozenset[str] = frozenset()
    sequences: tuple[str, ...] = ()
    min_identity: float = 0.9
    min_coverage: float = 0.5
    strict: bool = False
