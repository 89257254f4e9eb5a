"""Usage: python -m nodes prepare [PAIR…], which fills the cache, and then, in a network namespace of its own and as root,
python -m nodes check FOLDER PACKAGES [PAIR…]. PAIR is `standby` or `pacemaker`.

`network` makes the segments, `machine` boots and kills, `management` is what fence programs ask, `client` measures pauses.
`standby_pair` and `pacemaker_pair` have the checks.
"""

import pathlib
import signal
import subprocess
import sys

from . import pacemaker_pair, standby_pair
from .machine import Machine
from .management import Management
from .network import Network
from .report import Failed, complain, say

PAIRS = {"standby": standby_pair, "pacemaker": pacemaker_pair}


def check(pair, folder, packages, network):
    """Makes two machines, and what they share, for a pair's checks."""
    (folder / "shared").mkdir(parents=True)
    machines = [Machine(name, number, network, folder, packages, pair.INCLUDE) for name, number in (("a", 11), ("b", 12))]
    management = Management(folder / "shared", machines)
    try:
        pair.check(machines, management)
    except Failed:
        for machine in machines:
            for unit in pair.UNITS:
                complain(f"{unit} on {machine.name}:\n{machine.log(unit)}")
        raise
    finally:
        management.shutdown()
        for machine in machines:
            machine.destroy()


def pairs(chosen):
    """The pairs that were asked for, or all."""
    unknown = set(chosen) - PAIRS.keys()
    if unknown:
        sys.exit(f"check-nodes: no such pair: {', '.join(unknown)}; there are {', '.join(PAIRS)}")
    return chosen or PAIRS


def prepare(*chosen):
    """Makes the roots of the machines, while the network can be reached."""
    for name in pairs(chosen):
        include = PAIRS[name].INCLUDE
        options = ["--include", include] if include else []
        done = subprocess.run(["scripts/clean-machine", *options, "--prepare"], stdout=subprocess.DEVNULL)
        if done.returncode != 0:
            sys.exit(done.returncode)


def check_all(folder, packages, *chosen):
    """Runs them, one after the other."""
    # So that what was started is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    network = Network()
    for name in pairs(chosen):
        try:
            check(PAIRS[name], pathlib.Path(folder) / name, packages, network)
        except Failed as why:
            sys.exit(f"check-nodes: {why}")
    say("all of it")


{"prepare": prepare, "check": check_all}[sys.argv[1]](*sys.argv[2:])
