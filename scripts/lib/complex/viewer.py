"""Scripts that open a complex in PyMOL or ChimeraX with the ligand coloured by exposure.

They lie beside the complex and name files relative to themselves, so the result folder can be
moved. In both viewers the ligand's atoms in the complex are coloured; PyMOL draws the SDF over
them, whose bond orders are right.
"""

from __future__ import annotations

from collections.abc import Sequence

from scripts.lib import layout
from scripts.lib.contexts import HEADLINE_CONTEXT
from scripts.lib.exposure.ramp import STOPS, exposure_colour
from scripts.lib.instance.model import FloatArray, Instance

NEAR = 5.0
"""Residues with an atom this near to the ligand are shown as sticks, in angstroms."""

_SDF_FOLDER = "../" + layout.MCS_SDF.removeprefix(f"{layout.RESULTS}/")


def pymol_script(instance: Instance, structure: str, names: Sequence[str], relative_sasa: FloatArray) -> str:
    """Return a PyMOL script (``.pml``).

    Parameters
    ----------
    instance : Instance
        The ligand.
    structure : str
        Format of the complex to load, ``pdb`` or ``cif``.
    names : sequence of str
        Atom names of the heavy atoms in the order of the SDF.
    relative_sasa : ndarray of float, shape (n_heavy,)
        Their exposure; NaN where an atom has no surface of its own.

    Returns
    -------
    str
        The script, to be opened in its own folder.
    """
    stem = instance.stem
    commands = [
        *(f"# {line}" for line in _legend(instance, names, relative_sasa)),
        "# PyMOL looks for files in the working folder: open this script from its own.",
        "reinitialize",
        f"load {stem}.{structure}, complex",
        f"load {_SDF_FOLDER}/{stem}.sdf, ligand",
        "bg_color white",
        "hide everything",
        "show cartoon, complex",
        "color grey80, complex",
        "select twin, complex within 0.4 of (ligand and not hydro)",
        f"select pocket, byres (complex within {NEAR:g} of twin) and not twin",
        "util.cnc pocket",
        "show sticks, pocket",
        "show sticks, ligand and not hydro",
        "set stick_radius, 0.12, complex",
        "set stick_radius, 0.22, ligand",
        "set valence, 1",
    ]
    for rank, (serial, value) in enumerate(zip(_serials(instance, names), relative_sasa.tolist(), strict=True)):
        atoms = f"(ligand and rank {rank}) or (complex and id {serial})"
        commands.append(f"color 0x{exposure_colour(value)[1:]}, {atoms}")
    commands += ["deselect", "orient ligand", "zoom ligand, 6"]
    return "\n".join(commands) + "\n"


def chimerax_script(instance: Instance, structure: str, names: Sequence[str], relative_sasa: FloatArray) -> str:
    """Return a ChimeraX script (``.cxc``); ChimeraX looks for files in the script's folder.

    Parameters
    ----------
    instance, structure, names, relative_sasa : Instance, str, sequence of str, ndarray of float
        As for `pymol_script`.

    Returns
    -------
    str
        The script.
    """
    stem = instance.stem
    atoms = [f"#1@@serial_number={serial}" for serial in _serials(instance, names)]
    commands = [
        *(f"# {line}" for line in _legend(instance, names, relative_sasa)),
        "close session",
        f"open {stem}.{structure}",
        f"open {_SDF_FOLDER}/{stem}.sdf",
        "hide #2 models",
        "set bgColor white",
        "hide #1 atoms",
        "cartoon #1",
        "color #1 lightgray",
        "select clear",
        *(f"select add {atom}" for atom in atoms),
        "show sel atoms",
        "style sel ball",
        "view sel",
        f"select zone sel {NEAR:g} #1 extend true residues true",
        "show sel atoms",
        "style sel stick",
        "color sel byhetero",
        "select clear",
    ]
    for atom, value in zip(atoms, relative_sasa.tolist(), strict=True):
        commands.append(f"color {atom} {exposure_colour(value)} atoms")
    return "\n".join(commands) + "\n"


def _legend(instance: Instance, names: Sequence[str], relative_sasa: FloatArray) -> list[str]:
    """Return what the colours mean and the value of each atom."""
    name = instance.name
    stops = ", ".join(f"{value:g} {exposure_colour(value)}" for value, _ in STOPS)
    values = ["-" if value != value else f"{value:.2f}" for value in relative_sasa.tolist()]  # NaN differs from itself
    listed = [f"{atom} {value}" for atom, value in zip(names, values, strict=True)]
    return [
        f"{instance.entry_id} chain {name.auth_asym_id} {instance.component_names} {name.residue_id}",
        f"Colours: relative SASA of each ligand atom (bound / free, context {HEADLINE_CONTEXT}): {stops}.",
        "0 is buried by the target, 1 as open as without it.",
        *("  " + ", ".join(listed[i : i + 8]) for i in range(0, len(listed), 8)),
    ]


def _serials(instance: Instance, names: Sequence[str]) -> list[int]:
    """Return the serial number in the complex of each atom of the SDF.

    Components follow one another in both orders, so the n-th atom of a name here is the n-th there.
    """
    places: dict[str, list[int]] = {}
    for index in instance.atoms.heavy.tolist():
        places.setdefault(instance.atoms.name[index], []).append(int(instance.atoms.serial[index]))
    return [places[name].pop(0) for name in names]
