"""The examples for a disk that DRBD mirrors.

DRBD needs its kernel module, so `forebay.res` is only parsed, and Pacemaker's simulator shows what `drbd.crm` does.
"""

import re

from .report import require, say

EXAMPLES = "/usr/share/doc/forebay/examples/pacemaker"
RESOURCE = "/etc/drbd.d/forebay.res"
CIB = "/tmp/drbd.xml"


def check(machine):
    """Checks both files, on a member of a cluster that has no resources yet."""
    say("drbd.crm and forebay.res: parsed, and a start and a failure simulated")
    machine.run("cp", f"{EXAMPLES}/forebay.res", RESOURCE)
    machine.run("/usr/lib/drbd/drbdadm-84", "dump", "forebay")
    # The change that the file asks for with the module of DRBD 9.
    changes = ["/^        fencing /d", "s/^    net {/&\\n        fencing resource-and-stonith;/", "s/fence-peer.sh/fence-peer.9.sh/"]
    machine.run("sed", "--in-place", *(word for change in changes for word in ("-e", change)), RESOURCE)
    machine.run("drbdadm", "dump", "forebay")
    machine.run("sh", "-c", f"cibadmin --query >{CIB}")
    said = machine.run("env", f"CIB_file={CIB}", "crm", "configure", "load", "update", f"{EXAMPLES}/drbd.crm")
    require(not re.search("ERROR|WARNING", said), f"crm configure load update: {said}")
    said = machine.run("crm_verify", f"--xml-file={CIB}", "--verbose")
    require(said == "", f"crm_verify: {said}")
    # DRBD's resource agent sets this attribute where the disk is up to date.
    for name in ("a", "b"):
        machine.run("env", f"CIB_file={CIB}", "crm_attribute", "--lifetime=reboot", f"--node={name}", "--name=master-mirror", "--update=10000")
    simulate(machine)
    promoted = place_in(simulate(machine))
    survivor = place_in(simulate(machine, f"--node-fail={promoted}"))
    require(survivor != promoted, f"after a failure of {promoted} the pool is still there")


def simulate(machine, *event):
    """Simulates what Pacemaker does until it has nothing more to do. The next simulation begins with the result."""
    return machine.run("crm_simulate", "--simulate", f"--xml-file={CIB}", f"--save-output={CIB}", *event)


def place_in(said):
    """Returns the node that is promoted at the end of a simulation. All resources of the pool must run there."""
    final = said[said.index("Revised Cluster Status"):]
    promoted = re.search(r"Promoted: \[ (\w+) \]", final)
    require(promoted, f"no node is promoted: {said}")
    for resource in ("file-system", "daemon", "address"):
        require(re.search(rf"\* {resource}\s+\(ocf\S+\):\s+Started {promoted[1]}", final), f"{resource} is not on {promoted[1]}: {said}")
    return promoted[1]
