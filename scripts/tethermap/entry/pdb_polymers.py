"""Polymers of a PDB-format file, from COMPND, SOURCE, SEQRES and DBREF."""

import itertools
import re
from collections.abc import Iterable, Mapping, Sequence

from tethermap.base.identifiers import unique
from tethermap.base.tables import by_key
from tethermap.entry.mmcif_header import parent_letter, split_names
from tethermap.entry.model import PolymerEntity

_KEYS = re.compile(r"(?:^|;)\s*(MOL_ID|[A-Z][A-Z0-9_ ]{1,30}?)\s*:\s*")
_DNA = frozenset({"DA", "DC", "DG", "DT", "DI", "DU", "DN"})
_RNA = frozenset({"A", "C", "G", "U", "I", "N", "T"})
_COMPLEX = re.compile(r"\s*(?:-\s+|\()?\b(?:IN\s+)?COMPLEX(?:ED)?\s+(?:WITH|BETWEEN|OF|TO)\b.*", re.IGNORECASE)
_SHARE_OF_LONGEST = 0.5
"""A free-text COMPND names the chains that are at least this long, compared with the longest."""

_PEPTIDE_LIKE = "PEPTIDE LIKE POLYMER"


class Chains:
    """The chains of SEQRES.

    Parameters
    ----------
    lines : iterable of str
        SEQRES records.
    parents : mapping of str to str
        One-letter codes of the parents of modified residues, ``X`` if unknown.

    Attributes
    ----------
    residues : dict of str to list of str
        Residue names by author chain, in file order.
    """

    def __init__(self, lines: Iterable[str], parents: Mapping[str, str]) -> None:
        self.residues: dict[str, list[str]] = {}
        for line in lines:
            self.residues.setdefault(line[11:12].strip(), []).extend(line[19:70].split())
        self._letters = {name: letter for name, letter in parents.items() if letter != "X"}

    @property
    def components(self) -> frozenset[str]:
        """Codes of all residues."""
        return frozenset(name for names in self.residues.values() for name in names)

    def sequence(self, chain: str) -> str:
        """Return the one-letter sequence of a chain, modified residues as their parents."""
        return "".join(self._letters.get(name) or parent_letter(name) for name in self.residues.get(chain, ()))

    def kind(self, chain: str) -> str:
        """Return the polymer type as mmCIF names it, empty for an unknown chain."""
        names = set(self.residues.get(chain, ()))
        if not names:
            return ""
        if names & _DNA:
            return "polydeoxyribonucleotide"
        if len(names & _RNA) * 2 > len(names):
            return "polydeoxyribonucleotide" if "T" in names else "polyribonucleotide"
        return "polypeptide(L)"


def polymer_entities(
    compound: str, source: str, chains: Chains, references: Mapping[str, Sequence[tuple[str, str]]]
) -> tuple[PolymerEntity, ...]:
    """Return the polymers of a file.

    Parameters
    ----------
    compound, source : str
        Text of the COMPND and SOURCE records, by molecule or free (before 1996).
    chains : Chains
        Chains of SEQRES.
    references : mapping of str to sequence of (accession, name)
        UniProt references by chain.
    """
    molecules = _molecules(compound)
    sources = _molecules(source)
    entities: list[PolymerEntity] = []

    def add(key: str, listed: Iterable[str], molecule: Mapping[str, str], source: Mapping[str, str]) -> None:
        own = tuple(dict.fromkeys(listed))
        first = next((chain for chain in own if chain in chains.residues), "\0")
        known = [reference for chain in own for reference in references.get(chain, ())]
        synonyms = split_names(molecule.get("SYNONYM", ""))
        organisms = source.get("ORGANISM_SCIENTIFIC", "") or source.get("ORGANISM_COMMON", "")
        entity = PolymerEntity(
            entity_id=key,
            kind=chains.kind(first),
            auth_asym_ids=own,
            description=molecule.get("MOLECULE", ""),
            names=unique([*synonyms, *(name for _, name in known), molecule.get("FRAGMENT", "")]),
            genes=unique(split_names(source.get("GENE", ""))),
            uniprot=unique(code for code, _ in known),
            organisms=unique(split_names(organisms)),
            sequence=chains.sequence(first),
        )
        entities.append(entity)

    for key, molecule in molecules.items():
        listed = [part.strip().strip("'\"") for part in molecule.get("CHAIN", "").split(",")]
        if [name.upper() for name in listed] in (["NULL"], [""]):  # the chain without a name
            listed = [""] if "" in chains.residues else []
        if listed or not chains.residues:
            add(key, listed, molecule, sources.get(key, {}))
    named = {chain for entity in entities for chain in entity.auth_asym_ids}
    molecule = {} if entities else _free_text(compound)
    origin = {} if sources else {"ORGANISM_SCIENTIFIC": _free_organism(source)}
    # Of the chains that COMPND doesn't assign, those of one sequence are one.
    groups = by_key((tuple(residues), chain) for chain, residues in chains.residues.items() if chain not in named)
    longest = max(map(len, groups), default=0)
    for number, (residues, members) in enumerate(groups.items(), start=len(entities) + 1):
        facts = (molecule, origin) if len(residues) >= _SHARE_OF_LONGEST * longest else ({}, {})
        add(str(number), members, *facts)
    return tuple(entities)


def _molecules(text: str) -> dict[str, dict[str, str]]:
    """Return the specifications of each MOL_ID; nothing for free text."""
    molecules: dict[str, dict[str, str]] = {}
    current: dict[str, str] = {}
    marks = list(_KEYS.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):
        value = text[mark.end() : end].strip().rstrip(";").strip()
        if mark[1] == "MOL_ID":
            current = molecules.setdefault(value or str(len(molecules) + 1), {})
        elif molecules:
            current.setdefault(mark[1], value)
    return molecules


def _free_text(compound: str) -> dict[str, str]:
    """Return the name in a COMPND record of before 1996: the text before the enzyme code and the partner."""
    name = _COMPLEX.sub("", compound)
    name = re.sub(r"\(\s*E\.?\s?C\.?\s*[\d.\-, ]+\)", "", name)
    return {"MOLECULE": " ".join(name.split()).strip(" ,;-")}


def _free_organism(source: str) -> str:
    """Return the organism in a SOURCE record of before 1996: ``HUMAN (HOMO SAPIENS) …`` gives the Latin name."""
    plain = source.replace("$", "")  # lower-case letters are marked
    natural = re.split(r"\b(?:RECOMBINANT\s+FORM|EXPRESSED\s+IN|EXPRESSION)\b", plain, maxsplit=1)[0]
    latin = re.search(r"\(\s*([A-Z]+\.?\s?[A-Z][A-Z. ]+?)\s*\)", natural)
    return " ".join((latin[1] if latin else natural).split()).strip(" ,;.")


def peptide_like_chains(content: str) -> tuple[str, ...]:
    """Return the author chains that REMARK 400 names as peptide-like polymers (BIRD).

    Parameters
    ----------
    content : str
        The file, or the part before its coordinates.
    """
    begin = content.find("\nREMARK 400")
    if begin < 0:
        return ()
    lines = itertools.takewhile(lambda line: line.startswith("REMARK 400"), content[begin + 1 :].splitlines())
    groups = " ".join(line[10:80].strip() for line in lines).split("GROUP:")[1:]
    lists = (re.search(r"CHAIN:\s*(.*?)\s*(?=COMPONENT_|DESCRIPTION|$)", g) for g in groups if _PEPTIDE_LIKE in g)
    return unique(name.strip() for match in lists if match for name in match[1].split(","))
