"""Side of a degrader for a job, and the names that make its files compatible with those of the other half."""

import re
from dataclasses import dataclass

from tethermap.base.reference import rows_of
from tethermap.sources.query import parse_query


@dataclass(frozen=True, slots=True)
class Side:
    """The names that one half of a ternary complex has in every tool's files.

    Parameters
    ----------
    name, says : str
        ``target`` or ``e3``, files begin with it; the half in words.
    letters : str
        Chains of its protein, the first one first. The two sides share no letter, and none is X or Y, PRosettaC's names
        of the ligands (``local_docking`` in its ``main.py``: X for the E3 ligase's).
    ligand_chain : str
        Chain of its ligand.
    residue_name : str
        Its ligand in PROTAC_ternary, whose examples call that of the target LG1 and that of the E3 ligase LG2.
    number : int
        DeepTernary counts the E3 ligase with its ligand as 1 and the target as 2 (``data/BTK_CRBN``).
    """

    name: str
    says: str
    letters: str
    ligand_chain: str
    residue_name: str
    number: int

    @property
    def other(self) -> "Side":
        """The other half."""
        return TARGET if self is E3 else E3

    @property
    def protein_file(self) -> str:
        """Name of its protein's file."""
        return f"{self.name}.pdb"

    @property
    def ligand_file(self) -> str:
        """Name of its ligand's file."""
        return f"{self.name}_ligand.pdb"


TARGET = Side("target", "the target", "TUVWSRQPONMZ", "Y", "LG1", 2)
E3 = Side("e3", "the E3 ligase", "EFGHIJKLDCBA", "X", "LG2", 1)


def job_side(setting: str, target_name: str, search_query: str) -> Side:
    """Return the half of a degrader that a job is about.

    Parameters
    ----------
    setting : str
        ``target``, ``e3`` or ``auto``, which looks the target up among the E3 ligases.
    target_name, search_query : str
        Settings of the job.
    """
    if setting == "auto":
        return E3 if job_gene(target_name, search_query) else TARGET
    return E3 if setting == E3.name else TARGET


def job_gene(target_name: str, search_query: str) -> str:
    """Return the gene of the E3 ligase of a job; empty if its target is not an E3 ligase that degraders recruit.

    Parameters
    ----------
    target_name, search_query : str
        Settings of the job.
    """
    words = f" {_words(target_name)} "
    accessions = parse_query(search_query).accessions
    for row in rows_of("e3_ligases"):
        named = any(f" {_words(row[name])} " in words for name in ("gene", "name"))
        if named or row["uniprot"] in accessions:
            return row["gene"]
    return ""


def _words(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))
