"""A daemon that serves S3 on loopback."""

import re
import subprocess
import sys
import time

import boto3
from botocore.config import Config

READY_SECONDS = 60


class Daemon:
    """A daemon and its pool, which is in a folder."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.process = binary, folder, None
        self.log = folder / "daemon.log"
        self.credentials = folder / "pool.s3-admin"

    def start(self):
        """Starts it, and finds out where it listens."""
        before = self.log.stat().st_size if self.log.exists() else 0
        self.process = subprocess.Popen(
            [self.binary, "serve", "--pool-directory", self.folder / "pool", "--nfs-listen", "127.0.0.1:0",
             "--api-listen", "off", "--s3-listen", "127.0.0.1:0"],
            stdout=subprocess.DEVNULL, stderr=self.log.open("ab"),
        )
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until:
            found = re.search(rb"S3 at (http://[0-9.:]+)", self.log.read_bytes()[before:])
            if found:
                self.url = found.group(1).decode()
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        sys.exit(f"check-s3: the daemon is not ready: {self.log.read_text()[-2000:]}")

    def end(self, how):
        """Ends it with a signal."""
        self.process.send_signal(how)
        self.process.wait(30)

    def manage(self, *words, text=None):
        """Runs a command of the command line, and returns what it prints."""
        done = subprocess.run([self.binary, *words, "--pool-directory", self.folder / "pool"], input=text, text=True,
                              capture_output=True)
        if done.returncode != 0:
            sys.exit(f"check-s3: forebay {' '.join(map(str, words))}: {done.stdout}{done.stderr}")
        return done.stdout

    def check(self):
        """Examines the pool, which must be stopped, and reads every chunk."""
        self.manage("pool", "check", "--read")

    def client(self, **options):
        """A client with the administrator's key and default settings."""
        text = self.credentials.read_text()
        key, secret = (re.search(f"{name} = (.*)", text).group(1) for name in ("aws_access_key_id", "aws_secret_access_key"))
        return boto3.client("s3", endpoint_url=self.url, aws_access_key_id=options.pop("key", key),
                            aws_secret_access_key=options.pop("secret", secret), region_name="us-east-1",
                            config=Config(retries={"max_attempts": 0}, **options))
