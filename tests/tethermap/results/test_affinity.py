"""Affinities: formats of the public lists, units, and to which ligand and protein a value belongs."""

import gzip
import math
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tethermap.results.affinity import Affinities, AffinityQuery
from tethermap.results.measurement import TYPES, UNITS, written_value

KEY, OTHER_KEY = "UCUJJNLJZDHXKF-UHFFFAOYSA-N", "BSYNRYMUTXBXSQ-UHFFFAOYSA-N"
EGFR, BRD4 = "P00533", "O60885"


def ligand(**changes: object) -> AffinityQuery:
    names = {"pdb_id": "1abc", "Chain": "A", "Warhead": "LIG", "Residue_ID": "9"}
    given = {"names": names, "components": "LIG", "chains": frozenset("A"), "inchikey": KEY}
    return AffinityQuery("1abc_A_LIG_9", **{**given, "accessions": frozenset({EGFR}), **changes})  # type: ignore[arg-type]


def cells(*files: Path, one: AffinityQuery | None = None, heavy: int = 20) -> dict[str, object]:
    one = one or ligand()
    found = Affinities([str(file) for file in files], [one], {one.components: heavy})
    return dict(found.cells([one.stem]))


def written(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


PDBBIND = """# PDB code, resolution, release year, -logKd/Ki, Kd/Ki, reference, ligand name
1abc  2.20  2012   6.08  Ki=0.83uM    // 1abc.pdf (LIG)
1abc  2.20  2012   2.00  Kd=10mM      // 1abc.pdf (OTH)
2abc  NMR   2012   9.00  Kd=1nM       // 2abc.pdf (LIG)
"""
MOAD = """1.1.1.1,,,,,,,,,
,10GS,,,,,,,,
,,1ABC,,,,,,,
,,,LIG:A:9,valid,Ki,=,0.83,uM,CCO
,,,LIG:A:10,valid,Ki,=,7,uM,CCO
,,,LIG:B:9,valid,Ki,=,8,uM,CCO
,,,LIG:A:9,invalid,Ki,=,9,uM,CCO
,,2ABC,,,,,,,
,,,LIG:A:9,valid,Ki,=,1,nM,CCO
"""
BINDINGDB = (
    "BindingDB Reactant_set_id\tLigand InChI Key\tTarget Name\tKi (nM)\tIC50 (nM)\tKd (nM)"
    "\tUniProt (SwissProt) Primary ID of Target Chain 1\tUniProt (TrEMBL) Primary ID of Target Chain 1"
)
CHEMBL = (
    '"Molecule Name";"Smiles";"Standard Type";"Standard Relation";"Standard Value";"Standard Units";'
    '"Data Validity Comment";"Target ChEMBL ID";"Target Name"\n'
)


def test_index_of_pdbbind_and_table_of_binding_moad_give_one_value(tmp_path: Path) -> None:
    both = cells(written(tmp_path, PDBBIND, "INDEX_general_PL_data.2020"), written(tmp_path, MOAD, "every.csv"))
    assert both == {
        "affinity_type": "Ki", "relation": "=", "value_nM": 830.0, "p_value": pytest.approx(6.0809, abs=1e-4),
        "source": "PDBbind;Binding MOAD", "n_values": 1, "spread": "",
        "ligand_efficiency": pytest.approx(1.37 * 6.0809 / 20, abs=1e-4), "affinity_word": "",
    }  # fmt: skip


def test_value_of_a_chain_of_another_protein_is_not_used(tmp_path: Path) -> None:
    table = written(tmp_path, "pdb_id,chain,comp_id,measurement\n1abc,B,LIG,Kd=1nM\n")
    assert cells(table) == {}
    assert cells(table, one=ligand(chains=frozenset("AB")))["value_nM"] == 1.0


def test_copy_on_another_chain_of_the_protein_has_its_value(tmp_path: Path) -> None:
    table = written(tmp_path, "pdb_id,chain,comp_id,measurement\n1abc,A,LIG,Kd=1nM\n")
    for accessions, expected in ((EGFR, 1.0), (BRD4, None)):
        copy = replace(ligand(chains=frozenset("B")), stem="1abc_B_LIG_9", accessions=frozenset({accessions}))
        found = Affinities([str(table)], [copy, ligand()], {})
        assert found.cells([copy.stem]).get("value_nM") == expected
        assert found.cells([ligand().stem])["value_nM"] == 1.0


def test_component_of_an_earlier_file_is_found_by_its_molecule(tmp_path: Path) -> None:
    """Lists name 1A4W's inhibitor QWE, which the file divides into ANS, DAR, 2EP and KTH."""
    table = written(tmp_path, "pdb_id,chain,comp_id,measurement\n1abc,A,QWE,Ki=1.2uM\n")
    group = ligand(components="ANS+DAR+2EP+KTH", inchikey="KACDHMPRLCAESX-OFNKIYASSA-N")
    assert cells(table, one=group)["value_nM"] == 1200.0
    assert cells(table, one=replace(group, inchikey=KEY)) == {}
    assert cells(table, one=replace(group, chains=frozenset("B"))) == {}


def test_value_by_entry_precedes_one_by_molecule(tmp_path: Path) -> None:
    pair = f"inchikey,uniprot,affinity_type,relation,value,unit,source\n{KEY},{EGFR},Kd,=,5,nM,mine\n"
    other = written(tmp_path, pair, "pair.csv")
    assert cells(other)["source"] == "mine"
    assert cells(other, written(tmp_path, PDBBIND))["affinity_type"] == "Ki"


def test_activities_of_chembl_need_the_target_of_one_protein(tmp_path: Path) -> None:
    smiles = "CC(=O)Oc1ccccc1C(=O)O"
    rows = [
        f'"EGFR inhibitor";"{smiles}";"IC50";"\'=\'";"{value}";"{unit}";"{comment}";"{target}";"EGFR"\n'
        for value, unit, comment, target in (
            (3, "nM", "", "CHEMBL203"),
            (5, "nM", "", "CHEMBL203"),
            (7, "ug.mL-1", "", "CHEMBL203"),
            (11, "nM", "Potential transcription error", "CHEMBL203"),
            (13, "nM", "", "CHEMBL1163125"),
            (17, "nM", "", "CHEMBL2363049"),
        )
    ]
    table = written(tmp_path, CHEMBL + "".join(rows))
    mapping = "".join(
        f"{accession}\t{target}\tname\t{kind}\n"
        for accession, target, kind in (
            (EGFR, "CHEMBL203", "SINGLE PROTEIN"),
            (BRD4, "CHEMBL1163125", "SINGLE PROTEIN"),
            (EGFR, "CHEMBL2363049", "PROTEIN FAMILY"),
        )
    )
    aspirin = ligand(inchikey=OTHER_KEY)
    assert cells(table, one=aspirin) == {}
    found = cells(table, written(tmp_path, mapping, "chembl_uniprot_mapping.txt"), one=aspirin)
    assert (found["value_nM"], found["spread"], found["n_values"]) == (4.0, "3-5", 2)


@given(
    st.sampled_from(TYPES), st.sampled_from("=<>~"), st.floats(0.001, 999).map(lambda one: round(one, 3)),
    st.sampled_from(sorted(UNITS)),
)  # fmt: skip
def test_value_is_read_with_its_unit_next_to_a_logarithm(kind: str, relation: str, number: float, unit: str) -> None:
    for text in (f"{kind}{relation}{number}{unit}", f"-logKd/Ki=5.00,{kind.lower()}{relation}{number}{unit}"):
        found = written_value(text)
        assert found is not None
        assert found[:2] == (kind, relation)
        assert math.isclose(found[2], number * UNITS[unit], rel_tol=1e-9)


@pytest.mark.parametrize(
    "text",
    [
        *("Kd=3", "Kd=3mg/ml", "Kd=3MM", "Ka=3uM", "-logKd/Ki=3.2", "Kd=nM", "IC50=3ug/ml"),
        *("Kd=1-5nM", "Kd=3,5nM", "Ki=0.1~2uM", "logKd=-9M", "pIC50=6nM", "Kd=10^-9M"),
    ],
)
def test_ranges_logarithms_and_unknown_units_or_kinds_are_not_read(text: str) -> None:
    assert written_value(text) is None


@pytest.mark.parametrize(
    ("cells_of_value", "value_nM"),
    [
        ("Kd,=,1e-9,M", 1.0),
        ("kd,~,0.5,uM", 500.0),
        ("Ki,,2.5E+3,pM", 2.5),
        ("IC50,>,10,mM", 1e7),
        ("IC50,=,>10,\u03bcM", 10_000.0),
        ('Kd,=,"3,5",nM', None),
        ('Kd,=,"1,200",nM', None),
        ("Kd,=,1-5,nM", None),
        ("Kd,<,>5,nM", None),
        ("pKd,=,8.3,", None),
        ("Kd,=,8.3,", None),
        ("-logKd,=,8.3,M", None),
        ("Kd,=,3,nm", None),
        ("Kd,=,3,MM", None),
        ("Kd,=,0,nM", None),
        ("Kd,=,nan,nM", None),
        ("Ka,=,3,nM", None),
        ("Kd,=,,nM", None),
    ],
)
def test_cells_of_doubtful_value_or_unit_are_not_read(
    tmp_path: Path,
    cells_of_value: str,
    value_nM: float | None,  # noqa: N803
) -> None:
    table = written(tmp_path, f"pdb_id,comp_id,affinity_type,relation,value,unit\n1ABC,lig,{cells_of_value}\n")
    assert cells(table).get("value_nM") == value_nM


def test_table_of_a_spreadsheet_is_read_like_a_plain_one(tmp_path: Path) -> None:
    """Byte order mark, line ends of Windows, quoted cells, empty columns and rows of another length, compressed."""
    text = (
        '\ufeffnote,"pdb_id","comp_id",,measurement,chain\r\n"two\r\nlines","1ABC",LIG,,"Ki=3nM",A\r\n'
        "short,1abc\r\n,1abc,LIG,,Ki=5nM,A,more\r\n\r\n"
    )
    packed = tmp_path / "mine.csv.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    found = cells(packed)
    assert (found["value_nM"], found["n_values"], found["spread"]) == (4.0, 2, "3-5")


@pytest.mark.parametrize(
    ("key", "accession", "domain", "read"),
    [
        (KEY, EGFR, "", True),
        (KEY, BRD4, "", False),
        (OTHER_KEY, EGFR, "", False),
        (f"{KEY[:-1]}M", EGFR, "", True),
        (KEY.replace("UHFFFAOYSA", "CYBMUJFWSA"), EGFR, "", False),
        (KEY, EGFR, " [671-998]", True),
        (KEY, EGFR, " [L858R,T790M]", False),
        (KEY, EGFR, " [671-998,T790M]", False),
    ],
)
def test_values_of_other_proteins_mutants_molecules_and_stereoisomers_are_not_read(
    tmp_path: Path, key: str, accession: str, domain: str, read: bool
) -> None:
    row = f"1\t{key}\tEpidermal growth factor receptor{domain}\t>10000\t 12.0\t\t{accession}\t"
    table = written(tmp_path, f"{BINDINGDB}\r\n{row}\r\n", "BindingDB_All.tsv")
    found = [(one["affinity_type"], one["value_nM"]) for one in Affinities([str(table)], [ligand()], {}).rows()]
    assert found == ([("Ki", 10_000.0), ("IC50", 12.0)] if read else [])
    assert cells(table, one=ligand(accessions=frozenset()), heavy=0) == {}


@pytest.mark.parametrize(
    ("smiles", "read"),
    [
        ("CC(=O)Oc1ccccc1C(=O)O", True),
        ("[Na+].CC(=O)Oc1ccccc1C(=O)[O-]", True),
        ("[2H]C([2H])([2H])C(=O)Oc1ccccc1C(=O)O", False),
        ("CC(=O)Oc1ccccc1C(=O)OC", False),
        ("no SMILES", False),
    ],
)
def test_activity_of_a_salt_is_of_its_acid_but_not_that_of_an_isotopologue(
    tmp_path: Path, smiles: str, read: bool
) -> None:
    header = "smiles,standard_type,standard_relation,standard_value,standard_units,accession\n"
    table = written(tmp_path, f"{header}{smiles},Ki,=,7,nM,{EGFR}\n")
    assert (cells(table, one=ligand(inchikey=OTHER_KEY)).get("value_nM") == 7.0) == read


def test_exact_values_precede_limits_and_kinds_are_not_mixed(tmp_path: Path) -> None:
    values = ("Ki=2nM", "Ki=4nM", "Ki=0.004uM", "Ki<1nM", "IC50=900nM", "Kd>50uM")
    rows = "".join(f"1abc,LIG,{value}\n" for value in values)
    table = written(tmp_path, f"pdb_id,comp_id,measurement\n{rows}")
    found = {str(row["affinity_type"]): row for row in Affinities([str(table)], [ligand()], {}).rows()}
    told = {kind: (row["relation"], row["value_nM"], row["n_values"], row["spread"]) for kind, row in found.items()}
    assert told == {"Kd": (">", 50000.0, 1, ""), "Ki": ("=", 3.0, 2, "2-4"), "IC50": ("=", 900.0, 1, "")}
    assert cells(table)["affinity_word"] == "weak"
