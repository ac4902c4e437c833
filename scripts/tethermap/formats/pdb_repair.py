"""PDB text of other programs in the columns of the format: elements, overflowing fields, content after END."""

import re
from collections.abc import Iterable

import gemmi
import numpy as np

from tethermap.base.elements import SYMBOLS
from tethermap.formats.guess_elements import guess_elements
from tethermap.formats.pdb_columns import NO_COORDINATE, UNPLACED, kinds_of_atoms, odd_lines, with_decimal_waters

_ATOM = re.compile(r"^(?:ATOM  |HETATM)", re.MULTILINE)
_END = re.compile(r"^END *\r?$", re.MULTILINE)
_END_BEFORE = re.compile(r"\nEND(?!MDL)")  # without ^, as a search for a fixed text is ten times faster
_BLANK_OCCUPANCY = re.compile(r"^((?:ATOM  |HETATM)[^\n]{48}) {6}", re.MULTILINE)
_MODEL = re.compile(r"^(?:MODEL|ENDMDL)\b.*\n?", re.MULTILINE)
_ACIDS = "ALA|ARG|ASN|ASP|CYS|CYX|GLN|GLU|GLY|HI[DEPS]|ILE|LEU|LYS|MET|PHE|PRO|SER|THR|TRP|TYR|VAL"
_LONG_NAME = re.compile(
    rf"^((?:ATOM  |HETATM)[^\n]{{11}})(?:[NC]({_ACIDS})(?=[^\n])|({_ACIDS})[ABHN12](?= ))", re.MULTILINE
)
"""Residues in files of GROMACS with names in columns 18-21: Amber's ends of chains (NGLY, CASP), GROMOS' LYSH, HISB."""

_FORM = re.compile(
    r"^(?P<begin>(?:ATOM  |HETATM)[^\n]{11})"
    r"(?P<code>ARG(?=N)|ASP(?=[HP1])|CYS(?=[12DHMPS])|GLU(?=[HP])|HIS(?=[ABDEHP12])|LYS(?=[HN]))"
    r"(?P<mark>\w)(?P<chain>[\w ])(?P<number> *-?\d+)",
    re.MULTILINE,
)
"""Forms of residues that GROMACS and CHARMM name in columns 18-21 (HISE, ASPP, CYS2), the chain after them."""

_RESIDUE = re.compile(r"^(?:ATOM  |HETATM)[^\n]{11}[^\n]{3}(.)(.)( *-?\d+)", re.MULTILINE)

_LIPIDS = {
    "CHL1": "CLR", "POPC": "POV", "DPPC": "PCF", "DOPC": "PCW", "DSPC": "PC1", "DMPC": "PX4", "DOPE": "PEE",
    "DPPE": "PEF", "DSPE": "3PE", "DOPS": "17F", "PLPC": "CPL", "POPE": "6OU", "POPG": "PGW",
}  # fmt: skip
"""Code of the dictionary for a name that CHARMM-GUI writes in columns 18-21; the first three letters are other ones."""

_LIPID = re.compile(rf"^((?:ATOM  |HETATM)[^\n]{{11}})({'|'.join(_LIPIDS)})(?=[^\n])", re.MULTILINE)

_LONG_CHAIN = re.compile(
    rf"^(?:ATOM  |HETATM)[^\n]{{11}}(?:(?:{_ACIDS})\S\S|(?:ALA|GLY|ILE|LEU|PHE|PRO|SER|THR|TYR|VAL)\S)", re.MULTILINE
)
"""A chain that begins in column 21: its letters belong to no name."""

_FIRST_PART = re.compile(r"^(?:ROOT|BEGIN_RES|ATOM  |HETATM)\b", re.MULTILINE)
FLEXIBLE = re.compile(r"^BEGIN_RES\b.*?^END_RES\b.*?$", re.MULTILINE | re.DOTALL)
"""A side chain that AutoDock moves together with the ligand."""
_SPELLINGS = frozenset(
    spelling
    for name in ("D", *(gemmi.Element(number).name for number in range(119)))  # 0 is X, unknown
    for spelling in (name.rjust(2), name.ljust(2), name.upper().rjust(2), name.upper().ljust(2), name.lower().rjust(2))
)
"""Content of columns 77-78 with an element."""

