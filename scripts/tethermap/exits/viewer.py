"""Scripts that open a complex in PyMOL or ChimeraX: the ligand coloured by exposure, its exits as arrows.

They are in the folder of the complex and use relative file names, so the result folder can be moved. In both viewers
the ligand's atoms in the complex are coloured; PyMOL draws the SDF over
them, whose bond orders are right.
"""

from collections.abc import Sequence
from typing import NamedTuple

from tethermap.base import layout
from tethermap.base.arrays import FloatArray, IntArray
from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.drawing.ramp import STOPS, exposure_colour
from tethermap.exits.depict import CLOSED, OPEN
from tethermap.exits.graph import LigandGraph
from tethermap.exits.model import Exit
from tethermap.instance.model import Instance

NEAR = 5.0
"""Residues with an atom this near to the ligand are shown as sticks, in angstroms."""

START, SHAFT_END, TIP = 0.4, 2.6, 3.4
"""Start of an arrow, start of its head and its end, in angstroms from the anchor."""

SHAFT_RADIUS, HEAD_RADIUS = 0.08, 0.26
PALE = 0.7
"""Transparency of the leaving group of the best exit."""

_SDF_FOLDER = "../" + layout.MCS_SDF.removeprefix(f"{layout.RESULTS}/")


class ExitArrow(NamedTuple):
    """An exit for drawing in a viewer.

    Parameters
    ----------
    label : str
        Its site's rank, or ``seen``, and the name of its anchor.
    anchor : int
        Its atom in the SDF.
    points : tuple of tuple of float
        Start of the arrow, start of its head, its end; in angstroms.
    colour : str
        As ``#rrggbb``: blue, or vermilion if closed.
    leaving : tuple of int
        Atoms in the SDF that leave.
    """

    label: str
    anchor: int
    points: tuple[tuple[float, ...], ...]
    colour: str
    leaving: tuple[int, ...]


def exit_arrows(graph: LigandGraph, exits: Sequence[Exit], seen: Sequence[Exit] = ()) -> list[ExitArrow]:
    """Return the arrows of the given exits.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    exits : sequence of Exit
        The best exit of each site that is shown.
    seen : sequence of Exit
        Exits that a degrader shows.
    """
    arrows = []
    for one in [*exits, *seen]:
        if one.opening is None:
            continue
        anchor = one.candidate.anchor
        ends = [graph.xyz[anchor] + step * one.opening.direction for step in (START, SHAFT_END, TIP)]
        label = f"{'seen' if one in seen else one.site_rank} {graph.names[anchor]}"
        points = tuple(tuple(round(float(value), 3) for value in end) for end in ends)
        colour = CLOSED if one.closed else OPEN
        arrows.append(ExitArrow(label, anchor, points, colour, tuple(one.candidate.leaving)))
    return arrows


def pymol_script(instance: Instance, heavy: IntArray, relative_sasa: FloatArray, arrows: Sequence[ExitArrow]) -> str:
    """Return a PyMOL script (``.pml``).

    Parameters
    ----------
    instance : Instance
        The ligand.
    heavy : ndarray of int, shape (n_heavy,)
        Its heavy atoms in the order of the SDF.
    relative_sasa : ndarray of float, shape (n_heavy,)
        Exposure of the atoms; NaN for an atom without surface.
    arrows : sequence of ExitArrow
        Its exits, the best first.

    Returns
    -------
    str
        The script, to be opened in its own folder.
    """
    commands = [
        *(f"# {line}" for line in _legend(instance, heavy, relative_sasa)),
        "# PyMOL looks for files in the working folder: open this script from its own.",
        "reinitialize",
        f"load {_complex_file(instance)}, complex",
        f"load {_SDF_FOLDER}/{instance.stem}.sdf, ligand",
        "bg_color white",
        "hide everything",
        "show cartoon, complex",
        "color grey80, complex",
        "set cartoon_transparency, 0.4, complex",
        "select twin, complex within 0.4 of (ligand and not hydro)",
        f"select pocket, byres (complex within {NEAR:g} of twin) and not twin",
        "util.cnc pocket",
        "show sticks, pocket",
        "show sticks, ligand and not hydro",
        "set stick_radius, 0.12, complex",
        "set stick_radius, 0.22, ligand",
        "set valence, 1",
    ]
    values = zip(instance.atoms.serial[heavy].tolist(), relative_sasa.tolist(), strict=True)
    for rank, (serial, value) in enumerate(values):
        atoms = f"(ligand and rank {rank}) or (complex and id {serial})"
        commands.append(f"color 0x{exposure_colour(value)[1:]}, {atoms}")
    commands += _pymol_exits(arrows)
    commands += [
        "deselect",
        "orient ligand",
        "zoom (ligand or exit_names), 3, complete=1",
        "clip atoms, 6, (ligand or exit_names)",
    ]
    return "\n".join(commands) + "\n"


