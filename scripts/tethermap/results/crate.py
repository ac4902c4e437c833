"""Provenance of a job as a Workflow Run RO-Crate, for archives and programs that do not support Tethermap.

The profile is Workflow Run Crate 0.5 (Leo S et al. (2024) PLoS ONE 19:e0309210, doi:10.1371/journal.pone.0309210).
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from tethermap.base import layout
from tethermap.base.config import load_yaml
from tethermap.base.root import __version__
from tethermap.base.tables import Row
from tethermap.run.software import versions

Entity = dict[str, Any]

_FIXED = Path(__file__).with_name("crate.yaml")
_CC0 = "https://spdx.org/licenses/CC0-1.0"
_MEDIA = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".sdf": "chemical/x-mdl-sdfile",
    ".txt": "text/plain",
    ".log": "text/plain",
}
_FOLDERS = {
    layout.WAR_PDB: "Cleaned complexes",
    layout.MCS_SDF: "Ligands with their bonds",
    layout.MCS_SVG: "Depictions",
    layout.SERIES_FOLDER: "Series",
    layout.PROTAC_FOLDER: "Inputs for degrader modelling",
    layout.TABLES: "Tables as Parquet and the meaning of their columns",
    layout.REPORT_PAGES: "Further pages of the report",
}
"""Folders of many files: the crate names them, the manifest has each file with its hash."""
_INPUTS = (layout.JOB_CONFIG, layout.SEARCH_QUERY)
_UNHASHED = (*_INPUTS, layout.JOB_LOG, layout.MANIFEST)


def crate_text(settings: Mapping[str, Any], date: str, listed: Mapping[str, Row]) -> str:
    """Return the crate as JSON-LD.

    Parameters
    ----------
    settings : mapping
        Settings of the job from `tethermap.base.config.shown`.
    date : str
        ISO date of the run.
    listed : mapping of str to Row
        Rows of `tables.FILES` by path, all files of the job that have a hash.
    """
    folders = sorted(folder for folder in _FOLDERS if any(path.startswith(f"{folder}/") for path in listed))
    single = [path for path in sorted(listed) if not path.startswith(tuple(f"{folder}/" for folder in folders))]
    files = [*single, *(path for path in _UNHASHED if path not in single)]
    parts = [*files, *(f"{folder}/" for folder in folders)]
    values = {"layout": layout, "version": __version__, "settings": settings, "date": date}
    fixed: dict[str, Any] = _filled(load_yaml(_FIXED), values)
    own = settings["source"]["kind"] == "files"
    fixed["root"]["license"] = "The licence of the input structures applies." if own else {"@id": _CC0}
    fixed["root"]["hasPart"] = _ids(parts)
    software = list(_software())
    fixed["workflow"]["softwareRequirements"] = _ids(entity["@id"] for entity in software)
    fixed["run"]["result"] = _ids(part for part in parts if part not in (*_INPUTS, layout.WORKFLOW))
    graph = [
        *(fixed[name] for name in ("metadata", "root", "workflow", "language", "settings", "results")),
        *software,
        *fixed["licences"],
        fixed["run"],
        *(_file(path, listed.get(path)) for path in files if path != layout.WORKFLOW),
        *({"@id": f"{folder}/", "@type": "Dataset", "name": _FOLDERS[folder]} for folder in folders),
        *fixed["profiles"],
    ]
    context = ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"]
    return json.dumps({"@context": context, "@graph": graph}, indent=1, ensure_ascii=False) + "\n"


def _ids(names: Iterable[str]) -> list[Entity]:
    return [{"@id": name} for name in names]


def _filled(template: Any, values: Mapping[str, Any]) -> Any:
    """Return plain values whose texts have values in place of the names in braces."""
    if isinstance(template, dict):
        return {name: _filled(value, values) for name, value in template.items()}
    if isinstance(template, list):
        return [_filled(value, values) for value in template]
    return template.format_map(values) if isinstance(template, str) else template


def _software() -> Iterator[Entity]:
    """Yield the software that the workflow uses."""
    for name, version in versions().items():
        if name not in ("tethermap", "compiler"):
            url = "https://www.python.org" if name == "python" else f"https://pypi.org/project/{name}"
            about = {"name": name, "softwareVersion": version, "url": {"@id": url}}
            yield {"@id": url, "@type": "SoftwareApplication", **about}


def _file(path: str, row: Row | None) -> Entity:
    suffix = PurePosixPath(path).suffix
    entity: Entity = {"@id": path, "@type": "File", "name": PurePosixPath(path).name}
    entity["encodingFormat"] = _MEDIA.get(suffix, "application/octet-stream")
    if row is not None:
        entity |= {"sha256": row["sha256"], "contentSize": str(row["bytes"])}
    examples = {layout.JOB_CONFIG: "#settings", layout.RESULTS_DISPLAY: "#results"}
    return entity | ({"exampleOfWork": {"@id": examples[path]}} if path in examples else {})
