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
        errors=layout.shard_file("{shard}", "write_protac_inputs_errors"),
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
        "../scripts/tethermap/extras/protac/step.py"