def _pymol_exits(arrows: Sequence[ExitArrow]) -> list[str]:
    """Return commands that draw the exits; atoms at the arrows' ends (`exit_names`) keep these in the view."""
    commands = ["pseudoatom exit_names, pos=[0, 0, 0]", "remove exit_names"]
    if arrows:
        commands += ["python", "from pymol import cmd", "from pymol.cgo import CONE, CYLINDER"]
        for arrow in arrows:
            start, neck, tip = (", ".join(f"{value:g}" for value in point) for point in arrow.points)
            rgb = ", ".join(f"{int(arrow.colour[at : at + 2], 16) / 255:.3f}" for at in (1, 3, 5))
            parts = (
                f"CYLINDER, {start}, {neck}, {SHAFT_RADIUS}, {rgb}, {rgb},"
                f" CONE, {neck}, {tip}, {HEAD_RADIUS}, 0.0, {rgb}, {rgb}, 1.0, 0.0"
            )
            commands.append(f'cmd.load_cgo([{parts}], "exit_{arrow.label.split()[0]}_{arrow.anchor}")')
            commands.append(f'cmd.pseudoatom("exit_names", pos=[{tip}], label="{arrow.label}")')
        commands.append("python end")
        commands += ["hide nonbonded, exit_names", "set label_size, 16, exit_names"]
    if arrows and arrows[0].leaving:
        leaving = "+".join(str(atom) for atom in arrows[0].leaving)
        commands.append(f"set_bond stick_transparency, {PALE}, (ligand and rank {leaving})")
    return commands


def chimerax_script(instance: Instance, heavy: IntArray, relative_sasa: FloatArray, arrows: Sequence[ExitArrow]) -> str:
    """Return a ChimeraX script (``.cxc``); ChimeraX looks for files in the script's folder.

    Parameters
    ----------
    instance, heavy, relative_sasa, arrows : Instance, ndarray of int, ndarray of float, sequence of ExitArrow
        As for `pymol_script`.

    Returns
    -------
    str
        The script.
    """
    atoms = [f"#1@@serial_number={serial}" for serial in instance.atoms.serial[heavy].tolist()]
    commands = [
        *(f"# {line}" for line in _legend(instance, heavy, relative_sasa)),
        "close session",
        f"open {_complex_file(instance)}",
        f"open {_SDF_FOLDER}/{instance.stem}.sdf",
        "hide #2 models",
        "set bgColor white",
        "hide #1 atoms",
        "cartoon #1",
        "color #1 lightgray",
        "transparency #1 40 target c",
        "select clear",
        *(f"select add {atom}" for atom in atoms),
        "show sel atoms",
        "style sel ball",
        "view sel pad 0.4 clip false",
        f"select zone sel {NEAR:g} #1 extend true residues true",
        "show sel atoms",
        "style sel stick",
        "color sel byhetero",
        "select clear",
    ]
    for atom, value in zip(atoms, relative_sasa.tolist(), strict=True):
        commands.append(f"color {atom} {exposure_colour(value)} atoms")
    for arrow in arrows:
        start, neck, tip = (",".join(f"{value:g}" for value in point) for point in arrow.points)
        commands += [
            f"shape cylinder radius {SHAFT_RADIUS} fromPoint {start} toPoint {neck} color {arrow.colour}",
            f"shape cone radius {HEAD_RADIUS} topRadius 0 fromPoint {neck} toPoint {tip} color {arrow.colour}",
            f'label {atoms[arrow.anchor]} atoms text "{arrow.label}" color {arrow.colour}',
        ]
    for leaving in arrows[0].leaving if arrows else ():
        commands.append(f"transparency {atoms[leaving]} {100 * PALE:.0f} target ab")
    return "\n".join(commands) + "\n"


def _legend(instance: Instance, heavy: IntArray, relative_sasa: FloatArray) -> list[str]:
    """Return the meaning of the colours and the value of each atom."""
    name = instance.name
    stops = ", ".join(f"{value:g} {exposure_colour(value)}" for value, _ in STOPS)
    values = ["-" if value != value else f"{value:.2f}" for value in relative_sasa.tolist()]  # NaN differs from itself
    listed = [f"{instance.atoms.name[k]} {value}" for k, value in zip(heavy.tolist(), values, strict=True)]
    return [
        f"{instance.entry_id} chain {name.auth_asym_id} {instance.component_names} {name.residue_id}",
        f"Colours: relative SASA of each ligand atom (bound / free, context {HEADLINE_CONTEXT}): {stops}.",
        "0 is buried by the target, 1 as open as without it.",
        *("  " + ", ".join(listed[i : i + 8]) for i in range(0, len(listed), 8)),
    ]


def _complex_file(instance: Instance) -> str:
    return f"{instance.stem}.{'cif' if 'mmcif_only' in instance.flags else 'pdb'}"
