"""Kinds of components among het groups: ligand, cofactor, additive, ion, glycan and so on."""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from tethermap.base.reference import rows_of
from tethermap.components.component import Component, is_hydrogen

ATTACKED_BY_SUGARS = frozenset({"ASP", "GLU", "TYR", "CYS", "HIS"})
"""Residues that carry no glycans: a sugar bonded to one is an inhibitor on the catalytic residue of an enzyme
(Rempel & Withers 2008, doi:10.1093/glycob/cwn041)."""

GLYCAM_CARRIERS = frozenset({("NLN", "ND2"), ("OLS", "OG"), ("OLT", "OG1")})
"""Atoms of Asn, Ser and Thr that carry a glycan, by the names of GLYCAM (Kirschner 2008, doi:10.1002/jcc.20820), whose
sugars have codes of other components, or none."""

UNKNOWN_COMPONENTS = frozenset({"UNL", "UNX", "UNK", "UPL", "DUM", "N", "DN", "ASX", "GLX"})
"""Codes of the dictionary for unidentified components."""

PARTICLES = frozenset({("STP", "APOL"), ("STP", "POL"), ("MMB", "BJ")})
"""Codes and names of particles that are not atoms, although the dictionary has other components of these codes: spheres
of fpocket (Le Guilloux 2009, doi:10.1186/1471-2105-10-168), beads of LightDock's membranes."""

CAPS = frozenset({"ACE", "NH2", "NME", "FOR"})
"""Caps of chain ends that some files write outside their polymer."""

NUCLEOTIDES = frozenset({"A", "C", "G", "U", "I", "DA", "DC", "DG", "DT", "DU", "DI"})
"""Residues of RNA and DNA."""

STANDARD_RESIDUES = NUCLEOTIDES | {
    *("ALA", "ARG", "ASN", "ASP", "CYS", "GLN", "GLU", "GLY", "HIS", "ILE"),
    *("LEU", "LYS", "MET", "PHE", "PRO", "SER", "THR", "TRP", "TYR", "VAL"),
}
"""Residues of proteins, RNA and DNA that are not het groups inside a polymer."""

FEWEST_BURIED_ATOMS = 5
"""Least number of heavy atoms of an additive of the rule ``unless_bound`` that may be a ligand: smaller ones fill any
cavity."""

SHORTEST_NAME = 4
"""Least number of letters of a name in a title to conclude that the entry is about the component. House rule: ``CHES``
has four."""

FEWEST_CHAINED_SUGARS = 3
"""Number of linked sugars above that of cryoprotectants, which have one or two."""

MONOMERS = frozenset({"amino acid", "nucleotide"})
"""Roles of building blocks, which are additives only if they are not bonded."""

IN_EVERY_CRYSTAL = frozenset({"cryoprotectant", "precipitant", "solvent"})
"""Roles that a title may name in addition to its subject: ``in complex with FADH2 and glycerol`` (5MR6)."""

LIPID = "lipid"
"""Role of an anchor of the polymer, if bound to one of `ANCHORED`."""

BOUND_AS_LIPID = "bind as a lipid"
"""Words of the reason of a detergent that is a lipid to proteins."""

LIPID_OF_TITLE = re.compile(r"(?<![\w-])(PHOSPHO|LYSO|SPHINGO|GLYCO)?LIPID[- ](INDUCED|BOUND|LOADED)(?![\w-])")
"""Words of a title about a bound lipid without its name: ``Lipid-induced conformational switch`` (3KYQ)."""

ANCHORED = frozenset({("CYS", "SG"), ("GLY", "N"), ("LYS", "NZ")})
"""Atoms that carry the lipid anchors of proteins (Resh 2016, doi:10.1016/j.plipres.2016.05.002)."""


class KindOf(NamedTuple):
    """Kind of a group, the reason, whether burial would make it a ligand, and whether the entry's title is about it."""

    kind: str
    kind_reason: str = ""
    unless_buried: bool = False
    subject: bool = False


