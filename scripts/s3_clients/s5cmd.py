"""s5cmd: copies a tree there and back, lists, reads, moves and removes with wildcards."""

from . import trees
from .place import BUCKET
from .trees import same


def check(place, daemon, program):
    place.need("s5cmd", "install Go, and scripts/check-s3 builds it", program)
    trees.make(place.data, 300, 70_000)
    large = trees.large(place.data / "large", 120_000_000)
    place.run_documented("s5cmd")
    place.same_objects("s5cmd/", "what `s5cmd sync` wrote")
    there = f"s3://{BUCKET}/s5cmd"
    same(place.s3.head_object(Bucket=BUCKET, Key="s5cmd/large")["ETag"][-3:], '-3"', "an object that s5cmd uploads in parts")
    listed = [line.split(maxsplit=3)[3] for line in place.run("s5cmd", "ls", f"{there}/*").splitlines()]
    same(sorted(listed), sorted(trees.content(place.data)), "what `s5cmd ls` lists")
    (place.data / "small").write_bytes(b"small")
    place.run("s5cmd", "cp", place.data / "small", f"{there}/")
    same(place.run("s5cmd", "cat", f"{there}/small"), "small", "what `s5cmd cat` reads")
    place.run("s5cmd", "mv", f"{there}/*", f"{there}-moved/")
    same(trees.objects(place.s3, BUCKET, "s5cmd/"), {}, "what `s5cmd mv` left behind")
    place.run("s5cmd", "cp", f"{there}-moved/*", f"{place.back}/")
    place.same_back("what `s5cmd cp` read")
    place.run("s5cmd", "rm", f"{there}-moved/folder*")
    same(trees.objects(place.s3, BUCKET, "s5cmd-moved/"), {"large": trees.digest(large), "small": trees.digest(b"small")},
         "what `s5cmd rm` with a wildcard left")
    place.run("s5cmd", "rm", f"{there}-moved/*")
