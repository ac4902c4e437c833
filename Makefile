# Every target sets up .venv first, once. `make help` lists them.
CORES ?= 2
BIN := .venv/bin
DEMO := results/demo
FAST := tests $(patsubst %,--ignore=tests/%,browser mirror workflow service/test_openapi.py test_fuzz.py tethermap/answers/observed/test_ternary.py)
CODE := -p tethermap -p service -p tethermap_client -p tests $(patsubst scripts/%.py,-m scripts.%,$(wildcard scripts/[a-z]*.py))

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests setup-slurm assets demo test test-fast test-slurm crashes lint format bench bench-degraders bench-exits bench-ligands bench-service bench-mirror \
	bench-jobs bench-release bench-routes fuzz fuzz-api serve examples mutants lock soak recruiters release

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

setup: ## make .venv, the component index and what the pages load; nothing if they are there
	@sh .ci/setup.sh

setup-tests: ## the same, and the packages that tests, lint and benchmarks need
	@sh .ci/setup.sh tests/requirements.lock

setup-slurm: ## the same, and the packages that a Slurm cluster needs
	@sh .ci/setup.sh config/profiles/slurm/requirements.lock

assets: setup ## fetch what the pages load, where the set-up could not
	@sh .ci/assets.sh

demo: setup ## run the demo job on the embedded entries, into results/demo
	@$(BIN)/snakemake --snakefile Snakefile --directory $(DEMO) --configfile config/demo.yaml \
		--profile config/profiles/local --cores $(CORES)
	@printf '%s\n' \
		'In PyMOL:     pymol $(DEMO)/TARGET_RESULTS/WAR_PDB/4cup_A_ZYB_2971.pml' \
		'In ChimeraX:  chimerax $(DEMO)/TARGET_RESULTS/WAR_PDB/4cup_A_ZYB_2971.cxc'

# Two workers more than cores, because tests of services, clusters and browsers wait; tests of a file run in one worker
# and share fixtures.
test: setup-tests ## run all tests
	@$(BIN)/python -m pytest -n $$(($(CORES) + 2)) --dist loadfile --no-loadscope-reorder tests

# A minute: modules that belong to processes as a whole, damaged files and ternary complexes are not even read.
test-fast: setup-tests ## run the tests that start no process: no run, service, browser, cluster
	@$(BIN)/python -m pytest -n $(CORES) --dist loadfile -m 'not process' $(FAST)

test-slurm: setup-tests setup-slurm ## run the demo and the EGFR job on a throw-away Slurm cluster (needs TETHERMAP_TEST_SLURM, _MIRROR)
	@: $${TETHERMAP_TEST_SLURM:?names the script that starts a cluster} $${TETHERMAP_TEST_MIRROR:?names the large mirror}
	@$(BIN)/python -m pytest tests/workflow/test_slurm.py tests/workflow/test_module.py tests/service/test_cluster.py

crashes: setup-tests ## kill Snakemake, scripts, service, cluster nodes at random moments, 20 times each: the bytes stay the same
	@TETHERMAP_TEST_CRASHES=20 TETHERMAP_TEST_SEED=$$(date +%s) $(BIN)/python -m pytest tests/workflow/test_crash_points.py

lint: setup-tests ## check style, types, the workflow and the English
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy $(CODE)
	@$(BIN)/snakefmt --check Snakefile rules
	@$(BIN)/snakemake --lint
	@$(BIN)/python -m tests.tools.prose

format: setup-tests ## write Python and Snakemake files in the house style
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .
	@$(BIN)/snakefmt Snakefile rules

release: setup ## run all entries of MIRROR=folder into results/release, tables alone; a second run takes changed entries (OUTPUTS=all: all files)
	@$(BIN)/python -m scripts.release results/release --mirror $(MIRROR) --cores $(CORES) --outputs $(or $(OUTPUTS),tables)

recruiters: setup ## build the E3 recruiters of config/recruiters.yaml into results/recruiters (MIRROR=folder; else from RCSB PDB)
	@$(BIN)/python -m scripts.recruiters results/recruiters --cores $(CORES) $(if $(MIRROR),--mirror $(MIRROR))

examples: setup ## build the curated examples of the service
	@$(BIN)/python -m service.build_examples

bench: setup-tests ## measure cost and memory by stage, beside TETHERMAP_BENCH_BASE (needs TETHERMAP_TEST_MIRROR); RECORD=1 writes BENCHMARKS.md
	@$(BIN)/python -m tests.tools.bench

bench-exits: setup-tests ## compare the ranking of exits with published degraders (needs TETHERMAP_TEST_MIRROR)
	@$(BIN)/python -m tests.tools.bench_exits

bench-ligands: setup-tests ## compare kept ligands with exclusion lists of other programs; JOB=folder of a job over the mirror
	@$(BIN)/python -m tests.tools.bench_ligands $(JOB)

serve: setup ## run the service on http://127.0.0.1:8000, over the embedded entries unless TETHERMAP_SOURCE says else
	@TETHERMAP_SOURCE=$${TETHERMAP_SOURCE:-archive} TETHERMAP_EXTRAS=$${TETHERMAP_EXTRAS:-compare,degraders,agents,webhooks} $(BIN)/python -m service

bench-degraders: setup-tests ## how many published degraders are made again from their halves (TETHERMAP_TEST_LINKERS for a table of linkers)
	@$(BIN)/python -m tests.tools.bench_degraders

bench-service: setup-tests ## measure the service: index, polls, downloads, memory
	@$(BIN)/python -m tests.tools.bench_service

bench-routes: setup-tests ## measure answers about a job over the whole mirror (needs TETHERMAP_TEST_MIRROR)
	@$(BIN)/python -m tests.tools.bench_routes

soak: setup-tests ## run 200 jobs through the service, and start it over many job folders
	@$(BIN)/python -m tests.tools.soak

bench-mirror: setup-tests ## measure the index of a mirror of 250,000 entries (needs TETHERMAP_TEST_MIRROR)
	@$(BIN)/python -m tests.tools.bench_mirror

bench-jobs: setup-tests ## measure jobs of 50, 500 and 5,000 entries, half an hour (needs TETHERMAP_TEST_MIRROR)
	@$(BIN)/python -m tests.tools.bench_jobs

bench-release: setup-tests ## measure a release of the mirror (needs TETHERMAP_TEST_MIRROR)
	@$(BIN)/python -m tests.tools.bench_release

fuzz: setup-tests ## feed 10,000 damaged structure files to the pipeline, a quarter of an hour
	@TETHERMAP_TEST_DAMAGED=10000 $(BIN)/python -m pytest -n $(CORES) tests/test_fuzz.py

fuzz-api: setup-tests ## send 2,000 generated requests, right and wrong ones, to all routes of the OpenAPI document
	@TETHERMAP_TEST_CASES=16 $(BIN)/python -m pytest tests/service/test_openapi.py

mutants: setup-tests ## change constants of the science on purpose: each change must make a test fail
	@$(BIN)/python -m tests.tools.mutants

lock: setup-tests ## renew requirements.lock from environment.yml
	@$(BIN)/python -m tests.tools.lock
