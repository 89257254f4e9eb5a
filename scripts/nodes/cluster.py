"""The disk that both machines of a cluster reach, and the state of the cluster."""

import pathlib
import subprocess
import xml.etree.ElementTree as ElementTree

DEVICE = "/dev/disk/by-id/forebay"
DISK_BYTES = 4 << 30


class Disk:
    """A disk that both machines reach: a loop device, whose file system the kernel lets more than one of them mount."""

    def __init__(self, folder):
        image = folder / "disk"
        with image.open("wb") as file:
            file.truncate(DISK_BYTES)
        self.device = subprocess.run(["losetup", "--find", "--show", image], check=True, text=True, stdout=subprocess.PIPE).stdout.strip()

    def attach(self, machine):
        """Makes the device on a machine that has booted."""
        number = pathlib.Path(self.device).stat().st_rdev
        machine.run("mkdir", "-p", str(pathlib.PurePath(DEVICE).parent))
        machine.run("mknod", DEVICE, "b", str(number >> 8 & 0xFFF), str(number & 0xFF))

    def detach(self):
        """Releases the loop device. The kernel waits until no machine has it mounted."""
        subprocess.run(["losetup", "--detach", self.device], check=False)


class Cluster:
    """The state of the cluster, as Pacemaker reports it."""

    def __init__(self, machines):
        self.machines = machines

    def status(self):
        """The report of crm_mon on the first machine that has one, or None."""
        for machine in self.machines:
            if machine.is_on():
                status, said = machine.attempt("crm_mon", "--one-shot", "--output-as=xml")
                if status == 0:
                    return ElementTree.fromstring(said)
        return None

    def is_whole(self):
        """Whether both nodes are members, and one of them is the coordinator."""
        status = self.status()
        online = [] if status is None else status.findall("./nodes/node[@online='true'][@pending='false'][@unclean='false']")
        return len(online) == len(self.machines) and status.find("./summary/current_dc[@present='true']") is not None

    def place(self, resource):
        """The name of the machine that a resource runs on. None if it has failed, or runs on no machine or on several."""
        status = self.status()
        found = [] if status is None else status.findall(f".//resource[@id='{resource}']")
        nodes = [node.get("name") for one in found if is_well(one) for node in one.findall("node")]
        return nodes[0] if len(nodes) == 1 and len(found) == 1 else None

    def fenced(self):
        """The names of the nodes that were fenced, the last one at the end."""
        events = self.status().findall("./fence_history/fence_event[@status='success']")
        return [event.get("target") for event in sorted(events, key=lambda event: event.get("completed"))]

    def is_at(self, machine):
        """Whether all resources of the pool run on that machine, and its daemon answers."""
        places = [self.place(resource) for resource in ("file-system", "daemon", "address")]
        return places == [machine.name] * 3 and machine.holds("forebay", "pool", "show")


def is_well(resource):
    """Whether a resource is started, and neither failed nor blocked."""
    return resource.get("role") == "Started" and all(resource.get(bad) == "false" for bad in ("failed", "blocked", "orphaned"))
