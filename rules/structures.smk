# From entries to cleaned complexes, shard by shard. Files of shared folders are listed, not declared:
# which there will be is known only afterwards.
rule download_entries:
    input:
        entries=layout.shard_file("{shard}", "entries"),
    output:
        structures=layout.shard_file("{shard}", "structures"),
    log:
        f"{layout.RULE_LOGS}/download_entries/{{shard}}.log",
    benchmark:
        f"{layout.BENCHMARKS}/download_entries/{{shard}}.tsv"
    conda:
        "../environment.yml"
    resources:
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        source=step_settings(parameters.download),
        cache_dir=setting("cache_dir"),
        progress=progress_file("download_entries", "{shard}"),
    script:
        "../scripts/tethermap/steps/download_entries.py"


rule clean_complexes:
    input:
        structures=layout.shard_file("{shard}", "structures"),
    output:
        instances=layout.shard_file("{shard}", "instances"),
        neighbourhoods=layout.shard_file("{shard}", "neighbourhoods"),
        surroundings=layout.shard_file("{shard}", "surroundings"),
        backbones=layout.shard_file("{shard}", "backbones"),
        entry_status=layout.shard_file("{shard}", "entry_status"),
        ligand_status=layout.shard_file("{shard}", "ligand_status"),
        name_map=layout.shard_file("{shard}", "name_map"),
        files=layout.shard_file("{shard}", "complex_files"),
        errors=layout.shard_file("{shard}", "clean_complexes_errors"),
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
        settings=step_settings(parameters.cleaning),
        components=step_settings(parameters.components),
        progress=progress_file("clean_complexes", "{shard}"),
    script:
        "../scripts/tethermap/steps/clean_complexes.py"
