"""Why something was left out, and what to know of what was kept: closed lists with sentences."""

from __future__ import annotations

from typing import NamedTuple

KINDS = {
    "ligand": "a ligand of interest",
    "cofactor": "a cofactor or natural co-substrate",
    "additive": "an additive of crystallisation or purification",
    "ion": "an ion of one atom",
    "glycan": "a sugar linked to the protein",
    "peptide": "a short chain of standard amino acids beside a protein",
    "modified_residue": "a modified residue of a polymer",
    "polymer": "a residue of a polymer that is no ligand",
    "unknown": "an unknown component",
}
"""Kinds of het groups."""

TARGET_MATCHES = {
    "sequence": "aligned to the given sequence",
    "accession": "UniProt accession of the query",
    "gene": "gene name or synonym",
    "name": "all words of the target name in the polymer's names",
    "named": "entry named by its id in the query",
    "unmatched": "nothing matched the target: all polymers count",
    "none": "no polymer chain matched",
}
"""How the target chains of an entry were found."""

REASONS = {
    "kept": "Kept.",
    # entries, from the search
    "cut_by_max_entries": "More entries were found than max_entries allows; this one ranked lower.",
    "resolution": "The resolution is worse than max_resolution, or not given.",
    "method": "The experimental method is not among the methods asked for.",
    "release_date": "Released outside the dates asked for.",
    "organism": "The source organism is not the one asked for.",
    "not_matched": "The text of the file does not match the query.",
    # entries, from the download
    "not_found": "The source does not know this entry.",
    "withdrawn": "The entry was withdrawn and its successor could not be had either.",
    "same_as_other": "The entry was withdrawn; its successor is in this job already.",
    "download_failed": "The file could not be downloaded.",
    "file_empty": "The file is empty.",
    "file_truncated": "The file is cut off.",
    "file_not_structure": "The file is not a structure: an error page or another kind of file.",
    "file_unreadable": "The file could not be read as a structure.",
    "no_atoms": "The file has no atoms.",
    # entries, from the cleaning
    "no_polymer": "The entry has no polymer.",
    "no_target_chain": "No chain matches the given sequence closely enough.",
    "unmatched_target": "Nothing in the entry matches the target, and strict_target is on.",
    "no_ligand": "The entry has no het group besides water.",
    "only_polymer_residues": "The entry has no het group besides water and modified residues of its polymers.",
    "no_instance_kept": "No ligand of the entry was kept; each has its reason.",
    "r_free": "The R-free is worse than max_rfree, or no validation report gives it.",
    # ligands
    "kind_not_kept": "Its kind is not among the kinds asked for.",
    "part_of_polymer": "It is a residue of a polymer chain, so it is never a ligand; it stays in its chain.",
    "not_buried": "It is an additive unless a target buries it, and too little of its surface is covered.",
    "not_asked_for": "It is not among the ligands asked for (only_ligands).",
    "far_from_target": "No heavy atom lies near enough to a target chain.",
    "zero_occupancy": "All its atoms have occupancy zero: none was observed.",
    "no_heavy_atoms": "It has no heavy atoms with coordinates.",
    "not_single_conformer": "No atoms of it belong to the chosen conformer.",
    "not_unique": "Atoms elsewhere go by the same chain, number and name: the file does not tell which are its own.",
    "rscc": "Its correlation with the density (RSCC) is below min_rscc.",
    "rscc_unknown": "min_rscc is set, and no validation report gives its correlation with the density.",
    "entry_rejected": "Its entry was rejected.",
    "member_of_group": "It is part of a linked group that is kept under the name of its heaviest component.",
    "program_error": "A step failed on it because of an error in this program: what it would have added is missing.",
}
"""Reason codes of entries and ligands, each with a sentence for people."""

REMEDIES = {
    "resolution": "Raise filters.max_resolution, or leave it out.",
    "method": "Name other filters.methods, or none.",
    "release_date": "Widen the dates.",
    "organism": "Leave filters.organism out, or name another.",
    "not_matched": "Leave search_query empty to take all files.",
    "not_found": "Check the ids; own files go by their names, search/entries.csv lists them.",
    "download_failed": "Run the job again later.",
    "file_truncated": "Get the file again.",
    "no_polymer": "Give the protein with its ligand, in one file or in two of the same name.",
    "no_target_chain": "Check fasta_seq, or lower filters.min_identity and min_coverage.",
    "unmatched_target": "Give the target's gene name or sequence, or set filters.strict_target to false.",
    "no_ligand": "A ligand in a file of its own goes beside the structure, under the same name.",
    "r_free": "Raise filters.max_rfree, or leave it out.",
    "kind_not_kept": "Name its code in filters.always_keep, or its kind in filters.kinds.",
    "part_of_polymer": "If it is a ligand, check its coordinates: it is bonded as a residue of the chain.",
    "not_buried": "Name its code in filters.always_keep.",
    "not_asked_for": "Name it in filters.only_ligands, or leave that out.",
    "far_from_target": "Check that protein and ligand are in one frame, and that the target is the right chain.",
    "zero_occupancy": "For a model of your own set source.kind to files.",
    "not_unique": "Give each ligand a chain and number of its own.",
    "rscc": "Lower filters.min_rscc, or leave it out.",
    "rscc_unknown": "Leave filters.min_rscc out, or give the validation reports.",
}
"""What a user can do about a reason, in one sentence, where there is something."""

