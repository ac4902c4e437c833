"""Metadata of an entry, as values."""

from dataclasses import dataclass

PREDICTED = "predicted"
"""Method of computed models: those of ModelCIF (AlphaFold, Boltz, Chai), or marked as predictions."""


DOCKED = "docked"
"""Method of a ligand from a separate file: placed by a program, regardless of the method of its receptor's entry."""


@dataclass(frozen=True, slots=True)
class PolymerEntity:
    """One polymer (protein or nucleic acid) of an entry and all that names it.

    Parameters
    ----------
    entity_id : str
        mmCIF entity id; for PDB files the ``MOL_ID``, or the number of the group of chains.
    kind : str
        As in ``_entity_poly.type``: ``polypeptide(L)``, ``polydeoxyribonucleotide``, …; empty when unknown.
    label_asym_ids, auth_asym_ids : tuple of str
        mmCIF and author chain names, in file order; the former is empty for PDB files.
    description : str
        Name of the molecule.
    names : tuple of str
        Synonyms, UniProt entry names (``EGFR_HUMAN``) and fragment.
    genes : tuple of str
        Gene names and synonyms.
    uniprot : tuple of str
        UniProt accessions, upper case, without isoform.
    organisms : tuple of str
        Scientific names of the source organisms (several for a chimera).
    sequence : str
        One-letter SEQRES, modified residues as their parents, ``X`` if there is none.
    """

    entity_id: str
    kind: str = ""
    label_asym_ids: tuple[str, ...] = ()
    auth_asym_ids: tuple[str, ...] = ()
    description: str = ""
    names: tuple[str, ...] = ()
    genes: tuple[str, ...] = ()
    uniprot: tuple[str, ...] = ()
    organisms: tuple[str, ...] = ()
    sequence: str = ""


@dataclass(frozen=True, slots=True)
class LigandName:
    """A non-polymer component of an entry: code, name, and other names joined by ``; ``."""

    comp_id: str
    name: str = ""
    synonyms: str = ""


@dataclass(frozen=True, slots=True)
class EntryMetadata:
    """Header of an entry; fields are empty or None if missing.

    Parameters
    ----------
    entry_id : str
        Lower-case id.
    title : str
        Title of the entry.
    citation : str
        Title of the primary publication.
    methods : tuple of str
        Experimental methods as deposited, upper case.
    resolution : float or None
        Best resolution in angstroms.
    release_date, revision_date : str
        ISO dates.
    revision : str
        Number of the last revision: ``1.3`` (mmCIF) or ``4`` (REVDAT).
    keywords : str
        Classification and keywords.
    entities : tuple of PolymerEntity
        Polymers in file order.
    ligands : tuple of LigandName
        Non-polymer components but water, each once.
    withdrawn : bool
        Whether the file is marked as obsolete.
    successors : tuple of str
        Lower-case ids of the entries that replace this one.
    """

    entry_id: str
    title: str = ""
    citation: str = ""
    methods: tuple[str, ...] = ()
    resolution: float | None = None
    release_date: str = ""
    revision_date: str = ""
    revision: str = ""
    keywords: str = ""
    entities: tuple[PolymerEntity, ...] = ()
    ligands: tuple[LigandName, ...] = ()
    withdrawn: bool = False
    successors: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """All experimental methods, joined by ``; ``."""
        return "; ".join(self.methods)


@dataclass(frozen=True, slots=True)
class EntryBond:
    """A bond of a component from the entry's own ``_chem_comp_bond``.

    `order` is the mmCIF value in lower case: ``sing``, ``doub``, ``trip``, ``arom``, ``delo``.
    """

    atom_1: str
    atom_2: str
    order: str
    aromatic: bool
