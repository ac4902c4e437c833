"""One mmCIF file of a structure and its companions: ligands from separate files, confidences.

The pipeline reads this file: it contains the definitions of the ligands' bonds and no trace of its origin.
"""

from collections.abc import Iterable, Mapping, Sequence

import gemmi
from gemmi import cif

from tethermap.entry import additions
from tethermap.entry.additions import BLOCK, ResidueKey
from tethermap.entry.cif_names import quote_names
from tethermap.sources.own.poses import LigandPose

_CHAINS = "LXYZWVUTSRQPONMKJIHGFEDCBA"


def merged(structure: gemmi.Structure, poses: Sequence[LigandPose], name: str, header: cif.Block | None = None) -> str:
    """Return a structure of one model with ligands as mmCIF.

    Parameters
    ----------
    structure : gemmi.Structure
        Structure from the reader, with residues sorted into polymer and others.
    poses : sequence of LigandPose
        Ligands, each of which gets a separate chain and numbers from 1.
    name : str
        Name of the data block.
    header : gemmi.cif.Block or None
        Block of the structure's own mmCIF file, whose other categories are kept.
    """
    structure = structure.clone()
    model = structure[0]
    chain_names = {chain.name for chain in model}
    chain = gemmi.Chain(next((letter for letter in _CHAINS if letter not in chain_names), "LIG"))
    asyms = []
    for number, pose in enumerate(poses, start=1):
        residue = residue_of(pose, number)
        residue.subchain = f"{chain.name}lig{number}"
        asyms.append(residue.subchain)
        chain.add_residue(residue)
    if poses:
        model.add_chain(chain)
    structure.setup_entities()
    structure.name = name
    if header is None:
        document = structure.make_mmcif_document()
        block = document[0]
    else:
        document = cif.Document()
        block = document.add_copied_block(header)
        structure.update_mmcif_block(block, gemmi.MmcifOutputGroups(False, atoms=True, entity=False, struct_asym=True))
    block.name = name
    quote_names(block, structure)
    add_ligands(document, asyms, poses)
    return str(document.as_string())


def with_confidences(text: str, errors: Mapping[str, Mapping[ResidueKey, float]], scores: Mapping[str, str]) -> str:
    """Return an mmCIF text with expected errors of its ligands and scores appended; the existing text is unchanged."""
    document = cif.Document()
    block = document.add_new_block(BLOCK)
    _add_loop(block, additions.SCORES, additions.SCORE_TAGS, scores.items())
    rows = [(asym, *key, f"{error:.2f}") for asym, by_residue in errors.items() for key, error in by_residue.items()]
    _add_loop(block, additions.ERRORS, additions.ERROR_TAGS, rows)
    return text.rstrip() + "\n#\n" + str(document.as_string())


def _add_loop(block: cif.Block, category: str, tags: Sequence[str], rows: Iterable[Sequence[str | None]]) -> None:
    """Add a table to a block, unless it has no rows; None is written as ``.``."""
    loop = None
    for row in rows:
        loop = loop or block.init_loop(category, list(tags))
        loop.add_row(["." if value is None else cif.quote(value) for value in row])


def residue_of(pose: LigandPose, number: int) -> gemmi.Residue:
    """Return a pose as a residue with this number."""
    residue = gemmi.Residue()
    residue.name, residue.het_flag = pose.comp_id, "H"
    residue.seqid = gemmi.SeqId(number, " ")
    residue.entity_type = gemmi.EntityType.NonPolymer
    for name, element, xyz, charge in zip(pose.names, pose.elements, pose.xyz.tolist(), pose.charges, strict=True):
        residue.add_atom(atom_of(name, element, xyz, charge))
    return residue


def atom_of(
    name: str, element: str, xyz: Sequence[float], charge: int = 0, occupancy: float = 1.0, b_iso: float = 0.0
) -> gemmi.Atom:
    """Return an atom."""
    atom = gemmi.Atom()
    atom.name, atom.element, atom.charge = name, gemmi.Element(element), charge
    atom.pos, atom.occ, atom.b_iso = gemmi.Position(*xyz), occupancy, b_iso
    return atom


def add_ligands(document: cif.Document, asyms: Sequence[str], poses: Sequence[LigandPose]) -> None:
    """Add which chains are ligands with bonds of their file, with the definition of each different one.

    Ligands without `source_file` are not poses: they are part of the structure's own file.
    """
    if not poses:
        return
    definitions: dict[tuple[object, ...], tuple[str, LigandPose]] = {}
    rows = []
    for asym, pose in zip(asyms, poses, strict=True):
        key = (pose.names, pose.elements, pose.charges, pose.bonds, pose.title, pose.comp_id)
        if pose.bonds is not None:
            definitions.setdefault(key, (f"{BLOCK}_{len(definitions) + 1}", pose))
        origin = (pose.source_file or None, str(pose.source_record), str(pose.pose_rank))
        rows.append((asym, definitions.get(key, (None,))[0], pose.smiles or None, *origin))
    block = document.add_new_block(BLOCK)
    _add_loop(block, additions.LIGANDS, additions.LIGAND_TAGS, rows)
    fields = [
        (asym, *field)
        for asym, pose in zip(asyms, poses, strict=True)
        if pose.source_file
        for field in pose.fields.items()
    ]
    _add_loop(block, additions.FIELDS, additions.FIELD_TAGS, fields)
    for name, pose in definitions.values():
        _add_definition(document.add_new_block(name), pose)


def _add_definition(block: cif.Block, pose: LigandPose) -> None:
    """Write a ligand's definition in the dictionary's format for components."""
    block.set_pair("_chem_comp.id", pose.comp_id)
    block.set_pair("_chem_comp.name", cif.quote(pose.title or pose.comp_id))
    block.set_pair("_chem_comp.type", "NON-POLYMER")
    tags = ("comp_id", "atom_id", "type_symbol", "charge", *(f"pdbx_model_Cartn_{axis}_ideal" for axis in "xyz"))
    columns = zip(pose.names, pose.elements, pose.charges, pose.xyz.tolist(), strict=True)
    atoms = ((pose.comp_id, *words, str(charge), *(f"{value:.4f}" for value in xyz)) for *words, charge, xyz in columns)
    _add_loop(block, "_chem_comp_atom.", tags, atoms)
    bonds = ((pose.comp_id, pose.names[first], pose.names[second], order) for first, second, order in pose.bonds or ())
    _add_loop(block, "_chem_comp_bond.", ("comp_id", "atom_id_1", "atom_id_2", "value_order"), bonds)
