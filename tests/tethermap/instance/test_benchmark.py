"""The benchmark of decisions about ligands includes the components of the reference list."""

from tests.tools.bench_ligands import BENCHMARK, by_list, told, wanted_pairs
from tests.tools.runs import rows_of


def test_every_listed_ligand_is_a_candidate() -> None:
    candidates = rows_of(BENCHMARK, "candidates.csv")
    assert wanted_pairs() <= {(row["pdb_id"], row["comp_id"]) for row in candidates}


def test_exclusion_list_removes_its_components() -> None:
    rows = (("1abc", "BEN", "1"), ("1abc", "GOL", "20"), ("2abc", "STI", "1"))
    candidates = [dict(zip(("pdb_id", "comp_id", "copies"), row, strict=True)) for row in rows]
    wanted = {("1abc", "BEN"), ("2abc", "STI")}
    assert by_list(candidates, {"BEN", "GOL"}, 1) == {("2abc", "STI")}
    assert by_list(candidates, {"BEN", "GOL"}, 15) == wanted
    assert told({("2abc", "STI"), ("1abc", "GOL")}, wanted, {"1abc", "2abc"}).split() == ["0.500", "0.500", "1"]
