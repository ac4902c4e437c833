"""Answers about the results of a job: files, tables, exits, exposure."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Annotated, Self

from pydantic import SkipValidation

from service.http.answer import Answer, Count, Counted, Maps, OfJob, Paged, Time, Url, row_type
from service.jobs.artifacts import Artifact, Listing, utc
from service.jobs.record import State
from tethermap.base import layout, tables


class File(Answer):
    """A file of a job."""

    name: str
    filename: str
    relative_path: str
    kind: str
    folder: str
    size_bytes: Count
    modified_at: Time
    sha256: str | None
    download_url: Url

    @classmethod
    def of(cls, artifact: Artifact, base_url: str, sha256: str | None) -> Self:
        """Return the entry of a listing; `base_url` is that of the job's or the example's files."""
        return cls(
            name=artifact.name,
            filename=artifact.name,
            relative_path=artifact.relative,
            kind=artifact.kind,
            folder=artifact.folder,
            size_bytes=artifact.size,
            modified_at=utc(int(artifact.modified)),
            sha256=sha256,
            download_url=artifact.url(base_url),
        )

    @classmethod
    def all_of(cls, listing: Listing, base: str, artifacts: Sequence[Artifact]) -> list["File"]:
        """Return the entries of files of a listing; `base` is the address of the job."""
        if len(listing.artifacts) > _MOST_KEPT:
            return [cls.of(item, f"{base}/files", listing.sha256.get(item.relative)) for item in artifacts]
        listed = _files(listing, f"{base}/files")
        return [listed[item.relative] for item in artifacts]


_MOST_KEPT = 10_000


@lru_cache(maxsize=2)
def _files(listing: Listing, base_url: str) -> dict[str, File]:
    """Return the entry of each file of a listing by its path; a listing that is kept is not described again."""
    return {item.relative: File.of(item, base_url, listing.sha256.get(item.relative)) for item in listing.artifacts}


class FilesAsked(OfJob):
    """The selection of a job's files."""

    kind: str
    folder: str
    count: Count


class FilesAnswer(Paged, FilesAsked):
    """Page of files of a job."""

    files: list[File]


class ArtifactsAnswer(Paged, FilesAsked):
    """Page of files, with counts of all files by kind and folder."""

    kinds: dict[str, Count]
    folders: dict[str, Count]
    files: list[File]


class StructuresAnswer(Counted):
    """Cleaned complexes of a job."""

    files: list[File]
    zip_url: Url


class ResultCounts(Answer):
    """Number of files by kind."""

    war_pdb: Count
    pdb: Count
    sdf: Count
    svg: Count
    csv: Count
    table: Count
    html: Count
    manifest: Count
    tsv: Count


class KeyOutputs(Answer):
    """Paths of the most important results."""

    results_display: str = layout.RESULTS_DISPLAY_LINK
    resolved_sasa_summary: str = "Resolved_SASA_Summary.csv"
    ligand_metadata: str = "Ligand_Metadata.csv"
    war_pdb_dir: str = layout.WAR_PDB
    mcs_output_dir: str = layout.MCS_OUTPUT


class ResultUrls(Answer):
    """Addresses of results."""

    files: Url
    bundle: Url
    browser_results: Url


class LeftOut(Answer):
    """Skipped entries and ligands."""

    total: Count
    by_reason: dict[str, Count]


class PipelineVersion(Answer):
    """Version and settings of the run that made the results."""

    version: str | None = None
    config_sha256: str | None = None


class ResultsAnswer(OfJob):
    """Overview of a job's results."""

    status: State
    has_results: bool
    target_results_dir: str = layout.RESULTS
    counts: ResultCounts
    key_outputs: KeyOutputs = KeyOutputs()
    urls: ResultUrls
    summary_files: list[File]
    display_files: list[File]
    files: list[File]
    files_total: Count
    rejections: LeftOut
    pipeline: PipelineVersion


class RowsAsked(OfJob):
    """The selection of a table's rows."""

    table: str
    columns: list[str]
    count: Count


class RowsAnswer(Paged, RowsAsked):
    """Page of rows of a table."""

    rows: Maps


ExitVector = row_type("ExitVector", tables.EXIT_VECTORS, some=True)


class ExitVectorsAnswer(Counted):
    """Places where a linker can leave."""

    exits: Annotated[list[ExitVector], SkipValidation]  # type: ignore[valid-type]


ExitAnswer = row_type("ExitAnswer", tables.EXIT_ANSWERS, some=True)


class ExitAnswersAnswer(Counted):
    """Exits of each ligand, combined over all copies."""

    answers: Annotated[list[ExitAnswer], SkipValidation]  # type: ignore[valid-type]
