"""Two network segments, as bridges in the network namespace that this process is in, and a namespace for each machine."""

import os
import subprocess


def ip(*words):
    """Runs ip(8)."""
    subprocess.run(["ip", *words], check=True)


class Network:
    """The clients' segment 10.0.0.0/24, where this process is 10.0.0.1, and the machines' own, 10.0.1.0/24."""

    def __init__(self):
        ip("link", "set", "lo", "up")
        for segment in range(2):
            ip("link", "add", f"segment{segment}", "type", "bridge", "forward_delay", "0")
            ip("link", "set", f"segment{segment}", "up")
        ip("address", "add", "10.0.0.1/24", "dev", "segment0")

    @staticmethod
    def namespace(name):
        """The namespace of a machine."""
        return f"forebay-nodes-{os.getpid()}-{name}"

    def plug(self, name, number):
        """Makes the namespace of a machine, with eth0 and eth1 on the segments."""
        namespace = self.namespace(name)
        ip("netns", "add", namespace)
        for segment in range(2):
            ip("link", "add", f"{name}{segment}", "type", "veth", "peer", "name", f"eth{segment}", "netns", namespace)
            ip("link", "set", f"{name}{segment}", "master", f"segment{segment}", "up")
            ip("-netns", namespace, "address", "add", f"10.0.{segment}.{number}/24", "dev", f"eth{segment}")
            ip("-netns", namespace, "link", "set", f"eth{segment}", "up")

    def pull(self, name):
        """Pulls the network cables of a machine: nothing that it sends after that arrives."""
        for segment in range(2):
            ip("link", "set", f"{name}{segment}", "down")

    def forget(self, name):
        """Removes the namespace of a machine that is off."""
        for segment in range(2):
            ip("link", "delete", f"{name}{segment}")
        ip("netns", "delete", self.namespace(name))
