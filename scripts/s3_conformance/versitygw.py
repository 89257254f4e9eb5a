"""The suite of VersityGW, a gateway to file systems. It comes from the Go module proxy."""

import re
import subprocess

from .suite import Broken, Suite, command, provide_once

VERSION = "v1.8.0"
SECONDS_MAX = 900


def provide():
    """Builds VersityGW, whose program holds the suite."""

    def build(folder):
        package = f"github.com/versity/versitygw/cmd/versitygw@{VERSION}"
        command("Go 1.25 or newer builds the suite", "env", f"GOBIN={folder}", "go", "install", package)

    return provide_once(f"versitygw-{VERSION}", build) / "versitygw"


def run(program, daemon, folder):
    """Runs all cases, on buckets with and without versioning."""
    access, secret = daemon.administrator()
    arguments = [program, "test", "--access", access, "--secret", secret, "--endpoint", f"http://{daemon.endpoint}", "full-flow",
                 "--versioning-enabled"]
    # The suite runs programs and writes files in its working directory.
    result = subprocess.run(arguments, cwd=folder, capture_output=True, text=True, errors="replace", timeout=SECONDS_MAX)
    output = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    cases, name = {}, None
    for line in output.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "RUN":
            name = rest.strip()
            cases[name] = "did not end"
        elif kind == "PASS" and cases.get(rest.strip()) == "did not end":
            cases[rest.strip()] = None
        elif kind == "FAIL" and name:
            cases[name] = rest.removeprefix(f"{name}: ")
    if "\nRAN: " not in output:
        raise Broken(f"the suite stopped in the case {name}: {result.stderr[:2000]}")
    return cases


SUITE = Suite(name="versitygw", percent_min=95, provide=provide, run=run)
