"""Provenance of a job as a Workflow Run RO-Crate, for archives and programs that do not support Tethermap.

The profile is Workflow Run Crate 0.5 (Leo S et al. (2024) PLoS ONE 19:e0309210, doi:10.1371/journal.pone.0309210).
"""

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from tethermap.base import layout
from tethermap.base.root import __version__
from tethermap.base.tables import Row
from tethermap.run.software import versions

Entity = dict[str, Any]

_PROFILES = (
    ("https://w3id.org/ro/wfrun/process/0.5", "Process Run Crate"),
    ("https://w3id.org/ro/wfrun/workflow/0.5", "Workflow Run Crate"),
    ("https://w3id.org/workflowhub/workflow-ro-crate/1.0", "Workflow RO-Crate"),
)
_CONFORMS = ("https://w3id.org/ro/crate/1.1", "https://w3id.org/workflowhub/workflow-ro-crate/1.0")
_BSD = "https://spdx.org/licenses/BSD-3-Clause"
_CC0 = "https://spdx.org/licenses/CC0-1.0"
_LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"
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
    single = [path for path in sorted(listed) if not _folder_of(path)]
    folders = sorted({folder for path in listed if (folder := _folder_of(path))})
    files = [*single, *(path for path in _UNHASHED if path not in single)]
    parts = [*files, *(f"{folder}/" for folder in folders)]
    made = [part for part in parts if part not in (*_INPUTS, layout.WORKFLOW)]
    graph = [
        {"@id": layout.CRATE, "@type": "CreativeWork", "about": {"@id": "./"}, "conformsTo": _ids(_CONFORMS)},
        _root(settings, date, parts),
        *_workflow(),
        _run(settings, date, made),
        *(_file(path, listed.get(path)) for path in files if path != layout.WORKFLOW),
        *({"@id": f"{folder}/", "@type": "Dataset", "name": _FOLDERS[folder]} for folder in folders),
        *(
            {"@id": url, "@type": "CreativeWork", "name": name, "version": url.rpartition("/")[2]}
            for url, name in _PROFILES
        ),
    ]
    context = ["https://w3id.org/ro/crate/1.1/context", "https://w3id.org/ro/terms/workflow-run/context"]
    return json.dumps({"@context": context, "@graph": graph}, indent=1, ensure_ascii=False) + "\n"


def _folder_of(path: str) -> str:
    """Return the folder of many files that contains a file; empty for one that is listed separately."""
    return next((folder for folder in _FOLDERS if path.startswith(f"{folder}/")), "")


def _ids(names: Collection[str]) -> list[Entity]:
    return [{"@id": name} for name in names]


def _root(settings: Mapping[str, Any], date: str, parts: Collection[str]) -> Entity:
    target, query = settings["target_name"], settings["search_query"]
    own = settings["source"]["kind"] == "files"
    return {
        "@id": "./",
        "@type": "Dataset",
        "conformsTo": _ids([url for url, _ in _PROFILES]),
        "name": f"Ligand-bound structures of {target}",
        "description": f"Results of Tethermap {__version__} for the target {target} and the query {query!r}.",
        "datePublished": date,
        "license": "The licence of the input structures applies." if own else {"@id": _CC0},
        "mainEntity": {"@id": layout.WORKFLOW},
        "mentions": {"@id": "#run"},
        "hasPart": _ids(parts),
    }


def _workflow() -> Iterator[Entity]:
    """Yield the workflow, its language, its parameters, the software that it uses, the licences."""
    software = {
        _address(name): (name, version) for name, version in versions().items() if name not in ("tethermap", "compiler")
    }
    yield {
        "@id": layout.WORKFLOW,
        "@type": ["File", "SoftwareSourceCode", "ComputationalWorkflow"],
        "name": "Tethermap",
        "description": "From a target name to cleaned, ligand-bound PDB structures, and where linkers can leave them.",
        "version": __version__,
        "license": {"@id": _BSD},
        "programmingLanguage": {"@id": _LANGUAGE},
        "encodingFormat": "text/plain",
        "conformsTo": {"@id": "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"},
        "input": {"@id": "#settings"},
        "output": {"@id": "#results"},
        "softwareRequirements": _ids(software),
    }
    yield {
        "@id": _LANGUAGE,
        "@type": "ComputerLanguage",
        "name": "Snakemake",
        "identifier": {"@id": "https://doi.org/10.12688/f1000research.29032.1"},
        "url": {"@id": "https://snakemake.readthedocs.io"},
    }
    yield _parameter("#settings", "settings", "Settings of the job, config/README.md.", layout.JOB_CONFIG)
    yield _parameter("#results", "results", "One row per ligand instance.", layout.RESULTS_DISPLAY)
    for name, (label, version) in software.items():
        about = {"name": label, "softwareVersion": version, "url": {"@id": name}}
        yield {"@id": name, "@type": "SoftwareApplication", **about}
    yield {"@id": _BSD, "@type": "CreativeWork", "name": "BSD 3-Clause License"}
    yield {"@id": _CC0, "@type": "CreativeWork", "name": "Creative Commons Zero v1.0 Universal"}


def _address(package: str) -> str:
    return "https://www.python.org" if package == "python" else f"https://pypi.org/project/{package}"


def _parameter(name: str, label: str, description: str, example: str) -> Entity:
    return {
        "@id": name,
        "@type": "FormalParameter",
        "additionalType": "File",
        "name": label,
        "description": description,
        "workExample": {"@id": example},
        "conformsTo": {"@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"},
    }


def _run(settings: Mapping[str, Any], date: str, made: Collection[str]) -> Entity:
    return {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"Run of Tethermap for {settings['target_name']}",
        "description": f"Query: {settings['search_query']}",
        "endTime": date,
        "actionStatus": "http://schema.org/CompletedActionStatus",
        "instrument": {"@id": layout.WORKFLOW},
        "object": _ids(_INPUTS),
        "result": _ids(made),
    }


def _file(path: str, row: Row | None) -> Entity:
    suffix = PurePosixPath(path).suffix
    entity: Entity = {"@id": path, "@type": "File", "name": PurePosixPath(path).name}
    entity["encodingFormat"] = _MEDIA.get(suffix, "application/octet-stream")
    if row is not None:
        entity |= {"sha256": row["sha256"], "contentSize": str(row["bytes"])}
    examples = {layout.JOB_CONFIG: "#settings", layout.RESULTS_DISPLAY: "#results"}
    return entity | ({"exampleOfWork": {"@id": examples[path]}} if path in examples else {})
