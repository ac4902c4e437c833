# Ligands as molecules: bonds per shard, series over all shards, their cores per shard.
rule match_ligands:
    input:
        reads("match_ligands"),
    output:
        writes("match_ligands"),
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
        settings=step_settings("match_ligands"),
    script:
        "../scripts/match_ligands.py"


rule find_series:
    input:
        reads("find_series"),
    output:
        writes("find_series"),
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
        settings=step_settings("find_series"),
    script:
        "../scripts/find_series.py"


rule find_cores:
    input:
        reads("find_cores"),
    output:
        writes("find_cores"),
    log:
        f"{layout.RULE_LOGS}/find_cores/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/find_cores/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        settings=step_settings("find_cores"),
    script:
        "../scripts/find_cores.py"
