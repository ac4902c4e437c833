# Where a linker can leave each ligand. The SDF holds exposure and exits, so it is written here.
rule rank_exits:
    input:
        instances=layout.shard_file("{shard}", "instances"),
        neighbourhoods=layout.shard_file("{shard}", "neighbourhoods"),
        surroundings=layout.shard_file("{shard}", "surroundings"),
        backbones=layout.shard_file("{shard}", "backbones"),
        molecules=layout.shard_file("{shard}", "molecules"),
        sasa_atoms=layout.shard_file("{shard}", "sasa_atoms"),
    output:
        exits=layout.shard_file("{shard}", "exits"),
        geometry=layout.shard_file("{shard}", "geometry"),
        bridging=layout.shard_file("{shard}", "bridging"),
        observed=layout.shard_file("{shard}", "observed"),
        files=layout.shard_file("{shard}", "exit_files"),
    log:
        f"{layout.RULE_LOGS}/rank_exits/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/rank_exits/{{shard}}.tsv"
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
        progress=progress_file("rank_exits", "{shard}"),
    script:
        "../scripts/rank_exits.py"


# For programs that model degraders; planned only where `protac_inputs.exits` asks for them.
rule write_protac_inputs:
    input:
        instances=layout.shard_file("{shard}", "instances"),
        molecules=layout.shard_file("{shard}", "molecules"),
        exits=layout.shard_file("{shard}", "exits"),
        observed=layout.shard_file("{shard}", "observed"),
        complex_files=layout.shard_file("{shard}", "complex_files"),
    output:
        protac_inputs=layout.shard_file("{shard}", "protac_inputs"),
        files=layout.shard_file("{shard}", "protac_files"),
    log:
        f"{layout.RULE_LOGS}/write_protac_inputs/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/write_protac_inputs/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
    params:
        settings=step_settings(parameters.protac),
        progress=progress_file("write_protac_inputs", "{shard}"),
    script:
        "../scripts/write_protac_inputs.py"
