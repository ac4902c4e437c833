"""A result folder of many ligands, made of the shipped examples under other names, for tests of large results."""

import json
import re
import shutil
from pathlib import Path

import numpy as np

from tests.tools.runs import ROOT
from tethermap.base import tables
from tethermap.base.atomic import write_text

SOURCES = ("exam1hpv", "exam4cup", "exam1gbt")
_ONE_EACH = (tables.LIGAND_METADATA.path, tables.SERIES.path)


def wide_job(folder: Path, count: int) -> None:
    """Write a completed job of `count` ligands; each is an example's with another PDB id and its own files.

    Parameters
    ----------
    folder : Path
        The job folder, named by its id; must not exist.
    count : int
        Number of ligands.
    """
    sources = [ROOT / "data/examples" / name for name in SOURCES]
    left_out = ("WAR_PDB", "MCS_Output", "PROTAC_Inputs", "*.csv", "report.html")
    shutil.copytree(sources[0], folder, ignore=shutil.ignore_patterns(*left_out))
    for table in tables.RESULT_TABLES:
        write_text(folder / table.path, _table(sources, table.path, count))
    for number in range(count):
        source = sources[number % len(sources)]
        entry = source.name[-4:]
        for path in sorted((source / "TARGET_RESULTS").rglob("*")):
            inside = str(path.relative_to(source))
            if path.is_file() and f"/{entry}_" in inside:
                place = folder / inside.replace(f"/{entry}_", f"/{_entry(entry, number)}_")
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
    shutil.copyfile(folder / "TARGET_RESULTS/Results_Display.csv", folder / "Results_Display.csv")
    record = json.loads((folder / "job_record.json").read_text(encoding="utf-8"))
    record |= {"job_id": folder.name, "source": "api", "target_name": "Wide job", "result_rows": count}
    (folder / "job_record.json").write_text(json.dumps(record), encoding="utf-8")


def _entry(entry: str, number: int) -> str:
    """Return another PDB id: the first three characters of one, or a number in their place."""
    copy = number // len(SOURCES)
    return f"{1 + copy % 9}{np.base_repr(copy // 9, 36).lower():>02}{entry[-1]}" if copy else entry


def _table(sources: list[Path], path: str, count: int) -> str:
    """Return a table: the lines of the sources again and again, with their own PDB ids."""
    header, *_ = (sources[0] / path).read_text(encoding="utf-8").splitlines(keepends=True)
    parts = [header]
    for number in range(len(sources) if path in _ONE_EACH else count):
        source = sources[number % len(sources)]
        entry = source.name[-4:]
        _, *rows = (source / path).read_text(encoding="utf-8").splitlines(keepends=True)
        text = re.sub(r"\bS001\b", f"S{number % len(sources) + 1:03d}", "".join(rows))
        parts.append(text if path in _ONE_EACH else re.sub(rf"\b{entry}(?=_|,|$)", _entry(entry, number), text))
    return "".join(parts)