_CHARGE = re.compile(r" *|\d[+-]|[+-]\d|\d ?| \d| [+-]| 0")
_WIDE_B = re.compile(r" {0,5}-?\d{1,6}\.\d+")
_FIELDS = re.compile(
    r"(?P<record>ATOM|HETATM)\s*(?P<serial>\d+)\s+(?P<name>\S{1,4})\s+(?P<comp>[A-Za-z0-9]{1,3})\s+"
    r"(?:(?P<chain>[A-Za-z])\s*)?(?P<number>-?\d{1,4})(?P<icode>[A-Za-z]?)\s+"
    r"(?P<x>-?\d+\.\d+)\s+(?P<y>-?\d+\.\d+)\s+(?P<z>-?\d+\.\d+)"
    r"(?:\s+(?P<occupancy>\d+\.\d+))?(?:\s+(?P<b>-?\d+\.\d+))?(?:\s+(?P<element>[A-Za-z]{1,2}))?\s*",
    re.IGNORECASE,
)
"""Blank-separated fields of an atom, in any columns."""


def repaired_pdb(text: str) -> tuple[str, int]:
    """Return PDB text with atoms in their columns, each with element and occupancy, and END after the last.

    Text that has nothing to repair is returned unchanged. Lines that can't be read remain unchanged: their number is
    returned too.

    Parameters
    ----------
    text : str
        Content of a PDB file.
    """
    last = max(text.rfind("\nATOM  "), text.rfind("\nHETATM"))
    if text.startswith("END") or _END_BEFORE.search(text, 0, max(last, 0)):  # as in files joined with ``cat``
        text = _END.sub("REMARK", text[: max(last, 0)]) + text[max(last, 0) :]
    has_long = "\nSEQRES" not in text and (_LONG_NAME.search(text) or _LIPID.search(text)) is not None
    if has_long and _LONG_CHAIN.search(text) is None:
        text = _LIPID.sub(lambda match: f"{match[1]}{_LIPIDS[match[2]]} ", _LONG_NAME.sub(r"\1\2\3 ", text))
    if "\nSEQRES" not in text and _FORM.search(text):
        text = _with_short_forms(text)
    if "\nBEGIN_RES" in text and (part := _FIRST_PART.search(text)) is not None and part[0] == "ROOT":
        text = FLEXIBLE.sub("", text)  # of the receptor, not of the docked ligand
    kinds = kinds_of_atoms(text)
    odd = odd_lines(kinds)
    if odd:
        text = with_decimal_waters(text)
        text = "\n".join(_realigned(line) for line in text.splitlines()) + "\n"
        kinds = kinds_of_atoms(text)
        odd = odd_lines(kinds)
    text = _with_elements(text, kinds)
    if any(kind[54:60].isspace() or len(kind) < 60 for kind in kinds):
        text = _BLANK_OCCUPANCY.sub(r"\1  1.00", text)  # of other programs; gemmi reads blanks as zero
    return _with_models(text), odd


def _with_short_forms(text: str) -> str:
    """Return text in which forms of residues have the three letters of the residue.

    The fourth letter belongs to the name, not to a chain of two letters, if the residues next to it have the same chain
    without it and none has the same number.
    """
    numbers: dict[str, dict[str, set[int]]] = {}
    for mark, chain, number in set(_RESIDUE.findall(text)):
        numbers.setdefault(chain, {}).setdefault(mark.strip(), set()).add(int(number))
    forms: dict[tuple[str, str], set[int]] = {}
    for match in _FORM.finditer(text):
        forms.setdefault((match["mark"], match["chain"]), set()).add(int(match["number"]))
    names = set()
    for (mark, chain), own in forms.items():
        plain = numbers[chain].get("", set())
        near = plain.union(*(others for (_, other), others in forms.items() if other == chain))
        alone = own == numbers[chain][mark] and own.isdisjoint(plain)
        if plain and alone and all({number - 1, number + 1} & near for number in own):
            names.add((mark, chain))

    def shortened(match: re.Match[str]) -> str:
        is_form = (match["mark"], match["chain"]) in names
        return f"{match['begin']}{match['code']} {match['chain']}{match['number']}" if is_form else match[0]

    return _FORM.sub(shortened, text)


