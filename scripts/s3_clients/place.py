"""Where a client runs: a folder that is its home, a tree of files, and a bucket."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import textwrap

from . import trees

DOCUMENTS = pathlib.Path(__file__).parents[2] / "docs"
COMMAND_SECONDS = 300
# What stands for the endpoint, the bucket, the data and the mount point in docs/s3.md.
ENDPOINT, BUCKET, DATA, MOUNT = "http://storage-1:9000", "backup", "/srv/data", "/mnt"


class LeftOut(Exception):
    """A client cannot run here."""


def create_user(daemon):
    """Creates the bucket, and a user who may do what docs/start.md says and nothing else. Returns the user's credentials."""
    text = (DOCUMENTS / "start.md").read_text()
    policy = re.search(r"group policy set backup-writers backup - <<'END'\n(.*?)\n    END\n", text, re.DOTALL).group(1)
    daemon.manage("bucket", "create", BUCKET)
    daemon.manage("s3", "group", "create", "backup-writers")
    daemon.manage("s3", "group", "policy", "set", "backup-writers", "backup", "-", text=policy)
    daemon.manage("s3", "user", "create", "backup-job", "--group", "backup-writers")
    return daemon.manage("s3", "key", "create", "backup-job")


class Place:
    """The folder and the environment of a client. Nothing of whoever runs the script is in them."""

    def __init__(self, daemon, name, credentials):
        self.url, self.s3, self.name = daemon.url, daemon.client(), name
        self.key = re.findall(r"^aws_\w+ = (\S+)$", credentials, re.MULTILINE)
        self.folder = daemon.folder / name
        self.data, self.back, self.mount, self.programs = (self.folder / each for each in ("data", "back", "mount", "bin"))
        for folder in (self.data, self.back, self.mount, self.programs, self.folder / ".aws"):
            folder.mkdir(parents=True)
        file = self.folder / ".aws" / "credentials"
        file.touch(0o600)
        file.write_text(credentials)
        self.environment = {"PATH": f"{self.programs}:{os.environ['PATH']}", "HOME": str(self.folder), "LANG": "C.UTF-8"}

    def need(self, program, how, path=None):
        """Finds a program, which may be at a path of its own."""
        found = path if path and os.access(path, os.X_OK) else None if path else shutil.which(program)
        if not found:
            raise LeftOut(f"{program} is missing: {how}")
        (self.programs / program).symlink_to(found)

    def run(self, *words, succeeds=True, **options):
        """Runs a command, and returns what it prints."""
        done = subprocess.run([str(word) for word in words], env=self.environment, cwd=self.folder, text=True, errors="replace",
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMMAND_SECONDS, **options)
        if (done.returncode == 0) != succeeds:
            sys.exit(f"check-s3: {' '.join(map(str, words))}: status {done.returncode}: {done.stdout[-3000:]}")
        return done.stdout

    def run_documented(self, heading):
        """Runs the lines below a heading of docs/s3.md. The settings that they export hold for later commands, too."""
        section = (DOCUMENTS / "s3.md").read_text().split(f"\n### {heading}\n")[1].split("\n#")[0]
        lines = "".join(line for line in section.splitlines(keepends=True) if line.startswith("    "))
        script = textwrap.dedent(lines)
        for placeholder, real in ((ENDPOINT, self.url), (DATA, self.data), (MOUNT, self.mount)):
            script = re.sub(rf"{placeholder}\b", str(real), script)
        for name, value in re.findall(r"([A-Z0-9_]+)=(\S+)", "".join(re.findall(r"^export .*", script, re.MULTILINE))):
            self.environment[name] = value.replace("~", str(self.folder))
        return self.run("bash", "-euc", script)

    def same_objects(self, prefix, what, by_etag=False):
        """Compares the data with the objects below a prefix, which another client reads."""
        trees.same_content(trees.objects(self.s3, BUCKET, prefix, by_etag), trees.content(self.data), what)

    def same_back(self, what):
        """Compares the data with what came back."""
        trees.same_content(trees.content(self.back), trees.content(self.data), what)
