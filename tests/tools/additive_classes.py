"""Components of the complete dictionary by class of additive, to keep ``additives.csv`` complete.

``python -m tests.tools.additive_classes`` prints the components of each class that no list has, as rows of the list,
then the charge and tautomer twins of listed components.
"""

import csv
import re
import sys
from collections import Counter
from collections.abc import Iterator

import networkx as nx

from tests.tools.components import component_codes
from tests.tools.runs import rows_of
from tethermap.base.component_index import default_index
from tethermap.base.elements import is_metal
from tethermap.base.reference import REFERENCE
from tethermap.components.component import Component, is_hydrogen
from tethermap.components.index import ComponentIndex
from tethermap.instance.kinds import CAPS, MONOMERS, KindRules
from tethermap.molecule.dictionary import dictionary_molecule
from tethermap.molecule.inchi import inchi, key_of_inchi

SOURCE = "Shape in the wwPDB Chemical Component Dictionary, by tests/tools/additive_classes.py"

CLASSES = {
    "polyethylene glycol": ("precipitant", "always", "polyethylene glycol or a fragment of it"),
    "alkyl polyethylene glycol": ("detergent", "always", "detergent of the purification"),
    "fatty acid": ("lipid", "unless_bound", "fatty acid; some proteins bind fatty acids"),
    "fatty alcohol": ("lipid", "unless_bound", "fatty alcohol; some proteins bind it"),
    "alkane": ("lipid", "unless_bound", "hydrocarbon of the membrane mimic"),
    "monoacylglycerol": ("lipid", "unless_bound", "monoacylglycerol of the lipidic cubic phase"),
    "glycerophospholipid": ("lipid", "unless_bound", "membrane lipid"),
    "hydrated metal": ("metal complex", "always", "metal ion with the water, oxygen or ammonia around it"),
    "polyoxometalate": ("metal complex", "always", "polyoxometalate for phasing or crystallisation"),
    "amino acid": ("amino acid", "unless_bound", "free amino acid of the medium or of a buffer"),
    "nucleotide": ("nucleotide", "unless_bound", "stray nucleotide of a nucleic acid"),
}
"""Role, rule and reason of each class."""

_L = "ALA ARG ASN ASP CYS GLN GLU GLY HIS ILE LEU LYS MET PHE PRO SER THR TRP TYR VAL"
_D = "DAL DAR DSG DAS DCY DGN DGL DHI DIL DLE DLY MED DPN DPR DSN DTH DTR DTY DVA"
AMINO_ACIDS = frozenset(f"{_L} {_D}".split())
NUCLEOTIDES = frozenset(["A", "C", "G", "U", "I", "DA", "DC", "DG", "DT", "DU", "DI"])


def composition(component: Component) -> Counter[str]:
    """Return the number of heavy atoms of each element."""
    return Counter(atom.element for atom in component.atoms if not is_hydrogen(atom.element))


def class_of(component: Component) -> str:
    """Return the class of a component, empty when it has none."""
    if component.comp_id in AMINO_ACIDS:
        return "amino acid"
    if component.comp_id in NUCLEOTIDES:
        return "nucleotide"
    counts = composition(component)
    if "C" not in counts:
        return _of_inorganic(counts)
    if not counts.keys() <= {"C", "O", "P", "N"} or counts["C"] < 3:
        return ""
    if counts["C"] > 120 or ("P" not in counts and "N" in counts):
        return ""
    return _of_lipid(counts, component)


def _of_inorganic(counts: Counter[str]) -> str:
    metals = {element: count for element, count in counts.items() if is_metal(element)}
    if sum(metals.values()) == 1 and len(counts) == 2 and (counts.keys() - metals.keys()) <= {"O", "N"}:
        return "hydrated metal" if sum(counts.values()) > 1 else ""
    oxides = {"W", "Mo", "V", "Ta", "Nb"}
    many = sum(metals.values()) >= 3 and metals.keys() & oxides and counts["O"] >= sum(metals.values())
    return "polyoxometalate" if many and "S" not in counts and "Fe" not in counts else ""


