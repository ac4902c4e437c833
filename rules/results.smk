# What the job ends with: checks, tables, report, manifest.
rule check_results:
    input:
        structures=layout.shard_file("{shard}", "structures"),
        instances=layout.shard_file("{shard}", "instances"),
        sasa_summary=layout.shard_file("{shard}", "sasa_summary"),
        sasa_atoms=layout.shard_file("{shard}", "sasa_atoms"),
        entry_status=layout.shard_file("{shard}", "entry_status"),
        ligand_status=layout.shard_file("{shard}", "ligand_status"),
        exits=layout.shard_file("{shard}", "exits"),
        file_lists=SHARD_LISTS,
        error_lists=SHARD_ERRORS,
    output:
        checks=layout.shard_file("{shard}", "checks"),
        files=layout.shard_file("{shard}", "files"),
        errors=layout.shard_file("{shard}", "check_results_errors"),
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
        cache_dir=setting("cache_dir"),
        progress=progress_file("check_results", "{shard}"),
    script:
        "../scripts/tethermap/steps/check_results.py"


rule build_tables:
    input:
        entries=layout.SEARCH_ENTRIES,
        instances=of_all_shards("instances"),
        molecules=of_all_shards("molecules"),
        entry_status=of_all_shards("entry_status"),
        ligand_status=of_all_shards("ligand_status"),
        name_map=of_all_shards("name_map"),
        sasa_summary=of_all_shards("sasa_summary"),
        sasa_atoms=of_all_shards("sasa_atoms"),
        contacts=of_all_shards("contacts"),
        exits=of_all_shards("exits"),
        geometry=of_all_shards("geometry"),
        bridging=of_all_shards("bridging"),
        backbones=of_all_shards("backbones"),
        protac_inputs=protac_inputs,
        complex_files=of_all_shards("complex_files"),
        exposure_files=of_all_shards("exposure_files"),
        exit_files=of_all_shards("exit_files"),
        series=layout.SERIES_MEMBERS,
        ligands=layout.LIGANDS,
        checks=of_all_shards("checks"),
        shard_errors=shard_errors,
        series_errors=layout.SERIES_ERRORS,
    output:
        results_display=layout.RESULTS_DISPLAY,
        sasa_summary=layout.SASA_SUMMARY,
        sasa_atoms=layout.SASA_ATOMS,
        ligand_metadata=layout.LIGAND_METADATA,
        contacts=layout.CONTACTS,
        exit_vectors=layout.EXIT_VECTORS,
        exit_answers=layout.EXIT_ANSWERS,
        observed_exits=layout.OBSERVED_EXITS,
        exit_consensus=layout.EXIT_CONSENSUS,
        superposition=layout.SUPERPOSITION,
        protac_inputs=layout.PROTAC_INPUTS,
        entry_status=layout.ENTRY_STATUS,
        ligand_status=layout.LIGAND_STATUS,
        name_map=layout.NAME_MAP,
        ligand_mcs_map=layout.LIGAND_MCS_MAP,
        ligands_sdf=layout.LIGANDS_SDF,
        errors=layout.TABLES_ERRORS,
    log:
        f"{layout.RULE_LOGS}/build_tables.log",
    benchmark:
        f"{layout.BENCHMARKS}/build_tables.tsv"
    conda:
        "../environment.yml"
    resources:
        mem_mb=lookup(dpath="resources/mem_mb", within=config),
        runtime=lookup(dpath="resources/runtime", within=config),
        result_cache_mb=lookup(dpath="result_cache_mb", within=config),
    params:
        cache_dir=setting("cache_dir"),
        shards=shards,
        target_name=setting("target_name"),
    script:
        "../scripts/build_tables.py"


# The report is written too, and the link Results_Display.csv, one file with its target that has no time of its own.
rule finish_job:
    input:
        results_display=layout.RESULTS_DISPLAY,
        sasa_summary=layout.SASA_SUMMARY,
        sasa_atoms=layout.SASA_ATOMS,
        ligand_metadata=layout.LIGAND_METADATA,
        exit_vectors=layout.EXIT_VECTORS,
        exit_answers=layout.EXIT_ANSWERS,
        observed_exits=layout.OBSERVED_EXITS,
        exit_consensus=layout.EXIT_CONSENSUS,
        superposition=layout.SUPERPOSITION,
        entry_status=layout.ENTRY_STATUS,
        ligand_status=layout.LIGAND_STATUS,
        series=layout.SERIES_TABLE,
        query=layout.SEARCH_QUERY,
        checks=of_all_shards("checks"),
        shard_errors=shard_errors,
        series_errors=layout.SERIES_ERRORS,
        tables_errors=layout.TABLES_ERRORS,
    output:
        manifest=layout.MANIFEST,
        log=layout.JOB_LOG,
    log:
        f"{layout.RULE_LOGS}/finish_job.log",
    benchmark:
        f"{layout.BENCHMARKS}/finish_job.tsv"
    conda:
        "../environment.yml"
    params:
        settings=step_settings(parameters.shown),
    script:
        "../scripts/finish_job.py"
