"""Runs the tests of pools in buckets on servers of others and on the daemon. See scripts/check-bucket."""

import contextlib
import json
import os
import pathlib
import shlex
import socket
import subprocess
import sys
import tempfile
import time

from . import versitygw
from .daemon import Daemon
from .suite import Broken, Unavailable

READY_SECONDS = 60
END_SECONDS = 30
BUCKET = "segments"
TESTS = ("cli", "bucket")
# All targets, because a choice of them would be compiled with other features, and the rest of `make test` again.
BUILD = ["cargo", "test", "--workspace", "--locked", "--profile", os.environ.get("FOREBAY_CARGO_PROFILE", "ci"), "--no-run"]
ONLY = ["--ignored", "named_bucket"]


def build():
    """Builds the tests. Returns pairs of a program and the folder in which it runs."""
    result = subprocess.run([*BUILD, "--message-format", "json"], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise Broken("the tests cannot be built: see above")
    built = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    return [
        (message["executable"], pathlib.Path(message["manifest_path"]).parent)
        for message in built
        if message.get("executable") and message["target"]["kind"] == ["test"] and message["target"]["name"] in TESTS
    ]


@contextlib.contextmanager
def gateway(folder):
    """VersityGW, with a bucket in a folder. Gives its URL, an access key and the secret."""
    program = versitygw.provide()
    (folder / "files" / BUCKET).mkdir(parents=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    keys = ("versity", "versitysecret")
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [program, "--port", f"127.0.0.1:{port}", "--access", keys[0], "--secret", keys[1], "posix", folder / "files"],
            stdout=log, stderr=log,
        )
    try:
        until = time.monotonic() + READY_SECONDS
        while socket.socket().connect_ex(("127.0.0.1", port)) != 0:
            if time.monotonic() > until or process.poll() is not None:
                raise Broken(f"VersityGW is not ready: {(folder / 'log').read_text()[-2000:]}")
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}", *keys
    finally:
        process.terminate()
        process.wait(END_SECONDS)


@contextlib.contextmanager
def daemon(binary, folder):
    """The daemon, with a bucket. Gives its URL, an access key and the secret."""
    with Daemon(binary, folder) as running:
        running.bucket(BUCKET)
        yield f"http://{running.endpoint}", *running.administrator()


def test(name, server, folder, programs):
    """Runs the tests on a server. Returns whether all passed."""
    print(f"== {name}", flush=True)
    with server as (endpoint, key, secret):
        credentials = folder / "keys"
        credentials.write_text(f"{key}\n{secret}\n")
        named = {
            "FOREBAY_TEST_BUCKET": f"s3://{BUCKET}/pools",
            "FOREBAY_TEST_BUCKET_ENDPOINT": endpoint,
            "FOREBAY_TEST_BUCKET_CREDENTIALS": str(credentials),
        }
        print(" ".join([f"{key}={shlex.quote(value)}" for key, value in named.items()] + BUILD[:-1] + ["--", *ONLY]), flush=True)
        return all([subprocess.run([program, *ONLY], cwd=own, env=os.environ | named).returncode == 0 for program, own in programs])


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    failed, programs = [], build()
    if len(programs) != len(TESTS):
        raise Broken(f"there are {len(programs)} programs instead of {len(TESTS)}")
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        # The database of a test runs as a user of its own.
        scratch.chmod(0o755)
        servers = {"Forebay": lambda folder: daemon(binary, folder), "VersityGW": gateway}
        for name, start in servers.items():
            folder = scratch / name
            folder.mkdir()
            try:
                if not test(name, start(folder), folder, programs):
                    failed.append(name)
            except Unavailable as missing:
                print(f"  left out: {name}: {missing}")
    if failed:
        sys.exit(f"check-bucket: failed on {', '.join(failed)}")


try:
    main()
except Broken as cause:
    sys.exit(f"check-bucket: {cause}")
