"""How the numbers were made: the report's methods with parameters and references."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tethermap.answers.observed.limits import LEAST_COVERED, LEAST_HALF
from tethermap.answers.pockets.limits import (
    FEWEST_PAIRS,
    LARGEST_RMSD,
    LEAST_IDENTITY,
    LEAST_OVERLAP,
    LONGEST_PAIR,
    POCKET_RADIUS,
)
from tethermap.complex.limits import (
    BURIED_FROM,
    CATION_PI_MAX,
    COFACTOR_REACH,
    HALOGEN_MAX,
    HBOND_MAX,
    HBOND_MIN,
    HBOND_MIN_ANGLE,
    HYDROPHOBIC_MAX,
    IONIC_MAX,
    KEPT_WITHIN,
    METAL_MAX,
    METAL_REACH,
    STACKING_MAX,
    WATER_MAX,
    WHOLE_CHAINS_WITHIN,
)
from tethermap.exits.limits import (
    AREA_WEIGHT,
    BOND,
    HBOND_WEIGHT,
    LARGE_AREA,
    LARGE_AREA_WEIGHT,
    LARGEST_LEAVING,
    MOBILE,
    PRIOR_WEIGHT,
    RAY_END,
)
from tethermap.exits.words import GRADE_WEIGHT, MOSTLY, OPEN_FROM
from tethermap.exposure.method import FREESASA, KERNEL
from tethermap.fit.limits import limit
from tethermap.series.limits import SIMILAR


@dataclass(frozen=True, slots=True)
class Reference:
    """One work cited: its short name, the citation and its DOI."""

    key: str
    text: str
    doi: str


REFERENCES = (
    Reference(
        "Alvarez 2013", "A cartography of the van der Waals territories. Dalton Trans 42:8617", "10.1039/c3dt50599e"
    ),
    Reference(
        "Auffinger 2004",
        "Halogen bonds in biological molecules. Proc Natl Acad Sci USA 101:16789",
        "10.1073/pnas.0407607101",
    ),
    Reference("Barlow 1983", "Ion-pairs in proteins. J Mol Biol 168:867", "10.1016/S0022-2836(83)80079-5"),
    Reference(
        "Bemis 1996",
        "The properties of known drugs. 1. Molecular frameworks. J Med Chem 39:2887",
        "10.1021/jm9602928",
    ),
    Reference("Berman 2000", "The Protein Data Bank. Nucleic Acids Res 28:235", "10.1093/nar/28.1.235"),
    Reference("Bondi 1964", "Van der Waals volumes and radii. J Phys Chem 68:441", "10.1021/j100785a001"),
    Reference(
        "Butina 1999",
        "Unsupervised data base clustering based on Daylight's fingerprint and Tanimoto similarity."
        " J Chem Inf Comput Sci 39:747",
        "10.1021/ci9803381",
    ),
    Reference(
        "Buttenschoen 2024",
        "PoseBusters: AI-based docking methods fail to generate physically valid poses or generalise to novel"
        " sequences. Chem Sci 15:3130",
        "10.1039/D3SC04185A",
    ),
    Reference(
        "Cock 2009",
        "Biopython: freely available Python tools for computational molecular biology. Bioinformatics 25:1422",
        "10.1093/bioinformatics/btp163",
    ),
    Reference(
        "Gore 2017", "Validation of structures in the Protein Data Bank. Structure 25:1916", "10.1016/j.str.2017.10.009"
    ),
    Reference(
        "Harding 2001",
        "Geometry of metal-ligand interactions in proteins. Acta Crystallogr D 57:401",
        "10.1107/S0907444901003997",
    ),
    Reference(
        "Henikoff 1992",
        "Amino acid substitution matrices from protein blocks. Proc Natl Acad Sci USA 89:10915",
        "10.1073/pnas.89.22.10915",
    ),
    Reference("Hubbard 2001", "Hydrogen bonds in proteins: role and strength. eLS", "10.1038/npg.els.0003011"),
    Reference(
        "Jiang 2005",
        "A solvated rotamer approach to modeling water-mediated hydrogen bonds at protein–protein interfaces."
        " Proteins 58:893",
        "10.1002/prot.20347",
    ),
    Reference(
        "Kleywegt 2004",
        "The Uppsala Electron-Density Server. Acta Crystallogr D 60:2240",
        "10.1107/S0907444904013253",
    ),
    Reference(
        "Kunzmann 2023",
        "Biotite: new tools for a versatile Python bioinformatics library. BMC Bioinformatics 24:236",
        "10.1186/s12859-023-05345-6",
    ),
    Reference("Landrum", "RDKit: open-source cheminformatics", "10.5281/zenodo.591637"),
    Reference(
        "Lee 1971",
        "The interpretation of protein structures: estimation of static accessibility. J Mol Biol 55:379",
        "10.1016/0022-2836(71)90324-X",
    ),
    Reference(
        "McDonald 1994",
        "Satisfying hydrogen bonding potential in proteins. J Mol Biol 238:777",
        "10.1006/jmbi.1994.1334",
    ),
    Reference(
        "Meng 2006",
        "Tools for integrated sequence-structure analysis with UCSF Chimera. BMC Bioinformatics 7:339",
        "10.1186/1471-2105-7-339",
    ),
    Reference(
        "Mitternacht 2016",
        "FreeSASA: an open source C library for solvent accessible surface area calculations. F1000Research 5:189",
        "10.12688/f1000research.7931.1",
    ),
    Reference(
        "Mölder 2021",
        "Sustainable data analysis with Snakemake. F1000Research 10:33",
        "10.12688/f1000research.29032.2",
    ),
    Reference(
        "Parthasarathy 1997",
        "Analysis of temperature factor distribution in high-resolution protein structures. Protein Sci 6:2561",
        "10.1002/pro.5560061208",
    ),
    Reference(
        "Salentin 2015",
        "PLIP: fully automated protein-ligand interaction profiler. Nucleic Acids Res 43:W443",
        "10.1093/nar/gkv315",
    ),
    Reference(
        "Steiner 2002",
        "The hydrogen bond in the solid state. Angew Chem Int Ed 41:48",
        "10.1002/1521-3773(20020104)41:1<48::AID-ANIE48>3.0.CO;2-U",
    ),
    Reference(
        "Tsai 1999",
        "The packing density in proteins: standard radii and volumes. J Mol Biol 290:253",
        "10.1006/jmbi.1999.2829",
    ),
    Reference(
        "Warren 2012",
        "Essential considerations for using protein-ligand structures in drug discovery. Drug Discov Today 17:1270",
        "10.1016/j.drudis.2012.06.011",
    ),
    Reference(
        "Westbrook 2015",
        "The chemical component dictionary. Bioinformatics 31:1274",
        "10.1093/bioinformatics/btu789",
    ),
    Reference(
        "Wojdyr 2022", "GEMMI: a library for structural biology. J Open Source Softw 7:4200", "10.21105/joss.04200"
    ),
)
"""Works that the methods cite, by name."""


def paragraphs(settings: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the methods as (heading, text) with the job's parameters in them.

    Parameters
    ----------
    settings : mapping
        The resolved configuration of the job.

    Returns
    -------
    list of (str, str)
        One short text per step; authors and years as in `REFERENCES`.
    """
    return [
        ("Target chains", _target_text(settings)),
        ("Ligand instances", _instances_text(settings)),
        ("Complexes", _complexes_text(settings)),
        ("Chemistry", CHEMISTRY),
        ("Exposure", _exposure_text(settings)),
        ("Fit", _fit_text(settings)),
        ("Contacts", _contacts_text()),
        ("Exits", _exits_text()),
        ("Degraders", _degraders_text()),
        ("Answers", _answers_text()),
        ("Directions", _directions_text()),
        ("Series", _series_text(settings)),
        ("Workflow", "One Snakemake workflow (Mölder 2021) made all files of this folder."),
    ]


