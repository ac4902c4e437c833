# Inputs for programs that model degraders; planned only if `protac_inputs.exits` requests them.
rule write_protac_inputs:
    input:
        reads("write_protac_inputs"),
    output:
        writes("write_protac_inputs"),
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
        settings=step_settings("write_protac_inputs"),
    script:
        "../scripts/write_protac_inputs.py"
