"""JSON Schema of the comparison of two jobs."""

from __future__ import annotations

from collections.abc import Mapping

from service.json_schema import COUNT, FLAG, MAP, NUMBER, STATE, TEXT, URL, YES, Schema, fields, many, null


def compare_schema(paging: Mapping[str, Schema]) -> Schema:
    """Return the schema of the answer of ``/api/compare``.

    Parameters
    ----------
    paging : mapping of str to schema
        Fields of every paged list.
    """
    half = fields(
        job_id=TEXT,
        target_name=TEXT,
        status=STATE,
        has_results=FLAG,
        side=null({"enum": ["target", "e3"]}),
        sites=COUNT,
        sites_compared=COUNT,
        results_url=URL,
        exit_vectors_url=URL,
        inputs_url=null(URL),
    )
    site = _site()
    pair = fields(rank=COUNT, score=NUMBER, closed=FLAG, chains_collide=FLAG, a=site, b=site)
    return fields(ok=YES, a=half, b=half, score=TEXT, top=COUNT, count=COUNT, **paging, pairs=many(pair))


def _site() -> Schema:
    inputs = fields(
        params_url=URL,
        head_url=URL,
        protein_url=null(URL),
        exits_url=URL,
        chains=TEXT,
        anchor=COUNT,
        anchor_unique=FLAG,
        smiles=TEXT,
    )
    return fields(
        job_id=TEXT,
        pdb_id=TEXT,
        chain=TEXT,
        ligand=TEXT,
        residue_id=TEXT,
        stem=TEXT,
        site_rank=COUNT,
        rank=COUNT,
        anchor_atom=TEXT,
        anchor_equivalents=many(TEXT),
        kind={"enum": ["H", "cut"]},
        leaving_atoms=many(TEXT),
        chem_class=TEXT,
        score=NUMBER,
        E=NUMBER,
        F=NUMBER,
        closed=FLAG,
        direction=many(NUMBER),
        evidence=MAP,
        instances=COUNT,
        open_instances=COUNT,
        results_url=URL,
        inputs=null(inputs),
    )
