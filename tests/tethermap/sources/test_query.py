import pytest
from hypothesis import given, strategies as st

from tethermap.base.identifiers import entry_id_of, is_entry_id
from tethermap.sources.query import parse_query, spellings, words_of
from tethermap.sources.rcsb_queries import full_text
from tethermap.sources.text_index import match_expression


def test_words_ids_accessions_and_phrases_are_distinguished() -> None:
    query = parse_query('EGFR "kinase  domain" 1M17, P00533 pdb_00005T35 "1M18" “main protease” "b c')
    assert [*query.terms] == ["EGFR", "kinase domain", "1M18", "main protease", "b c"]
    assert [*query.entry_ids] == ["1m17", "5t35"]
    assert [*query.accessions] == ["P00533"]


def test_unknown_id_becomes_a_word_as_written() -> None:
    query = parse_query("5HT3 receptor P2RY12")
    assert [*query.entry_ids] == ["5ht3"]
    assert query.words(()) == ["receptor", "5HT3", "P2RY12"]
    assert query.words({"5ht3", "P2RY12"}) == ["receptor"]


NAMED = [
    "PDB ID 2ITY", "PDB id: 2ity", "PDB:2ITY", "pdb 2ity", "PDBID=2ITY", "(PDB accession code 2ITY)", "RCSB PDB 2ITY",
    "RCSB:2ITY", "PDBe 2ITY", "PDB entry: 2ITY", "pdb_00002ity", "PDB:pdb_00002ITY", "pdb2ity.ent.gz", "2ITY",
    "2ITY.cif",    "https://www.rcsb.org/structure/2ITY", "rcsb.org/structure/2ITY", "www.rcsb.org/3d-view/2ITY/1",
    "https://www.rcsb.org/structure/2ITY?assembly_id=1", "http://www.rcsb.org/pdb/explore/explore.do?structureId=2ITY",
    "https://files.rcsb.org/download/2ITY.cif.gz", "https://www.wwpdb.org/pdb?id=pdb_00002ity",
    "ebi.ac.uk/pdbe/entry/pdb/2ity", "https://www.ebi.ac.uk/pdbe/entry/pdb/2ity/bound/IRE", "https://pdbe.org/2ity",
    "https://pdbj.org/mine/summary/2ity", "doi 10.2210/pdb2ity/pdb", "doi:10.2210/pdb2ity/pdb",
    "https://doi.org/10.2210/pdb2ity/pdb", "10.2210/pdb_00002ity/pdb", "https://identifiers.org/pdb:2ITY",
    "https://pdb-redo.eu/db/2ity", "https://pdb-redo.eu/db/2ity/2ity_final.cif",
]  # fmt: skip
"""Ways to write an entry's id, each the whole query."""


@pytest.mark.parametrize("text", NAMED)
def test_an_id_is_one_however_it_is_written(text: str) -> None:
    query = parse_query(text)
    assert ([*query.entry_ids], query.terms, query.ignored) == (["2ity"], {}, ())


@given(st.sampled_from(NAMED), st.sampled_from(["{} kinase", "kinase {}", "kinase AND {},", '"a b" ({}) kinase']))
def test_an_id_is_recognised_at_any_position(text: str, around: str) -> None:
    query = parse_query(around.format(text))
    assert [*query.entry_ids] == ["2ity"]
    assert {"kinase"} <= set(query.terms) <= {"kinase", "a b"}


@pytest.mark.parametrize("text", ["kinase -{}", "kinase NOT {}"])
@pytest.mark.parametrize("name", NAMED)
def test_an_excluded_id_is_one_however_it_is_written(text: str, name: str) -> None:
    if name.startswith("("):
        return
    query = parse_query(text.format(name))
    assert ([*query.terms], query.entry_ids, {*map(str.lower, query.excluded)}) == (["kinase"], {}, {"2ity"})


@pytest.mark.parametrize(
    "text",
    ["UniProt P00533", "UniProtKB: P00533", "uniprot accession P00533-2", "sp|P00533|EGFR_HUMAN", "P00533",
     "P00533-2",
     "https://www.uniprot.org/uniprotkb/P00533/entry", "https://alphafold.ebi.ac.uk/entry/AF-P00533-F1"],
)  # fmt: skip
def test_an_accession_is_one_however_it_is_written(text: str) -> None:
    query = parse_query(text)
    assert ([*query.accessions], query.terms) == (["P00533"], {})


@pytest.mark.parametrize("text", ["2ITY,4ZAU", "2ITY;4ZAU;", "PDB IDs: 2ITY, 4ZAU", "PDB:2ITY,pdb_00004zau"])
def test_a_list_of_ids_needs_no_blanks(text: str) -> None:
    assert [*parse_query(text).entry_ids] == ["2ity", "4zau"]
    assert not parse_query(f"kinase NOT {text.partition(', ')[0]}").entry_ids


