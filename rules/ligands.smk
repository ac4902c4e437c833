# Ligands as molecules: bonds per shard, series over all shards.
rule match_ligands:
    input:
        instances=layout.shard_file("{shard}", "instances"),
    output:
        molecules=layout.shard_file("{shard}", "molecules"),
        errors=layout.shard_file("{shard}", "match_ligands_errors"),
    log:
        f"{layout.RULE_LOGS}/match_ligands/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/match_ligands/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        components=step_settings(parameters.components),
        progress=progress_file("match_ligands", "{shard}"),
    script:
        "../scripts/match_ligands.py"


rule find_series:
    input:
        molecules=of_all_shards("molecules"),
    output:
        series=layout.SERIES_TABLE,
        members=layout.SERIES_MEMBERS,
        ligands=layout.LIGANDS,
        errors=layout.SERIES_ERRORS,
    log:
        f"{layout.RULE_LOGS}/find_series.log",
    benchmark:
        f"{layout.BENCHMARKS}/find_series.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        cache_dir=setting("cache_dir"),
        seconds=lookup(dpath="series/seconds", within=config),
    script:
        "../scripts/find_series.py"
