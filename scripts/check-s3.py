"""What scripts/check-s3 does with the S3 server. Usage: check-s3.py BINARY AWS"""

import concurrent.futures
import hashlib
import io
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

import boto3
import botocore
from boto3.s3.transfer import TransferConfig
from botocore.config import Config

READY_SECONDS = 60
PART = 5 << 20


class Daemon:
    """A daemon that serves S3 on loopback."""

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

    def client(self, **options):
        """A client with default settings."""
        text = self.credentials.read_text()
        key, secret = (re.search(f"{name} = (.*)", text).group(1) for name in ("aws_access_key_id", "aws_secret_access_key"))
        return boto3.client("s3", endpoint_url=self.url, aws_access_key_id=options.pop("key", key),
                            aws_secret_access_key=options.pop("secret", secret), region_name="us-east-1",
                            config=Config(retries={"max_attempts": 0}, **options))


def code(call, *arguments, **named):
    """The error code that a call is answered with."""
    try:
        call(*arguments, **named)
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"]
    return "no error"


def same(found, expected, what):
    if found != expected:
        sys.exit(f"check-s3: {what}: {str(found)[:200]!r} instead of {str(expected)[:200]!r}")


def objects(s3):
    """Objects, ranges, conditions, parts, copies and versions."""
    s3.create_bucket(Bucket="bucket")
    put = s3.put_object(Bucket="bucket", Key="a/b", Body=b"hello", Metadata={"x": "y"}, ContentType="text/plain")
    same(put["ETag"], f'"{hashlib.md5(b"hello").hexdigest()}"', "the ETag")
    got = s3.get_object(Bucket="bucket", Key="a/b")
    same((got["Body"].read(), got["Metadata"], got["ContentType"]), (b"hello", {"x": "y"}, "text/plain"), "an object")
    got = s3.get_object(Bucket="bucket", Key="a/b", Range="bytes=1-2")
    same((got["Body"].read(), got["ContentRange"]), (b"el", "bytes 1-2/5"), "a range")
    same(code(s3.put_object, Bucket="bucket", Key="a/b", Body=b"x", IfNoneMatch="*"), "PreconditionFailed", "If-None-Match")
    same(code(s3.get_object, Bucket="bucket", Key="none"), "NoSuchKey", "a key that is not there")
    same(code(s3.get_object, Bucket="bucket2", Key="none"), "NoSuchBucket", "a bucket that is not there")
    same(code(s3.delete_bucket, Bucket="bucket"), "BucketNotEmpty", "a bucket that is not empty")
    data = random.Random(1).randbytes(17_000_000)
    parts = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART)
    s3.upload_fileobj(io.BytesIO(data), "bucket", "big", Config=parts)
    head = s3.head_object(Bucket="bucket", Key="big")
    same((head["ContentLength"], head["ETag"][-3:]), (len(data), '-4"'), "an object of parts")
    s3.copy_object(Bucket="bucket", Key="copy", CopySource="bucket/big")
    for key in ("big", "copy"):
        out = io.BytesIO()
        s3.download_fileobj("bucket", key, out)
        same(hashlib.sha256(out.getvalue()).digest(), hashlib.sha256(data).digest(), f"the content of {key}")
    listed = s3.list_objects_v2(Bucket="bucket", Delimiter="/")
    same(([o["Key"] for o in listed["Contents"]], listed["CommonPrefixes"]), (["big", "copy"], [{"Prefix": "a/"}]), "a listing")
    s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Enabled"})
    new = s3.put_object(Bucket="bucket", Key="a/b", Body=b"new")["VersionId"]
    s3.delete_object(Bucket="bucket", Key="a/b")
    same(code(s3.get_object, Bucket="bucket", Key="a/b"), "NoSuchKey", "an object behind a delete marker")
    same(s3.get_object(Bucket="bucket", Key="a/b", VersionId="null")["Body"].read(), b"hello", "the version before")
    same(s3.get_object(Bucket="bucket", Key="a/b", VersionId=new)["Body"].read(), b"new", "a version")
    page = s3.list_object_versions(Bucket="bucket", Prefix="a/")
    same((len(page["Versions"]), len(page["DeleteMarkers"])), (2, 1), "a listing of versions")


