"""The AWS command line, the newest version and the one of Debian."""

import urllib.request

from . import trees
from .place import BUCKET
from .trees import same

HEADING = "The AWS command line, boto3 and other SDKs"
FILES = 10_000
FILES_OF_DEBIAN = 300


def check(place, daemon, program):
    """Synchronises 10,000 files there and back, then changes."""
    place.need("aws", "scripts/check-s3 installs it from PyPI", program)
    trees.make(place.data, FILES, 3_000)
    place.run_documented(HEADING)
    place.same_objects("aws/", "what `aws s3 sync` wrote", by_etag=True)
    place.run("aws", "s3", "sync", f"s3://{BUCKET}/aws", place.back, "--only-show-errors")
    place.same_back("what `aws s3 sync` read")
    same(place.run("aws", "s3", "sync", place.data, f"s3://{BUCKET}/aws"), "", "what a second `aws s3 sync` does")
    for file in sorted(each for each in place.data.rglob("*") if each.is_file())[::100]:
        file.unlink()
    trees.large(place.data / "large")
    place.run("aws", "s3", "sync", "--delete", place.data, f"s3://{BUCKET}/aws", "--only-show-errors")
    place.same_objects("aws/", "what `aws s3 sync --delete` left", by_etag=True)


def check_of_debian(place, daemon):
    """The version of the distribution, which does not know AWS_ENDPOINT_URL."""
    place.need("aws", "it is in Debian's package awscli", "/usr/bin/aws")
    place.environment["AWS_DEFAULT_REGION"] = "us-east-1"
    aws = lambda *words: place.run("aws", "--endpoint-url", place.url, *words)
    trees.make(place.data, FILES_OF_DEBIAN, 70_000)
    trees.large(place.data / "large")
    there = f"s3://{BUCKET}/awscli"
    aws("s3", "sync", place.data, f"{there}/", "--only-show-errors")
    place.same_objects("awscli/", "what Debian's `aws s3 sync` wrote")
    # By multipart copy, for the large one.
    aws("s3", "mv", "--recursive", f"{there}/", f"{there}-moved/", "--only-show-errors")
    same(aws("s3", "sync", f"{there}/", place.back), "", "what `aws s3 mv` left behind")
    aws("s3", "cp", "--recursive", f"{there}-moved/", place.back, "--only-show-errors")
    place.same_back("what Debian's `aws s3 cp` read")
    with urllib.request.urlopen(aws("s3", "presign", f"{there}-moved/large").strip()) as answer:
        same(trees.digest(answer.read()), trees.digest((place.data / "large").read_bytes()), "what a presigned URL reads")
    aws("s3", "rm", "--recursive", f"{there}-moved/", "--only-show-errors")
    same(trees.objects(place.s3, BUCKET, "awscli"), {}, "what `aws s3 rm --recursive` left")
