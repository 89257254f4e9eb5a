"""An NFS client that calls NULL again and again over one connection, and measures the longest time without an answer."""

import socket
import struct
import threading
import time

from .report import note, require, wait_for

PROGRAM_NFS, VERSION = 100003, 4
INTERVAL_SECONDS = 0.05
# A Linux client waits as long for a reply before it doubts its connection.
REPLY_SECONDS = 60
RETRY_SECONDS = 0.2
ANSWER_SECONDS = 120


class Client:
    """Calls the address until it is stopped."""

    def __init__(self, address, port=2049):
        self.address, self.stopped, self.lock = (address, port), threading.Event(), threading.Lock()
        self.answered, self.pause, self.connections, self.answers = None, 0.0, 0, 0
        threading.Thread(target=self.call, daemon=True).start()

    def call(self):
        """Connects and calls, and does so again whenever the connection ends."""
        while not self.stopped.is_set():
            try:
                with socket.create_connection(self.address, timeout=1) as stream:
                    self.connections += 1
                    stream.settimeout(REPLY_SECONDS)
                    while not self.stopped.is_set():
                        null(stream, self.answers & 0xFFFFFFFF)
                        self.note_answer()
                        time.sleep(INTERVAL_SECONDS)
            except OSError:
                time.sleep(RETRY_SECONDS)

    def note_answer(self):
        """Records an answer, and the pause before it."""
        now = time.monotonic()
        with self.lock:
            if self.answered is not None:
                self.pause = max(self.pause, now - self.answered)
            self.answered, self.answers = now, self.answers + 1

    def mark(self):
        """Forgets the pauses so far. One that is not over yet counts in full."""
        with self.lock:
            self.pause = 0.0

    def require_answer(self, pause_seconds_max=None):
        """Waits for the next answer. The longest pause since the mark must not be longer than that."""
        now = time.monotonic()
        wait_for("the client is answered", ANSWER_SECONDS, lambda: self.answered is not None and self.answered > now)
        if pause_seconds_max is not None:
            note(f"the client had no answer for {self.pause:.1f} s")
            require(self.pause <= pause_seconds_max, f"the client had no answer for {self.pause:.1f} s, more than {pause_seconds_max}")

    def stop(self):
        """Ends the calls."""
        self.stopped.set()


def null(stream, number):
    """One call of NULL, and its reply."""
    call = struct.pack(">IIIIIIIIII", number, 0, 2, PROGRAM_NFS, VERSION, 0, 0, 0, 0, 0)
    stream.sendall(struct.pack(">I", 0x80000000 | len(call)) + call)
    (header,) = struct.unpack(">I", receive(stream, 4))
    reply = receive(stream, header & 0x7FFFFFFF)
    if struct.unpack(">II", reply[:8]) != (number, 1):
        raise OSError("not the reply to that call")


def receive(stream, count):
    """Reads that number of bytes."""
    data = b""
    while len(data) < count:
        more = stream.recv(count - len(data))
        if not more:
            raise ConnectionResetError("the connection was closed")
        data += more
    return data
