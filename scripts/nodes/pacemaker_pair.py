"""Two nodes with Pacemaker and a disk that both reach, as docs/nodes.md and deploy/pacemaker set them up."""

import re
import time

from . import drbd
from .client import Client
from .cluster import DEVICE, Cluster, Disk
from .page import example
from .report import both, note, require, say, wait_for

INCLUDE = "pacemaker,corosync,crmsh,resource-agents,fence-agents,psmisc,kmod,xfsprogs,drbd-utils,libxml2-utils"
UNITS = ("forebay", "pacemaker", "corosync")
EXAMPLES = "/usr/share/doc/forebay/examples/pacemaker"
AGENT = "/usr/lib/ocf/resource.d/forebay/pool"
MOUNT_POINT = "/var/lib/forebay"
NOT_INSTALLED, NOT_RUNNING = 5, 7
DEADLINE_SECONDS = 120
MOVE_PAUSE_SECONDS_MAX = 30
RESTART_PAUSE_SECONDS_MAX = 20
FENCE_PAUSE_SECONDS_MAX = 40
# The time limits of the monitor and of the stop.
MONITOR_SECONDS, STOP_SECONDS = 20, 30


def agent(machine, action):
    """Calls the resource agent by hand."""
    return machine.attempt("env", "OCF_ROOT=/usr/lib/ocf", AGENT, action)


def set_up(machine, disk):
    """The package, the disk and the management controllers."""
    machine.power_on()
    disk.attach(machine)
    machine.install_package()
    machine.copy("scripts/nodes/ipmitool", "/usr/bin/ipmitool", "0755")


def check(machines, management):
    """All of it."""
    a, b = machines
    disk = Disk(a.share.parent)
    try:
        say("two nodes with Pacemaker: the package, a disk that both reach")
        both(machines, lambda machine: set_up(machine, disk))
        create_pool(a)
        agent_by_hand(a)
        form(a, b)
        uses(a, b, disk, management)
    finally:
        disk.detach()


def create_pool(machine):
    """As the page says."""
    for line in example("docs/nodes.md", f"mkfs.xfs {DEVICE}").splitlines():
        machine.run("sh", "-c", line)


def agent_by_hand(machine):
    """What Pacemaker asks of a resource agent, without Pacemaker."""
    say("the resource agent by hand: an enabled unit, no file system, and ocf-tester")
    status, said = agent(machine, "validate-all")
    require(status == NOT_INSTALLED and "systemctl disable forebay.service" in said, f"validate-all with an enabled unit: {status}: {said}")
    machine.run("systemctl", "disable", "forebay")
    status, said = agent(machine, "start")
    require(status == 1 and "file system is not mounted" in said, f"a start without the file system: {status}: {said}")
    require(agent(machine, "monitor")[0] == NOT_RUNNING, "a monitor before a start does not say that nothing runs")
    machine.run("mount", DEVICE, MOUNT_POINT)
    machine.run("ocf-tester", "-n", "daemon", AGENT)
    require(agent(machine, "stop")[0] == 0, "the stop of what is stopped fails")
    machine.run("umount", MOUNT_POINT)


def form(a, b):
    """Makes a cluster of the two, and loads the configuration."""
    say("the cluster: corosync.conf, shared-disk.crm")
    for machine in (a, b):
        machine.run("systemctl", "disable", "forebay")
        machine.run("systemctl", "stop", "pacemaker", "corosync")
        machine.run("sh", "-c", "rm -f /var/lib/pacemaker/cib/*")
        machine.run("cp", f"{EXAMPLES}/corosync.conf", "/etc/corosync/corosync.conf")
    a.run("corosync-keygen", "-l")
    key = a.run("base64", "/etc/corosync/authkey")
    b.run("sh", "-c", "umask 077; base64 --decode >/etc/corosync/authkey", text=key)
    for machine in (a, b):
        machine.run("systemctl", "start", "corosync", "pacemaker")
    cluster = Cluster((a, b))
    wait_for("both nodes are members", DEADLINE_SECONDS, cluster.is_whole)
    links = a.run("corosync-cfgtool", "-s")
    require(links.count("connected") >= 2, f"the two links: {links}")
    drbd.check(a)
    said = a.run("crm", "configure", "load", "update", f"{EXAMPLES}/shared-disk.crm")
    require(not re.search("ERROR|WARNING", said), f"crm configure load update: {said}")
    said = a.run("crm_verify", "--live-check", "--verbose")
    require(said == "", f"crm_verify: {said}")


def uses(a, b, disk, management):
    """The pool is moved, the daemon is killed and hangs, and a node fails."""
    cluster = Cluster((a, b))
    say("the pool starts")
    owner, other = wait_for("the pool runs on one node", DEADLINE_SECONDS,
                                 lambda: next(((x, y) for x, y in ((a, b), (b, a)) if cluster.is_at(x)), None))
    client = Client("10.0.0.50")
    client.require_answer()
    owner.run("forebay", "volume", "create", "orders")
    note(f"on {owner.name}")
    main = owner.property("MainPID")
    require(owner.run("stat", "--format=%U", f"/proc/{main}") == "forebay", "the daemon does not run as forebay")
    fences_are_well(cluster, a, b)

    moves(cluster, client, owner, other)
    owner, other = other, owner
    crashes(cluster, client, owner)
    sleeps(cluster, client, owner)
    fails(cluster, client, owner, other, management)
    returns(cluster, owner, other, disk)
    owner, other = other, owner
    hangs(cluster, client, owner, other, management)
    returns(cluster, owner, other, disk)
    is_shut_down(cluster, client, other, owner, management)
    returns(cluster, other, owner, disk)
    owner, other = other, owner
    require("orders" in other.run("forebay", "volume", "list"), "the volume is gone")
    client.stop()
    say("the cluster is stopped: the pool is closed")
    for machine in (owner, other):
        machine.run("systemctl", "stop", "pacemaker", "corosync")
        require(machine.property("ActiveState") == "inactive", f"the daemon on {machine.name} is {machine.property('ActiveState')}")
        require(not machine.holds("mountpoint", "--quiet", MOUNT_POINT), f"the file system is still mounted on {machine.name}")