def _with_models(text: str) -> str:
    """Return text whose models are numbered in order; atoms outside of models become a separate model."""
    if "\nMODEL" not in text and not text.startswith("MODEL"):
        return text
    marks = [(match.start(), match[0].startswith("MODEL")) for match in _MODEL.finditer(text)]
    begins = [at for at, begin in marks if begin]
    if not begins:
        return text
    numbers = [text[at + 5 : at + 20].split("\n", maxsplit=1)[0].strip() for at in begins]
    ends = [*(at for at, _ in marks[1:]), len(text)]
    outside = _ATOM.search(text, 0, begins[0]) is not None or any(
        not begin and _ATOM.search(text, at, end) for (at, begin), end in zip(marks, ends, strict=True)
    )
    if not outside and len({*numbers}) == len(numbers) and all(number.isdecimal() for number in numbers):
        return text
    if len(begins) == 1:
        return _MODEL.sub("", text)
    alone, models, head, inside = list[str](), list[list[str]](), list[str](), False
    for line in text.splitlines():
        if line.startswith("MODEL"):
            inside = True
            models.append([])
        elif line.startswith("ENDMDL"):
            inside = False
        elif inside:
            models[-1].append(line)
        elif _ATOM.match(line) or line.startswith(("TER", "ANISOU")):
            alone.append(line)
        else:
            head.append(line)
    tail = [line for line in head if line.startswith(("CONECT", "MASTER", "END"))]
    lines = [line for line in head if not line.startswith(("CONECT", "MASTER", "END"))]
    for number, model in enumerate([part for part in (alone, *models) if part], start=1):
        lines += [f"MODEL     {number:4d}", *model, "ENDMDL"]
    return "\n".join([*lines, *tail, ""])


def _realigned(line: str) -> str:
    """Return a line of an atom with its fields in their columns; unchanged if it is correct or unreadable.

    Unknown coordinates become those of `UNPLACED`.
    """
    fields = _FIELDS.fullmatch(line.strip()) if odd_lines(kinds_of_atoms(line)) else None
    if fields is None:
        unplaced = f"{line[:30]}{3 * f'{UNPLACED:8.3f}'}{line[54:]}"
        unknown = not NO_COORDINATE.isdisjoint(line[k : k + 8].strip().lower() for k in (30, 38, 46))
        return unplaced if unknown and _ATOM.match(line) and not odd_lines(kinds_of_atoms(unplaced)) else line
    name = fields["name"] if len(fields["name"]) == 4 else f" {fields['name']}"
    x, y, z = (float(fields[axis]) for axis in "xyz")
    made = (
        f"{fields['record'].upper():<6}{int(fields['serial']) % 100_000:5d} {name:<4} {fields['comp']:>3} "
        f"{fields['chain'] or ' '}{int(fields['number']):4d}{fields['icode'] or ' '}   {x:8.3f}{y:8.3f}{z:8.3f}"
        f"{float(fields['occupancy'] or 1):6.2f}{float(fields['b'] or 0):6.2f}          {fields['element'] or '':>2}  "
    )
    return line if len(made) != 80 or odd_lines(kinds_of_atoms(made)) else made


