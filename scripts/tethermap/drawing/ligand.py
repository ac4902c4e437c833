"""Depictions of one ligand: plain, and coloured by exposure.

Every atom has a separate circle with the classes ``atom`` and ``atom-<index>`` and data attributes with its name, so
that a page can link the picture to a 3D view.
"""

from html import escape

import numpy as np

from tethermap.base.arrays import FloatArray
from tethermap.base.contexts import HEADLINE_CONTEXT
from tethermap.drawing.canvas import drawn
from tethermap.drawing.card import LEGEND_HEIGHT, MUTED, Drawing, card, legend, targets
from tethermap.drawing.exposed import AtomExposure, exposed_card
from tethermap.instance.model import Instance, Link
from tethermap.molecule.record import LigandMolecule


def plain_svg(record: LigandMolecule, instance: Instance, beside_missing: frozenset[int] = frozenset()) -> str:
    """Return the depiction of a ligand with its elements coloured.

    Atoms that are covalently bonded to the protein have a dashed ring, those next to missing atoms a pale stub.

    Parameters
    ----------
    record : LigandMolecule
        The molecule with its layout.
    beside_missing : frozenset of int
        Heavy atoms with a neighbour that was not modelled.
    """
    drawing = drawn(record.flat, coloured=True, prepare=record.sanitised)
    covalent = [link for link in instance.links if link.kind == "covalent"]
    notes = []
    if count := len(record.atoms_missing):
        notes.append(f"{count} heavy atom{'s' if count > 1 else ''} not observed")
    if "perceived_bonds" in record.flags:
        notes.append("bonds perceived from distances")
    bound = [(link.partner, link.partner_atom) for link in covalent[:2]]
    notes += [f"bonded to {residue.comp_id} {residue.residue_id} {atom}" for residue, atom in bound]
    parts = [
        _link_rings(record, covalent, drawing),
        missing_stubs(record, drawing, beside_missing),
        drawing.body,
        targets(drawing, record.names, atom_data(record, instance)),
        legend([instance_title(instance), " · ".join(notes)], drawing),
    ]
    return card(instance_title(instance), record.observed_smiles, drawing.box(LEGEND_HEIGHT), parts)


def exposed_svg(record: LigandMolecule, instance: Instance, relative_sasa: FloatArray, sasa_bound: FloatArray) -> str:
    """Return the depiction of a ligand with its atoms coloured by exposure.

    Colour and size of the disc of an atom show its relative SASA in the headline context.

    Parameters
    ----------
    record : LigandMolecule
        The molecule with its layout.
    relative_sasa : ndarray of float, shape (n_heavy,)
        SASA in the complex over SASA of the unbound ligand; NaN for an atom without surface.
    sasa_bound : ndarray of float, shape (n_heavy,)
        SASA in the complex, in square angstroms.
    """
    drawing = drawn(record.flat, coloured=False, prepare=record.sanitised)
    relative = [None if np.isnan(value) else value for value in relative_sasa.tolist()]
    exposures = list(map(AtomExposure, sasa_bound.tolist(), relative))
    title, data = instance_title(instance), atom_data(record, instance)
    return exposed_card(title, record.observed_smiles, drawing, data, exposures, HEADLINE_CONTEXT)


def atom_data(record: LigandMolecule, instance: Instance) -> list[dict[str, str]]:
    """Return the data attributes that name each heavy atom."""
    elements = instance.atoms.element
    return [
        {"index": str(k), "atom-name": name, "element": elements[index]}
        for k, (name, index) in enumerate(zip(record.names, record.atom_index.tolist(), strict=True))
    ]


def stub_ends(drawing: Drawing, beside: frozenset[int]) -> FloatArray:
    """Return the middle of the question mark of each atom next to missing ones, shape (n_beside, 2).

    Each is in the direction that is farthest from the other atoms.
    """
    ends = np.empty((len(beside), 2))
    away = max(_STUB * drawing.bond, _LEAST_STUB) * _AROUND
    for row, k in enumerate(sorted(beside)):
        others = np.delete(drawing.places, k, axis=0)
        apart = np.linalg.norm(drawing.places[k] + away[:, None] - others, axis=2)
        ends[row] = drawing.places[k] + away[int(apart.min(axis=1, initial=np.inf).round(3).argmax())]
    return ends


_STUB, _LEAST_STUB = 0.63, 24.5
"""Distance of the question mark from its atom in bond lengths, and the least distance in pixels."""

_TURNS = np.arange(24) * (np.pi / 12) - np.pi / 2
_AROUND = np.stack([np.cos(_TURNS), np.sin(_TURNS)], axis=1)


def missing_stubs(record: LigandMolecule, drawing: Drawing, beside: frozenset[int]) -> str:
    """Return a pale dashed bond with a question mark at each atom that has a neighbour which was not modelled."""
    stubs = []
    for k, end in zip(sorted(beside), stub_ends(drawing, beside), strict=True):
        (x1, y1), (x2, y2) = (drawing.places[k] + share * (end - drawing.places[k]) for share in (0.3, 0.7))
        stubs.append(
            f'<g class="missing" opacity="0.6"><title>Beyond {escape(record.names[k])} atoms were not modelled.</title>'
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{MUTED}" stroke-width="1.5"'
            f' stroke-dasharray="3 2.5"/><text x="{end[0]:.1f}" y="{end[1] + 4:.1f}" font-size="12" fill="{MUTED}"'
            ' text-anchor="middle">?</text></g>'
        )
    return "".join(stubs)


def _link_rings(record: LigandMolecule, links: list[Link], drawing: Drawing) -> str:
    """Return a dashed ring around each atom that is covalently bonded to the protein."""
    position = {index: k for k, index in enumerate(record.atom_index.tolist())}
    places = [drawing.places[position[link.atom]].tolist() for link in links if link.atom in position]
    return "".join(
        f'<circle class="link" cx="{x:.1f}" cy="{y:.1f}" r="{0.4 * drawing.bond:.1f}" fill="#fff3d6"'
        f' stroke="#9a6700" stroke-width="1.5" stroke-dasharray="4 3"/>'
        for x, y in places
    )


def instance_title(instance: Instance) -> str:
    """Return the names of an instance as a title."""
    name = instance.name
    return f"{name.comp_id} · {instance.entry_id} chain {name.auth_asym_id} residue {name.residue_id}"
