"""Trees of files, and comparisons."""

import hashlib
import random
import sys

NAMES = ["file {}", "ü {}", "a+b={}", "{}.segment", "{}%20", "{}'(1)&"]


def same(found, expected, what):
    """Ends the script if something is not as expected."""
    if found != expected:
        sys.exit(f"check-s3: {what}: {str(found)[:200]!r} instead of {str(expected)[:200]!r}")


def make(root, files, size_max, seed=0):
    """Writes a tree of files with random content, a hundred in a folder."""
    source = random.Random(seed)
    for index in range(files):
        file = root / f"folder {index // 100 % 10}" / f"{index // 1000}" / NAMES[index % len(NAMES)].format(index)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(source.randbytes(source.randrange(size_max)))


def large(file, size=33_000_000, seed=0):
    """Writes a large file, and returns its content."""
    content = random.Random(seed).randbytes(size)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
    return content


def digest(content):
    return hashlib.md5(content).hexdigest()


def content(root):
    """The names and digests of all files below a folder."""
    return {str(file.relative_to(root)): digest(file.read_bytes()) for file in root.rglob("*") if file.is_file()}


def objects(s3, bucket, prefix="", by_etag=False):
    """The keys, without the prefix, and digests of all objects below it: of what is read, or, for many objects, the ETags of those
    that were not uploaded in parts."""
    pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
    entries = {entry["Key"]: entry["ETag"].strip('"') for page in pages for entry in page.get("Contents", [])}
    read = lambda key: digest(s3.get_object(Bucket=bucket, Key=key)["Body"].read())
    return {key.removeprefix(prefix): tag if by_etag and "-" not in tag else read(key) for key, tag in entries.items()}


def same_content(found, expected, what):
    """Compares two maps of names and digests, and names the first difference."""
    for name in sorted(found.keys() | expected.keys()):
        same((name, found.get(name)), (name, expected.get(name)), what)
