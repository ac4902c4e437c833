"""Steps that run again in a used folder: they depend on the change."""

import json
import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.tethermap.sources.own.test_prepare import write_sdf
from tests.tools.runs import LOCAL, JobRun, job_of, job_of_files, result_files, rows_of, run_job, settings_in
from tests.tools.styles import SMILES, protein_pdb
from tethermap.base import layout
from tethermap.base.tables import PUBLISHED_CELLS
from tethermap.extras.protac.on_demand import RequestedAnchor, inputs_of_anchor
from tethermap.run.events import read_events

END = ["build_tables", "finish_job"]


@pytest.fixture(scope="module")
def used(demo: JobRun, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A separate folder in which the demo has been run."""
    folder = tmp_path_factory.mktemp("used") / "job"
    return Path(shutil.copytree(demo.checked().job, folder))


@pytest.mark.parametrize(
    ("changed", "planned"),
    [
        ({"protac_inputs": {"exits": 2}}, ["write_protac_inputs", "check_results", *END]),
        ({"protac_inputs": {"side": "e3"}}, END[1:]),
        ({"series": {"seconds": 9}}, ["find_cores", *END]),
        ({"sasa": {"slices": 90}}, ["measure_sasa", "check_results", *END]),
    ],
    ids=str,
)
def test_changed_setting_reruns_the_steps_that_use_it(used: Path, changed: dict[str, Any], planned: list[str]) -> None:
    settings = settings_in(used)
    told = run_job(used, {**settings, **changed, "force": True}, "--dry-run").checked()
    rules = re.findall(r"^(?:local)?(?:rule|checkpoint) (\w+):$", told.output + told.errors, re.MULTILINE)
    assert sorted(rules) == sorted([*planned, "all"])


ON_AMPRENAVIR = "CC(C)CN(C[C@@H](O)[C@H](Cc1ccccc1)NC(=O)O[C@H]1CCOC1)S(=O)(=O)c1ccc(N)c(c1)CNC(=O)COCCOCCOCCOCCCCCC"
"""An invented degrader: amprenavir with a linker at its aniline."""


def test_filter_that_selects_the_same_entries_repeats_only_the_search(used: Path) -> None:
    settings = settings_in(used)
    before = _steps(used)
    run_job(used, {**settings, "filters": {"max_resolution": 2.0}, "force": True}, *LOCAL).checked()
    assert _steps(used)[len(before) :] == ["search_entries", *END[1:], "all"]
    assert json.loads((used / layout.JOB_CONFIG).read_text(encoding="utf-8"))["filters"]["max_resolution"] == 2.0


def test_job_of_a_version_without_a_part_measures_again(demo: JobRun, tmp_path: Path) -> None:
    """The archives lack the part, and Snakemake's records the names of the parts."""
    job = Path(shutil.copytree(demo.checked().job, tmp_path / "job"))
    before, steps = result_files(job), len(_steps(job))
    for path in job.glob(f"{layout.WORK}/shards/*/measure_sasa.zip"):
        with zipfile.ZipFile(path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist() if name != "exit_sites"}
        with zipfile.ZipFile(path, "w") as archive:
            for name, data in parts.items():
                archive.writestr(name, data)
    for path in (job / ".snakemake/metadata").iterdir():
        record = json.loads(path.read_text(encoding="utf-8"))
        record["params"] = [re.sub(r"'parts': \[.*?\], ", "", text) for text in record["params"]]
        path.write_text(json.dumps(record), encoding="utf-8")
    (job / layout.RESULTS_DISPLAY).unlink()
    run_job(job, settings_in(job), *LOCAL).checked()
    ran = [step.partition(" ")[0] for step in _steps(job)[steps:]]
    assert ran == ["measure_sasa", "check_results", *END, "all"]
    assert result_files(job) == before


def test_changed_tables_of_the_user_are_read_again(demo: JobRun, tmp_path: Path) -> None:
    """The answers, the report and the manifest follow; without the tables the folder is as before."""
    job = Path(shutil.copytree(demo.checked().job, tmp_path / "job"))
    settings = settings_in(job)
    before = result_files(job)
    table, degraders = tmp_path / "mine.csv", tmp_path / "degraders.csv"
    files = {"affinity": str(table), "degraders": str(degraders)}
    given = {**settings, "source": {**settings["source"], **files}, "force": True}
    degraders.write_text(f"smiles,target,e3,dc50_nM,reference\n{ON_AMPRENAVIR},PR,CRBN,7,Mine 2026\n", encoding="utf-8")
    for value in ("20nM", "30uM"):
        steps = len(_steps(job))
        table.write_text(f"pdb_id,comp_id,measurement\n4cup,ZYB,Kd={value}\n", encoding="utf-8")
        run_job(job, given, *LOCAL).checked()
        assert _steps(job)[steps:] == [*END, "all"]
        answers = (job / layout.EXIT_ANSWERS).read_text(encoding="utf-8")
        assert f",{float(value[:2]) * 1000 ** (value[2:] == 'uM'):.6f}," in answers
        assert ("weak" in answers) == (value == "30uM")
    report = (job / layout.REPORT).read_text(encoding="utf-8")
    assert "Kd = 30 µM, weak (mine)" in report
    assert "1 published degrader leaves here; best: DC50 = 7 nM, PR, CRBN (Mine 2026)" in report
    (published,) = rows_of(job, layout.PUBLISHED)
    assert (published["Warhead"], published["anchor_atoms"], published["left_out"]) == ("478", "C19;C21", "")
    (answer,) = (row for row in rows_of(job, layout.EXIT_ANSWERS) if row["published_atoms"])
    assert answer["anchor_atom"] == "C19"
    made = inputs_of_anchor(RequestedAnchor(job, answer["best_stem"], "C19"), ["json"])
    exits = json.loads(made["exits.json"])["exits"]
    assert {one["anchor"]["name"] for one in exits if one["published"]} <= {"C19", "C21"}
    told = [{name: one[name] for name in PUBLISHED_CELLS} for one in exits if one["published"]]
    assert told == [{**{name: answer[name] for name in PUBLISHED_CELLS}, "published": int(answer["published"])}]
    assert all(one["published"] is not None for one in exits)
    assert str(tmp_path) not in (job / layout.JOB_CONFIG).read_text(encoding="utf-8")
    run_job(job, {**settings, "force": True}, *LOCAL).checked()
    assert result_files(job) == before


def test_extended_job_computes_only_the_new_entries(mirror: Path, job_runner: Callable[..., JobRun]) -> None:
    sizes = {path.name.partition(".")[0]: path.stat().st_size for path in sorted(mirror.iterdir())}
    entries = sorted(sizes, key=lambda entry: (sizes[entry], entry))[:22]
    new = [entries.pop(12), entries.pop(3)]  # they rank among the others, not after them

    def run(ids: list[str], *arguments: str, name: str = "job", **changed: Any) -> Path:
        settings = job_of("Twenty", "", mirror, filters={"entries": ids}, **changed)
        return job_runner(settings, *LOCAL, *arguments, name=name).checked().job

    job = run(entries)
    before = _steps(job)
    together = sorted([*entries, *new])
    run(together, force=True)
    shards = ["download_entries", "clean_complexes", "match_ligands", "measure_sasa", "check_results"]
    others = ["search_entries", "find_series", "find_cores 0", "find_cores 1", *END, "all"]
    assert sorted(_steps(job)[len(before) :]) == sorted([*others, *(f"{step} 1" for step in shards)])
    assert result_files(job) == result_files(run(together, name="at_once"))

    before = _steps(job)
    run(together, "--forcerun", "search_entries")
    steps = _steps(job)[len(before) :]
    assert steps[0] == "search_entries"
    assert [step for step in steps if " " in step] == []


def test_changed_files_are_read_again_and_results_of_missing_ones_are_kept(tmp_path: Path) -> None:
    own, job, table = tmp_path / "own", tmp_path / "job", tmp_path / "names.smi"
    own.mkdir()
    (own / "receptor.pdb").write_text(protein_pdb())
    write_sdf(own / "docked.sdf", poses=1)
    table.write_text(f"{SMILES} LIG\n")
    settings = job_of_files("BAZ2B", own, components=str(table))
    run_job(job, settings, *LOCAL).checked()
    write_sdf(own / "docked.sdf", poses=2)
    run_job(job, settings, *LOCAL).checked()
    assert len(rows_of(job, layout.RESULTS_DISPLAY)) == 2
    results, steps = result_files(job), _steps(job)
    table.write_text(f"{SMILES} LIG\n{SMILES} OTHER\n")
    told = run_job(job, settings, "--dry-run").checked()
    assert "search_entries" in told.output + told.errors
    shutil.rmtree(own)
    table.unlink()
    run_job(job, settings, *LOCAL).checked()
    assert (result_files(job), _steps(job)) == (results, steps)


def _steps(job: Path) -> list[str]:
    """Return the steps that were finished in a job folder, those of shards with their numbers."""
    ended = [event for event in read_events(job / layout.EVENTS) if event["event"] == "job_finished"]
    return [f"{event['rule']} {event['shard']}" if event["shard"] else event["rule"] for event in ended]
