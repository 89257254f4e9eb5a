"""What a suite is, and what all of them need to be provided."""

import dataclasses
import os
import pathlib
import shutil
import subprocess
from collections.abc import Callable

CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "forebay"


class Unavailable(Exception):
    """The suite cannot be provided on this machine. The message says what is missing."""


class Broken(Exception):
    """The suite or the daemon did not come to an end."""


@dataclasses.dataclass(frozen=True)
class Suite:
    """A suite that others have written."""

    # Also the name of its lists in crates/s3/tests/conformance, and of its table in docs/s3-conformance.md.
    name: str
    # How much of the counted cases must pass.
    percent_min: float
    # Builds or installs it, once, and returns what `run` needs of it.
    provide: Callable
    # Takes that, a daemon and an empty folder, and runs all cases. Returns a map of their names: None if a case passed, and what the
    # suite says if it failed or was skipped.
    run: Callable
    # Arguments for the daemon.
    daemon_options: tuple = ()


def provide_once(name, build):
    """The folder of a tool in the cache. `build` fills it if it is not there."""
    folder = CACHE / name
    if not folder.exists():
        print(f"== {name} is built once, into {folder}", flush=True)
        unfinished = CACHE / f"{name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        build(unfinished)
        unfinished.rename(folder)
    return folder


def command(what, *arguments, **options):
    """Runs a command that provides a suite."""
    try:
        return subprocess.run(arguments, check=True, **options)
    except FileNotFoundError:
        raise Unavailable(f"{what}: {arguments[0]} is missing") from None
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"{what}: {' '.join(map(str, arguments[:3]))} failed: see above") from error
