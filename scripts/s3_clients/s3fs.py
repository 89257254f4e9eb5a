"""s3fs: the bucket as a file system."""

import os
import shutil
import subprocess
import time

from . import trees
from .place import BUCKET, LeftOut
from .trees import same

UNMOUNT_SECONDS = 30


def unmount(place):
    """Unmounts the bucket, whatever state the file system is in."""
    until = time.monotonic() + UNMOUNT_SECONDS
    while os.path.ismount(place.mount):
        lazily = ["-z"] if time.monotonic() > until else []
        subprocess.run(["fusermount", "-u", *lazily, place.mount], stderr=subprocess.DEVNULL, check=False)
        time.sleep(0.1)


def change(root, seed):
    """Does the same to a file system and to a folder that it is compared with."""
    trees.make(root / "tree", 60, 70_000, seed)
    trees.large(root / "large", seed=seed)
    (root / "tree" / "folder 0").rename(root / "renamed")
    (root / "large").rename(root / "large renamed")
    with (root / "large renamed").open("ab") as file:
        file.write(b"appended")
    with (root / "large renamed").open("r+b") as file:
        file.seek(12_345_678)
        file.write(b"in the middle")
    shutil.copy(root / "large renamed", root / "copy")
    (root / "copy").write_bytes(b"shorter")
    (root / "empty").touch()
    removed = sorted(each for each in (root / "renamed").rglob("*") if each.is_file())[0]
    removed.unlink()


def check(place, daemon):
    place.need("s3fs", "install the package s3fs")
    place.need("fusermount", "install the package fuse")
    if os.geteuid() != 0 or not os.access("/dev/fuse", os.R_OK | os.W_OK):
        raise LeftOut("needs root and /dev/fuse")
    # In ~/.aws/credentials it looks only for the user of the process, whose home is another.
    password = place.folder / ".passwd-s3fs"
    password.touch(0o600)
    password.write_text(":".join(place.key))
    try:
        place.run_documented("s3fs")
        root = place.mount / "s3fs"
        root.mkdir()
        change(root, 1)
        change(place.data, 1)
        trees.same_content(trees.content(root), trees.content(place.data), "what s3fs reads")
        os.chmod(root / "copy", 0o640)
        os.symlink("copy", root / "link")
        unmount(place)
        # Without what it kept in memory.
        place.run_documented("s3fs")
        same(((root / "copy").stat().st_mode & 0o777, os.readlink(root / "link")), (0o640, "copy"), "what s3fs kept of attributes")
        (root / "link").unlink()
        trees.same_content(trees.content(root), trees.content(place.data), "what s3fs reads after a remount")
        stored = {key: found for key, found in trees.objects(place.s3, BUCKET, "s3fs/").items() if key and not key.endswith("/")}
        trees.same_content(stored, trees.content(place.data), "what s3fs wrote")
        shutil.rmtree(root)
        same(trees.objects(place.s3, BUCKET, "s3fs/"), {}, "what s3fs left of a removed folder")
    finally:
        unmount(place)
