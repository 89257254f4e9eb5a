"""Usage: python3 -m s3_conformance BINARY [SUITE...] [--write], from the root of the repository, with scripts/ in PYTHONPATH."""

import pathlib
import sys
import tempfile
import time

from . import page
from .daemon import Daemon
from .lists import Result
from .suite import Broken, Unavailable
from .suites import SUITES


def run(suite, tool, binary):
    """Runs a suite on a new pool."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        work = folder / "suite"
        work.mkdir()
        with Daemon(binary, folder, suite.daemon_options) as daemon:
            result = Result(suite, suite.run(tool, daemon, work))
    print(f"== {suite.name}: {time.monotonic() - started:.0f} s", flush=True)
    return result


def main(binary, *arguments):
    names = [name for name in arguments if name != "--write"]
    for name in names:
        if name not in SUITES:
            sys.exit(f"check-s3-conformance: there is no suite {name}; the suites are {', '.join(SUITES)}")
    complaints = []
    for name in names or SUITES:
        suite = SUITES[name]
        try:
            result = run(suite, suite.provide(), pathlib.Path(binary).resolve())
        except Unavailable as error:
            if names:
                sys.exit(f"check-s3-conformance: {name}: {error}")
            print(f"== {name} is left out: {error}", flush=True)
            continue
        except Broken as error:
            sys.exit(f"check-s3-conformance: {name}: {error}")
        result.report()
        if "--write" in arguments:
            result.write()
            page.write(result)
        else:
            complaints += result.complaints()
    if complaints:
        sys.exit("\n".join(f"check-s3-conformance: {complaint}" for complaint in complaints))


main(*sys.argv[1:])
