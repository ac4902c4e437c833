"""Whether an anchor survives the way in which PRosettaC adds hydrogens: SDF to PDB and back with Open Babel.

PRosettaC (``utils.addH_sdf``, ``protac_lib.translate_anchors``) converts a head to PDB and back to SDF with
hydrogens, and then searches the old molecule, read without any perception, in the new one: where a bond comes back
differently it goes on with the last atom as its anchor, a symmetric match moves the anchor. Open Babel is not part
of Tethermap.
"""

from __future__ import annotations

import importlib
import importlib.util
import shutil
import subprocess
from collections.abc import Callable
from functools import lru_cache

import numpy as np
from rdkit import Chem, rdBase

SAME, OTHER, LOST, NOT_CHECKED = "same_atom", "other_atom", "no_match", "not_checked"
OUTCOMES = {
    SAME: "The anchor comes back as the same atom.",
    OTHER: "A symmetric match moves the anchor to another atom: give it again for the converted head.",
    LOST: "Open Babel perceives other bonds than the head has: PRosettaC goes on with a wrong anchor, don't use it.",
    NOT_CHECKED: "Not tried: Open Babel was not found, or the setting protac_inputs.open_babel is off.",
}
"""What can come of it, each with a sentence for people."""

WITHIN = 0.01
"""Farthest that a PDB file's rounding can move an atom, in angstroms."""


Converter = Callable[[str, str, str, bool], str]
"""Converts a text from one format to another, with hydrogens or as it is."""


@lru_cache(maxsize=1)
def open_babel() -> Converter | None:
    """Return Open Babel, its Python module or else the program ``obabel``; None where there is neither."""
    if importlib.util.find_spec("openbabel") is not None:
        return _module()
    program = shutil.which("obabel")
    return _program(program) if program else None


def _module() -> Converter:
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

    return convert


def _program(path: str) -> Converter:
    def convert(text: str, source: str, wanted: str, hydrogens: bool) -> str:
        command = [path, f"-i{source}", f"-o{wanted}", *(["-h"] if hydrogens else [])]
        return subprocess.run(command, input=text, capture_output=True, text=True, check=False).stdout

    return convert


def anchor_after_round_trip(sdf: str, anchor: int) -> str:
    """Return what becomes of an anchor, one of `OUTCOMES`.

    Parameters
    ----------
    sdf : str
        The head as it is written.
    anchor : int
        0-based index of the anchor in it.
    """
    convert = open_babel()
    if convert is None:
        return NOT_CHECKED
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
