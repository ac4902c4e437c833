"""Chemical precedent: the class of each candidate and its prior.

The values were chosen once for all targets from the attachment points of published degraders:
high where one step of common chemistry makes the bond (amines, acids, ethers), low where a bond
has to be put into a ring or where the hydrogen usually binds the protein.
"""

from tethermap.base.elements import HALOGENS, is_metal
from tethermap.exits.graph import LigandGraph
from tethermap.exits.words import CLASSES

PRIOR = {row["chem_class"]: float(row["prior"]) for row in CLASSES}
"""Prior of each class, without unit: 1 for the most frequent chemistry."""


def chemistry_class(graph: LigandGraph, anchor: int, leaving: int | None) -> str:
    """Return the class of a candidate, a key of `PRIOR`.

    Parameters
    ----------
    graph : LigandGraph
        The neutral ligand.
    anchor : int
        Atom that the linker would be bonded to.
    leaving : int or None
        Leaving atom bonded to it, None if a hydrogen leaves.
    """
    element = graph.element[anchor]
    if leaving is None:
        if element == "N":
            return _nitrogen_hydrogen(graph, anchor)
        if element == "O":
            near = graph.near[anchor]
            if any(_is_acidic(graph, k) for k in near):
                return "acid O-H"
            on_carbon = all(k in graph.aromatic or _is_sp3_carbon(graph, k) for k in near)  # enols are tautomers
            return "alcohol or phenol O" if {graph.element[k] for k in near} == {"C"} and on_carbon else "other"
        return _carbon_hydrogen(graph, anchor) if element == "C" else "other"
    if element == "N":
        return _cut_at_nitrogen(graph, anchor, leaving)
    if element == "C":
        return _cut_at_carbon(graph, anchor, leaving)
    if element == "O" and _is_sp3_carbon(graph, leaving):
        return "ether or ester O, alkyl leaves"
    return "sulfonyl S, anything leaves" if is_sulfonyl(graph, anchor) else "other"


def is_amine(graph: LigandGraph, atom: int) -> bool:
    """Return whether an atom is an sp3 amine nitrogen: a lone pair, single bonds only, no conjugated neighbour."""
    if graph.element[atom] != "N" or graph.has_multiple_bond(atom) or not _has_lone_pair(graph, atom):
        return False
    return not any(graph.has_multiple_bond(other) for other in graph.near[atom])


def is_carbonyl(graph: LigandGraph, atom: int) -> bool:
    """Return whether an atom is the carbon of a carbonyl or thiocarbonyl group."""
    return graph.element[atom] == "C" and any(
        graph.element[other] in ("O", "S") and graph.order[atom, other] == 2 for other in graph.near[atom]
    )


def is_sulfonyl(graph: LigandGraph, atom: int) -> bool:
    """Return whether an atom is a sulfur with two double-bonded oxygens (or imide nitrogens)."""
    return graph.element[atom] == "S" and sum(graph.order[atom, other] == 2 for other in graph.near[atom]) >= 2


def _has_lone_pair(graph: LigandGraph, atom: int) -> bool:
    """Return whether a nitrogen can be alkylated: it is not quaternary, no N-oxide and bound to no metal.

    A hydrogen beyond the third is a proton: charged forms have the class of the neutral ligand.
    """
    near = graph.near[atom]
    return len(near) <= 3 and not any(is_metal(graph.element[other]) for other in near)


def _is_acidic(graph: LigandGraph, atom: int) -> bool:
    """Return whether a hydroxyl on this atom is an acid: on carbonyl, sulfur or phosphorus with =O, or hydroxamic."""
    if graph.element[atom] == "N":
        return any(is_carbonyl(graph, other) for other in graph.near[atom])
    return is_carbonyl(graph, atom) or (graph.element[atom] in ("S", "P") and graph.has_multiple_bond(atom))


def _is_sp3_carbon(graph: LigandGraph, atom: int) -> bool:
    return graph.element[atom] == "C" and not graph.has_multiple_bond(atom)


def _nitrogen_hydrogen(graph: LigandGraph, atom: int) -> str:
    if is_amine(graph, atom):
        return "amine N-H"
    near = graph.near[atom]
    if graph.n_hydrogens(atom) != 2 or len(near) != 1:
        return "other N-H"
    if is_carbonyl(graph, near[0]):
        return "primary amide N"
    if near[0] not in graph.aromatic:
        return "other N-H"
    beside = (other for other in graph.near[near[0]] if (near[0], other) in graph.ring_bonds)
    return "NH2 next to a ring nitrogen" if any(graph.element[other] == "N" for other in beside) else "aniline NH2"


def _carbon_hydrogen(graph: LigandGraph, atom: int) -> str:
    if atom in graph.aromatic:
        return "aromatic C-H"
    if graph.n_hydrogens(atom) >= 3:
        return _methyl(graph, graph.near[atom])
    if atom in graph.ring_atoms:
        return "ring C-H"
    orders = {graph.order[atom, other] for other in graph.near[atom]}
    if 3 in orders:
        return "alkyne C-H"
    double_to = {graph.element[other] for other in graph.near[atom] if graph.order[atom, other] == 2}
    return "vinyl C-H" if "C" in double_to else "acyclic C-H"


def _methyl(graph: LigandGraph, near: tuple[int, ...]) -> str:
    if not near:
        return "other methyl"
    parent = near[0]
    element = graph.element[parent]
    if element == "N":
        if is_amine(graph, parent):
            return "methyl on amine N"
        return "methyl on azole or amide N" if _has_lone_pair(graph, parent) else "other methyl"
    if element == "O":
        return "O-methyl"
    if is_carbonyl(graph, parent):
        return "methyl of an acetyl"
    if is_sulfonyl(graph, parent):
        return "methyl on sulfonyl"
    return "methyl on aryl" if parent in graph.aromatic else "other methyl"


def _cut_at_nitrogen(graph: LigandGraph, atom: int, leaving: int) -> str:
    alkyl = _is_sp3_carbon(graph, leaving)
    if is_sulfonyl(graph, leaving):
        return "N, sulfonyl leaves"
    if is_amine(graph, atom):
        return "amine N, alkyl leaves" if alkyl else "other"
    if atom in graph.aromatic:
        return "azole N, alkyl leaves" if alkyl else "other"
    if is_carbonyl(graph, leaving):
        return "amide N, acyl leaves"
    of_amide = any(is_carbonyl(graph, other) for other in graph.near[atom])
    return "amide N, alkyl leaves" if of_amide and alkyl else "other"


def _cut_at_carbon(graph: LigandGraph, atom: int, leaving: int) -> str:
    element = graph.element[leaving]
    if atom in graph.aromatic:
        if element in ("N", "O") or element in HALOGENS:
            return "aryl C, halogen, N or O leaves"
        return "aryl C, C leaves" if element == "C" else "other"
    if is_carbonyl(graph, atom):
        return "carbonyl C, O or N leaves" if element in ("N", "O") else "other"
    if graph.has_multiple_bond(atom):
        return "other"
    if is_amine(graph, leaving):
        return "sp3 C, amine leaves"
    return {"O": "sp3 C, O leaves", "C": "sp3 C, C leaves"}.get(element, "other")
