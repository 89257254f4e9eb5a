"""What scripts/check-s3-crash does. Usage: check-s3-crash.py BINARY [--rounds N] [--copies yes|no] [--seed N] [--check-every N]

Each key belongs to one worker, which makes one change at a time. So the state of a key is known, except after the change that the
kill cut off: then it is the state before that change or the one after it. A few keys are shared: all workers try to create them with
If-None-Match, and only one may succeed.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import boto3
import botocore
from botocore.config import Config

READY_SECONDS = 120
WORKERS = 64
KEYS = 5
SHARED = 12
PART = 5 << 20
VERSIONS_MAX = 5
PLAIN, VERSIONED = "plain", "versioned"
BUCKETS = (PLAIN, VERSIONED)
FILLING = random.Random(1).randbytes(24 << 20)
# The daemon answers so when it is busy. It says nothing about the change.
UNKNOWN = {"InternalError", "ServiceUnavailable", "SlowDown", "RequestTimeout"}


class Wrong(Exception):
    """Something is not as it was acknowledged."""


class Daemon:
    """A daemon that serves S3 on loopback."""

    def __init__(self, binary, folder, copies):
        self.binary, self.folder, self.process = binary, folder, None
        self.log, self.credentials = folder / "daemon.log", folder / "pool.s3-admin"
        lines = ["[pool]", f'directory = "{folder / "pool"}"']
        if copies:
            (folder / "copies").mkdir()
            lines.append(f'copies_directory = "{folder / "copies"}"')
        self.configuration = folder / "forebay.toml"
        self.configuration.write_text("\n".join(lines) + "\n")

    def start(self):
        """Starts it, and returns a client when it listens."""
        before = self.log.stat().st_size if self.log.exists() else 0
        self.process = subprocess.Popen(
            [self.binary, "serve", "--config", self.configuration, "--nfs-listen", "127.0.0.1:0", "--api-listen", "off",
             "--s3-listen", "127.0.0.1:0"],
            stdout=subprocess.DEVNULL, stderr=self.log.open("ab"),
        )
        until = time.monotonic() + READY_SECONDS
        while time.monotonic() < until and self.process.poll() is None:
            found = re.search(rb"S3 at (http://[0-9.:]+)", self.log.read_bytes()[before:])
            if found:
                return self.client(found.group(1).decode())
            time.sleep(0.02)
        raise Wrong(f"the daemon is not ready: {self.log.read_text()[-2000:]}")

    def client(self, url):
        text = self.credentials.read_text()
        key, secret = (re.search(f"{name} = (.*)", text).group(1) for name in ("aws_access_key_id", "aws_secret_access_key"))
        config = Config(retries={"max_attempts": 0}, max_pool_connections=WORKERS, parameter_validation=False, read_timeout=120,
                        s3={"addressing_style": "path"})
        return boto3.client("s3", endpoint_url=url, aws_access_key_id=key, aws_secret_access_key=secret, region_name="us-east-1",
                            config=config)

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(60)

    def check(self):
        """The offline check of the pool, which reads every chunk."""
        done = subprocess.run([self.binary, "pool", "check", "--read", "--config", self.configuration], capture_output=True, text=True)
        if done.returncode != 0:
            raise Wrong(f"forebay pool check: {done.stdout}{done.stderr}")


def digest(content):
    return hashlib.blake2b(content, digest_size=16).hexdigest()


class Unanswered(Exception):
    """The change may have happened or not."""


def call(operation, **named):
    """Runs an operation. A connection that breaks is no answer."""
    try:
        return operation(**named)
    except botocore.exceptions.ClientError as error:
        if error.response["Error"]["Code"] in UNKNOWN or error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500:
            raise Unanswered(error.response["Error"]["Code"]) from error
        raise
    except (botocore.exceptions.BotoCoreError, OSError) as error:
        raise Unanswered(str(error)) from error


def code(error):
    return error.response["Error"]["Code"]


class Key:
    """A key and the states that it may have. A state is a tuple of versions, newest first: (id, digest, or None for a marker). The
    id is None while it is unknown. A bucket without versioning has one version at most, with the id "null"."""

    def __init__(self, bucket, name):
        self.bucket, self.name = bucket, name
        self.states = [()]
        self.is_touched = False

    @property
    def state(self):
        assert len(self.states) == 1
        return self.states[0]

    def newest(self):
        """The digest of the object that a GET returns; None if there is none."""
        return self.state[0][1] if self.state else None


class Worker:
    """One connection, with keys and uploads of its own."""

    def __init__(self, number, seed, crash):
        self.number, self.random, self.crash = number, random.Random(f"{seed}/{number}"), crash
        self.keys = {bucket: [Key(bucket, f"w{number:02}/{index}") for index in range(KEYS)] for bucket in BUCKETS}
        # Uploads that are open: id -> (key, {part: digest}).
        self.uploads = {}
        # An upload that a cut call may have opened, ended or changed.
        self.unsure_uploads = {}
        self.serial = 0

    def content(self):
        """New bytes, mostly few."""
        self.serial += 1
        kind = self.random.random()
        if kind < 0.004:
            size = self.random.randrange(5 << 20, 20 << 20)
        elif kind < 0.1:
            size = self.random.randrange(20_000, 400_000)
        else:
            size = self.random.randrange(0, 20_000)
        return self.bytes(size)

    def bytes(self, size):
        head = f"{self.number}/{self.serial}/{self.random.random()}".encode()[:size]
        at = self.random.randrange(len(FILLING) - size)
        return head + FILLING[at : at + size - len(head)]

    def run(self, s3):
        """Changes one thing after the other until the daemon is gone."""
        choices = [(self.put, 40), (self.delete, 14), (self.delete_several, 3), (self.copy, 12), (self.multipart, 8),
                   (self.begin_upload, 2), (self.end_upload, 3), (self.create_shared, 6), (self.delete_version, 6)]
        operations, weights = zip(*choices)
        try:
            while True:
                operation = self.random.choices(operations, weights)[0]
                operation(s3)
        except Unanswered:
            return

    def pick(self, bucket=None):
        return self.random.choice(self.keys[bucket or self.random.choice(BUCKETS)])

    def change(self, key, what, after, operation, **named):
        """Makes a change of a key. `after` gives the versions after it, from the answer or None if there is none."""
        before = key.state
        key.is_touched = True
        try:
            answer = call(operation, Bucket=key.bucket, Key=key.name, **named)
        except Unanswered:
            key.states = [before, after(None)]
            self.crash.count(what, "unanswered")
            raise
        key.states = [after(answer)]
        self.crash.count(what, "acknowledged")
        return answer

    def added(self, key, content):
        """The versions after an object or a marker was put."""
        before = key.state

        def after(answer):
            if key.bucket == PLAIN:
                return () if content is None else (("null", content),)
            return ((answer.get("VersionId") if answer else None, content), *before)

        return after

    def put(self, s3):
        key, content = self.pick(), self.content()
        condition, is_refused = {}, False
        if self.random.random() < 0.3:
            is_there = key.newest() is not None
            condition = {"IfNoneMatch": "*"}
            is_refused = is_there
        try:
            self.change(key, "put", self.added(key, digest(content)), s3.put_object, Body=content, **condition)
        except botocore.exceptions.ClientError as error:
            if code(error) != "PreconditionFailed" or not is_refused:
                raise Wrong(f"put of {key.bucket}/{key.name}: {error}") from error
            self.crash.count("put", "refused")
            return
        if is_refused:
            raise Wrong(f"If-None-Match replaced {key.bucket}/{key.name}")

    def delete(self, s3):
        key = self.pick()
        if key.bucket == PLAIN:
            self.change(key, "delete", lambda _: (), s3.delete_object)
        else:
            self.change(key, "delete marker", self.added(key, None), s3.delete_object)

    def delete_several(self, s3):
        keys = self.random.sample(self.keys[PLAIN], 3)
        objects = {"Objects": [{"Key": key.name} for key in keys], "Quiet": False}
        for key in keys:
            key.is_touched = True
        try:
            answer = call(s3.delete_objects, Bucket=PLAIN, Delete=objects)
        except Unanswered:
            for key in keys:
                key.states = [key.state, ()]
            self.crash.count("delete several", "unanswered")
            raise
        if len(answer.get("Deleted", [])) != len(keys):
            raise Wrong(f"DeleteObjects: {answer}")
        for key in keys:
            key.states = [()]
        self.crash.count("delete several", "acknowledged")

    def delete_version(self, s3):
        key = self.pick(VERSIONED)
        if not key.state:
            return
        index = len(key.state) - 1 if len(key.state) > VERSIONS_MAX else self.random.randrange(len(key.state))
        left = key.state[:index] + key.state[index + 1 :]
        self.change(key, "delete version", lambda _: left, s3.delete_object, VersionId=key.state[index][0])

    def copy(self, s3):
        source, target = self.pick(), self.pick()
        content = source.newest()
        if content is None or source is target:
            return
        where = {"Bucket": source.bucket, "Key": source.name}
        self.change(target, "copy", self.added(target, content), s3.copy_object, CopySource=where)

    def begin_upload(self, s3):
        if len(self.uploads) > 2:
            return None
        key = self.pick()
        try:
            upload = call(s3.create_multipart_upload, Bucket=key.bucket, Key=key.name)["UploadId"]
        except Unanswered:
            self.unsure_uploads[None] = (key, None)
            raise
        self.uploads[upload] = (key, {})
        return upload

    def end_upload(self, s3):
        """Aborts an upload."""
        if not self.uploads:
            return
        upload = self.random.choice(sorted(self.uploads))
        key, _ = self.uploads[upload]
        try:
            call(s3.abort_multipart_upload, Bucket=key.bucket, Key=key.name, UploadId=upload)
        except Unanswered:
            self.unsure_uploads[upload] = (key, None)
            self.crash.count("abort", "unanswered")
            raise
        del self.uploads[upload]
        self.crash.count("abort", "acknowledged")

    def multipart(self, s3):
        """Uploads one to three parts, some by copying, and completes the upload, mostly."""
        upload = self.begin_upload(s3)
        if upload is None:
            return self.end_upload(s3)
        key, parts = self.uploads[upload]
        named, whole = [], []
        for number in range(1, 1 + self.random.choices([1, 2, 3], [88, 9, 3])[0]):
            if number > 1 and len(whole[-1]) < PART:
                break
            content = self.content()
            if number == 1 and self.random.random() < 0.06:
                content = self.bytes(PART)
            where = {"Bucket": key.bucket, "Key": key.name, "UploadId": upload, "PartNumber": number}
            try:
                answer = call(s3.upload_part, Body=content, **where)
            except Unanswered:
                self.unsure_uploads[upload] = (key, (number, digest(content)))
                self.crash.count("part", "unanswered")
                raise
            self.crash.count("part", "acknowledged")
            parts[number] = digest(content)
            named.append({"PartNumber": number, "ETag": answer["ETag"]})
            whole.append(content)
        if self.random.random() < 0.15:
            return None
        content = digest(b"".join(whole))
        try:
            self.change(key, "complete", self.added(key, content), s3.complete_multipart_upload, UploadId=upload,
                        MultipartUpload={"Parts": named})
        except Unanswered:
            self.unsure_uploads[upload] = (key, "completed")
            raise
        del self.uploads[upload]
        return None

    def create_shared(self, s3):
        """Many try to create the same key, and one succeeds."""
        name, content = self.random.choice(sorted(self.crash.shared)), self.content()
        found = digest(content)
        with self.crash.lock:
            self.crash.shared[name].tried.add(found)
        try:
            call(s3.put_object, Bucket=PLAIN, Key=name, Body=content, IfNoneMatch="*")
        except Unanswered:
            self.crash.count("create", "unanswered")
            raise
        except botocore.exceptions.ClientError as error:
            # 409: another creation of the same key was in progress.
            if code(error) == "ConditionalRequestConflict":
                return
            if code(error) != "PreconditionFailed":
                raise Wrong(f"creation of {name}: {error}") from error
            with self.crash.lock:
                self.crash.shared[name].is_there = True
            self.crash.count("create", "refused")
            return
        with self.crash.lock:
            self.crash.shared[name].created.append(found)
        self.crash.count("create", "acknowledged")


class Shared:
    """A key that all workers try to create."""

    def __init__(self):
        self.tried, self.created, self.is_there = set(), [], False


class Crash:
    """The rounds, and the comparison after each."""

    def __init__(self, daemon, options):
        self.daemon, self.options = daemon, options
        self.random = random.Random(options.seed)
        self.lock = threading.Lock()
        self.counts = collections.Counter()
        # The keys that all workers try to create, and the contents of those that exist since earlier rounds.
        self.shared, self.kept = {}, {}
        self.workers = [Worker(number, options.seed, self) for number in range(WORKERS)]
        # How many unanswered changes had happened, and how many contents were compared.
        self.fates, self.compared = collections.Counter(), 0

    def count(self, what, how):
        with self.lock:
            self.counts[what, how] += 1

    def total(self, how):
        return sum(count for (_, each), count in self.counts.items() if each == how)

    def run(self):
        s3 = self.daemon.start()
        for bucket in BUCKETS:
            s3.create_bucket(Bucket=bucket)
        s3.put_bucket_versioning(Bucket=VERSIONED, VersioningConfiguration={"Status": "Enabled"})
        for number in range(1, self.options.rounds + 1):
            is_last = number == self.options.rounds
            known = self.total("acknowledged")
            self.next_shared(number)
            killed_after = self.random.uniform(0.1, 2.5)
            with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
                running = [pool.submit(worker.run, s3) for worker in self.workers]
                time.sleep(killed_after)
                self.daemon.end(signal.SIGKILL)
                for each in running:
                    each.result()
            if number % self.options.check_every == 0 or is_last:
                self.daemon.check()
            began = time.monotonic()
            s3 = self.daemon.start()
            started = time.monotonic()
            keys, versions, uploads, contents = self.compare(s3, is_last or number % 25 == 0)
            print(f"  round {number}: killed after {killed_after:.1f} s, {self.total('acknowledged') - known} changes acknowledged, "
                  f"ready after {started - began:.1f} s; {keys} keys, {versions} versions, {uploads} uploads as acknowledged, "
                  f"{contents} contents read in {time.monotonic() - started:.1f} s", flush=True)
        self.daemon.end(signal.SIGTERM)
        self.daemon.check()
        self.table()

    def next_shared(self, number):
        """Other keys for a round, and some of those before, which nobody may create again."""
        old = self.shared
        stay = set(self.random.sample(sorted(old), min(4, len(old))))
        self.shared = {name: shared for name, shared in old.items() if name in stay}
        self.shared.update({f"shared/{number}/{index}": Shared() for index in range(SHARED)})
        self.kept.update({name: shared.created[0] for name, shared in old.items() if name not in stay and shared.created})

    def table(self):
        print(f"  {'change':16} {'acknowledged':>12} {'refused':>8} {'unanswered':>10}")
        for what in sorted({what for what, _ in self.counts}):
            row = [self.counts[what, how] for how in ("acknowledged", "refused", "unanswered")]
            print(f"  {what:16} {row[0]:12} {row[1]:8} {row[2]:10}")
        print(f"  of the unanswered changes of keys {self.fates[True]} had happened, and {self.fates[False]} had not; "
              f"{self.compared} contents were read and compared")

    # ---- the comparison ----

    def compare(self, s3, is_all):
        """Compares listings with the model, and the contents of what changed, or of everything. Returns counts."""
        listed = {(bucket, item["Key"]) for bucket in BUCKETS
                  for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket) for item in page.get("Contents", [])}
        versions = collections.defaultdict(list)
        for bucket in BUCKETS:
            for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
                both = [(each, False) for each in page.get("Versions", [])] + [(each, True) for each in page.get("DeleteMarkers", [])]
                for each, is_marker in both:
                    versions[bucket, each["Key"]].append((each, is_marker))
        uploads = {upload["UploadId"]: (bucket, upload["Key"]) for bucket in BUCKETS
                   for page in s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket)
                   for upload in page.get("Uploads", [])}
        wanted = []
        seen = set()
        for worker in self.workers:
            ended = self.compare_uploads(s3, worker, uploads)
            for key in [*worker.keys[PLAIN], *worker.keys[VERSIONED]]:
                where = (key.bucket, key.name)
                seen.add(where)
                self.settle(s3, key, versions.get(where, []), ended.get(where))
                is_current = bool(key.state) and key.state[0][1] is not None
                if is_current != (where in listed):
                    raise Wrong(f"{where}: in the listing {where in listed}, and its versions are {key.state}")
                for index, (version, content) in enumerate(key.state):
                    # Older versions were read when they were new.
                    share = 1 if is_all or key.is_touched and index == 0 else 0.2 if key.is_touched else 0.02
                    if content is not None and self.random.random() < share:
                        wanted.append((key.bucket, key.name, version, content))
                key.is_touched = False
        seen |= self.compare_shared(s3, listed, wanted, is_all)
        extra = (listed | set(versions)) - seen
        if extra or uploads:
            raise Wrong(f"nobody made these: keys {sorted(extra)[:5]}, uploads {list(uploads.items())[:5]}")
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            list(pool.map(lambda each: self.compare_content(s3, *each), wanted))
        self.compared += len(wanted)
        return len(listed), sum(map(len, versions.values())), sum(len(worker.uploads) for worker in self.workers), len(wanted)

    def settle(self, s3, key, found, is_ended):
        """Finds out which of its states the key has. `is_ended`: whether the upload is gone whose completion was cut off."""
        ids = lambda state: [(version, content is None) for version, content in state]
        # The listing has versions and markers apart, each newest first.
        found_ids = {(each["VersionId"], is_marker) for each, is_marker in found}
        latest = [(each["VersionId"], is_marker) for each, is_marker in found if each["IsLatest"]]
        fitting = []
        for index, state in enumerate(key.states):
            known = set(ids(state))
            unknown = [each for each in state if each[0] is None]
            rest = found_ids - known
            if unknown:
                # One new version, the newest.
                if len(rest) != 1 or len(found_ids) != len(state) or latest != list(rest):
                    continue
                (version, is_marker), (_, content) = next(iter(rest)), unknown[0]
                if is_marker != (content is None):
                    continue
                state = ((version, content), *state[1:])
            elif rest or len(found_ids) != len(state) or (state and latest != ids(state)[:1]):
                continue
            if is_ended is not None and is_ended != (index == 1):
                continue
            # Without versioning the id is the same before and after.
            is_unclear = state and key.bucket == PLAIN and len(key.states) > 1
            if is_unclear and self.content_of(s3, key.bucket, key.name, "null") != state[0][1]:
                continue
            fitting.append((index, state))
        if not fitting:
            raise Wrong(f"{key.bucket}/{key.name}: found {sorted(found_ids)}, latest {latest}, instead of one of {key.states}, "
                        f"the upload ended: {is_ended}")
        if len(key.states) > 1:
            self.fates[fitting[-1][0] == 1] += 1
        key.states = [fitting[-1][1]]

    def compare_uploads(self, s3, worker, uploads):
        """Compares the uploads of a worker, and takes them out of `uploads`. Returns for each key whose completion was cut off whether
        its upload is gone."""
        ended = {}
        for upload, (key, what) in worker.unsure_uploads.items():
            where = (key.bucket, key.name)
            if upload is None:
                # It may have been opened.
                new = [each for each, of in uploads.items() if of == where and each not in worker.uploads]
                if len(new) > 1:
                    raise Wrong(f"{where} has uploads that nobody began: {new}")
                worker.uploads.update({each: (key, {}) for each in new})
            elif what == "completed" or what is None:
                is_gone = upload not in uploads
                if what == "completed":
                    ended[where] = is_gone
                if is_gone:
                    worker.uploads.pop(upload)
        cut_part = {upload: what for upload, (_, what) in worker.unsure_uploads.items() if isinstance(what, tuple)}
        worker.unsure_uploads = {}
        for upload, (key, parts) in worker.uploads.items():
            if uploads.pop(upload, None) != (key.bucket, key.name):
                raise Wrong(f"the upload {upload} of {key.bucket}/{key.name} is gone")
            listed = s3.list_parts(Bucket=key.bucket, Key=key.name, UploadId=upload).get("Parts", [])
            numbers = {part["PartNumber"] for part in listed}
            if upload in cut_part and cut_part[upload][0] in numbers:
                parts[cut_part[upload][0]] = cut_part[upload][1]
            if numbers != set(parts):
                raise Wrong(f"the upload {upload} has parts {numbers}, not {set(parts)}")
        return ended

    def compare_shared(self, s3, listed, wanted, is_all):
        """One creation of each shared key succeeded, at most."""
        for name, shared in self.shared.items():
            is_there = (PLAIN, name) in listed
            if len(shared.created) > 1:
                raise Wrong(f"{name} was created {len(shared.created)} times")
            if (shared.created or shared.is_there) and not is_there:
                raise Wrong(f"{name} was created, and is not there")
            if is_there and not shared.created:
                found = self.content_of(s3, PLAIN, name, None)
                if found not in shared.tried:
                    raise Wrong(f"{name} has bytes that nobody wrote")
                shared.created = [found]
            elif is_there:
                wanted.append((PLAIN, name, None, shared.created[0]))
        for name, content in self.kept.items():
            if (PLAIN, name) not in listed:
                raise Wrong(f"{name} is gone")
            if is_all:
                wanted.append((PLAIN, name, None, content))
        return {(PLAIN, name) for name in [*self.shared, *self.kept]}

    def content_of(self, s3, bucket, name, version):
        version = {} if version in (None, "null") else {"VersionId": version}
        return digest(s3.get_object(Bucket=bucket, Key=name, **version)["Body"].read())

    def compare_content(self, s3, bucket, name, version, content):
        if self.content_of(s3, bucket, name, version) != content:
            raise Wrong(f"{bucket}/{name} {version}: the content is not the one that was acknowledged")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--copies", choices=["yes", "no"], default="yes")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--check-every", type=int, default=10)
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="check-s3-crash-"))
    daemon = Daemon(options.binary, folder, options.copies == "yes")
    print(f"check-s3-crash: {options.rounds} rounds, second copy: {options.copies}, seed {options.seed}", flush=True)
    began = time.monotonic()
    try:
        Crash(daemon, options).run()
    except Exception as error:
        if daemon.process and daemon.process.poll() is None:
            daemon.end(signal.SIGKILL)
        if not isinstance(error, Wrong):
            raise
        sys.exit(f"check-s3-crash: {error}\nthe pool and the log are in {folder}")
    shutil.rmtree(folder)
    print(f"  forebay pool check: consistent; {options.rounds} rounds in {time.monotonic() - began:.0f} s")


main()
