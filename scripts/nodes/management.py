"""The management controllers of the machines: an HTTP server on a socket in the folder that the machines share.

GET /NODE/off and /NODE/status, for scripts/nodes/ipmitool, which stands for the real one on the machines.
"""

import http.server
import os
import socketserver
import threading

from .report import note


class Handler(http.server.BaseHTTPRequestHandler):
    """One request."""

    def do_GET(self):  # noqa: N802, the name is the base class's
        _, node, action = self.path.split("/")
        machine = self.server.machines.get(node)
        if machine is None or action not in ("off", "status"):
            self.send_error(404)
            return
        said = self.server.act(machine, action)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(f"{said}\n".encode())

    def address_string(self):
        return "machine"

    def log_message(self, *_):
        pass


class Management(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    """Switches machines off for the fence programs, and lists the machines in `fenced`."""

    daemon_threads = True

    def __init__(self, share, machines):
        super().__init__(str(share / "management"), Handler)
        # The fence program runs with the daemon's rights.
        os.chmod(share / "management", 0o666)
        self.machines, self.fenced = {machine.name: machine for machine in machines}, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def act(self, machine, action):
        """Switches a machine off, or reports its state, with the output of the real ipmitool."""
        if action == "off":
            if machine.is_on():
                note(f"{machine.name} is switched off by its fence")
            machine.power_off()
            self.fenced.append(machine.name)
            return "Chassis Power Control: Down/Off"
        return f"Chassis Power is {'on' if machine.is_on() else 'off'}"
