"""Takes a chain's polymer out of a complex that is too large for the PDB format: text to text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from service.results.tables import pick_chain

_WORD = re.compile(r"'((?:[^']|'(?=\S))*)'(?=\s|$)|\"((?:[^\"]|\"(?=\S))*)\"(?=\s|$)|(\S+)")
_UNKNOWN = ("", ".", "?")
_LONGEST_NAME = 4
_SHORT_CHAIN = "A"


def polymer_of_mmcif(lines: Sequence[str], asked: str) -> tuple[str, list[str]] | None:
    """Return the polymer of one chain of an mmCIF file as the lines of a PDB file.

    Parameters
    ----------
    lines : sequence of str
        The file, in the pipeline's format: one row of a loop per line.
    asked : str
        The author chain, as a client gave it.

    Returns
    -------
    tuple of str and list of str, or None
        The chain's name and the lines; None when there is no such polymer. A name that doesn't fit the format is
        replaced, with a REMARK.
    """
    polymers = {row["id"] for row in _loop(lines, "_entity.") if row.get("type") == "polymer"}
    atoms = [row for row in _loop(lines, "_atom_site.") if row["label_entity_id"] in polymers]
    chain = pick_chain(list(dict.fromkeys(row["auth_asym_id"] for row in atoms)), asked)
    if chain is None:
        return None
    fits = len(chain) <= 2
    name = chain if fits else _SHORT_CHAIN
    head = [] if fits else [f"REMARK   6 chain {name} is {chain}"]
    own = [row for row in atoms if row["auth_asym_id"] == chain]
    coordinates = [_pdb_line(number, row, name) for number, row in enumerate(own, 1)]
    last = coordinates[-1]
    ter = f"TER   {min(len(own) + 1, 99999):5d}      {last[17:27]}"
    return chain, [*head, *coordinates, ter.ljust(80), "END"]


def _loop(lines: Sequence[str], category: str) -> Iterator[dict[str, str]]:
    """Yield the rows of a category, by item without the category's name."""
    names: list[str] = []
    for line in lines:
        if line.startswith(category):
            words = _words(line)
            names.append(words[0].removeprefix(category))
            if len(words) > 1:  # no loop: one row, item by item
                yield from _single(lines, category)
                return
        elif names:
            words = _words(line)
            if len(words) != len(names) or line.startswith(("#", "_", "loop_", "data_")):
                return
            yield dict(zip(names, words, strict=True))


def _single(lines: Sequence[str], category: str) -> Iterator[dict[str, str]]:
    pairs = [_words(line) for line in lines if line.startswith(category)]
    yield {words[0].removeprefix(category): words[1] for words in pairs if len(words) > 1}


def _words(line: str) -> list[str]:
    return [single or double or bare for single, double, bare in _WORD.findall(line)]


def _pdb_line(number: int, row: dict[str, str], chain: str) -> str:
    """Return an atom as a line of the PDB format."""
    element = row["type_symbol"].upper()
    name = row["label_atom_id"]
    padded = name if len(name) >= _LONGEST_NAME or len(element) > 1 else f" {name}"
    insertion = "" if row["pdbx_PDB_ins_code"] in _UNKNOWN else row["pdbx_PDB_ins_code"]
    altloc = "" if row["label_alt_id"] in _UNKNOWN else row["label_alt_id"]
    x, y, z = (float(row[f"Cartn_{axis}"]) for axis in "xyz")
    occupancy, b_factor = float(row["occupancy"]), float(row["B_iso_or_equiv"])
    return (
        f"{row['group_PDB']:<6}{min(number, 99999):5d} {padded:<4}{altloc:1}{row['label_comp_id']:>3}{chain:>2}"
        f"{row['auth_seq_id']:>4}{insertion:1}   {x:8.3f}{y:8.3f}{z:8.3f}{occupancy:6.2f}{min(b_factor, 999.99):6.2f}"
        f"          {element:>2}  "
    )
