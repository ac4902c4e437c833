# Exposure of every ligand atom in each context, and where a linker can leave each ligand: the second reads what the
# first has read and written, so both are one process. The SDF holds exposure and exits.
rule measure_sasa:
    input:
        instances=layout.shard_file("{shard}", "instances"),
        neighbourhoods=layout.shard_file("{shard}", "neighbourhoods"),
        surroundings=layout.shard_file("{shard}", "surroundings"),
        backbones=layout.shard_file("{shard}", "backbones"),
        molecules=layout.shard_file("{shard}", "molecules"),
    output:
        summary=layout.shard_file("{shard}", "sasa_summary"),
        atoms=layout.shard_file("{shard}", "sasa_atoms"),
        contacts=layout.shard_file("{shard}", "contacts"),
        exposure_files=layout.shard_file("{shard}", "exposure_files"),
        exits=layout.shard_file("{shard}", "exits"),
        geometry=layout.shard_file("{shard}", "geometry"),
        bridging=layout.shard_file("{shard}", "bridging"),
        observed=layout.shard_file("{shard}", "observed"),
        exit_files=layout.shard_file("{shard}", "exit_files"),
        measure_sasa_errors=layout.shard_file("{shard}", "measure_sasa_errors"),
        rank_exits_errors=layout.shard_file("{shard}", "rank_exits_errors"),
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
        exit_progress=progress_file("rank_exits", "{shard}"),
    script:
        "../scripts/measure_sasa.py"
