import datetime
from pathlib import Path
from typing import Any

import pytest

from tethermap.base import config
from tethermap.base.config import ConfigError, all_settings, changed_keys, recorded, resolve

JOB = {"target_name": "EGFR", "search_query": "EGFR kinase"}


@pytest.mark.parametrize(
    ("given", "section", "expected"),
    [
        ({}, "filters", {"max_entries": 1000}),
        ({}, "sasa", {"engine": "kernel", "probe_radius": 1.4, "slices": 100}),
        ({}, "source", {"kind": "rcsb"}),
        ({"source": {"mirror": "/data/pdb"}}, "source", {"kind": "mirror"}),
        ({"filters": {"released_after": datetime.date(2020, 1, 31)}}, "filters", {"released_after": "2020-01-31"}),
        ({"filters": {"only_ligands": ["zyb", "ZYB", "478"]}}, "filters", {"only_ligands": ["ZYB", "478"]}),
        ({"filters": {"methods": ["x-ray diffraction"]}}, "filters", {"methods": ["X-RAY DIFFRACTION"]}),
        ({"filters": None}, "filters", resolve(JOB)["filters"]),
        ({"search_query": "", "filters": {"entries": ["4cup"]}}, "filters", {"entries": ["4cup"]}),
    ],
)
def test_settings_are_completed_and_normalised(given: dict[str, Any], section: str, expected: dict[str, Any]) -> None:
    assert resolve({**JOB, **given})[section].items() >= expected.items()


def test_settings_argument_is_unchanged() -> None:
    raw: dict[str, Any] = {**JOB, "source": {"mirror": "/data/pdb"}, "filters": {"only_ligands": ["zyb"]}}
    resolve(raw)
    assert raw["source"] == {"mirror": "/data/pdb"}
    assert raw["filters"] == {"only_ligands": ["zyb"]}


@pytest.mark.parametrize("name", ["../x", "$(touch x)", "-rf", "x" * 200, "EGFR 😀", "{shard}", "a\\b'c\"d"])
def test_unusual_target_names_are_unchanged(name: str) -> None:
    assert resolve({**JOB, "target_name": name})["target_name"] == name


@pytest.mark.parametrize(
    ("change", "key", "remedy"),
    [
        ({"target_name": None}, "target_name is missing", "every job needs it"),
        ({"target_name": "x" * 201}, "target_name is 'xxx", "at most 200 characters"),
        ({"target_name": "😀"}, "target_name is '😀'", "with a letter or digit"),
        ({"target_name": "a\x00b"}, "target_name is 'a\\x00b'", "one line of text"),
        ({"target_name": 4161}, "target_name is 4161", "in quotes"),
        ({"fasta_seq": ">EGFR\n"}, "fasta_seq is '>EGFR", "at least 10 residues, or leave it out"),
        ({"fasta_seq": "PEPTIDEK"}, "fasta_seq is 'PEPTIDEK'", "at least 10 residues, or leave it out"),
        ({"fasta_seq": "MKVLAA§MKVLAA"}, "fasta_seq: '§' is not", "one-letter residues"),
        ({"sequence_search": True, "fasta_seq": " "}, "sequence_search is on", "give the sequence"),
        ({"search_query": " "}, "search_query is empty", "pin entries"),
        ({"target": "x"}, "target is not a setting", "did you mean target_name?"),
        ({"serach_query": "x", "search_query": None}, "serach_query is not a setting", "did you mean search_query?"),
        ({"filter": {}}, "filter is not a setting", "did you mean filters?"),
        ({"force": "maybe"}, "force is 'maybe'", "give true or false"),
        ({"max_resolution": 2}, "max_resolution is not a setting", "did you mean filters.max_resolution?"),
        ({"filters": {"min_identiti": 0.5}}, "filters.min_identiti is not a setting", "filters.min_identity?"),
        ({"filters": {"nope": 1}}, "filters.nope is not a setting", "config/README.md lists all settings."),
        ({"filters": {"max_resolution": -1}}, "filters.max_resolution is -1", "from 0.1 to 100 or null"),
        ({"filters": {"max_resolution": float("nan")}}, "filters.max_resolution is nan", "give a number"),
        ({"target_name": "Gr\udcf6\udcdfe"}, "target_name is 'Gr\\udcf6\\udcdfe'", "which is not in UTF-8"),
        ({"source": {"kind": "files", "files": ["/x/\udcf6"]}}, "source.files is '/x/\\udcf6'", "change the name"),
        ({"filters": {"max_entries": 2.5}}, "filters.max_entries is 2.5", "a whole number from 1"),
        ({"filters": {"kinds": ["drug"]}}, "filters.kinds[0] is 'drug'", "one of ligand, cofactor"),
        ({"filters": {"only_ligands": [15]}}, "filters.only_ligands[0] is 15", "in quotes"),
        ({"filters": {"entries": ["../etc"]}}, "filters.entries[0] is '../etc'", "a PDB id"),
        ({"filters": {"released_after": "2020-13-01"}}, "filters.released_after is '2020-13-01'", "2020-01-31"),
        (
            {"filters": {"released_after": "2021-01-01", "released_before": "2020-01-01"}},
            "filters.released_after (2021-01-01)",
            "later than",
        ),
        ({"filters": [1]}, "filters is [1]", "a section of settings"),
        ({"source": {"kind": "mirror"}}, "source.mirror is missing", "needs a path"),
        ({"source": {"mirror": "here"}}, "source.mirror is 'here'", "absolute path"),
        ({"source": {"mirror": "~nobody-here/x"}}, "source.mirror is '~nobody-here/x'", "absolute path"),
        ({"recorded_search": {1: 2}}, "recorded_search can't be used: it holds 1", "of /reproduce"),
        ({"source": {"files": "/x"}}, "source.files is set", "set source.kind to files"),
        ({"source": {"label": "/data/x"}}, "source.label is '/data/x'", "letters, digits"),
        ({"sequence_search": True}, "sequence_search is on", "give the sequence"),
        ({"structure": {"context": "crystal"}}, "structure.context is 'crystal'", "one of target, assembly"),
    ],
)
def test_bad_setting_is_refused_by_name_with_the_remedy(change: dict[str, Any], key: str, remedy: str) -> None:
    with pytest.raises(ConfigError) as caught:
        resolve({**JOB, **change})
    assert str(caught.value).startswith(key)
    assert remedy in str(caught.value)
    assert "\n" not in str(caught.value)


