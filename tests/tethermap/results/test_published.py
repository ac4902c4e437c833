"""Published degraders: which contain a ligand, through which atom their rest leaves, and their best value."""

import gzip
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from rdkit import Chem

from tests.tools.bench_degraders import PUBLISHED, published
from tests.tools.exits import embedded
from tethermap.answers.sites import exit_sites
from tethermap.base.tables import PUBLISHED_CELLS, Value
from tethermap.results.published import PublishedDegraders

JQ1 = "Cc1sc2c(c1C)C(=N[C@@H](CC(=O)OC(C)(C)C)c1nnc(C)n1-2)c1ccc(Cl)cc1"
POMALIDOMIDE = "Nc1cccc2c1C(=O)N(C1CCC(=O)NC1=O)C2=O"
TAIL = "NCCCCCCCC(=O)Nc7cccc8c7C(=O)N(C6CCC(=O)NC6=O)C8=O"
ON_JQ1 = f"Cc1sc2c(c1C)C(=N[C@@H](CC(=O){TAIL})c1nnc(C)n1-2)c1ccc(Cl)cc1"
BRD4, BTK = "O60885", "Q06187"
COLUMNS = "Compound ID,Uniprot,Target,E3 ligase,Name,Smiles,DC50 (nM),Dmax (%),Article DOI"


def answers(smiles: str, files: Sequence[Path], accession: str = BRD4) -> dict[str, dict[str, Value]]:
    """Return the cells of each exit site of a ligand at which published degraders leave, by its first such atom."""
    molecule = replace(embedded(smiles)[1], component_names="LIG", comp_id="LIG", inchikey="KEY")
    found = PublishedDegraders([str(file) for file in files])
    found.add(molecule, {accession})
    cells = [found.cells("LIG", {"kind": "cut", "exit_site": site}) for site in dict.fromkeys(exit_sites(molecule))]
    assert all(set(one) == set(PUBLISHED_CELLS) for one in cells)
    return {str(one["published_atoms"]): one for one in cells if one["published"]}


def atom(smiles: str, pattern: str) -> str:
    """Return the name of the first atom of a pattern in a ligand."""
    mol = Chem.MolFromSmiles(smiles)
    (index, *_) = mol.GetSubstructMatch(Chem.MolFromSmarts(pattern))
    return f"{mol.GetAtomWithIdx(index).GetSymbol()}{index + 1}"


def table(folder: Path, *rows: str, columns: str = COLUMNS, name: str = "protac.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([columns, *rows]) + "\n", encoding="utf-8")
    return path


def test_former_ester_in_a_degrader_has_its_exit_at_the_carbonyl(tmp_path: Path) -> None:
    """JQ1's degraders leave at the carbonyl carbon (Winter et al. 2015, doi:10.1126/science.aab1433)."""
    carbonyl = atom(JQ1, "C(=O)O")
    found = answers(JQ1, [table(tmp_path, f"1,{BRD4},BRD4,CRBN,dBET,{ON_JQ1},<5/430,85,10.1000/example")])
    assert found == {
        f"{carbonyl}:1": {
            "published": 1, "published_atoms": f"{carbonyl}:1", "published_best": "DC50 < 5 nM, BRD4, CRBN",
            "published_reference": "10.1000/example",
        }
    }  # fmt: skip


def test_published_degraders_have_the_exits_of_their_authors() -> None:
    """Read in the plain form. Pomalidomide's ethers leave at the carbon of its amine, dBET23 at a methyl of JQ1."""
    halves = Counter(row[side] for row in published() for side in ("target_half", "recruiter_half"))
    acid = halves["[*]C(=O)C[C@@H]1N=C(c2ccc(Cl)cc2)c2c(sc(C)c2C)-n2c(C)nnc21"]
    on_oxygen, on_amine = (halves[f"[*]{end}c1cccc2c1C(=O)N(C1CCC(=O)NC1=O)C2=O"] for end in "ON")
    ring = atom(POMALIDOMIDE, "c[NH2]")
    assert list(answers(JQ1, [PUBLISHED])) == ["C1:1", f"{atom(JQ1, 'C(=O)O')}:{acid + 1}"]  # IZR lacks a methyl
    assert set(answers(POMALIDOMIDE, [PUBLISHED])) == {f"{atom(POMALIDOMIDE, '[NH2]')}:{on_amine};{ring}:{on_oxygen}"}


def test_molecule_of_another_protein_counts_but_its_value_is_last(tmp_path: Path) -> None:
    other = ON_JQ1.replace("NCCCCCCCC", "NCCCCCC")
    rows = [f"1,{BTK},BTK,CRBN,X,{ON_JQ1},0.1,,a", f"2,{BRD4},BRD4,VHL,Y,{other},>50,,b"]
    (cells,) = answers(JQ1, [table(tmp_path, *rows)]).values()
    assert (cells["published"], cells["published_best"]) == (2, "DC50 > 50 nM, BRD4, VHL")
    (cells,) = answers(JQ1, [table(tmp_path, *rows)], BTK).values()
    assert cells["published_best"] == "DC50 = 0.1 nM, BTK, CRBN"


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("3.5/12", "DC50 = 3.5 nM, BRD4, CRBN"),
        ("12 ± 3", "DC50 = 12 nM, BRD4, CRBN"),
        ("~7", "DC50 ~ 7 nM, BRD4, CRBN"),
        (">1000/200", "DC50 = 200 nM, BRD4, CRBN"),
        ("0.5 μM", "BRD4, CRBN"),
        ("N.D.", "BRD4, CRBN"),
        ("0", "BRD4, CRBN"),
        ("", "BRD4, CRBN"),
    ],
)
def test_value_is_the_lowest_concentration_in_nanomolar(tmp_path: Path, written: str, expected: str) -> None:
    (cells,) = answers(JQ1, [table(tmp_path, f"1,{BRD4},BRD4,CRBN,X,{ON_JQ1},{written},,a")]).values()
    assert cells["published_best"] == expected


