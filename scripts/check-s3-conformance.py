"""What scripts/check-s3-conformance does with the suite. Usage: check-s3-conformance.py BINARY SUITE [--write]

The lists are in crates/s3/tests/conformance. `versitygw.passing` has the names of cases that pass. `versitygw.exceptions` has those
that are not counted: a line that begins with `#` is a reason, and the lines below it are names, in which `*` stands for any text.
"""

import fnmatch
import pathlib
import re
import subprocess
import sys
import tempfile
import time

LISTS = pathlib.Path("crates/s3/tests/conformance")
PAGE = pathlib.Path("docs/s3-conformance.md")
MARKS = ("<!-- begin of the table of versitygw -->\n", "<!-- end of the table of versitygw -->\n")
PERCENT_MIN = 95
READY_SECONDS = 60
SUITE_SECONDS = 900


def start(binary, folder):
    """Starts the daemon. Returns its process and where it serves S3."""
    log = folder / "daemon.log"
    process = subprocess.Popen(
        [binary, "serve", "--pool-directory", folder / "pool", "--nfs-listen", "127.0.0.1:0", "--api-listen", "off",
         "--s3-listen", "127.0.0.1:0"],
        stdout=subprocess.DEVNULL, stderr=log.open("wb"),
    )
    until = time.monotonic() + READY_SECONDS
    while time.monotonic() < until and process.poll() is None:
        found = re.search(rb"S3 at (http://[0-9.:]+)", log.read_bytes())
        if found:
            return process, found.group(1).decode()
        time.sleep(0.05)
    process.kill()
    sys.exit(f"check-s3-conformance: the daemon is not ready: {log.read_text()[-2000:]}")


def run(suite, url, folder):
    """Runs all cases. Returns a map of their names: None if a case passed, and what the suite says if it failed."""
    text = (folder / "pool.s3-admin").read_text()
    access, secret = (re.search(f"{name} = (.*)", text).group(1) for name in ("aws_access_key_id", "aws_secret_access_key"))
    command = [suite, "test", "--access", access, "--secret", secret, "--endpoint", url, "full-flow", "--versioning-enabled"]
    # The suite runs programs and writes files in its working directory.
    result = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=SUITE_SECONDS)
    output = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    cases, name = {}, None
    for line in output.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "RUN":
            name = rest.strip()
            cases[name] = "did not end"
        elif kind == "PASS" and cases.get(rest.strip()) == "did not end":
            cases[rest.strip()] = None
        elif kind == "FAIL" and name:
            cases[name] = rest.removeprefix(f"{name}: ")
    if "\nRAN: " not in output:
        sys.exit(f"check-s3-conformance: the suite stopped in the case {name}: {result.stderr[:2000]}")
    return cases


def exceptions():
    """The patterns of cases that are not counted, with their reasons."""
    found, reason = [], ""
    for line in (LISTS / "versitygw.exceptions").read_text().splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ")
        elif line.strip():
            found.append((line.strip(), reason))
    return found


def page(passed, concerned, reasons, failing):
    """Writes the table of the page."""
    rows = [f"Of {len(concerned)} cases that concern what is built, {len(passed)} pass: "
            f"{100 * len(passed) / len(concerned):.1f} %.\n", "\n", "| cases | not counted | reason |\n", "|---|---|---|\n"]
    for reason, names in reasons.items():
        rows.append(f"| {len(names)} | {', '.join(f'`{name}`' for name in sorted(names))} | {reason} |\n")
    rows.append("\nThese are counted, and fail:\n\n" if failing else "")
    rows += [f"- `{name}`\n" for name in sorted(failing)]
    text = PAGE.read_text()
    before, rest = text.split(MARKS[0])
    PAGE.write_text(before + MARKS[0] + "\n" + "".join(rows) + "\n" + MARKS[1] + rest.split(MARKS[1])[1])


def main():
    binary, suite, *options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        process, url = start(binary, folder)
        try:
            cases = run(suite, url, folder)
        finally:
            process.terminate()
            process.wait(30)
    patterns = exceptions()
    reasons, excepted, useless = {}, set(), []
    for pattern, reason in patterns:
        names = fnmatch.filter(cases, pattern)
        failed = [name for name in names if cases[name] is not None]
        if not failed:
            useless.append(pattern)
        reasons.setdefault(reason, set()).update(failed)
        excepted.update(failed)
    concerned = {name for name in cases if name not in excepted}
    passed = {name for name in concerned if cases[name] is None}
    listed = set((LISTS / "versitygw.passing").read_text().split())
    lost = sorted(name for name in listed if name not in passed)
    for name in lost:
        print(f"  LOST {name}: {cases.get(name, 'the suite does not have it any more')}")
    for name in sorted(concerned - passed - listed):
        print(f"  fails, and is in no list: {name}: {cases[name][:300]}")
    for name in sorted(passed - listed):
        print(f"  passes, and is not listed: {name}")
    for pattern in useless:
        print(f"  no failing case needs the exception {pattern}")
    percent = 100 * len(passed) / max(1, len(concerned))
    print(f"  {len(passed)} of {len(concerned)} cases that concern what is built pass: {percent:.1f} % ({len(cases)} cases in all)")
    if "--write" in options:
        (LISTS / "versitygw.passing").write_text("".join(f"{name}\n" for name in sorted(passed)))
        page(passed, concerned, reasons, concerned - passed)
        return
    if lost:
        sys.exit(f"check-s3-conformance: {len(lost)} cases passed when the list was written, and do not now")
    if percent < PERCENT_MIN:
        sys.exit(f"check-s3-conformance: less than {PERCENT_MIN} % pass")


main()