def strangers(daemon):
    """Requests that nobody may make."""
    same(code(daemon.client(secret="x" * 40).list_buckets), "SignatureDoesNotMatch", "a wrong secret")
    same(code(daemon.client(key="A" * 20).list_buckets), "InvalidAccessKeyId", "an unknown key")
    anonymous = daemon.client(signature_version=botocore.UNSIGNED)
    same(code(anonymous.get_object, Bucket="bucket", Key="big"), "AccessDenied", "a request without a signature")


def sync(daemon, aws, folder):
    """The AWS command line copies a folder there and back."""
    there, back = folder / "there", folder / "back"
    for index in range(300):
        file = there / f"{index % 7}" / f"file {index} ü"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(random.Random(index).randbytes(index * 997 % 70_000))
    (there / "large").write_bytes(random.Random(0).randbytes(20_000_000))
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "AWS_SHARED_CREDENTIALS_FILE": str(daemon.credentials),
                   "AWS_DEFAULT_REGION": "us-east-1"}
    run = lambda *words: subprocess.run([aws, "--endpoint-url", daemon.url, "s3", *words], env=environment, check=True,
                                        stdout=subprocess.DEVNULL)
    run("mb", "s3://sync")
    run("sync", str(there), "s3://sync/backup")
    run("sync", "s3://sync/backup", str(back))
    content = lambda root: {str(file.relative_to(root)): file.read_bytes() for file in root.rglob("*") if file.is_file()}
    same(content(back) == content(there), True, "a folder that was copied there and back")


def kill(daemon, rounds):
    """Kills the daemon while clients write. What was acknowledged is there, whole, and nothing that was not written."""
    daemon.client().create_bucket(Bucket="kill")
    known = {}
    for number in range(rounds):
        s3 = daemon.client()

        def write(worker):
            rng, done = random.Random(number * 100 + worker), 0
            while True:
                key, body = f"w{worker}/{rng.randrange(8)}", rng.randbytes(rng.choice([100, 5_000, 300_000]))
                removes = rng.random() < 0.2
                try:
                    if removes:
                        s3.delete_object(Bucket="kill", Key=key)
                    else:
                        s3.put_object(Bucket="kill", Key=key, Body=body)
                except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError):
                    # Unknown: either the state before, or this one.
                    known[key] = (known.get(key, (None,))[-1], None if removes else body)
                    return done
                known[key] = (None if removes else body,)
                done += 1

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            writing = [pool.submit(write, worker) for worker in range(8)]
            time.sleep(0.5 + number * 0.3)
            daemon.end(signal.SIGKILL)
            done = sum(each.result() for each in writing)
        daemon.start()
        s3 = daemon.client()
        for key, allowed in known.items():
            try:
                found = s3.get_object(Bucket="kill", Key=key)["Body"].read()
            except s3.exceptions.NoSuchKey:
                found = None
            if found not in allowed:
                sys.exit(f"check-s3: after kill -9, {key} is not what was acknowledged")
            known[key] = (found,)
        print(f"  kill {number + 1}: {done} acknowledged changes, {len(known)} keys as acknowledged")


def main():
    binary, aws = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        daemon = Daemon(binary, folder)
        daemon.start()
        try:
            objects(daemon.client())
            strangers(daemon)
            sync(daemon, aws, folder)
            print("  boto3 and the AWS command line: contents as they were written")
            kill(daemon, 3)
        finally:
            if daemon.process.poll() is None:
                daemon.end(signal.SIGTERM)
        checked = subprocess.run([binary, "pool", "check", "--read", "--pool-directory", folder / "pool"], capture_output=True, text=True)
        if checked.returncode != 0:
            sys.exit(f"check-s3: forebay pool check: {checked.stdout}{checked.stderr}")
        print("  forebay pool check: consistent")


main()
