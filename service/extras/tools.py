"""What agents can do: tools over the API, each one request of it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from service.jobs.record import STATES
from tethermap.base.contexts import CONTEXTS

_TEXT, _WHOLE, _FLAG = {"type": "string"}, {"type": "integer", "minimum": 0}, {"type": "boolean"}
_JOB = {"job_id": {**_TEXT, "description": "Id of a job or of a curated example, 8 characters."}}
_TARGET = {"target_name": {**_TEXT, "description": "Name of the protein."}}
_QUERY = {"search_query": {**_TEXT, "description": "Words, phrases, PDB ids, UniProt accessions, or a mix."}}
_OPTIONS = {"options": {"type": "object", "description": "Settings as max_entries, max_resolution, only_ligands."}}
_LIMIT = {"limit": {**_WHOLE, "description": "At most as many."}}


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool.

    Parameters
    ----------
    name, says : str
        Its name, and when to use it.
    path : str
        Path of the API with its arguments in braces.
    arguments : mapping
        JSON Schemas of its arguments.
    required : sequence of str
        Arguments that must be given, those of the path included.
    method : str
        ``GET``: arguments beside the path are query parameters; ``POST``: they are the body.
    fixed : mapping
        Query parameters that are always sent.
    """

    name: str
    says: str
    path: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    required: Sequence[str] = ()
    method: str = "GET"
    fixed: Mapping[str, str] = field(default_factory=dict)

    def described(self) -> dict[str, Any]:
        """Return what clients are told of it."""
        schema = {"type": "object", "properties": dict(self.arguments), "additionalProperties": False}
        return {
            "name": self.name,
            "description": self.says,
            "inputSchema": {**schema, "required": list(self.required)},
            "annotations": {"readOnlyHint": self.method == "GET" or bool(self.fixed), "destructiveHint": False},
        }

    def request(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request of the API that some arguments mean.

        Raises
        ------
        ValueError
            If one is unknown or lacks.
        """
        unknown = sorted(given.keys() - self.arguments.keys())
        lacking = [name for name in self.required if given.get(name) in (None, "")]
        if unknown or lacking:
            wrong = f"unknown: {', '.join(unknown)}" if unknown else f"missing: {', '.join(lacking)}"
            raise ValueError(f"{self.name} has other arguments ({wrong}); it knows {', '.join(self.arguments)}.")
        used = set(re.findall(r"\{(\w+)\}", self.path))
        path = re.sub(r"\{(\w+)\}", lambda match: _part(str(given[match[1]]), whole=match[1] != "path"), self.path)
        others = {name: value for name, value in given.items() if name not in used and value is not None}
        if self.method == "POST":
            return {"method": "POST", "url": path, "json": others, "params": dict(self.fixed)}
        return {"method": "GET", "url": path, "params": {**others, **self.fixed}}


def _part(text: str, *, whole: bool) -> str:
    return quote(text, safe="" if whole else "/")


TOOLS = (
    Tool(
        "search_jobs",
        "Find jobs that were made before, curated examples among them, by target, query, ligand code or PDB id. Look"
        " here before you submit a job.",
        "/api/indexed-jobs",
        dict.fromkeys(("protein", "query", "ligand", "pdb_id"), _TEXT)
        | {"status": {"enum": list(STATES)}}
        | {"availability": {**_FLAG, "description": "Whether there are results."}}
        | _LIMIT,
    ),
    Tool(
        "preview_job",
        "Say which PDB entries a job would take, without making it.",
        "/api/jobs",
        {**_TARGET, **_QUERY, **_OPTIONS},
        ("target_name", "search_query"),
        "POST",
        {"dry_run": "true"},
    ),
    Tool(
        "submit_job",
        "Make a job: it finds entries, cleans complexes, measures exposure, ranks exits for linkers. It takes minutes.",
        "/api/jobs",
        {
            **_TARGET,
            **_QUERY,
            "fasta_seq": _TEXT,
            "pdb_id": {**_TEXT, "description": "This entry alone."},
            "ligand": {**_TEXT, "description": "This component alone."},
            **_OPTIONS,
        },
        method="POST",
    ),
    Tool(
        "job_status",
        "How a job is; wait answers after its next change or as many seconds (at most 60).",
        "/api/jobs/{job_id}",
        {**_JOB, "wait": _WHOLE},
        ("job_id",),
    ),
    Tool(
        "results",
        "Overview of a job's results: counts, and how many entries and ligands were left out for which reason.",
        "/api/jobs/{job_id}/results",
        _JOB,
        ("job_id",),
    ),
    Tool(
        "answers",
        "Where a linker can leave each ligand, joined over all copies and entries: anchor, score, evidence, what"
        " degraders show. The first thing to read for degrader design.",
        "/api/jobs/{job_id}/answers",
        {**_JOB, "ligand": _TEXT, "target": _TEXT, "top": {**_WHOLE, "minimum": 1}},
        ("job_id",),
    ),
    Tool(
        "exits",
        "Every ranked exit of every copy of a ligand, with direction and each term of its score.",
        "/api/jobs/{job_id}/exit-vectors",
        {**_JOB, **dict.fromkeys(("pdb_id", "chain", "ligand", "residue_id"), _TEXT), "top": {**_WHOLE, "minimum": 1}},
        ("job_id",),
    ),
    Tool(
        "exposure",
        "Exposure of each atom of one ligand in a context: chain, target, assembly or crystal.",
        "/api/jobs/{job_id}/sasa/atoms",
        {
            **_JOB,
            **dict.fromkeys(("pdb_id", "chain", "residue_id", "ligand"), _TEXT),
            "context": {"enum": list(CONTEXTS)},
        },
        ("job_id", "pdb_id", "chain", "residue_id"),
    ),
    Tool(
        "compare",
        "Pair the answers of two jobs, a target's and a ligase's, as the two ends of a degrader.",
        "/api/compare",
        {"a": _TEXT, "b": _TEXT, "a_ligand": _TEXT, "b_ligand": _TEXT, **_LIMIT},
        ("a", "b"),
    ),
    Tool(
        "rows",
        "Rows of a table of a job: results, ligands, entries (with the reason of each that was left out), contacts.",
        "/api/jobs/{job_id}/rows",
        {
            **_JOB,
            "table": {"enum": ["results", "metadata", "entries", "ligands", "contacts", "observed", "consensus"]},
            "sort": {**_TEXT, "description": "A column, or - and a column."},
            **_LIMIT,
        },
        ("job_id",),
    ),
    Tool(
        "files",
        "Files of a job by kind (war_pdb, sdf, svg, table, html), each with the address to download it from.",
        "/api/jobs/{job_id}/files",
        {**_JOB, "kind": _TEXT, **_LIMIT},
        ("job_id",),
    ),
    Tool(
        "read_file",
        "The text of one file of a job, cut after 60,000 characters.",
        "/api/jobs/{job_id}/files/{path}",
        {**_JOB, "path": {**_TEXT, "description": "relative_path of files."}},
        ("job_id", "path"),
    ),
)