CHEMISTRY = (
    "Bonds, charges and aromaticity come from the wwPDB chemical component dictionary (Westbrook 2015), by atom name"
    " and, where names do not fit the geometry, by matching graphs; “bond source” tells which. Molecules are the atoms"
    " observed, in a neutral charge state, with stereo read from the coordinates (RDKit, Landrum; dictionary as bundled"
    " with biotite, Kunzmann 2023)."
)


def _instances_text(settings: Mapping[str, Any]) -> str:
    return (
        "One instance is one component, or one covalently linked group of components, in one place of the asymmetric"
        " unit: entry, author chain, component and author residue number. Kept are the kinds "
        f"{', '.join(settings['filters']['kinds'])} with a heavy atom within {KEPT_WITHIN:g} Å of a heavy atom of a"
        f" target chain; additives that proteins bind, where the target buries {BURIED_FROM:g} of their surface; a"
        " cofactor where it is the only candidate of its entry. Of alternate conformers the best occupied one is taken"
        " as a whole. Every other het group has its reason in Ligand_Status.csv."
    )


def _complexes_text(settings: Mapping[str, Any]) -> str:
    return (
        "WAR_PDB holds the instance with the polymer chains of the context "
        f"“{settings['structure']['context']}” that come within {WHOLE_CHAINS_WITHIN:g} Å, metals within"
        f" {METAL_REACH:g} Å and cofactors and glycans within {COFACTOR_REACH:g} Å of them; no waters, no additives,"
        " no other ligand instances. Coordinates are as deposited (Berman 2000), read with gemmi (Wojdyr 2022)."
    )


