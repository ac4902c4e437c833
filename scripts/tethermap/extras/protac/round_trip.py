"""Whether an anchor survives the way in which PRosettaC adds hydrogens: SDF to PDB and back with Open Babel.

PRosettaC (``utils.addH_sdf``, ``protac_lib.translate_anchors``) converts a head to PDB and back to SDF with hydrogens,
and then searches the old molecule, read without any perception, in the new one: if a bond changes, it continues with
the last atom as its anchor, and a symmetric match moves the anchor. Open Babel is not part
of Tethermap.
"""

import importlib
import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from rdkit import Chem, rdBase

SAME, OTHER, LOST = "same_atom", "other_atom", "no_match"
OUTCOMES = {
    SAME: "The anchor is the same atom after the conversion.",
    OTHER: "A symmetric match moves the anchor to another atom: choose it again in the converted head.",
    LOST: "Open Babel perceives other bonds than the head has: PRosettaC would use a wrong anchor, don't use it.",
}
"""Possible outcomes, each with a sentence for people."""

WITHIN = 0.01
"""Farthest that a PDB file's rounding can move an atom, in angstroms."""


@dataclass(frozen=True, slots=True)
class OpenBabel:
    """An installed Open Babel.

    Parameters
    ----------
    version : str
        Its version, such as ``3.1.1``.
    convert : callable
        Converts a text from one format to another, with hydrogens added or unchanged.
    """

    version: str
    convert: Callable[[str, str, str, bool], str]


@lru_cache(maxsize=1)
def open_babel() -> OpenBabel | None:
    """Return Open Babel, its Python module or else the program ``obabel``; None if neither is installed."""
    if importlib.util.find_spec("openbabel") is not None:
        return _module()
    program = shutil.which("obabel")
    return _program(program) if program else None


def _module() -> OpenBabel:
    openbabel = importlib.import_module("openbabel.openbabel")

    openbabel.obErrorLog.StopLogging()

    def convert(text: str, source: str, wanted: str, hydrogens: bool) -> str:
        conversion = openbabel.OBConversion()
        conversion.SetInAndOutFormats(source, wanted)
        mol = openbabel.OBMol()
        conversion.ReadString(mol, text)
        if hydrogens:
            mol.AddHydrogens()
        return str(conversion.WriteString(mol))

    return OpenBabel(str(openbabel.OBReleaseVersion()), convert)


def _program(path: str) -> OpenBabel:
    def convert(text: str, source: str, wanted: str, hydrogens: bool) -> str:
        command = [path, f"-i{source}", f"-o{wanted}", *(["-h"] if hydrogens else [])]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False).stdout

    says = subprocess.run([path, "-V"], capture_output=True, text=True, check=False).stdout.split()
    return OpenBabel(says[2] if len(says) > 2 else "", convert)  # "Open Babel 3.1.1 -- Jan 12 2023 -- 10:44:46"


def anchor_after_round_trip(babel: OpenBabel, sdf: str, anchor: int) -> str:
    """Return the outcome for an anchor, one of `OUTCOMES`.

    Parameters
    ----------
    babel : OpenBabel
        The program that converts.
    sdf : str
        The written head.
    anchor : int
        0-based index of the anchor in it.
    """
    convert = babel.convert
    with rdBase.BlockLogs():
        before = _read(sdf, sanitize=False)
        after = _read(convert(convert(sdf, "sdf", "pdb", False), "pdb", "sdf", True), sanitize=True)
        match = after.GetSubstructMatch(before) if before is not None and after is not None else ()
    if before is None or after is None or not match:
        return LOST
    places = [np.array(mol.GetConformer().GetAtomPosition(k)) for mol, k in ((before, anchor), (after, match[anchor]))]
    return SAME if float(np.linalg.norm(places[0] - places[1])) < WITHIN else OTHER


def _read(sdf: str, *, sanitize: bool) -> Chem.Mol | None:
    supplier = Chem.SDMolSupplier()
    supplier.SetData(sdf, sanitize=sanitize)
    return supplier[0] if len(supplier) else None
