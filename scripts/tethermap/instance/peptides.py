"""Find chains declared as polymers that are ligands, peptides or sugars instead."""

from collections import Counter
from typing import NamedTuple

import gemmi
import numpy as np

from tethermap.base.arrays import BoolArray, IntArray
from tethermap.entry.atoms import POLYMER, WATER, Atoms, text
from tethermap.entry.reader import Entry
from tethermap.instance.bonds import LONGEST_JOIN, Bond, declared_bonds, partners_for_bonds, undeclared_bonds

LONGEST_PEPTIDE = 15
"""Maximum length of the sequence of a chain next to a protein that is a ligand or a peptide, never a target. House
rule:
inhibitors that are approved drugs have up to 14 (cyclosporin 11, octreotide 8)."""

SHORTEST_PARTNER = 30
"""Least length of a protein next to which a short chain is a ligand. House rule; nucleic acids of any
length are."""

LABELLED, UNIDENTIFIED = b"MSE", b"UNK"
"""Selenomethionine counts as itself; then residues of unknown identity."""

_SUGARS = frozenset({gemmi.ResidueKind.PYR, gemmi.ResidueKind.KET})
_AMINO_ACIDS = frozenset({gemmi.ResidueKind.AA, gemmi.ResidueKind.AAD, gemmi.ResidueKind.PAA, gemmi.ResidueKind.MAA})
_UNTABULATED = frozenset({gemmi.ResidueKind.UNKNOWN})
_NUCLEOTIDES = frozenset({gemmi.ResidueKind.RNA, gemmi.ResidueKind.DNA})


class ShortChains(NamedTuple):
    """The label_asym_id of chains that the file declares as polymers but that are not, or are short.

    Parameters
    ----------
    ligands : frozenset of str
        Peptide-like ligands: BIRD molecules, and short chains with a non-standard residue, a bond to another molecule
        except water, or a ring of residues.
    peptides : frozenset of str
        Open short chains of standard residues: they stay around other ligands, but are never targets.
    sugars : frozenset of str
        Chains of sugars that old mmCIF files call polymers.
    """

    ligands: frozenset[str]
    peptides: frozenset[str]
    sugars: frozenset[str]


def short_chains(entry: Entry, standard: BoolArray) -> ShortChains:
    """Find the chains of an entry that are not proper polymers.

    Parameters
    ----------
    entry : Entry
        The entry.
    standard : ndarray of bool, shape (n_residues,)
        Whether each residue has a standard code.
    """
    atoms = entry.atoms
    starts = atoms.starts
    residues = np.flatnonzero(atoms.entity_type[starts] == POLYMER)
    asyms = atoms.label_asym_id[starts[residues]]
    chains = {text(asym): residues[asyms == asym] for asym in np.unique(asyms)}
    codes_of = {asym: map(text, np.unique(atoms.comp_id[starts[members]])) for asym, members in chains.items()}
    kinds = {asym: {gemmi.find_tabulated_residue(code).kind for code in codes} for asym, codes in codes_of.items()}
    sequences = {asym: len(one.full_sequence) for one in entry.structure.entities for asym in one.subchains}
    lengths = {asym: max(len(members), sequences.get(asym, 0)) for asym, members in chains.items()}
    sugars = {asym for asym in chains if kinds[asym] & _SUGARS and kinds[asym] <= _SUGARS | _UNTABULATED}
    ligands = {asym for asym in entry.molecules if asym in chains}
    partners = chains.keys() - ligands - sugars
    if not any(lengths[asym] >= SHORTEST_PARTNER or kinds[asym] & _NUCLEOTIDES for asym in partners):
        return ShortChains(frozenset(ligands), frozenset(), frozenset(sugars))
    proteins = {asym for asym in chains if kinds[asym] & _AMINO_ACIDS and not kinds[asym] & _NUCLEOTIDES}
    short = {asym for asym in proteins - ligands if lengths[asym] <= LONGEST_PEPTIDE}
    if short:
        codes = atoms.comp_id[starts]
        short -= _bridged(entry.structure, atoms) | {asym for asym in short if UNIDENTIFIED in codes[chains[asym]]}
        plain = standard | (codes == LABELLED)
        modified = {asym for asym in short if not plain[chains[asym]].all()}
        ligands |= modified | _tied(entry, {asym: chains[asym] for asym in short - modified})
    return ShortChains(frozenset(ligands), frozenset(short - ligands), frozenset(sugars))


def _bridged(structure: gemmi.Structure, atoms: Atoms) -> set[str]:
    """Return the chains that a disulfide ties to another: parts of one protein cut after its synthesis."""
    columns = (atoms.auth_asym_id, atoms.auth_seq_id, atoms.ins_code, atoms.label_asym_id)
    keys = zip(*(column[atoms.starts].tolist() for column in columns), strict=True)
    asyms = {(chain, number, letter): text(asym) for chain, number, letter, asym in keys}
    chains: set[str] = set()
    for connection in structure.connections:
        if connection.type == gemmi.ConnectionType.Disulf:
            ids = [(end.chain_name, end.res_id.seqid) for end in (connection.partner1, connection.partner2)]
            ends = {asyms.get((chain.encode(), seqid.num, seqid.icode.strip().encode()), "") for chain, seqid in ids}
            chains |= ends if len(ends) > 1 else set()
    return chains


def _tied(entry: Entry, chains: dict[str, IntArray]) -> set[str]:
    """Return the chains with a bond to another group except water, or with a ring of residues."""
    if not chains:
        return set()
    atoms = entry.atoms
    chain_of = {residue: asym for asym, residues in chains.items() for residue in residues.tolist()}
    bonds = [bond for bond in declared_bonds(entry.structure, atoms) if bond.kind != "contact"]
    others = partners_for_bonds(atoms)
    for residue in chain_of:
        bonds += [bond for bond in undeclared_bonds(atoms, residue, others) if _is_sound(atoms, bond)]
    tied: set[str] = set()
    inner: dict[str, set[tuple[int, int]]] = {asym: set() for asym in chains}
    for bond in bonds:
        first, second = sorted(bond.residues(atoms))
        asyms = {chain_of.get(first, ""), chain_of.get(second, "")}
        if len(asyms) > 1:
            tied |= asyms if WATER not in atoms.entity_type[[bond.first, bond.second]] else set()
        elif "" not in asyms:
            inner[asyms.pop()].add((first, second))
    return (tied | {asym for asym, pairs in inner.items() if _has_ring(pairs)}) & chains.keys()


def _is_sound(atoms: Atoms, bond: Bond) -> bool:
    """Return whether an undeclared bond joins residues of one chain, or links a het group without a clash."""
    own, other = (atoms.label_asym_id[end] for end in (bond.first, bond.second))
    return bool(own == other or (atoms.entity_type[bond.second] != POLYMER and bond.ratio(atoms) < LONGEST_JOIN))


def _has_ring(pairs: set[tuple[int, int]]) -> bool:
    """Return whether bonds between residues, as pairs of them, close a ring."""
    while pairs:
        degree = Counter(end for pair in pairs for end in pair)
        inside = {pair for pair in pairs if min(degree[end] for end in pair) > 1}
        if inside == pairs:
            return True
        pairs = inside
    return False
