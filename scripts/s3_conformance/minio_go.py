"""The functional tests of minio-go, the library of MinIO. They come from the Go module proxy."""

import json
import os
import subprocess

from .suite import Broken, Suite, command, provide_once

VERSION = "v7.4.1"
SECONDS_MAX = 1200


def provide():
    """Builds the tests, which are a program."""

    def build(folder):
        module = f"github.com/minio/minio-go/v7@{VERSION}"
        found = command("Go 1.26 or newer builds the tests", "go", "mod", "download", "-json", module, stdout=subprocess.PIPE)
        # A build constraint hides the file from `go build .`, but not from `go build FILE`.
        source = json.loads(found.stdout)["Dir"]
        command("Go builds the tests", "go", "build", "-o", folder / "tests", "functional_tests.go", cwd=source)

    return provide_once(f"minio-go-{VERSION}", build) / "tests"


def run(program, daemon, folder):
    """Runs all tests. Each line of the output is a JSON object about a test; a test may have several."""
    access, secret = daemon.administrator()
    environment = {"SERVER_ENDPOINT": daemon.endpoint, "ACCESS_KEY": access, "SECRET_KEY": secret, "ENABLE_HTTPS": "0",
                   "MINT_MODE": "full", "RUN_ON_FAIL": "1"}
    result = subprocess.run([program], cwd=folder, env=os.environ | environment, capture_output=True, text=True, errors="replace",
                            timeout=SECONDS_MAX)
    cases = {}
    for line in result.stdout.splitlines():
        try:
            report = json.loads(line)
        except ValueError:
            continue
        if not isinstance(report, dict) or "status" not in report:
            continue
        name = report["name"].removeprefix("minio-go: ")
        error = None
        if report["status"] != "PASS":
            error = "; ".join(str(report[field]) for field in ("alert", "message", "error") if report.get(field)) or "failed"
        cases[name] = cases.get(name) or error
    if result.returncode != 0:
        raise Broken(f"the tests stopped after {name}: {result.stderr[:2000]}")
    return cases


SUITE = Suite(name="minio-go", percent_min=100, provide=provide, run=run)
