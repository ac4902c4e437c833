# Final steps of a job: checks, tables, report, manifest.
rule check_results:
    input:
        reads("check_results"),
    output:
        writes("check_results"),
    log:
        f"{layout.RULE_LOGS}/check_results/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/check_results/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        settings=step_settings("check_results"),
    script:
        "../scripts/check_results.py"


rule build_tables:
    input:
        reads("build_tables"),
    output:
        [shown(path) for path in writes("build_tables")],
    log:
        f"{layout.RULE_LOGS}/build_tables.log",
    benchmark:
        f"{layout.BENCHMARKS}/build_tables.tsv"
    localrule: True
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        settings=step_settings("build_tables"),
    script:
        "../scripts/build_tables.py"


rule finish_job:
    input:
        reads("finish_job"),
    output:
        [shown(path) for path in writes("finish_job")],
        report(
            directory(layout.PICTURES),
            patterns=["svg/{ligand}_exits.svg"],
            category="Ligands and their exits",
            labels={"target": target_label(), "ligand": "{ligand}"},
        ),
    log:
        f"{layout.RULE_LOGS}/finish_job.log",
    benchmark:
        f"{layout.BENCHMARKS}/finish_job.tsv"
    localrule: True
    conda:
        "../environment.yml"
    resources:
        entries_per_shard=lookup(dpath="shards/entries_per_shard", within=config),
    params:
        settings=step_settings("finish_job"),
    script:
        "../scripts/finish_job.py"
