"""Progress, failures, and waiting with a deadline."""

import concurrent.futures
import sys
import time

BEGUN = time.monotonic()


class Failed(Exception):
    """A check failed."""


def say(text):
    """A line of progress."""
    print(f"== {time.monotonic() - BEGUN:3.0f} s: {text}", flush=True)


def note(text):
    """A detail below the last line of progress."""
    print(f"          {text}", flush=True)


def require(holds, text):
    """Fails with the text if the condition is false."""
    if not holds:
        raise Failed(text)


def wait_for(what, seconds, holds):
    """Waits until `holds()` returns something true, and returns that."""
    begun = time.monotonic()
    while True:
        value = holds()
        if value:
            return value
        if time.monotonic() > begun + seconds:
            raise Failed(f"in vain for {seconds} s: {what}")
        time.sleep(0.1)


def both(machines, act):
    """Does something with all machines at a time."""
    with concurrent.futures.ThreadPoolExecutor() as threads:
        list(threads.map(act, machines))


def complain(text):
    """A line on standard error."""
    print(f"check-nodes: {text}", file=sys.stderr, flush=True)
