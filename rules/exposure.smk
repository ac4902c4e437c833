# Exposure of every ligand atom in each context, and where a linker can leave each ligand.
rule measure_sasa:
    input:
        reads("measure_sasa"),
    output:
        writes("measure_sasa"),
    log:
        f"{layout.RULE_LOGS}/measure_sasa/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/measure_sasa/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        settings=step_settings("measure_sasa"),
    script:
        "../scripts/measure_sasa.py"
