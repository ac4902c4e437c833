"""UniProt numbers of residues, and mutations of the target's sequence: SIFTS items, `_struct_ref_seq` or DBREF."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import gemmi

from tethermap.base.identifiers import accession
from tethermap.entry.mmcif_header import UNIPROT_NAMES, rows_in
from tethermap.entry.pdb_header import uniprot_references

_NUMBER = re.compile(r"(-?\d+)([A-Za-z]?)")
_REFERENCES = re.compile(r"^(?:DBREF|SEQADV).*", re.MULTILINE)


class Segment(NamedTuple):
    """Residues of an author chain that follow a UniProt sequence without gaps; ends included.

    `first` and `last` are author residue ids, `label_first` and `label_last` positions in the entity's sequence, 0 if
    the file has none (PDB format).
    """

    chain: str
    first: str
    last: str
    accession: str
    db_first: int
    db_last: int
    label_first: int = 0
    label_last: int = 0


class Mutation(NamedTuple):
    """A residue that differs from UniProt: author chain and residue id, and its name (``T790M``)."""

    chain: str
    residue_id: str
    name: str


class Stated(NamedTuple):
    """UniProt references in a file: from `_struct_ref_seq` or DBREF, and from `_struct_ref_seq_dif` or SEQADV.

    Mutations are one standard residue in the place of another.
    """

    segments: tuple[Segment, ...] = ()
    mutations: tuple[Mutation, ...] = ()


@dataclass(frozen=True)
class References:
    """UniProt positions of an entry's residues.

    Parameters
    ----------
    structure : gemmi.Structure
        Structure from the reader, with its entities.
    stated : Stated
        References in the file.
    """

    structure: gemmi.Structure
    stated: Stated
    _known: dict[str, dict[str, str]] = field(default_factory=dict, repr=False)

    def of(self, chain: str, residue_id: str) -> str:
        """Return accession and number (``P00533:790``) of a residue by author chain and id, empty if unknown."""
        return self.of_chain(chain).get(residue_id, "")

    def of_chain(self, chain: str) -> dict[str, str]:
        """Return the references of all numbered residues of an author chain, by residue id."""
        if chain in self._known:
            return self._known[chain]
        numbers = self._known[chain] = {}
        parts = (residue for part in self.structure[0] if part.name.strip() == chain for residue in part)
        residues = [residue for residue in parts if residue.entity_type == gemmi.EntityType.Polymer]
        for residue in residues if self._sifts else ():
            accessions, (_, which, number) = self._sifts.get(residue.subchain), residue.sifts_unp
            if accessions and number:
                numbers[str(residue.seqid)] = f"{accessions[which]}:{number}"
        for segment in () if self._sifts else self.stated.segments:
            if segment.chain == chain:
                numbers |= self._of_segment(segment, residues)
        return numbers

    @cached_property
    def _sifts(self) -> dict[str, list[str]]:
        """UniProt accessions of SIFTS by label_asym_id, for files that have them."""
        known = [entity for entity in self.structure.entities if entity.sifts_unp_acc]
        return {asym: list(entity.sifts_unp_acc) for entity in known for asym in entity.subchains}

    def _of_segment(self, segment: Segment, residues: Sequence[gemmi.Residue]) -> dict[str, str]:
        """Return the numbers of a segment from positions in the sequence, else from consecutive author numbers.

        If neither fit, as in a construct with a deleted loop, return no numbers rather than wrong ones.
        """
        span = segment.db_last - segment.db_first
        first, last = int(_NUMBER.findall(segment.first)[0][0]), int(_NUMBER.findall(segment.last)[0][0])
        numbered = ((one.seqid, one.seqid.num or 0) for one in residues)
        inside = [(seqid, number) for seqid, number in numbered if first <= number <= last]
        begin = 0
        if segment.label_last - segment.label_first == span and segment.label_first:
            begin = segment.label_first
        elif last - first == span and all(seqid.icode == " " for seqid, _ in inside):
            shift = segment.db_first - first
            return {str(seqid): f"{segment.accession}:{number + shift}" for seqid, number in inside}
        elif not segment.label_first:
            self.structure.assign_label_seq_id(False)
            places = {str(one.seqid): one.label_seq for one in residues if one.label_seq is not None}
            begin = places.get(segment.first) or places.get(segment.last, -span) - span
        if begin <= 0:
            return {}
        shift, end = segment.db_first - begin, begin + span
        labels = ((str(one.seqid), one.label_seq) for one in residues)
        within = ((name, label) for name, label in labels if label is not None and begin <= label <= end)
        return {name: f"{segment.accession}:{label + shift}" for name, label in within}


def stated_in_mmcif(block: gemmi.cif.Block) -> Stated:
    """Return the UniProt numbers and mutations in an mmCIF block."""
    named = {row["id"]: row for row in rows_in(block, "_struct_ref.", "id", "db_name", "pdbx_db_accession")}
    places = ("db_align_beg", "db_align_end", "seq_align_beg", "seq_align_end")
    author = ("pdbx_auth_seq_align_beg", "pdbx_auth_seq_align_end")
    segments = []
    tags = ("ref_id", "pdbx_strand_id", "pdbx_db_accession", *places, *author)
    for row in rows_in(block, "_struct_ref_seq.", *tags):
        reference = named.get(row["ref_id"], {"db_name": "UNP", "pdbx_db_accession": ""})
        uniprot = accession(row["pdbx_db_accession"]) or accession(reference["pdbx_db_accession"])
        numbers = [_integer(row[tag]) for tag in places]
        if uniprot and None not in numbers and reference["db_name"].upper() in UNIPROT_NAMES:
            first, last = (row[tag] if _integer(row[tag]) is not None else "0" for tag in author)
            segments.append(Segment(row["pdbx_strand_id"], first, last, uniprot, *(number or 0 for number in numbers)))
    residue = ("pdbx_pdb_strand_id", "pdbx_auth_seq_num", "pdbx_pdb_ins_code")
    rows = rows_in(block, "_struct_ref_seq_dif.", *residue, "db_mon_id", "mon_id", "pdbx_seq_db_seq_num")
    mutations = (_mutation(chain, number + code, *rest) for chain, number, code, *rest in map(dict.values, rows))
    return Stated(tuple(segments), tuple(one for one in mutations if one))


def stated_in_pdb(text: str) -> Stated:
    """Return the UniProt numbers and mutations in the DBREF and SEQADV records of a PDB file."""
    lines = _REFERENCES.findall(text, 0, max(0, text.find("\nSEQRES")) or len(text))
    segments = tuple(
        Segment(one.chain, *one.ends, one.accession, begin, end)
        for one in uniprot_references(line for line in lines if line.startswith("DBREF"))
        if one.accession and all(map(_NUMBER.fullmatch, one.ends))
        if (begin := _integer(one.db_ends[0])) is not None and (end := _integer(one.db_ends[1])) is not None
    )
    columns = (slice(16, 17), slice(18, 23), slice(39, 42), slice(12, 15), slice(43, 48))
    mutations = (_mutation(*(line[c].strip() for c in columns)) for line in lines if line.startswith("SEQADV"))
    return Stated(segments, tuple(one for one in mutations if one))


def _mutation(chain: str, residue_id: str, before: str, after: str, number: str) -> Mutation | None:
    """Return a mutation, None for tags, gaps, modified residues and other differences that are not exchanges."""
    letters = [gemmi.find_tabulated_residue(code.upper()) for code in (before, after)]
    exchange = all(one.is_standard() and one.is_amino_acid() for one in letters) and before.upper() != after.upper()
    if not exchange or _integer(number) is None or not _NUMBER.fullmatch(residue_id):
        return None
    return Mutation(chain, residue_id, f"{letters[0].one_letter_code}{number}{letters[1].one_letter_code}")


def _integer(text: str) -> int | None:
    return int(text) if re.fullmatch(r"-?\d+", text) else None
