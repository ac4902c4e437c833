"""Degraders of two halves as rows of a table, as CSV and as SDF."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rdkit import Chem
from rdkit.Chem import Descriptors, rdDepictor, rdMolDescriptors

from tethermap.base import layout
from tethermap.base.tables import CONTACTS, DEGRADERS, JOINED, Row, cell_formatter, csv_lines, format_value, read_table
from tethermap.exits.graph import LigandGraph
from tethermap.exits.limits import LARGEST_LEAVING
from tethermap.exits.prior import is_carbonyl
from tethermap.exits.reactions import reaction_at
from tethermap.exits.rows import linked_atoms
from tethermap.exits.words import ACYL_LEAVES, CHEMISTRY, OF_ACID, OF_CARBAMATE
from tethermap.extras.degraders.ends import End, end_of, half_molecule, to_make
from tethermap.extras.degraders.join import SECOND_HALF, Made
from tethermap.extras.protac.ligand import RankedExit, RankedLigand
from tethermap.extras.protac.linker_length import LINKER_BOND
from tethermap.extras.protac.on_demand import (
    NoInputsError,
    NoMoleculeError,
    NoSecondMoleculeError,
    RequestedAnchor,
    exit_at,
    ligand_of,
)
from tethermap.extras.protac.pose import matched_halves
from tethermap.extras.protac.programs import MOST_ATOMS, MOST_RINGS
from tethermap.extras.protac.warhead import Warhead, core_cut, cut_warhead, warhead_smiles
from tethermap.molecule.synthetic_accessibility import synthetic_accessibility
from tethermap.molecule.warheads import UNKNOWN, warhead_classes

_SIDES = ("target", "recruiter")


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """One half to be joined.

    Parameters
    ----------
    end : End
        The end as a molecule.
    description : dict
        Names, building blocks and contacts.
    entry_id : str
        Entry that its frame is of; empty for one given as SMILES.
    anchor : tuple of float
        Place of the atom that the linker is bonded to, in angstroms; empty for one given as SMILES.
    warhead : Warhead or None
        Data for the inputs of programs; None for a half given as SMILES.
    """

    end: End
    description: dict[str, object]
    entry_id: str = ""
    anchor: tuple[float, ...] = ()
    warhead: Warhead | None = None


def part_of_smiles(smiles: str, second: bool) -> Part:
    """Return a half by its SMILES with ``[*]`` for the linker.

    Raises
    ------
    NoMoleculeError
        If it is not a SMILES, or does not have exactly one such atom.
    NoInputsError
        If no common reaction makes that bond.
    """
    if half_molecule(smiles) is None:
        raise _wrong_half(second, "is no SMILES with one [*] for the linker")
    end = _joined_end(smiles, second, f"the {_SIDES[second]}'s half")
    mol = Chem.Mol(end.mol)
    for atom in mol.GetAtoms():
        atom.SetAtomMapNum(atom.GetIdx() + 1 + SECOND_HALF * second if atom.GetAtomicNum() else 0)
    end = End(mol, end.handle)
    nothing: dict[str, object] = {"removes": [], "contacts_lost": [], "contacts_kept": None, "what_to_do": ""}
    return Part(end, {"stem": "", "anchor": "", **nothing, **_handle(end, smiles)})


def part_of_exit(requested: RequestedAnchor, second: bool) -> Part:
    """Return a half by a ranked exit of a finished job; its atoms are mapped to those of the crystal's ligand.

    Raises
    ------
    NoInputsError
        If there is none, or no common reaction makes that bond.
    """
    ligand, rows = ligand_of(requested.job, requested.stem)
    chosen = exit_at(ligand, rows, requested.anchor)
    end = _joined_end(
        exit_smiles(ligand, chosen, SECOND_HALF * second), second, f"{requested.anchor} of {requested.stem}"
    )
    anchor, _ = made_cut(ligand.graph, chosen.anchor, chosen.leaving)
    description = _description(ligand, chosen, end, _contact_rows(requested.job, requested.stem))
    warhead = cut_warhead(ligand.molecule, *core_cut(ligand.graph, chosen.anchor, chosen.leaving))
    return Part(end, description, ligand.instance.entry_id, tuple(ligand.graph.xyz[anchor].tolist()), warhead)


def _joined_end(smiles: str, second: bool, place: str) -> End:
    """Return a half that a linker can be joined to; `place` ends the message of the error if none can.

    Raises
    ------
    NoInputsError
        If no common reaction makes that bond.
    NoMoleculeError
        If it is too large.
    """
    if (end := end_of(smiles)) is None:
        raise NoInputsError(f"No common reaction joins a linker to {place}.")
    if end.mol.GetNumHeavyAtoms() > MOST_ATOMS or rdMolDescriptors.CalcNumRings(end.mol) > MOST_RINGS:
        raise _wrong_half(second, f"has more than {MOST_ATOMS} heavy atoms or {MOST_RINGS} rings")
    return end


def _wrong_half(second: bool, reason: str) -> NoMoleculeError:
    return (NoSecondMoleculeError if second else NoMoleculeError)(f"The {_SIDES[second]}'s half {reason}.")


def handles_of(job: Path, stem: str, anchor: str = "") -> list[dict[str, object]]:
    """Return the chemistry of each ranked exit of a ligand of a finished job, best first: building blocks, lost groups.

    Parameters
    ----------
    anchor : str
        Limit to the exit at this atom; empty for all.

    Raises
    ------
    NoInputsError
        If there is no such ligand or exit.
    """
    ligand, rows = ligand_of(job, stem)
    contacts = _contact_rows(job, stem)
    handles = []
    for chosen in [exit_at(ligand, rows, anchor)] if anchor else ligand.exits:
        end = end_of(exit_smiles(ligand, chosen, None))
        ranks = {"rank": chosen.rank, "site_rank": chosen.site_rank}
        handles.append(ranks | _description(ligand, chosen, end, contacts))
    return handles


def _description(
    ligand: RankedLigand, chosen: RankedExit, end: End | None, contacts: Sequence[Row]
) -> dict[str, object]:
    """Return the chemistry of one exit; no handle if no common reaction makes that bond."""
    anchor, leaving = made_cut(ligand.graph, chosen.anchor, chosen.leaving)
    gone = {ligand.graph.names[k] for k in leaving}
    reaction = CHEMISTRY.get(chem_class := str(chosen.row["chem_class"]), "")
    if ligand.molecule.sanitised and reaction:
        reaction = reaction_at(ligand.molecule.mol, chosen.anchor, chosen.leaving, chem_class)
    to_do = [what_to_do(end.handle if end else "", reaction, anchor != chosen.anchor)]
    if linked_atoms(ligand.instance, ligand.molecule).difference(leaving):
        to_do.append(reactive_group(ligand.molecule.mol, ligand.molecule.smiles_adduct, ligand.instance.kind))
    return {
        "stem": ligand.instance.stem,
        "anchor": str(chosen.row["anchor_atom"]),
        "removes": sorted(gone),
        **_handle(end, exit_smiles(ligand, chosen, None)),
        "what_to_do": "; ".join(filter(None, to_do)),
        **contacts_of_half(contacts, gone, ligand.instance.target_chains),
    }


def what_to_do(handle: str, reaction: str, moved: bool) -> str:
    """Return the reaction at an exit in words: that of the group which the half is made from, else of the exit itself.

    Parameters
    ----------
    handle : str
        Group of the half (`End.handle`), empty if no common reaction makes its bond.
    reaction : str
        Usual reaction at the exit.
    moved : bool
        Whether the bond that a chemist makes is not that of the exit: a methyl ester becomes an amide of its acid.
    """
    acylated = CHEMISTRY[ACYL_LEAVES]
    if handle in ("amine", "aryl amine", "amino acid N") and moved:
        return acylated
    if handle == "amino acid N" and reaction != acylated:
        return "acylate the amine"
    return {"acid": OF_ACID, "oxycarbonyl": OF_CARBAMATE}.get(handle) or reaction


def reactive_group(mol: Chem.Mol, adduct: str, kind: str) -> str:
    """Return the advice to restore the reactive group of a covalent ligand; empty if its molecule still contains it.

    The dictionary defines many covalent ligands in the bound form, such as a propionamide for an acrylamide.

    Parameters
    ----------
    mol : Chem.Mol
        The ligand with all its hydrogens.
    adduct : str
        SMILES of the ligand with the linked protein atom and ``*`` for the rest of the protein.
    kind : str
        Kind of the ligand, for `warhead_classes`.

    >>> reactive_group(Chem.MolFromSmiles("CCC(=O)Nc1ccccc1"), "*SCCC(=O)Nc1ccccc1", "ligand")
    'put the reactive group back (Michael acceptor), which the SMILES shows after its reaction with the protein'
    >>> reactive_group(Chem.MolFromSmiles("C=CC(=O)Nc1ccccc1"), "*SCCC(=O)Nc1ccccc1", "ligand")
    ''
    """
    bound = Chem.MolFromSmiles(adduct) if adduct else None
    if bound is None:
        return ""
    flat = Chem.MolFromSmiles(Chem.MolToSmiles(bound, isomericSmiles=False))  # a stereo centre would get no hydrogen
    without = Chem.DeleteSubstructs(flat, _PROTEIN_ATOM)
    drawn, reacted = (Chem.MolToSmiles(Chem.RemoveAllHs(one), isomericSmiles=False) for one in (mol, without))
    if drawn != reacted:
        return ""
    classes = warhead_classes(adduct, kind).replace(JOINED, ", ").replace(UNKNOWN, "")
    named = f" ({classes})" if classes else ""
    return f"put the reactive group back{named}, which the SMILES shows after its reaction with the protein"


_PROTEIN_ATOM = Chem.MolFromSmarts("[#0]~*")


def exit_smiles(ligand: RankedLigand, chosen: RankedExit, offset: int | None) -> str:
    """Return the part of a ligand that a degrader keeps, with ``[*]`` for the linker.

    Parameters
    ----------
    offset : int or None
        Heavy atom k has the atom map number offset + k + 1; None for none.
    """
    mol = Chem.Mol(ligand.bare) if ligand.bare else None
    if mol and offset is not None:
        for atom in mol.GetAtoms():
            atom.SetAtomMapNum(offset + atom.GetIdx() + 1)
    return warhead_smiles(mol, *made_cut(ligand.graph, chosen.anchor, chosen.leaving))


def made_cut(graph: LigandGraph, anchor: int, leaving: tuple[int, ...]) -> tuple[int, tuple[int, ...]]:
    """Return the cut at the bond that a chemist makes: `core_cut`, but the N-C bond of an amide whose chain leaves.

    If a degrader was observed to leave its half between an amide's carbonyl carbon and the following chain, the acyl
    group came with the linker.

    Parameters
    ----------
    graph : LigandGraph
        The ligand.
    anchor, leaving : int, tuple of int
        Graph of the exit.
    """
    if leaving and graph.element[leaving[0]] == "C" and is_carbonyl(graph, anchor):
        nitrogen = [k for k in graph.near[anchor] if graph.element[k] == "N" and (anchor, k) not in graph.ring_bonds]
        if nitrogen:
            oxygen = [k for k in graph.near[anchor] if k not in (nitrogen[0], leaving[0])]
            return nitrogen[0], (anchor, *oxygen, *leaving)
    return core_cut(graph, anchor, leaving)


def _handle(end: End | None, smiles: str) -> dict[str, object]:
    blocks = [{"smiles": made, "name": name} for made, name in to_make(end).items()] if end else []
    return {"smiles": smiles, "handle": end.handle if end else "", "to_make": blocks}


def _contact_rows(job: Path, stem: str) -> list[Row]:
    path = job / layout.CONTACTS
    return list(read_table(path, CONTACTS, strict=False, stems={stem})) if path.is_file() else []


def contacts_of_half(own: Sequence[Row], gone: Collection[str], chains: Collection[str]) -> dict[str, object]:
    """Return the contacts of a ligand that are lost with the leaving atoms, and the number of the others.

    If more than a group leaves, the ligand is a degrader whose other half and linker leave: their contacts to the other
    protein do not count for this half.

    Parameters
    ----------
    own : sequence of Row
        The ligand's rows of `tables.CONTACTS`.
    gone : collection of str
        Names of the atoms that leave.
    chains : collection of str
        Target chains.
    """
    if len(gone) > LARGEST_LEAVING:
        own = [row for row in own if row["partner_chain"] in chains]
    lost = [row for row in own if str(row["ligand_atom"]) in gone]
    named = sorted({f"{row['type']} {row['partner_component']} {row['partner_residue']}" for row in lost})
    return {"contacts_lost": named, "contacts_kept": len(own) - len(lost)}


def degrader_rows(first: Part, second: Part, made: Iterable[Made]) -> Iterator[Row]:
    """Yield the row of `tables.DEGRADERS` of each degrader of two halves.

    If one half has no crystal structure, columns about both are empty.
    """
    in_one_entry = first.entry_id and first.entry_id == second.entry_id
    distance = float(np.linalg.norm(np.subtract(first.anchor, second.anchor))) if in_one_entry else None
    warheads = tuple(part.warhead for part in (first, second) if part.warhead is not None)
    for one in made:
        mol = Chem.MolFromSmiles(one.smiles)
        span = LINKER_BOND * (one.between + 1)
        yield {
            "smiles": one.smiles,
            "mapped_smiles": str(Chem.MolToSmiles(one.mol)),
            "linker": one.linker.name,
            "linker_class": one.linker.kind,
            "linker_atoms": one.between,
            "reaction_a": one.joins[0].name,
            "reaction_b": one.joins[1].name,
            "needs_a": one.joins[0].needs,
            "needs_b": one.joins[1].needs,
            "MW": float(Descriptors.MolWt(mol)),  # type: ignore[attr-defined]
            "LogP": float(rdMolDescriptors.CalcCrippenDescriptors(mol)[0]),
            "TPSA": float(rdMolDescriptors.CalcTPSA(mol)),
            "Rotatable_Bonds": rdMolDescriptors.CalcNumRotatableBonds(mol),
            "HBD": rdMolDescriptors.CalcNumHBD(mol),
            "Heavy_Atom_Count": mol.GetNumHeavyAtoms(),
            "SA_Score": float(synthetic_accessibility(mol)),
            "span_A": span,
            "distance_A": distance,
            "reaches": None if distance is None else span >= distance,
            "keeps_halves": bool(matched_halves(mol, warheads)) if len(warheads) == len(one.joins) else None,
        }


def as_csv(rows: Iterable[Row]) -> str:
    """Return rows of `tables.DEGRADERS` as CSV."""
    return csv_lines([DEGRADERS.names, *map(cell_formatter(DEGRADERS, "degraders"), rows)])


def as_sdf(made: Iterable[tuple[Made, Row]]) -> str:
    """Return degraders as SDF, drawn flat, with the columns of their rows as fields."""
    records = []
    for number, (one, row) in enumerate(made, 1):
        mol = Chem.Mol(one.mol)
        rdDepictor.Compute2DCoords(mol)
        mol.SetProp("_Name", f"degrader {number} {one.linker.name}")
        named = ((column.name, format_value(row.get(column.name), column)) for column in DEGRADERS.columns)
        fields = "".join(f">  <{name}>\n{value}\n\n" for name, value in named if value)
        records.append(f"{Chem.MolToMolBlock(mol)}{fields}$$$$\n")
    return "".join(records)