def test_defaults_pass_the_schema_and_name_every_setting() -> None:
    def keys(settings: dict[str, Any], prefix: str = "") -> list[str]:
        found: list[str] = []
        for key, value in settings.items():
            found += keys(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"]
        return found

    assert keys(config.load_defaults()) == list(all_settings(config.load_schema()))


def test_public_settings_have_distinct_names() -> None:
    public = [
        key.rpartition(".")[2] for key, part in all_settings(config.load_schema()).items() if part.get("x-public")
    ]
    assert len(public) == len(set(public))
    assert {"max_resolution", "context", "entries", "sequence_search"} <= set(public)
    assert not {"mirror", "files", "cache_dir", "force", "mem_mb"} & set(public)


def test_recorded_settings_have_no_path() -> None:
    settings = resolve(
        {**JOB, "cache_dir": "/scratch/me", "source": {"kind": "files", "files": ["/home/me/a.cif"], "label": "pilot"}}
    )
    assert "/home" not in str(recorded(settings))
    assert "/scratch" not in str(recorded(settings))
    assert recorded(settings)["source"]["files"] == "pilot"


def test_changed_keys_are_those_that_can_change_results() -> None:
    before = resolve(JOB)
    after = resolve({**JOB, "cache_dir": "/scratch", "force": True, "filters": {"max_resolution": 2}})
    assert changed_keys(before, after) == ["filters.max_resolution"]
    assert changed_keys(before, {**before, "recorded_search": {"entries": [], "query": {}}}) == ["recorded_search"]


def test_settings_of_an_earlier_version_are_accepted_and_count_as_unchanged() -> None:
    """Retired settings are ignored, new ones have their default: recorded jobs run again."""
    now = resolve({**JOB, "protac_inputs": {"exits": 2, "open_babel": True}})
    assert "open_babel" not in now["protac_inputs"]
    earlier = {**now, "sasa": {"probe_radius": 1.4, "slices": 100}}
    earlier["protac_inputs"] = {**now["protac_inputs"], "open_babel": True}
    assert changed_keys(earlier, now) == []


def test_cache_is_in_the_users_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert config.cache_folder(None) == tmp_path / "tethermap"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert config.cache_folder(None) == Path.home() / ".cache" / "tethermap"
    assert config.cache_folder("/scratch/cache") == Path("/scratch/cache")
