import gzip
from pathlib import Path

import gemmi
import pytest
from hypothesis import given, strategies as st

from tethermap.entry.metadata import EntryMetadata, from_mmcif, from_pdb, metadata_of, without_atoms
from tethermap.entry.model import PREDICTED
from tethermap.entry.pdb_header import iso_from_pdb


def _read(path: Path) -> EntryMetadata:
    content = gzip.decompress(path.read_bytes())
    return metadata_of(content, is_mmcif=".cif" in path.name)


def _cif(text: str) -> EntryMetadata:
    return from_mmcif(gemmi.cif.read_string(f"data_1ABC\n{text}")[0])


def test_an_mmcif_entry_names_its_polymers(archive: Path) -> None:
    metadata = _read(archive / "4zhl.cif.gz")
    urokinase, peptide = metadata.entities
    assert (urokinase.description, urokinase.genes, urokinase.uniprot) == (
        "Urokinase-type plasminogen activator", ("PLAU",), ("P00749",),
    )  # fmt: skip
    assert (urokinase.label_asym_ids, urokinase.auth_asym_ids) == (("A",), ("U",))
    assert urokinase.organisms == ("Homo sapiens",)
    assert urokinase.names[:2] == ("uPA", "UROK_HUMAN")
    assert urokinase.sequence.startswith("IIGGEFTTIENQPWFAAIYRRHRGGSVTYVCGGSLI")
    assert peptide.auth_asym_ids == ("P",)


def test_an_mmcif_entry_has_method_dates_and_ligands(archive: Path) -> None:
    metadata = _read(archive / "4cup.cif.gz")
    assert (metadata.entry_id, metadata.method, metadata.resolution) == ("4cup", "X-RAY DIFFRACTION", 1.88)
    assert metadata.release_date == "2014-04-02"
    assert {ligand.comp_id for ligand in metadata.ligands} == {"ZYB", "MOH"}


def test_selenomethionine_counts_as_methionine_and_a_replaced_entry_is_no_successor(archive: Path) -> None:
    metadata = _read(archive / "1a8o.cif.gz")
    assert metadata.entities[0].sequence.startswith("MDIRQGPKEPFRDYVDRFYKTLRAEQ")
    assert (metadata.withdrawn, metadata.successors) == (False, ())


def test_a_file_of_1995_has_its_metadata(archive: Path) -> None:
    metadata = _read(archive / "1hpv.ent.gz")
    assert metadata.title.startswith("CRYSTAL STRUCTURE OF HIV-1 PROTEASE IN COMPLEX WITH VX-478")
    assert (metadata.method, metadata.resolution) == ("X-RAY DIFFRACTION", 1.9)
    assert (metadata.release_date, metadata.revision) == ("1995-03-31", "1")
    assert [ligand.comp_id for ligand in metadata.ligands] == ["478"]
    (protease,) = metadata.entities
    assert (protease.description, protease.auth_asym_ids) == ("HIV-1 PROTEASE", ("A", "B"))
    assert protease.organisms == ("HUMAN IMMUNODEFICIENCY VIRUS TYPE 1",)
    assert protease.sequence.startswith("PQITLWQRPLVTIKIGGQLKEALLDTGADDTVLEEMSLPGRWKPKMIGG")


_PDB = """\
HEADER    TRANSFERASE                             03-MAR-20   5XYZ
OBSLTE     08-JUL-21 5XYZ      6ABC 6ABD
TITLE     CRYSTAL STRUCTURE OF THE EGFR-
TITLE    2 LIKE KINASE
COMPND    MOL_ID: 1;
COMPND   2 MOLECULE: TYROSINE-PROTEIN KINASE: THE
COMPND   3 CATALYTIC DOMAIN;
COMPND   4 CHAIN: A, B,
COMPND   5 C;
COMPND   6 SYNONYM: ONE, 3,4-TWO;
COMPND   7 MOL_ID: 2;
COMPND   8 MOLECULE: PEPTIDE;
COMPND   9 CHAIN: P
SOURCE    MOL_ID: 1;
SOURCE   2 ORGANISM_SCIENTIFIC: HOMO SAPIENS;
SOURCE   3 GENE: EGFR, ERBB1;
SOURCE   4 MOL_ID: 2;
SOURCE   5 SYNTHETIC: YES
KEYWDS    KINASE, COMPLEX
EXPDTA    X-RAY DIFFRACTION; NEUTRON DIFFRACTION
REVDAT   3   06-MAY-20 5XYZ    1       COMPND
REVDAT   1   11-MAR-20 5XYZ    0
REMARK   2 RESOLUTION.    1.58 ANGSTROMS.
DBREF  5XYZ A    1   306  UNP    P00533   EGFR_HUMAN       1    306
DBREF1 5XYZ B    1   306  UNP                  A0A024R1R8_HUMAN
DBREF2 5XYZ B     A0A024R1R8                          1         306
DBREF  5XYZ P    1     3  PDB    5XYZ     5XYZ             1      3
SEQRES   1 A    4  GLY MSE PTR ZZZ
SEQRES   1 B    4  GLY MSE PTR ZZZ
SEQRES   1 P    3  ALA ALA NLE
MODRES 5XYZ ZZZ A    4  TRP  SOMETHING
HET    AQ4  A 901      29
HET    MSE  A   2       8
HET    HOH  A 902       1
HETNAM     AQ4 [6,7-BIS(2-METHOXY-
HETNAM   2 AQ4  ETHOXY)QUINAZOLINE-4-YL]
HETSYN     AQ4 OSI-774; ERLOTINIB
ATOM      1  N   GLY A   1       1.000   2.000   3.000  1.00 20.00           N
TITLE     NOT READ ANY MORE
"""