def test_salts_charges_and_repeated_rows_are_one_degrader(tmp_path: Path) -> None:
    charged = f"{ON_JQ1}.Cl"
    rows = [f"{k},{BRD4},BRD4,CRBN,X,{smiles},{k},,a" for k, smiles in enumerate((ON_JQ1, charged, ON_JQ1), 1)]
    (cells,) = answers(JQ1, [table(tmp_path, *rows, "4,,,,none,not a molecule,1,,a")]).values()
    assert (cells["published"], cells["published_best"]) == (1, "DC50 = 1 nM, BRD4, CRBN")


def test_sdf_and_packed_csv_give_the_same_rows(tmp_path: Path) -> None:
    mol = Chem.MolFromSmiles(ON_JQ1)
    fields = {"Target": "BRD4", "Uniprot": BRD4, "E3 ligase": "CRBN", "DC50 (nM)": "5", "Article DOI": "a"}
    sdf = tmp_path / "degraders.sdf"
    with Chem.SDWriter(str(sdf)) as writer:
        for name, value in fields.items():
            mol.SetProp(name, value)
        writer.write(mol)
    packed = tmp_path / "degraders.csv.gz"
    plain = table(tmp_path, f"{ON_JQ1};BRD4;{BRD4};CRBN;5;a", columns="smiles;target;uniprot;e3;dc50_nM;reference")
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    assert answers(JQ1, [sdf]) == answers(JQ1, [packed]) == answers(JQ1, [plain, sdf])


def test_ligand_outside_the_degraders_or_too_small_has_none(tmp_path: Path) -> None:
    path = table(tmp_path, f"1,{BRD4},BRD4,CRBN,X,{ON_JQ1},5,,a")
    for smiles in ("CC(C)Cc1ccc(cc1)C(C)C(=O)O", "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1", "CCO"):
        assert answers(smiles, [path]) == {}


def test_rows_name_the_leaving_atoms(tmp_path: Path) -> None:
    found = PublishedDegraders([str(table(tmp_path, f"1,{BRD4},BRD4,CRBN,X,{ON_JQ1},5/9,,a"))])
    molecule = replace(embedded(JQ1)[1], component_names="LIG", comp_id="LIG", inchikey="KEY")
    found.add(molecule, {BRD4})
    rows = list(found.rows())
    assert [row["DC50_nM"] for row in rows] == [5.0, 9.0]
    left = {str(row["left_out"]) for row in rows}
    oxygen = atom(JQ1, "[OX2]")
    assert [len(one.split(";")) for one in left] == [5]
    assert oxygen in left.pop().split(";")


@settings(max_examples=8, deadline=None)
@given(order=st.permutations(range(4)), seed=st.integers(0, 1000))
def test_order_of_rows_and_atoms_changes_nothing(
    order: list[int], seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The same degraders in another order, and written from other atoms, give the same cells."""
    folder = tmp_path_factory.mktemp("order")
    lengths = ["NCCCC", "NCCCCCC", "NCCOCCOCC", "NCCCCCCCCC"]
    smiles = [ON_JQ1.replace("NCCCCCCCC", one) for one in lengths]
    written = [Chem.MolToRandomSmilesVect(Chem.MolFromSmiles(one), 1, randomSeed=seed)[0] for one in smiles]
    rows = [f"{k},{BRD4},BRD4,CRBN,n{k},{written[k]},{9 - k},,a" for k in order]
    (cells,) = answers(JQ1, [table(folder, *rows)]).values()
    assert (cells["published"], cells["published_best"]) == (4, "DC50 = 6 nM, BRD4, CRBN")