FLAGS = {
    "covalent": "covalently bound to the polymer",
    "declared_link_too_long": "a link that the entry declares is too long for a bond and was not taken for one",
    "undeclared_link": "a bond to the polymer found by distance, not declared in the entry",
    "link_without_free_valence": "the dictionary's molecule has no free valence at the linked atom",
    "atoms_missing": "heavy atoms of the component were not observed",
    "partial_occupancy": "the chosen conformer has atoms with occupancy below 1",
    "zero_occupancy_atoms": "some atoms have occupancy zero",
    "alternate_conformers": "more than one conformer was modelled; the best occupied was taken",
    "multiple_components": "a linked group of several components",
    "special_position": "lies on a symmetry axis; its own images were left out of the crystal context",
    "nucleic_acid_beside": "nucleic acid that is no target touches the ligand and counts in the context target",
    "no_assembly": "no biological assembly is given; the asymmetric unit stands for it",
    "chain_from_nearest_polymer": "the file gives no chain; that of the nearest polymer atom was taken",
    "docked": "a pose from a file of its own, placed by a program",
    "number_made_up": "the file gives no residue number; one was made up",
    "names_shortened": "names too long for the PDB format were shortened; see Name_Map.csv",
    "mmcif_only": "too large for the PDB format: written as mmCIF only",
    "duplicate_atom_names": "atom names occur twice",
    "stereo_differs": "the configuration seen differs from the dictionary",
    "stereo_unassigned": "the model draws a stereo centre flat: its configuration cannot be told",
    "metal_bond_open": "a bond to a metal that the dictionary has is too long here and was left out",
    "not_sanitised": "the molecule does not pass RDKit's checks; written as it is",
    "perceived_bonds": "bonds were perceived from distances: check them",
    "strained_bonds": "a few bonds have impossible lengths in the model; the atom names were trusted",
    "not_in_dictionary": "the component is not in the dictionary",
    "unmatched": "nothing in the entry matched the target: all polymers count",
    "withdrawn": "the entry was withdrawn",
    "stem_numbered": "another instance has the same file name but for case or at all; a number was added",
    "shares_site": "another component occupies the same place as an alternate",
    "first_model": "the first of several models was taken",
    "no_crystal": "no crystal context: not an X-ray or neutron structure, or no unit cell",
    "pdb_redo": "the model was refined anew by PDB-REDO, not the one deposited",
    "crystal_packing": "symmetry mates in the crystal make more than half of its contacts",
    "checks_failed": "a check that the job makes on its own files failed: see self_check in the manifest",
    "two_proteins": "two proteins hold it, as a degrader or glue: only the target's half is ranked",
    "additive_kept": "on the additive list, kept because asked for, buried or part of a chain",
    "cofactor": "a natural cofactor; kept where nothing else of its entry is, or asked for",
    "copies_in_complex": "other copies of it are part of the protein in its complex; select the ligand by its number",
}
"""What a user should know of an instance that was kept."""

EXIT_REASONS = {
    "better_action": "Another change at the same atom scores higher.",
    "equivalent_anchor": "An atom that is the same by symmetry stands for this one.",
    "bonded_to_protein": "The atom or the leaving group is covalently bound to the protein, or was made by that bond.",
    "incomplete": "The anchor or the leaving group has neighbours that were not observed.",
    "faces_partner": "Another protein holds this part of the ligand: only the target's half is ranked.",
    "no_candidate": "No atom carries a hydrogen and no bond can be cut.",
}
"""Why a candidate for an exit, or a whole ligand, has no rank."""

GEOMETRY_FLAGS = {
    "bond_length": "A bond is more than 25 % shorter or longer than its bounds.",
    "bond_angle": "The distance across an angle is more than 25 % off its bounds.",
    "internal_clash": "Two atoms of the ligand are more than 30 % nearer than they can be.",
    "ring_not_flat": "An aromatic ring is out of its plane by more than 0.25 Å.",
    "double_bond_not_flat": "A double bond is out of its plane by more than 0.25 Å.",
    "protein_clash": "An atom around the ligand is nearer than 0.75 of the sum of the radii.",
    "volume_overlap": "More than 7.5 % of the ligand's volume lies inside atoms around it.",
}
"""What of a ligand's geometry is beyond the limits of PoseBusters: told, never a reason to leave it out."""