def test_a_pdb_header_is_read_record_by_record() -> None:
    metadata = from_pdb(_PDB)
    assert metadata.title == "CRYSTAL STRUCTURE OF THE EGFR-LIKE KINASE"
    assert metadata.methods == ("X-RAY DIFFRACTION", "NEUTRON DIFFRACTION")
    assert (metadata.release_date, metadata.revision, metadata.revision_date) == ("2020-03-11", "3", "2020-05-06")
    assert (metadata.withdrawn, metadata.successors) == (True, ("6abc", "6abd"))
    (ligand,) = metadata.ligands
    assert (ligand.comp_id, ligand.name) == ("AQ4", "[6,7-BIS(2-METHOXY-ETHOXY)QUINAZOLINE-4-YL]")
    assert ligand.synonyms == "OSI-774; ERLOTINIB"


def test_pdb_polymers_have_chains_genes_and_accessions() -> None:
    kinase, peptide = from_pdb(_PDB).entities
    assert kinase.description == "TYROSINE-PROTEIN KINASE: THE CATALYTIC DOMAIN"
    assert kinase.auth_asym_ids == ("A", "B", "C")
    assert kinase.names == ("ONE", "3,4-TWO", "EGFR_HUMAN", "A0A024R1R8_HUMAN")
    assert kinase.uniprot == ("P00533", "A0A024R1R8")
    assert kinase.genes == ("EGFR", "ERBB1")
    assert kinase.organisms == ("HOMO SAPIENS",)
    assert kinase.sequence == "GMYW"
    assert (peptide.auth_asym_ids, peptide.uniprot, peptide.sequence) == (("P",), (), "AAL")


def test_free_text_of_compnd_names_the_long_chains_only() -> None:
    text = (
        "HEADER    HYDROLASE                               18-NOV-94   1ABC      1ABC   2\n"
        "COMPND    TRYPSIN (E.C.3.4.21.4) COMPLEX WITH A PEPTIDE                 1ABC   3\n"
        "SOURCE    BOVINE (BOS $TAURUS) PANCREAS                                 1ABC   4\n"
        f"SEQRES   1 E    8  {'ALA ' * 8}\n"
        "SEQRES   1 I    2  GLY GLY\n"
    )
    trypsin, peptide = from_pdb(text).entities
    assert (trypsin.description, peptide.description) == ("TRYPSIN", "")
    assert trypsin.organisms == ("BOS TAURUS",)
    assert trypsin.auth_asym_ids == ("E",)


def test_a_chain_without_name_is_an_empty_text() -> None:
    text = "COMPND    MOL_ID: 1;\nCOMPND   2 MOLECULE: X;\nCOMPND   3 CHAIN: NULL\nSEQRES   1      2  GLY GLY\n"
    assert from_pdb(text).entities[0].auth_asym_ids == ("",)


@pytest.mark.parametrize(
    ("expdta", "method"),
    [
        ("NMR, 20 STRUCTURES", "SOLUTION NMR"),
        ("SOLID-STATE NMR", "SOLID-STATE NMR"),
        ("CRYO-ELECTRON MICROSCOPY", "ELECTRON MICROSCOPY"),
        ("ELECTRON DIFFRACTION", "ELECTRON CRYSTALLOGRAPHY"),
        ("X-RAY DIFFRACTION", "X-RAY DIFFRACTION"),
    ],
)
def test_old_names_of_methods_become_todays(expdta: str, method: str) -> None:
    assert from_pdb(f"EXPDTA    {expdta}\n").method == method


@pytest.mark.parametrize(
    ("text", "date"),
    [("31-MAR-95", "1995-03-31"), ("01-JAN-08", "2008-01-01"), ("1-FEB-72", "1972-02-01"), ("31-XXX-95", ""), ("", "")],
)
def test_pdb_dates_become_iso_dates(text: str, date: str) -> None:
    assert iso_from_pdb(text) == date


