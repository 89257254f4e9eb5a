"""A daemon for one suite."""

import json
import pathlib
import re
import subprocess
import time

from .suite import Broken

READY_SECONDS = 60
END_SECONDS = 30


class Daemon:
    """Serves S3 on loopback from its start to its end, with a pool in a folder."""

    def __init__(self, binary, folder, options=()):
        self.binary, self.pool = binary, folder / "pool"
        log = folder / "daemon.log"
        self.process = subprocess.Popen(
            [binary, "serve", "--pool-directory", self.pool, "--nfs-listen", "127.0.0.1:0", "--api-listen", "off",
             "--s3-listen", "127.0.0.1:0", *options],
            stdout=subprocess.DEVNULL, stderr=log.open("wb"),
        )
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            found = re.search(rb"S3 at http://([0-9.]+):([0-9]+)", log.read_bytes())
            if found:
                self.host, self.port = found.group(1).decode(), int(found.group(2))
                return
            time.sleep(0.05)
        self.process.kill()
        raise Broken(f"the daemon is not ready: {log.read_text()[-2000:]}")

    @property
    def endpoint(self):
        """Host and port."""
        return f"{self.host}:{self.port}"

    def administrator(self):
        """The access key and the secret of the first administrator."""
        text = pathlib.Path(f"{self.pool}.s3-admin").read_text()
        return tuple(re.search(f"{name} = (.*)", text).group(1) for name in ("aws_access_key_id", "aws_secret_access_key"))

    def user(self, name, *groups):
        """Creates a user in groups. Returns an access key of the user and its secret."""
        self.administer("user", "create", name, *(option for group in groups for option in ("--group", group)))
        key = json.loads(self.administer("key", "create", name, "--json"))
        return key["key"]["id"], key["secret"]

    def group(self, name, policy):
        """Creates a group whose members may do what the policy allows."""
        self.administer("group", "create", name)
        self.administer("group", "policy", "set", name, "all", "-", document=json.dumps(policy))

    def bucket(self, name):
        """Creates a bucket."""
        self.command("bucket", "create", name)

    def administer(self, *arguments, document=None):
        """Runs `forebay s3`, and returns what it prints."""
        return self.command("s3", *arguments, document=document)

    def command(self, *arguments, document=None):
        """Runs a command of the daemon's administrator, and returns what it prints."""
        command = [self.binary, *arguments, "--pool-directory", self.pool]
        result = subprocess.run(command, input=document, capture_output=True, text=True)
        if result.returncode != 0:
            raise Broken(f"`forebay {' '.join(arguments)}` failed: {result.stderr}")
        return result.stdout

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(END_SECONDS)
