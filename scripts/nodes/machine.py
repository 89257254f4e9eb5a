"""A clean machine that can be switched off and on, as if by its power supply."""

import contextlib
import os
import pathlib
import shutil
import signal
import subprocess
import threading

from .report import Failed, wait_for

BOOT_SECONDS, SHUTDOWN_SECONDS, END_SECONDS = 120, 120, 60


class Machine:
    """A machine with its own disk, and a folder that all machines share as /shared."""

    def __init__(self, name, number, network, folder, packages, include):
        self.name, self.number, self.network = name, number, network
        self.disk, self.share, self.packages, self.include = folder / name, folder / "shared", packages, include
        self.output = folder / f"{name}.log"
        self.process, self.lock = None, threading.Lock()

    def power_on(self):
        """Boots it."""
        with self.lock:
            self.network.plug(self.name, self.number)
            command = ["scripts/clean-machine", "--disk", self.disk, "--hostname", self.name, "--share", self.share,
                       "--packages", self.packages, "--net", self.network.namespace(self.name)]
            command += ["--include", self.include] if self.include else []
            self.disk.mkdir(exist_ok=True)
            with self.output.open("w") as output:
                self.process = subprocess.Popen([*command, "--", "sleep", "infinity"], stdin=subprocess.DEVNULL, stderr=output,
                                                start_new_session=True)
        wait_for(f"machine {self.name} boots", BOOT_SECONDS, self.is_booted)

    def is_booted(self):
        """Whether commands can be run."""
        if self.process.poll() is not None:
            raise Failed(f"machine {self.name} ended while it booted: {self.output.read_text()}")
        return (self.disk / "leader").exists()

    def is_on(self):
        """Whether it runs."""
        return self.process is not None

    def power_off(self):
        """Ends it at once. When this returns, the machine cannot write or send anything any more."""
        with self.lock:
            if self.process is None:
                return
            self.network.pull(self.name)
            try:
                os.kill(int((self.disk / "leader").read_text()), signal.SIGKILL)
            except (FileNotFoundError, ProcessLookupError):
                self.process.terminate()
            wait_for(f"machine {self.name} ends", END_SECONDS, self.is_ended)
            self.network.forget(self.name)
            self.process = None

    def is_ended(self):
        """Whether nothing of it runs any more."""
        # A system that shuts down stops its processes for a moment, and nsenter, which is outside, stops with them.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGCONT)
        return self.process.poll() is not None

    def attempt(self, *words, text=None):
        """Runs a command on it. Returns the exit status and the output."""
        done = subprocess.run(["scripts/clean-machine", "--on", self.disk, "--", *words], input=text, text=True,
                              stdin=subprocess.DEVNULL if text is None else None, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        return done.returncode, done.stdout.rstrip("\n")

    def run(self, *words, text=None):
        """Runs a command that must succeed. Returns the output."""
        status, said = self.attempt(*words, text=text)
        if status != 0:
            raise Failed(f"on {self.name}: {' '.join(words)}: status {status}: {said}")
        return said

    def holds(self, *words):
        """Whether the machine is on and a command on it succeeds."""
        return self.is_on() and self.attempt(*words)[0] == 0

    def write(self, path, text, mode="0644", group="root"):
        """Writes a file."""
        self.run("install", "-D", f"--mode={mode}", f"--group={group}", "/dev/stdin", path, text=text)

    def copy(self, source, path, mode="0644"):
        """Copies a file of the repository to it."""
        self.write(path, pathlib.Path(source).read_text(), mode)

    def property(self, name):
        """A property of the daemon's unit."""
        return self.run("systemctl", "show", "forebay", f"--property={name}", "--value")

    def log(self, unit="forebay", lines=30):
        """The end of a unit's log."""
        return self.attempt("journalctl", "--no-pager", f"--unit={unit}", f"--lines={lines}")[1] if self.is_on() else "off"

    def install_package(self):
        """Installs the project's package, as an operator would."""
        deb = next(pathlib.Path(self.packages).glob("forebay_*.deb")).name
        self.run("env", "DEBIAN_FRONTEND=noninteractive", "dpkg", "--install", f"/packages/{deb}")

    def shut_down(self):
        """Shuts it down as an operator does, and switches it off when that is done."""
        self.attempt("systemctl", "poweroff")
        wait_for(f"machine {self.name} shuts down", SHUTDOWN_SECONDS, self.is_ended)
        self.power_off()

    def lose_network(self):
        """Pulls its network cables. It continues to run."""
        self.network.pull(self.name)

    def destroy(self):
        """Switches it off and removes its disk."""
        self.power_off()
        shutil.rmtree(self.disk, ignore_errors=True)