class KindRules:
    """The reference lists of additives and cofactors, and the rules over them.

    Parameters
    ----------
    find : callable
        Look-up of a component by its code, None when unknown.
    dictionary : callable, optional
        Look-up without the user's definitions. A listed code does not count if the user's definition is another
        molecule.
    """

    def __init__(
        self, find: Callable[[str], Component | None], dictionary: Callable[[str], Component | None] | None = None
    ) -> None:
        self._dictionary = dictionary or find
        self.additives = {row["comp_id"]: row for row in rows_of("additives")}
        self.cofactors = {row["comp_id"]: row for row in rows_of("cofactors")}
        self.component = find

    def is_saccharide(self, comp_id: str) -> bool:
        """Return whether the dictionary calls a component a sugar."""
        component = self.component(comp_id)
        return component is not None and "saccharide" in component.type.lower()

    def is_unknown(self, comp_id: str) -> bool:
        """Return whether a code means an unidentified component that has no definition."""
        if comp_id not in UNKNOWN_COMPONENTS:
            return False
        component = self.component(comp_id)
        return component is None or component.origin != "user"

    def is_nucleotide(self, comp_id: str) -> bool:
        """Return whether a component is a building block of nucleic acids."""
        component = self.component(comp_id)
        return component is not None and component.type.upper().startswith(("DNA", "RNA"))

    def is_subject(self, comp_id: str, title: str) -> bool:
        """Return whether the title of an entry is about a listed additive: by its name, or as a bound lipid.

        Roles of `IN_EVERY_CRYSTAL` and inorganic components are never the subject by name.

        Parameters
        ----------
        comp_id : str
            Code of a listed additive.
        title : str
            Title of the entry.
        """
        listed = self.additives[comp_id]
        if (listed["role"] == LIPID or BOUND_AS_LIPID in listed["reason"]) and LIPID_OF_TITLE.search(title.upper()):
            return True
        component = self.component(comp_id) if listed["role"] not in IN_EVERY_CRYSTAL else None
        if component is None or not any(atom.element == "C" for atom in component.atoms):
            return False
        names = {name.upper() for name in (component.name, *component.synonyms)}
        names |= {name.removesuffix(" ION") for name in names}
        named = "|".join(re.escape(name) for name in sorted(names) if len(name) >= SHORTEST_NAME)
        return bool(named) and re.search(rf"(?<![\w-])({named})(?![\w-])", title.upper()) is not None

    def role(self, comp_id: str) -> str:
        """Return the role of a component on the list of additives, empty when it isn't there."""
        return self.additives[comp_id]["role"] if self._is_listed(comp_id, self.additives) else ""

    def _is_listed(self, comp_id: str, listed: Mapping[str, object]) -> bool:
        """Return whether a code is on a list and means the molecule of the dictionary."""
        own = self.component(comp_id) if comp_id in listed else None
        if own is None or own.origin != "user":
            return comp_id in listed
        known = self._dictionary(comp_id)
        return known is None or _heavy_elements(own) == _heavy_elements(known)

    def of_component(self, comp_id: str, heavy_atoms: int, *, wanted: bool, title: str = "") -> KindOf:
        """Return the kind of a free het group other than ions, glycans and parts of polymers.

        Parameters
        ----------
        comp_id : str
            Code of the component.
        heavy_atoms : int
            Its observed heavy atoms.
        wanted : bool
            Whether the job names it: then no list makes it an additive.
        title : str
            Title of the entry: an additive that it names is one of the rule ``unless_bound``.
        """
        if self.is_unknown(comp_id):
            return KindOf("unknown", "code of an unidentified component")
        if self._is_listed(comp_id, self.cofactors):
            listed = self.cofactors[comp_id]
            return KindOf("cofactor", f"{listed['class']}: {listed['reason']}")
        if not self._is_listed(comp_id, self.additives):
            return KindOf("ligand")
        listed = self.additives[comp_id]
        if wanted:
            return KindOf("ligand", f"{listed['role']}, but requested by name")
        subject = heavy_atoms >= FEWEST_BURIED_ATOMS and self.is_subject(comp_id, title)
        may_be_ligand = subject or (heavy_atoms >= FEWEST_BURIED_ATOMS and listed["rule"] == "unless_bound")
        return KindOf("additive", f"{listed['role']}: {listed['reason']}", may_be_ligand, subject)


def _heavy_elements(component: Component) -> list[str]:
    return sorted(atom.element for atom in component.atoms if not is_hydrogen(atom.element))
