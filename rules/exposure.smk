# Exposure of every ligand atom in each context.
rule measure_sasa:
    input:
        instances=layout.shard_file("{shard}", "instances"),
        neighbourhoods=layout.shard_file("{shard}", "neighbourhoods"),
        molecules=layout.shard_file("{shard}", "molecules"),
    output:
        summary=layout.shard_file("{shard}", "sasa_summary"),
        atoms=layout.shard_file("{shard}", "sasa_atoms"),
        contacts=layout.shard_file("{shard}", "contacts"),
        files=layout.shard_file("{shard}", "exposure_files"),
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
        target_name=setting("target_name"),
        sasa=setting("sasa"),
        components=step_settings(parameters.components),
        progress=progress_file("measure_sasa", "{shard}"),
    script:
        "../scripts/measure_sasa.py"
