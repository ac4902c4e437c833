# From entries to cleaned complexes, shard by shard. Files of shared folders are listed, not declared: their names are
# unknown before the run.
rule download_entries:
    input:
        reads("download_entries"),
    output:
        writes("download_entries"),
    log:
        f"{layout.RULE_LOGS}/download_entries/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/download_entries/{{shard}}.tsv"
    localrule: True
    conda:
        "../environment.yml"
    resources:
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        settings=step_settings("download_entries"),
    script:
        "../scripts/download_entries.py"


rule clean_complexes:
    input:
        reads("clean_complexes"),
    output:
        writes("clean_complexes"),
    log:
        f"{layout.RULE_LOGS}/clean_complexes/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/clean_complexes/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        settings=step_settings("clean_complexes"),
    script:
        "../scripts/clean_complexes.py"
