"""The protein of a cleaned complex under the chain letters of one side of a degrader."""

from collections.abc import Collection
from dataclasses import dataclass, field

from tethermap.entry.polymer_lines import polymer_lines
from tethermap.extras.protac.side import Side


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
    letters: dict[str, str] = field(default_factory=dict)
    reason: str = ""

    @property
    def chains(self) -> str:
        """Chain letters of the protein."""
        return "".join(self.letters.values())


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
    own = frozenset(ligand)
    blocks: dict[str, list[str]] = {}
    for chain, lines in polymer_lines(complex_text.splitlines()).items():
        kept = [line for line in lines if line.startswith("TER") or int(line[6:11]) not in own]
        if len(kept) > 1:
            blocks[chain] = kept
    if not blocks or len(blocks) > len(side.letters):
        return Protein(reason="too_many_chains" if blocks else "no_polymer")
    letters = dict(zip(blocks, side.letters, strict=False))
    head = [f"REMARK   6 polymer of {title}"]
    head += [f"REMARK   6 chain {new} is chain {old} of the complex" for old, new in letters.items()]
    body = [f"{line[:20]} {letters[chain]}{line[22:]}" for chain, lines in blocks.items() for line in lines]
    return Protein("\n".join([*head, *body, "END"]) + "\n", letters)
