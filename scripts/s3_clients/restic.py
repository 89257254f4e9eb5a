"""restic: two backups, a check that reads everything, a restoration, and the removal of the first backup."""

import shutil

from . import trees


def restore(place, snapshot, expected, what):
    """Restores a snapshot, and compares it."""
    shutil.rmtree(place.back)
    place.run("restic", "restore", snapshot, "--target", place.back)
    trees.same_content(trees.content(place.back / place.data.relative_to("/")), expected, what)


def check(place, daemon):
    place.need("restic", "install the package restic")
    (place.folder / ".restic-password").write_text("secret\n")
    trees.make(place.data, 300, 70_000)
    trees.large(place.data / "large", 60_000_000)
    place.run_documented("restic")
    first = trees.content(place.data)
    shutil.rmtree(place.data / "folder 1")
    trees.make(place.data / "more", 100, 70_000, seed=2)
    with (place.data / "large").open("ab") as file:
        file.write(b"more")
    place.run("restic", "backup", place.data)
    place.run("restic", "check", "--read-data")
    snapshots = [line.split()[0] for line in place.run("restic", "snapshots").splitlines() if str(place.data) in line]
    restore(place, snapshots[0], first, "what restic restored of the first backup")
    restore(place, snapshots[1], trees.content(place.data), "what restic restored of the second backup")
    place.run("restic", "forget", "--keep-last", "1", "--prune")
    place.run("restic", "check", "--read-data")
    restore(place, "latest", trees.content(place.data), "what restic restored after `forget --prune`")