def _of_lipid(counts: Counter[str], component: Component) -> str:
    """Return the class of a component whose heavy atoms form a tree, else an empty text."""
    element = {k: atom.element for k, atom in enumerate(component.atoms) if not is_hydrogen(atom.element)}
    bonds = [bond for bond in component.bonds if {bond.first, bond.second} <= element.keys()]
    graph = nx.Graph([(bond.first, bond.second) for bond in bonds])
    if graph.number_of_nodes() < len(element) or not nx.is_tree(graph):
        return ""
    saturated = all(bond.order == 1 for bond in bonds)
    ends = [k for k, degree in graph.degree if degree == 1]
    path = "".join(element[k] for k in nx.shortest_path(graph, *ends)) if len(ends) == 2 else ""
    path = min(path, path[::-1])
    if saturated and re.fullmatch(r"C?O?(CCO){2,}C?", path):
        return "polyethylene glycol"
    if saturated and re.fullmatch(r"C{6,}(OCC){2,}O", path):
        return "alkyl polyethylene glycol"
    carbons = graph.subgraph(k for k, symbol in element.items() if symbol == "C")
    inner = carbons.subgraph(k for k, degree in carbons.degree if degree == 2)
    chain = max((len(run) + 2 for run in nx.connected_components(inner)), default=min(2, len(carbons)))
    oxygens = {k: sum(element[other] == "O" for other in graph[k]) for k in carbons}
    acid = sum(count == 2 for count in oxygens.values())
    pieces = sorted(nx.connected_components(carbons), key=len)
    glycerol = any(len(piece) == 3 and all(oxygens[k] == 1 for k in piece) for piece in pieces)
    n_carbons, n_oxygens = counts["C"], counts["O"]
    if counts.keys() == {"C"} and n_carbons >= 6 and path:
        return "alkane"
    if counts.keys() == {"C", "O"} and saturated and re.fullmatch(r"C{6,}O", path):
        return "fatty alcohol"
    if counts.keys() == {"C", "O"} and n_oxygens == 2 and acid == 1 and chain == n_carbons >= 6 and not saturated:
        return "fatty acid"
    ester = acid == 1 and n_oxygens == 4 and [len(piece) for piece in pieces] == [3, n_carbons - 3] and chain >= 8
    if counts.keys() == {"C", "O"} and ester and glycerol:
        return "monoacylglycerol"
    if counts.get("P") in (1, 2, 3) and chain >= 6 and glycerol and acid >= 1:
        return "glycerophospholipid"
    return ""


def components() -> Iterator[Component]:
    """Yield all components of the index."""
    index = ComponentIndex(default_index())
    yield from filter(None, map(index.get, component_codes()))


def missing() -> Iterator[tuple[str, str, str]]:
    """Yield code, class and name of each component of a class that no list has."""
    listed = {row["comp_id"] for name in ("additives", "cofactors") for row in rows_of(REFERENCE, f"{name}.csv")}
    for component in components():
        if component.comp_id not in listed and (found := class_of(component)):
            yield component.comp_id, found, component.name


def twins() -> Iterator[tuple[str, str]]:
    """Yield code and listed twin of each unlisted component whose neutral form has the InChIKey of a listed one.

    Building blocks of polymers have none: their twins are the free amino acids and nucleotides.
    """
    find = ComponentIndex(default_index()).get
    rules = KindRules(find)
    keys: dict[str, str] = {}
    formulas = set()
    for code in (*rules.additives, *rules.cofactors):
        component = find(code)
        if component is not None and rules.role(code) not in MONOMERS and (key := _neutral_key(component)):
            keys.setdefault(key, code)
            formulas.add(tuple(sorted(composition(component).items())))
    listed = rules.additives.keys() | rules.cofactors.keys() | CAPS
    for component in components():
        counts = composition(component)
        if component.comp_id in listed or sum(counts.values()) < 2 or tuple(sorted(counts.items())) not in formulas:
            continue
        if (twin := keys.get(_neutral_key(component))) and not rules.is_nucleotide(component.comp_id):
            yield component.comp_id, twin


def _neutral_key(component: Component) -> str:
    mol = dictionary_molecule(component, neutral=True)
    return "" if mol is None else key_of_inchi(inchi(mol))


if __name__ == "__main__":
    write = csv.writer(sys.stdout, lineterminator="\n").writerow
    for comp_id, found, name in missing():
        write([comp_id, *CLASSES[found], f"{SOURCE}: {found}", name])
    for comp_id, twin in twins():
        write([comp_id, "twin of", twin])