@pytest.mark.parametrize(
    "text", ["PDB", "PDB files", '"PDB ID 2ITY"', "entry", "https://www.rcsb.org/ligand/IRE", "UniProt"]
)
def test_labels_without_an_id_are_words(text: str) -> None:
    query = parse_query(text)
    assert not query.entry_ids | query.accessions
    assert " ".join(query.terms) == text.strip('"')


@pytest.mark.parametrize("word", ["EGFR", "12345", "pdb_1234", "1m1", "../x", "1m17.cif", "1М17"])
def test_other_words_are_not_ids(word: str) -> None:
    assert entry_id_of(word) == ""


def test_capital_operators_join_and_exclude_and_others_are_words() -> None:
    query = parse_query('EGFR AND kinase OR HER2 NOT antibody -"main chain" NEAR or')
    assert [tuple(clause.terms) for clause in query.clauses] == [("EGFR", "kinase"), ("HER2", "NEAR", "or")]
    assert [*query.excluded] == ["antibody", "main chain"]


@pytest.mark.parametrize("text", ["OR EGFR OR", "AND EGFR", "EGFR NOT", "EGFR -", "NOT OR EGFR"])
def test_operators_without_words_are_ignored(text: str) -> None:
    query = parse_query(text)
    assert ([*query.terms], query.excluded, len(query.clauses)) == (["EGFR"], {}, 1)


@pytest.mark.parametrize(
    ("text", "grouped"),
    [("(EGFR OR HER2) kinase", True), ("kinase -(EGFR HER2)", True), ("( EGFR ) OR BTK", True), ("EGFR (human)", False),
     ("N-(4-fluorophenyl)acetamide OR BTK", False), ("((", False)],
)  # fmt: skip
def test_brackets_for_groups_differ_from_brackets_in_names(text: str, grouped: bool) -> None:
    assert parse_query(text).has_brackets is grouped


def test_parts_without_letters_are_ignored_with_a_note() -> None:
    query = parse_query("😀 * EGFR")
    assert ([*query.terms], query.ignored) == (["EGFR"], ("😀", "*"))


@pytest.mark.parametrize(
    ("term", "phrases"),
    [
        ("HIV-1", {"hiv 1", "hiv1"}),
        ("HIV1", {"hiv1", "hiv 1"}),
        ("SARS-CoV-2", {"sars cov 2", "sars cov2", "sarscov 2", "sarscov2"}),
        ("EGFR", {"egfr"}),
        ("5HT6", {"5ht6", "5 ht6", "5 ht 6", "5ht 6"}),
        ("3CL", {"3cl", "3 cl"}),
        ("p38α", {"p38 alpha", "p38alpha"}),
        ("β-lactamase", {"beta lactamase", "betalactamase"}),
        ("main protease", {"main protease"}),
        ("T790M", {"t790m"}),
    ],
)
def test_a_word_is_found_however_its_hyphens_are_written(term: str, phrases: set[str]) -> None:
    assert set(spellings(term)) == phrases


@pytest.mark.parametrize(
    "text", ['" OR "1"="1', "a* NEAR(b)", "'; DROP TABLE entries; --", 'title:"x"', "^a + -b", "a\\"]
)
def test_full_text_expressions_have_only_quoted_letters_and_digits(text: str) -> None:
    terms = [*parse_query(text).terms]
    for expression in (match_expression(terms, any_term=False), full_text(terms, any_term=False)):
        outside = "".join(expression.split('"')[::2])
        assert set(outside) <= set("ANDOR+|() ")
        assert all(word.isalnum() for inside in expression.split('"')[1::2] for word in inside.split())


@given(st.text())
def test_any_text_can_be_taken_apart(text: str) -> None:
    query = parse_query(text)
    assert all(any(c.isalnum() for c in term) for term in query.terms)
    assert all(is_entry_id(name) for name in query.entry_ids)
    assert not {*query.terms, *query.excluded} & set(query.ignored)


@given(st.lists(st.from_regex(r"[A-Za-z]{5,9}", fullmatch=True), min_size=1))
def test_plain_words_are_unchanged(words: list[str]) -> None:
    assert parse_query(" ".join(words)).terms == dict.fromkeys(words)


@given(st.text())
def test_spellings_use_only_the_letters_of_the_word(text: str) -> None:
    letters = "".join(words_of(text))
    assert all(phrase.replace(" ", "") == letters for phrase in spellings(text))


@given(st.text(max_size=30))
def test_nothing_that_counts_as_an_id_can_leave_a_folder(text: str) -> None:
    if is_entry_id(text):
        assert text.isascii()
        assert text.replace("_", "").isalnum()