OBSERVED_REASONS = {
    "linker_not_observed": "Atoms between the two halves were not observed, so it is not known where they end.",
}
"""Why a ligand that two proteins hold tells no exit."""

PROTAC_REASONS = {
    "no_ranked_exit": "No place was found where a linker can leave, so there are no inputs.",
    "complex_too_large": "There is no protein file: the complex is too large for the PDB format",
    "too_many_chains": "There is no protein file: it has more chains than letters are free",
    "no_polymer": "There is no protein file: the complex holds no polymer",
}
"""What is missing among the inputs for programs that model degraders, and why."""


MAIN = "main"
"""The binding site of most entries; the others are ``other_1`` and so on."""

SUPERPOSITION_REASONS = {
    "no_backbone": "The nearest target chain has no Cα atoms.",
    "too_few_matched": "Too few residues of the pocket have a partner in the reference's chain.",
    "poor_fit": "The pocket does not fit that of the reference: its shape differs.",
}
"""Why an instance is left out of the common frame of its group."""


class Doubt(NamedTuple):
    """What speaks against an exit: the best grade that is left, and a sentence for people."""

    grade: str
    sentence: str


EXIT_EVIDENCE = {
    "closed": Doubt("D", "This structure shows no open way out: the receptor would have to move."),
    "zero_occupancy": Doubt("D", "An atom that fixes the exit has occupancy zero: it was not observed."),
    "very_low_confidence": Doubt("D", "The prediction is very unsure of the atoms that fix the exit: pLDDT below 50."),
    "low_confidence": Doubt("C", "The prediction is unsure of the atoms that fix the exit: pLDDT below 70."),
    "place_uncertain": Doubt("C", "The prediction is unsure of where the ligand stands: expected error above 10 Å."),
    "low_occupancy": Doubt("C", "An atom that fixes the exit has an occupancy below one half."),
    "low_resolution": Doubt("C", "The resolution is worse than 3.0 Å."),
    "no_resolution": Doubt("C", "No resolution is given: nothing tells how precise the places are."),
    "very_mobile": Doubt("C", "The atoms that fix the exit have very high B factors for this chain."),
    "bonds_uncertain": Doubt("C", "Bonds of the ligand are uncertain in this structure."),
    "poor_fit": Doubt("C", "The ligand fits the density poorly: RSCC below 0.8 or RSR above 0.4 (wwPDB, PDBe)."),
    "anchor_poor_fit": Doubt(
        "C",
        "The residue of the ligand that holds the anchor fits the density poorly: RSCC below 0.8, RSR above 0.4 or"
        " RSRZ above 2.",
    ),
    "special_position": Doubt("C", "The ligand lies on a symmetry axis."),
    "shares_site": Doubt("C", "Another component occupies the same place as an alternate."),
    "end_not_modelled": Doubt("C", "The end that the linker replaces was not modelled: it is disordered."),
    "docked": Doubt("C", "The ligand was placed by a program, not observed."),
    "predicted": Doubt("B", "The structure is a prediction, not an observation."),
    "partial_occupancy": Doubt("B", "An atom that fixes the exit has an occupancy below 1."),
    "alternate_places": Doubt("B", "Atoms that fix the exit were modelled in more than one place."),
    "moderate_resolution": Doubt("B", "The resolution is worse than 2.5 Å."),
    "mobile": Doubt("B", "The atoms that fix the exit have high B factors for this chain."),
    "ligand_incomplete": Doubt("B", "Other atoms of the ligand were not observed."),
    "chain_gap": Doubt("B", "Residues that were not observed could stand in the way."),
    "side_chain_incomplete": Doubt("B", "A residue beside the way out lacks atoms."),
    "assembly_in_way": Doubt("B", "Another chain of the assembly takes a part of the way out."),
    "crystal_in_way": Doubt("B", "A symmetry mate in the crystal takes a part of the way out."),
    "pocket_poor_fit": Doubt("B", "A residue beside the way out fits the density badly (RSRZ above 2, wwPDB)."),
    "geometry_outliers": Doubt("B", "Bonds or angles of the ligand are unusual: Mogul RMSZ above 2 (wwPDB)."),
    "stereo_differs": Doubt("B", "The configuration seen differs from the dictionary."),
    "link_uncertain": Doubt("B", "The covalent link is uncertain."),
}
"""What speaks against an exit in one structure, the gravest first; the grade is A where nothing does."""

EVIDENCE_GRADES = {
    "A": "no doubts about the structure",
    "B": "some doubt",
    "C": "grave doubt",
    "D": "no evidence",
}
"""Grades of evidence in words."""


def sentence(reason: str) -> str:
    """Return the sentence of a reason code.

    Raises
    ------
    KeyError
        If the code is not in the closed list.

    >>> sentence("not_unique")
    'Atoms elsewhere go by the same chain, number and name: the file does not tell which are its own.'
    """
    return REASONS[reason]
