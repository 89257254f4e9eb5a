"""Two nodes with `node.standby`, as docs/nodes.md sets them up, with systemd and the drop-in of deploy/systemd."""

import json

from .client import Client
from .page import example
from .report import both, note, require, say, wait_for

INCLUDE, UNITS = "", ("forebay",)
PAGE = "docs/nodes.md"
CONFIG = "/etc/forebay/forebay.toml"
DROP_IN = "/etc/systemd/system/forebay.service.d/standby.conf"
EXAMPLE = "/usr/share/doc/forebay/examples/forebay-standby.conf"
# CAP_NET_ADMIN and CAP_NET_RAW.
CAPABILITIES = 1 << 12 | 1 << 13
DEADLINE_SECONDS = 90
MOVE_PAUSE_SECONDS_MAX = 10
FENCE_PAUSE_SECONDS_MAX = 20


def set_up(machine):
    """Everything that the page says to do on each node."""
    machine.power_on()
    machine.install_package()
    machine.copy("scripts/nodes/ipmitool", "/usr/bin/ipmitool", "0755")
    machine.write("/etc/forebay/bmc-password", "secret\n", "0640", "forebay")
    machine.write("/usr/local/sbin/fence", example(PAGE, "#!/bin/sh"), "0755")
    # The folder that the machines share stands for a cluster file system.
    machine.write(CONFIG, example(PAGE, "[pool]").replace("[node]\n", '[node]\nany_file_system = "on"\n'))
    machine.run("install", "-D", "--mode=0644", EXAMPLE, DROP_IN)
    machine.run("systemctl", "daemon-reload")


def owner(machine):
    """What `forebay pool owner` says, or nothing while this machine does not serve."""
    if not machine.is_on():
        return None
    status, said = machine.attempt("forebay", "pool", "owner", "--output", "json")
    if status != 0:
        return None
    owner = json.loads(said)
    return owner if owner["phase"] == "serving" else None


def serves(machine):
    """Whether it is the owner, has the address and has told systemd."""
    found = owner(machine)
    return found if found and found["name"] == machine.name and machine.property("StatusText").startswith("serving") else None


def waits(machine):
    """Whether it is a standby that can take the pool over."""
    return machine.is_on() and machine.property("StatusText").startswith("standby") and machine.log(lines=1).endswith("is seen here")


def is_confined(machine):
    """The daemon has its own user, and the drop-in's capabilities and no others."""
    status = machine.run("cat", f"/proc/{machine.property('MainPID')}/status")
    fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    user = machine.run("id", "--user", "forebay")
    require(fields["Uid"].split() == [user] * 4, f"the daemon on {machine.name} runs as {fields['Uid']}, not as forebay, {user}")
    for name in ("CapEff", "CapBnd", "CapAmb"):
        require(int(fields[name], 16) == CAPABILITIES, f"the daemon on {machine.name} has {name} {fields[name]}")
    said = machine.run("systemd-analyze", "verify", "forebay.service")
    require(said == "", f"systemd-analyze verify on {machine.name}: {said}")


def volumes(machine):
    """The names of the volumes."""
    return sorted(volume["name"] for volume in json.loads(machine.run("forebay", "volume", "list", "--output", "json")))


def check(machines, management):
    """All of it."""
    a, b = machines
    say("two nodes with systemd: the package, the page's configuration and fence program, the drop-in")
    both(machines, set_up)
    users = [machine.run("id", "--user", "forebay") for machine in machines]
    require(users[0] == users[1], f"the user forebay is {users[0]} on a and {users[1]} on b")
    create_pool(a)

    say("both are started: one serves, the other waits")
    a.run("systemctl", "start", "forebay")
    wait_for("a serves", DEADLINE_SECONDS, lambda: serves(a))
    b.run("systemctl", "start", "forebay")
    wait_for("b waits", DEADLINE_SECONDS, lambda: waits(b))
    for machine in machines:
        is_confined(machine)
    a.run("forebay", "volume", "create", "orders")
    client = Client("10.0.0.50")
    client.require_answer()

    moves(client, a, b)
    crashes(client, b)
    wait_for("a waits", DEADLINE_SECONDS, lambda: waits(a))
    fails(client, b, a, management)
    say("the node that failed is switched on: it is a standby again, and can take the pool")
    b.power_on()
    wait_for("b waits", DEADLINE_SECONDS, lambda: waits(b))
    moves(client, a, b)
    is_cut_off(client, b, a, management)
    b.power_on()
    wait_for("b waits", DEADLINE_SECONDS, lambda: waits(b))
    moves(client, a, b)
    is_shut_down(client, b, a, management)
    b.power_on()
    wait_for("b waits", DEADLINE_SECONDS, lambda: waits(b))
    moves(client, a, b)
    require(volumes(b) == ["kafka", "orders"], f"the volumes are {volumes(b)}")
    client.stop()
    for machine in (a, b):
        machine.run("systemctl", "stop", "forebay")
        require(machine.property("Result") == "success", f"the stop on {machine.name} was not clean: {machine.property('Result')}")


