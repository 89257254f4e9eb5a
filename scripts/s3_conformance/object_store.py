"""The checks that the Rust crate object_store has for stores. conformance/object_store makes a program of them."""

import hashlib
import os
import pathlib
import subprocess

from .suite import Broken, Suite, command, provide_once

SOURCE = pathlib.Path("conformance/object_store")
SECONDS_MAX = 300
# The checks run for some seconds: they are built quickly rather than to be quick.
BUILD = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "1", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}


def provide():
    """Builds the program."""

    def build(folder):
        command("Rust builds the checks", "cargo", "install", "--quiet", "--locked", "--root", folder, "--path", SOURCE,
                env=os.environ | BUILD | {"CARGO_TARGET_DIR": str(folder / "target")})

    files = (SOURCE / "Cargo.lock", *sorted((SOURCE / "src").iterdir()))
    version = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:8]
    return provide_once(f"object-store-conformance-{version}", build) / "bin/object-store-conformance"


def run(program, daemon, folder):
    """Runs each check in a bucket of its own: most of them expect an empty one."""
    access, secret = daemon.administrator()
    environment = {"AWS_ACCESS_KEY_ID": access, "AWS_SECRET_ACCESS_KEY": secret, "AWS_REGION": "us-east-1", "AWS_ALLOW_HTTP": "true",
                   "AWS_ENDPOINT": f"http://{daemon.endpoint}"}
    names = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    if not names:
        raise Broken("there are no checks")
    cases = {}
    for number, name in enumerate(names):
        bucket = f"conformance-{number}"
        daemon.bucket(bucket)
        result = subprocess.run([program, name], cwd=folder, env=os.environ | environment | {"AWS_BUCKET_NAME": bucket},
                                capture_output=True, text=True, errors="replace", timeout=SECONDS_MAX)
        cases[name] = None if result.returncode == 0 else " ".join(result.stderr.split())
    return cases


SUITE = Suite(name="object_store", percent_min=100, provide=provide, run=run)