def _exposure_text(settings: Mapping[str, Any]) -> str:
    sasa = settings["sasa"]
    by = {KERNEL: "by our own loop, sliced as in", FREESASA: "by"}[sasa["engine"]]
    return (
        f"Solvent-accessible surface after Lee and Richards (Lee 1971) with {sasa['slices']} slices per atom and a"
        f" probe of {sasa['probe_radius']} Å, computed {by} FreeSASA (Mitternacht 2016; engine {sasa['engine']});"
        " hydrogens are left out and radii are"
        " united-atom radii (C, N, O and S: Tsai 1999; F, Cl, Br and I: Bondi 1964; P and Se: by convention; other"
        " elements: Alvarez 2013). The free surface is that of the bound"
        " conformer alone. Contexts: chain, the nearest target chain; target, all target chains of the assembly;"
        " assembly, the whole first biological assembly that holds the ligand; crystal, with the neighbours in the"
        " crystal (X-ray and neutron structures). Each context holds the one before it, so areas can only shrink."
        " Relative exposure is the bound area divided by the free area; figures without a context are for “target”."
    )


def _exits_text() -> str:
    return (
        f"Exits are hydrogens and groups of at most {LARGEST_LEAVING} atoms that can give way to a linker, and ends"
        f" that were not modelled. Score = room + way out + {PRIOR_WEIGHT:g} × prior − {AREA_WEIGHT:g} × area lost"
        f" − {LARGE_AREA_WEIGHT:g} × area lost above {LARGE_AREA:.0f} Å² − {HBOND_WEIGHT:g} × hydrogen bonds of anchor"
        f" and leaving group: room is the free share of a sphere around a first linker atom {BOND} Å from the anchor,"
        f" way out that of rays of {RAY_END:.0f} Å in a cone of 60°, prior what chemists use, the area that of the"
        " group that leaves, in Å², covered in the complex. An exit with room and way out"
        f" below {OPEN_FROM:g} is closed: its rank comes from chemistry alone. Evidence is the"
        " grade of the gravest doubt in this structure, A where there is none: occupancy and alternate places of the"
        " atoms that fix the exit, neighbours in the way (Warren 2012), resolution, what was not observed beside the"
        f" way, and B above {MOBILE:g} standard deviations from the mean of the chain's Cα atoms (Parthasarathy 1997)."
    )


def _fit_text(settings: Mapping[str, Any]) -> str:
    off = settings["source"]["validation"] == "off"
    reports = "Validation reports were switched off." if off else (
        "RSCC, RSR, Mogul's RMSZ, clashes and, for electron microscopy, Q scores are those of the wwPDB's validation"
        " report of the entry (Gore 2017); a ligand that the report does not compare with density is “not assessed”,"
        " which is not a poor fit. Of a linked group the whole is the mean weighted by atoms."
    )  # fmt: skip
    return (
        f"{reports} An RSCC below {limit('rscc_poor'):g} or an RSR above {limit('rsr_poor'):g} leaves an exit a grade"
        f" of C at best, residues beside the way out with RSRZ above {limit('rsrz_outlier'):g} (Kleywegt 2004) and a"
        f" Mogul RMSZ above {limit('mogul_rmsz_poor'):g} leave B. Bonds, angles, flat rings, clashes and overlap are"
        " checked as PoseBusters does (Buttenschoen 2024), but a bond to the protein is no clash."
    )


