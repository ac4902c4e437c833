"""The SDF of a ligand: V2000 or, for large molecules, V3000; the same bytes every time."""

import math
import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from rdkit import Chem

from tethermap.fit.fit import fit_fields
from tethermap.instance.model import Instance
from tethermap.molecule.record import LigandMolecule
from tethermap.molecule.warheads import warhead_classes

NAME_LIST = "atom.prop.name"
DICTIONARY_NAME_LIST = "atom.prop.dictionary_name"
MISSING = "n/a"
"""Text of RDKit's atom property lists for an atom without a value."""

_LINE = re.compile(r"(.{1,190}|\S+)(?: |$)")
"""A line of words: as many as fit, or one that is longer."""

_FIELD = re.compile(r"[^<>\s]{1,80}")
"""Valid SDF names of a pose's fields."""


def sdf_text(
    record: LigandMolecule,
    instance: Instance,
    properties: Mapping[str, str],
    atom_lists: Mapping[str, Sequence[float | None]],
    whole_lists: Mapping[str, Sequence[int | None]] = MappingProxyType({}),
) -> str:
    """Return a ligand as one record of an SDF, the line ``$$$$`` included.

    Atoms keep their order: heavy atoms as in the dictionary, then hydrogens. Coordinates have
    four decimals. Values per atom are property lists in RDKit's format, one value per atom, ``n/a`` for hydrogens.

    Parameters
    ----------
    properties : mapping of str to str
        Fields after those of chemistry; one of the same name replaces it. Empty ones are left out.
    atom_lists : mapping of str to sequence of float or None
        Values of the heavy atoms by name; each becomes ``atom.dprop.<name>`` with four decimals.
    whole_lists : mapping of str to sequence of int or None
        Whole numbers of the heavy atoms by name; each becomes ``atom.iprop.<name>``.
    """
    fields = {**_fields(record, instance), **properties}
    lists: dict[str, Sequence[str]] = {
        NAME_LIST: [name.replace(" ", "_") for name in record.labels],
        DICTIONARY_NAME_LIST: [name.replace(" ", "_") or MISSING for name in record.dictionary_names],
    }
    for name, values in atom_lists.items():
        lists[f"atom.dprop.{name}"] = [MISSING if v is None or math.isnan(v) else f"{v:.4f}" for v in values]
    for name, numbers in whole_lists.items():
        lists[f"atom.iprop.{name}"] = [MISSING if n is None else str(n) for n in numbers]
    mol = Chem.Mol(record.mol)
    mol.SetProp("_Name", record.stem)
    lines = {name: " ".join(value.split()) for name, value in fields.items()}
    # no line of a value can end the record or begin a field
    texts = {name: f" {text}" if text.startswith(("$$$$", ">")) else text for name, text in lines.items() if text}
    for name, tokens in lists.items():
        padded = [*tokens, *[MISSING] * (mol.GetNumAtoms() - len(tokens))]
        texts[name] = "\n".join(_LINE.findall(" ".join(padded)))
    block = str(Chem.MolToMolBlock(mol, includeStereo=True, kekulize=record.sanitised))
    return block + "".join(f">  <{name}>\n{text}\n\n" for name, text in texts.items()) + "$$$$\n"


def _fields(record: LigandMolecule, instance: Instance) -> dict[str, str]:
    covalent = [link for link in instance.links if link.kind == "covalent"]
    occupancy = float(np.mean(instance.atoms.occupancy[record.atom_index]))
    return {
        "pdb_id": instance.entry_id,
        "chain": instance.name.auth_asym_id,
        "component": instance.name.comp_id,
        "components": instance.component_names if len(instance.components) > 1 else "",
        "residue": instance.name.residue_id,
        "SMILES": record.smiles,
        "SMILES_parent": record.parent_smiles,
        "SMILES_observed": record.observed_smiles,
        "SMILES_pH74": record.at_ph.main,
        "ligand_name": record.common_name,
        "InChIKey": record.inchikey,
        "charge": str(record.charge),
        "bond_source": record.bond_source,
        "sanitised": "yes" if record.sanitised else "no",
        "hydrogens": record.hydrogens,
        "atoms_missing": " ".join(record.atoms_missing),
        "altloc": instance.altloc,
        "occupancy": "" if instance.facts.docked else f"{occupancy:.2f}",
        **_mobility(instance),
        "link_atom": "; ".join(instance.atom_label(link.atom) for link in covalent),
        "link_residue": "; ".join(link.partner_label for link in covalent),
        "SMILES_adduct": record.smiles_adduct,
        "warhead_class": warhead_classes(record.smiles_adduct, instance.kind),
        "flags": " ".join(sorted({*instance.flags, *record.flags})),
        **fit_fields(instance.fit, instance.residue_names),
    }


def _mobility(instance: Instance) -> dict[str, str]:
    """Return the mean B factor; for a prediction its mean confidence and the expected error of the position."""
    facts = instance.facts
    if facts.docked:
        fields = {f"pose_{name}": value for name, value in facts.pose_fields.items() if _FIELD.fullmatch(name)}
        source = {"source_file": facts.source_file, "source_record": str(facts.source_record)}
        return {**source, "pose_rank": str(facts.pose_rank), **fields}
    means = {"mean_B": (instance.mean_b, 2), "mean_pLDDT": (instance.mean_plddt, 1)}
    numbers = {**means, "aligned_error_A": (facts.aligned_error, 1)}
    return {name: "" if number is None else f"{number:.{digits}f}" for name, (number, digits) in numbers.items()}
