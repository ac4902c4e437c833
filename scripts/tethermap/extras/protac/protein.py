"""The protein of a cleaned complex under the chain letters of one side of a degrader."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from tethermap.entry.polymer_lines import polymer_lines
from tethermap.extras.protac.side import Side

_LINE = 81
"""Bytes of a line of 80 columns, its end included."""

_CHAIN, _SERIAL = 21, slice(6, 11)


@dataclass(frozen=True, slots=True)
class Protein:
    """The protein's file, or why there is none.

    Parameters
    ----------
    text : str
        A PDB file; empty if there is none.
    letters : dict of str to str
        Chain of the complex → chain of this file.
    reason : str
        Code of `tethermap.base.reasons.PROTAC_REASONS`; empty if there is a file.
    """

    text: str = ""
    letters: dict[str, str] | None = None
    reason: str = ""

    @property
    def chains(self) -> str:
        """Chain letters of the protein."""
        return "".join((self.letters or {}).values())


def protein_of(complex_text: str | None, ligand: Collection[int], side: Side, title: str) -> Protein:
    """Return the polymer of a cleaned complex with other chain letters.

    Parameters
    ----------
    complex_text : str or None
        The complex as PDB; None if it does not fit the format.
    ligand : collection of int
        Serials of the ligand's atoms, which may be peptide-like and among the polymer.
    side : Side
        Half of the degrader that it is.
    title : str
        Named in a remark.
    """
    if complex_text is None:
        return Protein(reason="complex_too_large")
    blocks = _whole_chains(complex_text, ligand)
    if blocks is None:
        blocks = _chains_by_line(complex_text, ligand)
    if not blocks or len(blocks) > len(side.letters):
        return Protein(reason="too_many_chains" if blocks else "no_polymer")
    letters = dict(zip(blocks, side.letters, strict=False))
    head = [f"REMARK   6 polymer of {title}"]
    head += [f"REMARK   6 chain {new} is chain {old} of the complex" for old, new in letters.items()]
    body = "".join(_relabelled(block, letters[chain]) for chain, block in blocks.items())
    return Protein("\n".join(head) + "\n" + body + "END\n", letters)


def _whole_chains(text: str, ligand: Collection[int]) -> dict[str, str] | None:
    """Return the text of each chain's polymer, cut out as one block.

    None for a file of another layout: lines of 80 columns, the polymer of each chain without gaps followed by its TER
    record, one model, no atom of the ligand among it.
    """
    starts = [place for mark in ("\nATOM  ", "\nHETATM") if (place := text.find(mark)) >= 0]
    if not starts or "\nENDMDL" in text:
        return None
    place = min(starts) + 1
    blocks: dict[str, str] = {}
    while (ter := text.find("\nTER", place - 1)) >= 0:
        end = text.find("\n", ter + 1) + 1
        while place < ter and text[place + _CHAIN] in blocks:
            place = text.find("\n", place) + 1
        block = text[place:end]
        count = len(block) // _LINE
        chain = block[_CHAIN : _CHAIN + 1]
        regular = len(block) == count * _LINE and block[80::_LINE] == "\n" * count
        if not regular or chain == " " or block[_CHAIN::_LINE] != chain * count:
            return None
        first, last = int(block[_SERIAL]), int(block[-_LINE:][_SERIAL])
        if any(first <= serial <= last for serial in ligand):
            return None
        blocks[chain] = block
        place = end
    return blocks


def _chains_by_line(text: str, ligand: Collection[int]) -> dict[str, str]:
    """Return the same line by line, the atoms of the ligand left out."""
    own = frozenset(ligand)
    texts = {}
    for chain, lines in polymer_lines(text.splitlines()).items():
        kept = [line for line in lines if line.startswith("TER") or int(line[_SERIAL]) not in own]
        if len(kept) > 1:
            texts[chain] = "".join(f"{line}\n" for line in kept)
    return texts


def _relabelled(block: str, letter: str) -> str:
    """Return the lines of a chain with another chain letter."""
    count = len(block) // _LINE
    data = bytearray(block, "ascii")
    if len(data) == count * _LINE and block[80::_LINE] == "\n" * count:
        data[_CHAIN - 1 :: _LINE] = b" " * count
        data[_CHAIN::_LINE] = letter.encode() * count
        return data.decode("ascii")
    lines = block.splitlines()
    return "".join(f"{line[: _CHAIN - 1]} {letter}{line[_CHAIN + 1 :]}\n" for line in lines)
