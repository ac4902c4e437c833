"""Descriptors and rules of drug-likeness of a ligand's neutral parent.

Rules: Lipinski et al. 1997 (doi:10.1016/S0169-409X(96)00423-1; one violation is allowed), Ghose
et al. 1999 (doi:10.1021/cc9800071), Egan et al. 2000 (doi:10.1021/jm000292e), Muegge et al. 2001
(doi:10.1021/jm015507e), Veber et al. 2002 (doi:10.1021/jm020017n).
"""

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from rdkit import Chem
from rdkit.Chem import QED, GraphDescriptors, rdMolDescriptors

from tethermap.base.tables import Value
from tethermap.molecule.alerts import alerts
from tethermap.molecule.inchi import inchi, inchi_of, key_of_inchi
from tethermap.molecule.synthetic_accessibility import synthetic_accessibility


def _chiral_atoms(mol: Chem.Mol) -> int:
    """Return the number of stereo centres, specified or not."""
    copy = Chem.Mol(mol)
    Chem.AssignStereochemistry(copy, cleanIt=True, force=True, flagPossibleStereoCenters=True)
    return int(rdMolDescriptors.CalcNumAtomStereoCenters(copy))


_NAMED_AS_IN_RDKIT = (
    *("TPSA", "HallKierAlpha", "Kappa1", "Kappa2", "Kappa3", "NumSpiroAtoms", "NumBridgeheadAtoms"),
    *("NumAliphaticRings", "NumAromaticRings", "NumSaturatedRings"),
)
_AVERAGE_WEIGHT = rdMolDescriptors.Properties(["amw"])

_NUMBERS: Mapping[str, Callable[[Chem.Mol], float]] = {
    **{name: getattr(rdMolDescriptors, f"Calc{name}") for name in _NAMED_AS_IN_RDKIT},
    "MW": lambda mol: float(_AVERAGE_WEIGHT.ComputeProperties(mol)[0]),
    "LogP": lambda mol: float(rdMolDescriptors.CalcCrippenDescriptors(mol)[0]),
    "HBA": rdMolDescriptors.CalcNumHBA,
    "HBD": rdMolDescriptors.CalcNumHBD,
    "Rotatable_Bonds": rdMolDescriptors.CalcNumRotatableBonds,
    "Ring_Count": rdMolDescriptors.CalcNumRings,
    "Aromatic_Rings": rdMolDescriptors.CalcNumAromaticRings,
    "Fraction_CSP3": rdMolDescriptors.CalcFractionCSP3,
    "Heavy_Atom_Count": rdMolDescriptors.CalcNumHeavyAtoms,
    "Chiral_Atoms": _chiral_atoms,
    "Formal_Charge": Chem.GetFormalCharge,
    "BertzCT": GraphDescriptors.BertzCT,
    "NumHeteroAtoms": rdMolDescriptors.CalcNumHeteroatoms,
    "MolMR": lambda mol: float(rdMolDescriptors.CalcCrippenDescriptors(mol)[1]),
    "SA_Score": synthetic_accessibility,
}
"""Column of Ligand_Metadata and its function."""


def descriptors(mol: Chem.Mol, known: Mapping[str, str] = MappingProxyType({})) -> dict[str, Value]:
    """Return the columns of `tethermap.base.tables.LIGAND_METADATA` that depend only on the molecule.

    Parameters
    ----------
    mol : Chem.Mol
        The neutral parent, sanitised, without explicit hydrogens.
    known : mapping of str to str
        InChI by SMILES of molecules for which it was computed before.

    Returns
    -------
    dict
        A descriptor that RDKit has no parameters for (metals) is None, and so is a rule that
        needs it.
    """
    values: dict[str, Any] = {name: _computed(compute, mol) for name, compute in _NUMBERS.items()}
    values["Canonical_SMILES"] = smiles = Chem.MolToSmiles(mol)
    again = known.get(smiles) or inchi_of(smiles)  # cages may have other centres when read again
    values["InChI"], values["InChIKey"] = again or inchi(mol), key_of_inchi(again)
    values["PAINS_Hits"], values["Brenk_Hits"], unwanted = alerts(mol)
    values["QED"] = _computed(partial(_qed, values, unwanted), mol)
    carbons = sum(atom.GetAtomicNum() == 6 for atom in mol.GetAtoms())
    return values | rules(values, mol.GetNumAtoms(onlyExplicit=False), carbons)


def _qed(values: Mapping[str, Any], unwanted: int, mol: Chem.Mol) -> float:
    """Return QED with the descriptors that are known, and the others as RDKit's module counts them."""
    weight, logp, donors, tpsa, rotatable = (values[name] for name in ("MW", "LogP", "HBD", "TPSA", "Rotatable_Bonds"))
    acceptors = sum(len(mol.GetSubstructMatches(pattern)) for pattern in QED.Acceptors)
    aromatic = len(Chem.GetSSSR(Chem.DeleteSubstructs(Chem.Mol(mol), QED.AliphaticRings)))
    known = [weight, logp, acceptors, donors, tpsa, rotatable, aromatic, unwanted]
    if None in known:
        raise ValueError("QED needs a descriptor that RDKit has no parameters for")
    return float(QED.qed(mol, qedProperties=QED.QEDproperties(*known)))  # type: ignore[no-untyped-call]


def rules(values: Mapping[str, Any], n_atoms: int, n_carbons: int) -> dict[str, Value]:
    """Return the rules of drug-likeness with the result for a molecule; None if a descriptor is missing.

    Parameters
    ----------
    values : mapping
        Descriptors by column.
    n_atoms : int
        Number of all atoms, hydrogens included.
    n_carbons : int
        Number of carbon atoms.
    """
    needed = ("MW", "LogP", "TPSA", "HBA", "HBD", "Rotatable_Bonds", "MolMR", "Ring_Count", "NumHeteroAtoms")
    if any(values[name] is None for name in needed):
        return dict.fromkeys(("Lipinski_Pass", "Veber_Pass", "Egan_Pass", "Ghose_Pass", "Muegge_Pass"))
    mw, logp, tpsa, hba, hbd, rotatable, refractivity, rings, hetero = (values[name] for name in needed)
    muegge = 200 <= mw <= 600 and -2 <= logp <= 5 and tpsa <= 150 and rings <= 7 and n_carbons > 4
    return {
        "Lipinski_Pass": sum((mw > 500, logp > 5, hbd > 5, hba > 10)) <= 1,
        "Veber_Pass": rotatable <= 10 and tpsa <= 140,
        "Egan_Pass": tpsa <= 131.6 and -1.0 <= logp <= 5.88,
        "Ghose_Pass": 160 <= mw <= 480 and -0.4 <= logp <= 5.6 and 40 <= refractivity <= 130 and 20 <= n_atoms <= 70,
        "Muegge_Pass": muegge and hetero > 1 and rotatable <= 15 and hba <= 10 and hbd <= 5,
    }


def _computed(compute: Callable[[Chem.Mol], float], mol: Chem.Mol) -> float | None:
    try:
        return compute(mol)
    except (ValueError, RuntimeError, KeyError, IndexError, ZeroDivisionError):
        return None