def fences_are_well(cluster, a, b):
    """Each node's fence runs on the other node."""
    for name, machine in (("fence-a", b), ("fence-b", a)):
        wait_for(f"{name} is started on {machine.name}", DEADLINE_SECONDS, lambda: cluster.place(name) == machine.name)


def moves(cluster, client, origin, target):
    """`crm resource move`."""
    say(f"`crm resource move pool {target.name}`")
    client.mark()
    origin.run("crm", "resource", "move", "pool", target.name)
    wait_for(f"the pool runs on {target.name}", DEADLINE_SECONDS, lambda: cluster.is_at(target))
    client.require_answer(MOVE_PAUSE_SECONDS_MAX)
    origin.run("crm", "resource", "clear", "pool")
    time.sleep(3)
    require(cluster.is_at(target), "the pool did not stay when the constraint of the move was removed")


def crashes(cluster, client, machine):
    """The daemon is killed, and started again in place."""
    say(f"the daemon is killed on {machine.name}: it is started again there")
    is_replaced(cluster, client, machine, "-KILL", RESTART_PAUSE_SECONDS_MAX)


def sleeps(cluster, client, machine):
    """The daemon does nothing until it is told to end. systemd lets it continue when it stops it."""
    say(f"the daemon hangs on {machine.name}: its monitor fails, and it is started again there")
    is_replaced(cluster, client, machine, "-STOP", MONITOR_SECONDS + RESTART_PAUSE_SECONDS_MAX)


def is_replaced(cluster, client, machine, signal, pause_seconds_max):
    """The daemon gets a signal, and another one serves on the same machine in time."""
    before = machine.property("MainPID")
    client.mark()
    machine.run("kill", signal, before)
    wait_for("another process runs", DEADLINE_SECONDS, lambda: machine.property("MainPID") not in ("0", before))
    wait_for(f"the pool runs on {machine.name}", DEADLINE_SECONDS, lambda: cluster.is_at(machine))
    client.require_answer(pause_seconds_max)


def fails(cluster, client, origin, target, management):
    """The node loses its power."""
    say(f"{origin.name} loses its power: it is fenced, and {target.name} serves")
    client.mark()
    management.fenced.clear()
    origin.power_off()
    wait_for(f"the pool runs on {target.name}", DEADLINE_SECONDS, lambda: cluster.is_at(target))
    # The management controller said that it is off, so it was not switched off again.
    require(cluster.fenced() == [origin.name], f"fenced were {cluster.fenced()}")
    require(not management.fenced, f"switched off were {management.fenced}")
    client.require_answer(FENCE_PAUSE_SECONDS_MAX)


def is_shut_down(cluster, client, origin, target, management):
    """systemd's stop of the daemon waits for Pacemaker, which stops the resources in order."""
    say(f"{origin.name} is shut down: {target.name} serves without a fence")
    client.mark()
    management.fenced.clear()
    origin.shut_down()
    wait_for(f"the pool runs on {target.name}", DEADLINE_SECONDS, lambda: cluster.is_at(target))
    # The other node was the last one.
    require(not management.fenced and cluster.fenced()[-1] == target.name, f"fenced were {cluster.fenced()}")
    client.require_answer(MOVE_PAUSE_SECONDS_MAX)


def hangs(cluster, client, origin, target, management):
    """The daemon does nothing any more, and its stop does not end."""
    say(f"the daemon cannot be stopped on {origin.name}: its monitor fails, its stop fails, the node is fenced, and {target.name} serves")
    client.mark()
    management.fenced.clear()
    origin.write("/run/systemd/system/forebay.service.d/stuck.conf", "[Service]\nExecStop=/bin/sleep infinity\n")
    origin.run("systemctl", "daemon-reload")
    origin.run("kill", "-STOP", origin.property("MainPID"))
    wait_for(f"the pool runs on {target.name}", DEADLINE_SECONDS, lambda: cluster.is_at(target))
    require(cluster.fenced()[-1] == origin.name, f"fenced were {cluster.fenced()}")
    require(management.fenced == [origin.name], f"switched off were {management.fenced}")
    require(not origin.is_on(), f"{origin.name} still runs")
    client.require_answer(MONITOR_SECONDS + STOP_SECONDS + FENCE_PAUSE_SECONDS_MAX)


def returns(cluster, failed, owner, disk):
    """The node is switched on, and the pool stays where it is."""
    say(f"{failed.name} is switched on: it is a member again, and the pool stays on {owner.name}")
    failed.power_on()
    disk.attach(failed)
    wait_for("both nodes are members", DEADLINE_SECONDS, cluster.is_whole)
    time.sleep(3)
    require(cluster.is_at(owner), f"the pool did not stay on {owner.name}")
