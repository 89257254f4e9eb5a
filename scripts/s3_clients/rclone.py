"""rclone: copies a tree, compares it, synchronises deletions, uploads in parts, copies and moves within the server."""

import shutil

from . import trees
from .place import BUCKET
from .trees import same

REMOTE = f"forebay:{BUCKET}"


def check(place, daemon):
    place.need("rclone", "install the package rclone")
    trees.make(place.data, 300, 70_000)
    large = trees.large(place.data / "large")
    place.run_documented("rclone")
    place.same_objects("rclone/", "what `rclone sync` wrote")
    shutil.rmtree(place.data / "folder 1")
    (place.data / "file new").write_bytes(b"new")
    place.run("rclone", "sync", place.data, f"{REMOTE}/rclone")
    place.same_objects("rclone/", "what `rclone sync` left")
    parts = ("--s3-upload-cutoff", "5Mi", "--s3-copy-cutoff", "6Mi")
    place.run("rclone", "copyto", *parts, place.data / "large", f"{REMOTE}/rclone-parts/large")
    head = place.s3.head_object(Bucket=BUCKET, Key="rclone-parts/large")
    same((head["ContentLength"], head["ETag"][-3:]), (len(large), '-7"'), "an object that rclone uploads in parts")
    place.run("rclone", "copy", f"{REMOTE}/rclone", f"{REMOTE}/rclone-copy")
    place.same_objects("rclone-copy/", "what rclone copied within the server")
    place.run("rclone", "move", *parts, f"{REMOTE}/rclone-copy", f"{REMOTE}/rclone-moved")
    place.same_objects("rclone-moved/", "what rclone moved within the server")
    same(trees.objects(place.s3, BUCKET, "rclone-copy/"), {}, "what `rclone move` left behind")
    place.run("rclone", "copy", f"{REMOTE}/rclone-moved", place.back)
    place.same_back("what `rclone copy` read")
    # Of unknown length.
    place.run("rclone", "rcat", *parts, f"{REMOTE}/rclone-moved/stream", stdin=(place.data / "large").open("rb"))
    place.run("rclone", "check", "--download", "--one-way", place.data, f"{REMOTE}/rclone-moved")
    same(trees.objects(place.s3, BUCKET, "rclone-moved/stream"), {"": trees.digest(large)}, "what `rclone rcat` wrote")
    place.run("rclone", "purge", f"{REMOTE}/rclone-moved")
    same(trees.objects(place.s3, BUCKET, "rclone-moved/"), {}, "what `rclone purge` left")
