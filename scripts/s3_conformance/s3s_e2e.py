"""The tests of s3s for servers, which use the AWS SDK for Rust. They come from crates.io."""

import json
import os
import subprocess

from .suite import Broken, Suite, command, provide_once

VERSION = "0.14.1"
SECONDS_MAX = 600
# The tests run for a second: they are built quickly rather than to be quick.
BUILD = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "0", "CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}


def provide():
    """Builds the tests, which are a program."""

    def build(folder):
        command("Rust builds the tests", "cargo", "install", "--quiet", "--locked", "--root", folder, f"s3s-e2e@{VERSION}",
                env=os.environ | BUILD)

    return provide_once(f"s3s-e2e-{VERSION}", build) / "bin/s3s-e2e"


def run(program, daemon, folder):
    """Runs all tests. The report is a JSON document; the messages of tests that panic are in the output."""
    access, secret = daemon.administrator()
    environment = {"AWS_ACCESS_KEY_ID": access, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1",
                   "AWS_ENDPOINT_URL": f"http://{daemon.endpoint}", "HOME": str(folder), "RUST_LOG": "off"}
    report = folder / "report.json"
    result = subprocess.run([program, "--json", report], cwd=folder, env=os.environ | environment, capture_output=True, text=True,
                            errors="replace", timeout=SECONDS_MAX)
    if not report.exists():
        raise Broken(f"the tests ended with {result.returncode}: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    cases = {}
    for suite in json.loads(report.read_text())["suites"]:
        for fixture in suite["fixtures"]:
            for case in fixture["cases"]:
                passed = case["passed"] and not case["ignored"]
                cases[f"{suite['name']}/{fixture['name']}/{case['name']}"] = None if passed else error(case)
    return cases


def error(case):
    """Why a case did not pass."""
    if case["ignored"]:
        return "ignored"
    outcome = (case["run"] or {}).get("result")
    return str(outcome.get("Err", outcome)) if isinstance(outcome, dict) else str(outcome)


SUITE = Suite(name="s3s-e2e", percent_min=100, provide=provide, run=run)