def _with_elements(text: str, kinds: Iterable[str]) -> str:
    """Return text with an element in columns 77-78 of each atom, followed only by a charge."""
    is_ligand = "\nENDROOT" in text
    if not is_ligand and all(map(_is_plain, {kind[66:80].rstrip("\r") for kind in kinds if _ATOM.match(kind)})):
        return text
    lines = text.splitlines()
    first = next((line for line in lines if _ATOM.match(line)), "")
    # PDBQT: a partial charge in columns 71-76, followed by AutoDock's type
    docked = re.fullmatch(r" *[+-]?\d*\.\d+ ?", first[68:77]) is not None and bool(first[77:80].strip())
    if docked := docked or is_ligand:
        lines = [line for line in lines if not _ATOM.match(line) or not _NO_ATOM.fullmatch(_narrowed(line)[76:])]
    at = [k for k, line in enumerate(lines) if _ATOM.match(line)]
    atoms = [_narrowed(lines[k]) for k in at]
    known = [autodock_element(line) if docked else _element(line) for line in atoms]
    segments = [line[72:76].strip() for line in atoms]
    if not any(known) and all(_names_element(line[12:16], word) for line, word in zip(atoms, segments, strict=True)):
        known = [word.capitalize() for word in segments]
    try:
        xyz = np.array([[float(line[k : k + 8]) for k in (30, 38, 46)] for line in atoms]).reshape(-1, 3)
    except ValueError:  # the reader reports the columns
        return text
    comp_ids, names = ([line[begin : begin + width].strip() for line in atoms] for begin, width in ((17, 3), (12, 4)))
    elements = guess_elements([line[17:27] for line in atoms], comp_ids, names, xyz, known)
    for k, line, element, stated in zip(at, atoms, elements, known, strict=True):
        charge = line[78:80] if stated and not docked and _CHARGE.fullmatch(line[78:80]) else "  "
        segment = line[72:76] if stated and not docked and line[72:76].strip().upper() != element.upper() else "    "
        lines[k] = f"{line[:66]:<66}      {segment}{element.upper():>2}{charge}"
    return "\n".join([*lines, ""])


def _is_plain(columns: str) -> bool:
    """Return whether columns 67-80 contain an element and a charge at most, and no digit of a wide B factor."""
    return (
        columns[10:12] in _SPELLINGS and _CHARGE.fullmatch(columns[12:]) is not None and columns[0] not in "0123456789."
    )


def _narrowed(line: str) -> str:
    """Return a line of 80 columns whose B factor fits its columns, with the rest moved back."""
    line = line.rstrip().ljust(80)
    wide = _WIDE_B.match(line, 60)
    if wide is None or wide.end() <= 66:
        return line
    return f"{line[:60]}{wide[0].strip()[:6]:>6}{line[wide.end() :]}".ljust(80)


def _element(line: str) -> str:
    """Return the element in columns 77-78; empty if they contain something else or are not followed by a charge."""
    if line[76:78] not in _SPELLINGS or not _CHARGE.fullmatch(line[78:80]):
        return ""
    return line[76:78].strip().capitalize()


def _names_element(name: str, word: str) -> bool:
    return word.capitalize() in SYMBOLS and name.strip().lstrip("0123456789").upper().startswith(word.upper())


_AUTODOCK = {"A": "C", "OA": "O", "NA": "N", "NS": "N", "OS": "O", "SA": "S", "HD": "H", "HS": "H", "Z": "C"}
"""Elements of AutoDock's atom types that are not called by them (AutoDock 4.2 user guide)."""

_NO_ATOM = re.compile(r" *(?:W|TZ|G\d*) *", re.IGNORECASE)
"""Types of waters of hydrated docking, free positions around zinc, and dummies that close a macrocycle (Meeko)."""

_CLOSING = re.compile(r"CG\d*")
"""Types of the carbons that close a macrocycle."""


def autodock_element(line: str) -> str:
    """Return the element of AutoDock's type in a line of a PDBQT file, empty if there is none."""
    word = line[76:].strip().upper()
    element = "C" if _CLOSING.fullmatch(word) else _AUTODOCK.get(word, word.capitalize())
    return element if element in SYMBOLS else ""
