import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from tethermap.base import layout
from tethermap.run.progress import Progress, ProgressReader, ShardProgress, progress_file


def report(job: Path, step: str, shard: str, verdicts: dict[str, bool | None]) -> None:
    progress = ShardProgress(job / progress_file(step, shard), step)
    for entry, kept in verdicts.items():
        progress.entry(entry, kept)


def plan(job: Path, sizes: dict[str, int]) -> None:
    (job / layout.WORK).mkdir(exist_ok=True)
    (job / layout.SHARD_PLAN).write_text(json.dumps(sizes))


def test_new_job_has_no_progress(tmp_path: Path) -> None:
    assert ProgressReader(tmp_path).read() == Progress(found=None)


def test_entries_are_summed_over_shards_and_steps(tmp_path: Path) -> None:
    plan(tmp_path, {"0": 3, "1": 2})
    report(tmp_path, "download_entries", "0", {"1hpv": None, "4cup": None, "1gbt": False})
    report(tmp_path, "clean_complexes", "0", {"1hpv": True, "4cup": False})
    report(tmp_path, "clean_complexes", "1", {"1a8o": True})
    report(tmp_path, "measure_sasa", "0", {"1hpv": None})
    progress = ProgressReader(tmp_path).read()
    assert (progress.found, progress.done, progress.kept, progress.rejected) == (5, 3, 1, 2)
    assert progress.passed == {"download_entries": 3, "clean_complexes": 3, "measure_sasa": 1}


STEPS = ("download_entries", "clean_complexes", "match_ligands", "measure_sasa")


@given(st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from("abcd"), st.sampled_from([True, False, None]))))
def test_entries_are_done_once_they_are_kept_or_rejected(lines: list[tuple[str, str, bool | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder)
        plan(job, {"0": 4})
        reader = ProgressReader(job)
        steps = {step: ShardProgress(job / progress_file(step, "0"), step) for step in STEPS}
        for step, entry, kept in lines:
            steps[step].entry(entry, kept)
            progress = reader.read()
            assert progress.done == progress.kept + progress.rejected <= 4


def test_restarted_step_counts_from_zero(tmp_path: Path) -> None:
    plan(tmp_path, {"0": 2})
    reader = ProgressReader(tmp_path)
    report(tmp_path, "clean_complexes", "0", {"1hpv": True, "4cup": True})
    assert reader.read().passed == {"clean_complexes": 2}
    report(tmp_path, "clean_complexes", "0", {"1hpv": True})
    assert reader.read().passed == {"clean_complexes": 1}


def test_step_seen_while_it_was_empty_counts_from_zero(tmp_path: Path) -> None:
    plan(tmp_path, {"0": 1})
    reader = ProgressReader(tmp_path)
    verdicts: dict[str, bool | None] = {"1hpv": True}
    report(tmp_path, "clean_complexes", "0", verdicts)
    report(tmp_path, "measure_sasa", "0", {"1hpv": None})
    assert reader.read().done == 1
    step = ShardProgress(tmp_path / progress_file("measure_sasa", "0"), "measure_sasa")
    assert reader.read().done == 0
    step.entry("1hpv")
    assert reader.read().done == 1


def test_long_entries_report_their_ligands_until_they_are_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tethermap.run.progress._SECONDS", 0.0)
    plan(tmp_path, {"0": 1, "1": 1})
    reader = ProgressReader(tmp_path)
    steps = [ShardProgress(tmp_path / progress_file("measure_sasa", shard), "measure_sasa") for shard in "01"]
    seen = []
    for ligand in steps[0].ligands("pose", "abcd"):
        progress = reader.read()
        seen.append((ligand, progress.ligands_done, progress.ligands, progress.passed))
    assert seen == [("a", 0, 4, {}), ("b", 1, 4, {}), ("c", 2, 4, {}), ("d", 3, 4, {})]
    next(steps[1].ligands("other", "xy"))
    assert (reader.read().ligands_done, reader.read().ligands) == (3, 6)
    steps[0].entry("pose")
    assert (reader.read().ligands_done, reader.read().ligands) == (0, 2)
    steps[1].entry("other")
    assert (reader.read().ligands, reader.read().passed) == (0, {"measure_sasa": 2})


def test_shards_of_an_earlier_division_do_not_count(tmp_path: Path) -> None:
    plan(tmp_path, {"0": 1})
    report(tmp_path, "clean_complexes", "0", {"1hpv": True})
    report(tmp_path, "clean_complexes", "7", {"4cup": True})
    assert ProgressReader(tmp_path).read().passed == {"clean_complexes": 1}


def test_half_written_line_counts_when_it_is_complete(tmp_path: Path) -> None:
    plan(tmp_path, {"0": 2})
    report(tmp_path, "clean_complexes", "0", {"1hpv": True})
    path = tmp_path / progress_file("clean_complexes", "0")
    reader = ProgressReader(tmp_path)
    with path.open("a") as stream:
        stream.write('{"step": "clean_complexes", "entry": "4cup"')
        stream.flush()
        assert reader.read().passed == {"clean_complexes": 1}
        stream.write(', "kept": true}\n')
    assert reader.read().passed == {"clean_complexes": 2}
