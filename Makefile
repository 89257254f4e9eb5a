# Forebay: build, prove, test. `make` alone lists the targets.

CARGO ?= cargo
# Where `make demo` and `make bench` put their results; a new directory below lab-results if not given.
OUT ?=

.PHONY: help setup build package release check-release demo test fuzz soak histories log-rules crash s3-conformance tiering nodes bench bench-s3 bench-elsewhere lint docs clean

help: ## List the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: ## Install what is missing on Debian or Ubuntu; says what and why first
	@scripts/setup

build: ## Build the web console, target/release/forebay, and its lab beside it
	@scripts/console build
	$(CARGO) build --release --locked --package forebay --package forebay-lab

package: setup ## Build the Debian package: target/debian/forebay_VERSION_ARCHITECTURE.deb
	@scripts/package

release: ## Build all artefacts of a release: target/release-artefacts
	@scripts/setup release
	@scripts/release

check-release: ## Check the artefacts that `make release` has built: unpack them, run what is inside
	@scripts/setup release
	@scripts/check-release

demo: setup ## Kafka on a generic NFS server and on Forebay, side by side
	$(CARGO) build --profile demo --locked --package forebay --package forebay-lab
	@scripts/demo target/demo/forebay $(OUT)

test: ## Everything continuous integration checks
	@scripts/setup tests
	@scripts/test

fuzz: ## Fuzz the NFS and the S3 server, 10 minutes each target, or FOREBAY_FUZZ_SECONDS
	@scripts/fuzz $${FOREBAY_FUZZ_SECONDS:-600}

soak: ## Simulate crashes of the pool until Ctrl-C, or for FOREBAY_SOAK_MINUTES
	@scripts/soak

histories: ## Simulate pools in a database and a bucket, and their lease, in 10,000 histories each, and cut 1,000 commits, in ten minutes
	FOREBAY_SIM_ELSEWHERE=10000 FOREBAY_SIM_LEASE=10000 $(CARGO) test --profile ci --locked --package forebay-pool --package forebay-pool-postgres \
	    --lib -- --nocapture pools_in_a_database_and_a_bucket no_client_learns_less a_silent_owner_is_replaced_after a_database_that_is_away_makes \
	    a_pool_that_is_moved_goes_to
	FOREBAY_CUTS=1000 $(CARGO) test --profile ci --locked --package forebay-pool --package forebay-pool-postgres --test database -- --nocapture cut::

log-rules: ## Switch each rule of the intent log and of the metadata's copies off, and see that the simulation finds it, in four minutes
	$(CARGO) test --profile ci --locked --package forebay-pool --lib -- --ignored --nocapture --exact \
	    sim::log_tests::each_rule_of_the_log_that_is_switched_off_is_found \
	    sim::copy_tests::each_rule_of_the_copies_that_is_switched_off_is_found

crash: ## Kill the daemon 100 times while S3 clients change objects, with two copies, then 20 times with one
	@scripts/setup tests
	$(CARGO) build --profile ci --locked --package forebay
	@scripts/check-s3-crash target/ci/forebay --copies yes
	@scripts/check-s3-crash target/ci/forebay --copies no --rounds 20

s3-conformance: ## Run the S3 conformance suites of others, for about an hour
	@scripts/setup tests
	$(CARGO) build --profile ci --locked --package forebay
	@scripts/check-s3-conformance target/ci/forebay

tiering: setup build ## Test tiered storage with brokers on NFS mounts: the experiments of the lab on it, small
	@scripts/tiering target/release/forebay $(OUT)

nodes: ## Two machines that serve one pool in turn, with systemd and with Pacemaker: moved, killed, switched off
	@scripts/setup tests
	$(CARGO) build --profile ci --locked --package forebay --package forebay-lab
	@scripts/check-nodes --deb "$$(scripts/package --binary target/ci/forebay | tail -n1)"

bench: setup build ## Measure Forebay beside NFS-Ganesha: one client, and many streams
	@scripts/bench target/release/forebay $(OUT)

bench-s3: setup build ## Measure the S3 server: space, listings, and speed beside other servers
	@scripts/bench-s3 target/release/forebay $(OUT)

bench-elsewhere: setup ## Measure a pool in PostgreSQL and a bucket, beside one in a directory, with added delay
	@scripts/setup tests
	$(CARGO) build --release --locked --bin forebay --example measure_elsewhere --example delay
	@scripts/bench-elsewhere target/release

lint: ## Formatting, clippy, licences, shell scripts
	@scripts/lint

docs: ## Write the reference pages again from the code
	@scripts/docs

clean: ## Remove what was built; caches and results stay
	$(CARGO) clean
	rm -rf kafka/*/target kafka/lab/*/target