def is_shut_down(client, origin, target, management):
    """The owner's machine is shut down."""
    say(f"{origin.name} is shut down: {target.name} serves without a fence")
    client.mark()
    management.fenced.clear()
    origin.shut_down()
    found = wait_for(f"{target.name} serves", DEADLINE_SECONDS, lambda: serves(target))
    require(found["takeover"]["kind"] == "moved", f"the takeover is {found['takeover']}")
    require(not management.fenced, f"fenced were {management.fenced}")
    client.require_answer(MOVE_PAUSE_SECONDS_MAX)


def create_pool(machine):
    """As the page says."""
    for line in example(PAGE, "install --directory --owner=forebay --group=forebay --mode=0700 /shared/pool").splitlines():
        machine.run("sh", "-c", line)


def moves(client, origin, target):
    """The owner gives the pool up, and the other one takes it."""
    say(f"`forebay pool release` on {origin.name}: {target.name} serves, {origin.name} waits")
    client.mark()
    origin.run("forebay", "pool", "release")
    found = wait_for(f"{target.name} serves", DEADLINE_SECONDS, lambda: serves(target))
    require(found["takeover"]["kind"] == "moved", f"the takeover is {found['takeover']}")
    wait_for(f"{origin.name} waits", DEADLINE_SECONDS, lambda: waits(origin))
    client.require_answer(MOVE_PAUSE_SECONDS_MAX)


def crashes(client, machine):
    """The daemon is killed on its node, and goes on there."""
    say(f"the daemon is killed on {machine.name}: it is started again, and takes its pool back without a fence")
    before = machine.property("MainPID")
    client.mark()
    machine.run("kill", "-KILL", before)
    wait_for(f"another process runs on {machine.name}", DEADLINE_SECONDS, lambda: machine.property("MainPID") not in ("0", before))
    found = wait_for(f"{machine.name} serves", DEADLINE_SECONDS, lambda: serves(machine))
    require(found["takeover"]["kind"] == "restarted", f"the takeover is {found['takeover']}")
    client.require_answer(FENCE_PAUSE_SECONDS_MAX)


def fails(client, origin, target, management):
    """The owner loses its power."""
    say(f"{origin.name} loses its power: {target.name} has it fenced, and serves")
    client.mark()
    origin.power_off()
    found = wait_for(f"{target.name} serves", DEADLINE_SECONDS, lambda: serves(target))
    require(found["takeover"]["kind"] == "fenced", f"the takeover is {found['takeover']}")
    require(management.fenced == [origin.name], f"fenced were {management.fenced}")
    client.require_answer(FENCE_PAUSE_SECONDS_MAX)


def is_cut_off(client, origin, target, management):
    """The owner runs and writes to the pool's directory, and clients cannot reach it."""
    say(f"{origin.name} loses its network: {target.name}, which reaches the witness, has it fenced, and serves")
    client.mark()
    management.fenced.clear()
    origin.lose_network()
    wait_for(f"{target.name} serves", DEADLINE_SECONDS, lambda: serves(target))
    require(management.fenced == [origin.name], f"fenced were {management.fenced}")
    require(not origin.is_on(), f"{origin.name} still runs")
    client.require_answer(FENCE_PAUSE_SECONDS_MAX)
