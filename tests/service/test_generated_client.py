"""A client that a program makes of the OpenAPI document submits a job, watches it and downloads its results."""

import importlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from service.app import endpoints
from service.http.openapi import document
from tests.service.answers import DEFAULTS
from tests.service.core import HPV, LiveService
from tests.tools.patience import patience, wait_until

PACKAGE = "generated_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Any]:
    """Modules of the generated package, by name."""
    folder = tmp_path_factory.mktemp("client")
    (folder / "api.json").write_text(json.dumps(document(endpoints(), DEFAULTS)), encoding="utf-8")
    settings = {"post_hooks": [], "package_name_override": PACKAGE}
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none", "--path", "api.json"]
    run = subprocess.run(
        [*command, "--config", "config.json", "--output-path", PACKAGE],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stdout
    assert "ERROR" not in run.stdout
    assert "WARNING" not in run.stdout, run.stdout
    sys.path.insert(0, str(folder))
    try:
        importlib.import_module(PACKAGE)
    finally:
        sys.path.remove(str(folder))
    return lambda name: importlib.import_module(f"{PACKAGE}.{name}")


def test_generated_client_submits_polls_and_downloads(
    generated: Callable[[str], Any], live: LiveService, done_job: str
) -> None:
    with generated("client").Client(base_url=live.address, timeout=patience(60)) as client:
        job = generated("models").NewJob.from_dict(HPV)
        submitted = generated("api.jobs.submit_job").sync(client=client, body=job)
        state = generated("api.jobs.get_job").sync
        wait_until(lambda: state(submitted.job_id, client=client).status == "completed", 120)
        answers = generated("api.results_and_files.list_answers").sync(submitted.job_id, client=client, top=1)
        assert {answer.warhead for answer in answers.answers} == {"478"}
        files = generated("api.results_and_files.list_files").sync(done_job, client=client, kind="sdf")
        assert "1hpv_A_478_200.sdf" in [file.name for file in files.files]
        table = generated("api.results_and_files.get_file").sync_detailed(
            done_job, "Results_Display.csv", client=client
        )
        assert b"1hpv_A_478_200" in table.parsed.payload.read()
        ligand = {"client": client, "job_id": done_job, "pdb_id": "1hpv", "chain": "A", "ligand": "478"}
        sdf = generated("api.structures_and_ligands.get_ligand_sdf").sync(**ligand)
        assert sdf.payload.read().rstrip().endswith(b"$$$$")
        svg = generated("api.structures_and_ligands.get_exposed_svg").sync(**ligand)
        assert b"</svg>" in svg.payload.read()
        listed = generated("api.index_and_export.export_jobs").sync(client=client)
        assert listed.startswith("job_id,protein,")
        archive = generated("api.results_and_files.download_bundle").sync(submitted.job_id, client=client)
        assert (
            f"{submitted.job_id}/Results_Display.csv" in zipfile.ZipFile(io.BytesIO(archive.payload.read())).namelist()
        )


def test_error_of_a_generated_client_has_the_reason(generated: Callable[[str], Any], live: LiveService) -> None:
    with generated("client").Client(base_url=live.address) as client:
        answer = generated("api.index_and_export.list_jobs").sync(client=client, limit=-1)
        assert answer.error.code == "INVALID_PARAMETER"


def test_schema_names_differ_from_those_that_a_generator_uses_for_properties() -> None:
    schemas = document(endpoints(), DEFAULTS)["components"]["schemas"]
    inner = {
        name + "".join(word.capitalize() for word in field.split("_"))
        for name, schema in schemas.items()
        for field in schema.get("properties", {})
    }
    assert inner & schemas.keys() == set()
