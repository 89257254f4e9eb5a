"""What scripts/check-s3 does with the S3 server. Usage: python -m s3_clients BINARY AWS S5CMD [CLIENT…]

`daemon` starts the server, `place` has a client's folder and environment, `trees` compares. Each other module is a client.
"""

import pathlib
import signal
import sys
import tempfile
import time

from . import aws, boto, kill, rclone, restic, s3fs, s5cmd
from .daemon import Daemon
from .place import LeftOut, Place, create_user


def clients(newest_aws, program_of_s5cmd):
    """The clients by name."""
    return {
        "boto3": boto.check,
        "awscli": lambda place, daemon: aws.check(place, daemon, newest_aws),
        "awscli-debian": aws.check_of_debian,
        "rclone": rclone.check,
        "restic": restic.check,
        "s3fs": s3fs.check,
        "s5cmd": lambda place, daemon: s5cmd.check(place, daemon, program_of_s5cmd),
        "kill": kill.check,
    }


def main():
    binary, newest_aws, program_of_s5cmd, *chosen = sys.argv[1:]
    known = clients(newest_aws, program_of_s5cmd)
    unknown = set(chosen) - known.keys()
    if unknown:
        sys.exit(f"check-s3: no such client: {', '.join(unknown)}; there are {', '.join(known)}")
    with tempfile.TemporaryDirectory() as folder:
        daemon = Daemon(binary, pathlib.Path(folder))
        daemon.start()
        try:
            credentials = create_user(daemon)
            for name in chosen or known:
                started = time.monotonic()
                try:
                    known[name](Place(daemon, name, credentials), daemon)
                    print(f"  {name}: contents as they were written, {time.monotonic() - started:.0f} s", flush=True)
                except LeftOut as why:
                    print(f"  left out: {name}: {why}", flush=True)
        finally:
            if daemon.process.poll() is None:
                daemon.end(signal.SIGTERM)
        daemon.check()
        print("  forebay pool check: consistent")


main()