def test_several_references_of_one_entity_are_all_kept_and_isoforms_dropped() -> None:
    metadata = _cif(
        "loop_ _entity.id _entity.type 1 polymer\n"
        "loop_ _entity_poly.entity_id _entity_poly.pdbx_strand_id 1 A,B\n"
        "loop_ _struct_ref.id _struct_ref.entity_id _struct_ref.db_name _struct_ref.pdbx_db_accession\n"
        "1 1 UNP P00533-2 2 1 UNP P0DTD1 3 1 PDB 1ABC\n"
    )
    assert metadata.entities[0].uniprot == ("P00533", "P0DTD1")
    assert metadata.entities[0].auth_asym_ids == ("A", "B")


@pytest.mark.parametrize(
    ("text", "resolution"),
    [
        ("loop_ _refine.pdbx_refine_id _refine.ls_d_res_high a 2.0 b 1.75 c ?", 1.75),
        ("_em_3d_reconstruction.entry_id 1ABC\n_em_3d_reconstruction.resolution 3.4", 3.4),
    ],
)
def test_resolution_is_the_best_of_the_refinement_or_that_of_the_map(text: str, resolution: float) -> None:
    assert _cif(text).resolution == resolution


def test_a_withdrawn_mmcif_entry_is_reported() -> None:
    spr = "_pdbx_database_PDB_obs_spr"
    metadata = _cif(f"_entry.id 1ABC\n{spr}.id OBSLTE\n{spr}.pdb_id '2ABC 3ABC'\n{spr}.replace_pdb_id 1ABC\n")
    assert (metadata.withdrawn, metadata.successors) == (True, ("2abc", "3abc"))


def test_polymers_without_entity_poly_are_still_found() -> None:
    metadata = _cif(
        "loop_ _entity.id _entity.type _entity.pdbx_description 1 polymer KINASE 2 water water\n"
        "loop_ _struct_asym.id _struct_asym.entity_id A 1 B 2\n"
        "loop_ _atom_site.id _atom_site.label_entity_id _atom_site.auth_asym_id 1 1 X\n"
    )
    assert [(e.description, e.label_asym_ids, e.auth_asym_ids) for e in metadata.entities] == [
        ("KINASE", ("A",), ("X",))
    ]


def test_leaving_the_atoms_out_changes_nothing(archive: Path) -> None:
    for path in sorted(archive.glob("*.cif.gz")):
        content = gzip.decompress(path.read_bytes())
        assert len(without_atoms(content)) < len(content) / 2
        assert metadata_of(content, is_mmcif=True) == from_mmcif(gemmi.cif.read_string(content)[0])


@given(st.lists(st.sampled_from(["COMPND", "SOURCE", "SEQRES", "DBREF ", "DBREF1", "HET   ", "HETNAM", "REVDAT", "MODRES", "OBSLTE", "REMARK", "HEADER"]).flatmap(lambda name: st.text(max_size=75).map(lambda rest: name + rest)), max_size=8))  # fmt: skip # noqa: E501
def test_any_pdb_header_is_parsed_without_error(lines: list[str]) -> None:
    from_pdb("\n".join(lines))


@given(st.dictionaries(st.sampled_from(["_struct.title", "_refine.ls_d_res_high", "_exptl.method", "_entity.id", "_entity_poly.entity_id", "_entity_poly.pdbx_strand_id", "_struct_ref.entity_id", "_struct_ref.db_name", "_pdbx_audit_revision_history.revision_date", "_pdbx_audit_revision_history.major_revision", "_database_PDB_rev.num"]), st.text(st.characters(codec="utf-8", exclude_categories=["C"]))))  # fmt: skip # noqa: E501
def test_any_mmcif_value_is_parsed_without_error(values: dict[str, str]) -> None:
    block = gemmi.cif.Block("X")
    for tag, value in values.items():
        block.set_pair(tag, gemmi.cif.quote(value))
    from_mmcif(block)


@pytest.mark.parametrize(
    ("lines", "methods"),
    [
        (["REMARK   1 CREATED WITH BOLTZ 2.1"], (PREDICTED,)),
        (["TITLE     ESMFOLD V1 PREDICTION FOR INPUT"], (PREDICTED,)),
        (["REMARK   1 SEARCH MODEL FROM ALPHAFOLD", "CRYST1   60.000   60.000   60.000  90.00  90.00  90.00 P 1"], ()),
        (["REMARK   1 CREATED WITH OPENMM 8.1"], ()),
    ],
)
def test_file_that_names_a_predictor_and_no_crystal_is_predicted(lines: list[str], methods: tuple[str, ...]) -> None:
    assert from_pdb("\n".join([*lines, "ATOM      1  N   PRO A   1"])).methods == methods