def _degraders_text() -> str:
    return (
        f"Where two proteins of different sequence each cover {LEAST_COVERED:.0f} Å² of a ligand and each hold a half"
        f" of at least {LEAST_HALF} atoms, only the target's half is ranked. Its observed exit is the first bond that"
        " chemists make behind the last ring or group that the target covers better than the partner; where a ring can"
        " belong to either side, alternatives are told."
    )


def _answers_text() -> str:
    return (
        "Instances that touch the same residues of like chains are one binding site (Jaccard index of at least"
        f" {LEAST_OVERLAP:g}, single linkage), that of most entries the main one. An answer is made of all copies of a"
        " ligand in one site, without those that symmetry mates hold for the most part: first what is open in at least"
        f" {100 * MOSTLY:.0f} % of the copies (room and way out of at least {OPEN_FROM:g}), then by the median score."
        " Copies with all atoms decide; where there are none, a missing end counts as an exit in solvent."
        f" Over ligands: recommended ones first, then the median score less {GRADE_WEIGHT:g} for each grade of doubt."
        " A ligand that two proteins hold has one answer without a score: where its linker was seen to leave."
    )


def _directions_text() -> str:
    return (
        f"Target chains of at least {100 * LEAST_IDENTITY:.0f} % identity are one group, whose reference is the"
        " instance of the best resolution. Each pocket, the residues with their Cα within"
        f" {POCKET_RADIUS:.0f} Å of the ligand, is laid on the reference's chain by least squares (gemmi, Wojdyr 2022);"
        f" pairs more than {LONGEST_PAIR:g} Å apart are left out step by step (Meng 2006) and counted. Pockets with an"
        f" RMSD above {LARGEST_RMSD} Å or fewer than {FEWEST_PAIRS} pairs are left out with a reason."
    )


def _contacts_text() -> str:
    return (
        f"Hydrogen bonds between N and O: {HBOND_MIN} to {HBOND_MAX} Å (Hubbard 2001; Steiner 2002)"
        f" and angles of at least {HBOND_MIN_ANGLE:.0f}° with the bonded neighbours (McDonald 1994);"
        f" hydrophobic: carbons within {HYDROPHOBIC_MAX} Å (Salentin 2015); ionic: charged N and O within"
        f" {IONIC_MAX} Å (Barlow 1983); halogen bonds within {HALOGEN_MAX} Å (Auffinger 2004);"
        f" rings stacked within {STACKING_MAX} Å, cations over them within {CATION_PI_MAX} Å (Salentin 2015); through a"
        f" water within {WATER_MAX} Å of both (Jiang 2005); metals within {METAL_MAX} Å (Harding 2001);"
        " covalent: links declared or found by distance."
    )


def _series_text(settings: Mapping[str, Any]) -> str:
    return (
        "Components are grouped when they share a Murcko scaffold of two rings or more (Bemis 1996) or are similar"
        f" (Tanimoto of Morgan counts at least {SIMILAR}; Butina 1999). The core of a series is the maximum common"
        " substructure by RDKit with whole rings; the search is limited to about"
        f" {settings['series']['seconds']} s, counted in steps, and a search that was ended is marked."
    )


def _target_text(settings: Mapping[str, Any]) -> str:
    filters = settings["filters"]
    if settings["fasta_seq"]:
        return (
            "Chains that align with the given sequence (BLOSUM62, affine gaps, free ends; Henikoff 1992; Biopython,"
            f" Cock 2009) with an identity of at least {filters['min_identity']} over at least"
            f" {filters['min_coverage']} of the shorter sequence."
        )
    rejected = "is rejected" if filters["strict_target"] else "keeps all its polymers and is flagged “unmatched”"
    return (
        "Without a sequence: chains with a UniProt accession of the query, else the gene name, else all words of the"
        " target name, else all polymers of an entry that the query names."
        f" An entry in which nothing matches {rejected}."
    )
