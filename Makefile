# make help lists the targets. CI runs only these.

BINARIES := target/release/hopcost-engine target/release/hopcost-forward target/release/hopcost-origin
HOPCOST := .venv/bin/hopcost
GO_PROGRAMS := $(dir $(wildcard src/hopcost/programs/shipped/*/go.mod tests/systems/apps/*/go.mod))
RUST_PROGRAMS := $(wildcard src/hopcost/programs/shipped/*/Cargo.toml)
NODE_PROGRAMS := $(dir $(wildcard src/hopcost/programs/shipped/*/package.json tests/systems/apps/*/package.json))
BIOME := tools/biome/node_modules/.bin/biome
# Each of the twelve property tests over the engine's wire runs this many cases: 12,000,000 in all, some minutes.
WIRE_CASES ?= 1000000
CACHE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/hopcost
.DEFAULT_GOAL := help

.PHONY: help setup demo check check-slow unit test test-systems wheel bench truth truth-short leftovers results

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## install what all targets need and build it: five minutes, quick when done (asks before apt; YES=1 does not)
	@tools/setup

demo: ## what nginx in front of Go costs: three minutes, five the first time (installs nginx with apt, and asks)
	@tools/setup demo
	@echo "now it measures for about three minutes"
	@$(HOPCOST) run nginx-go --quick $(DEMO) || { status=$$?; if [ $$status = 3 ]; then \
	  echo "the stacks are built: $(HOPCOST) run nginx-go --quick measures in a quiet hour;" \
	    "make demo DEMO=--anyway does now, without verdicts;" \
	    "$(HOPCOST) report docs/samples/nginx-go shows what you will get" >&2; fi; exit $$status; }

check: setup $(BIOME) ## formats, lints, types, in a minute or two
	.venv/bin/ruff format --check src tests tools .ci
	.venv/bin/ruff check src tests tools .ci
	.venv/bin/mypy
	.venv/bin/lint-imports
	cargo fmt --check
	cargo clippy --release --all-targets --locked -- -D warnings
	@for folder in $(GO_PROGRAMS); do echo "gofmt, go vet: $$folder"; \
	  test -z "$$(gofmt -l $$folder)" || { gofmt -d $$folder; exit 1; }; (cd $$folder && go vet ./...) || exit 1; done
	@for manifest in $(RUST_PROGRAMS); do echo "rustfmt, clippy: $$manifest"; \
	  cargo fmt --check --manifest-path $$manifest || exit 1; \
	  cargo clippy --release --locked --quiet --manifest-path $$manifest \
	    --target-dir $(CACHE)/$$(basename $$(dirname $$manifest))-intermediate -- -D warnings || exit 1; done
	$(BIOME) check --error-on-warnings --config-path=tools/biome $(NODE_PROGRAMS)

$(BIOME): tools/biome/package-lock.json
	npm ci --prefix tools/biome --no-audit --no-fund --loglevel=error
	@touch $@

check-slow: setup ## what is too slow for CI: wheels, a long log, long property tests, and Miri (needs a nightly toolchain)
	.venv/bin/pytest tests/slow
	PROPTEST_CASES=$(WIRE_CASES) cargo test --profile tests --locked -p hopcost-engine --lib wire::
	@cargo +nightly miri --version >/dev/null 2>&1 || { echo "error: Miri is not installed, so nothing ran under it" >&2; \
	  echo "hint: rustup toolchain install nightly --component miri,rust-src" >&2; exit 1; }
	MIRIFLAGS=-Zmiri-disable-isolation PROPTEST_CASES=4 \
	  cargo +nightly miri test --locked -p hopcost-engine --lib -- wire:: recorder:: schedule::

# numpy's products are of 30,000 numbers: threads for them only take the cores from each other.
unit test test-systems check-slow: export OPENBLAS_NUM_THREADS = 1

unit: .venv/bin/pytest ## the tests that start no process, in a minute
	.venv/bin/pytest tests/unit

.venv/bin/pytest:
	@tools/setup

test: setup ## all tests but those of test-systems and check-slow, in half an hour
	cargo test --profile tests --locked --quiet
	@# in a call of their own: else one process ends with many long ones in a row
	.venv/bin/pytest tests/end_to_end -m "not alone" --numprocesses 4 --dist worksteal
	.venv/bin/pytest --ignore=tests/end_to_end --ignore=tests/slow --ignore=tests/systems -m "not alone" \
	  --numprocesses 4 --dist worksteal
	.venv/bin/pytest --ignore=tests/slow --ignore=tests/systems -m alone

test-systems: setup ## the tests with real apps, databases, a browser and a fleet, in a quarter of an hour (installs PHP-FPM, PostgreSQL, sshd)
	@tools/setup systems
	.venv/bin/pytest tests/systems/fleet --numprocesses 4 --dist worksteal
	.venv/bin/pytest tests/systems --ignore=tests/systems/fleet --numprocesses 2 --dist loadfile

wheel: ## what pip installs, binaries, suites and programs inside: dist/hopcost-….whl, in two minutes
	@tools/setup wheel
	.venv/bin/hatchling build --target wheel

bench: setup ## the engine's cost beside other load generators: docs/explain/other-tools.md
	@tools/setup peers
	PATH="$(CURDIR)/.tools/peers/bin:$$PATH" .venv/bin/python -m tools.bench.generators

truth: setup ## whether the method tells the truth: docs/explain/truth.md
	.venv/bin/python -m tools.truth

truth-short: setup ## the same in an hour at most; a second call goes on
	.venv/bin/python -m tools.truth --short

results: setup ## the suites' full forms, more than ten hours, resumable: docs/results
	.venv/bin/python -m tools.docs.results

leftovers: setup ## 110 runs interrupted and killed at random moments: what is left of them
	.venv/bin/python -m tools.leftovers
