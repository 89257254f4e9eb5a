"""The lists in crates/s3/tests/conformance, and what a run of a suite is compared with them.

`SUITE.passing` has the names of cases that pass. `SUITE.exceptions` has those that are not counted: a line that begins with `#` is a
reason, and the lines below it are names, in which `*` stands for any text.
"""

import pathlib
import re

LISTS = pathlib.Path("crates/s3/tests/conformance")


class Result:
    """What a run has shown. All its fields are names of cases."""

    def __init__(self, suite, cases):
        self.suite, self.cases = suite, cases
        self.reasons, excepted, self.useless = {}, set(), []
        for pattern, reason in exceptions(suite):
            failed = [name for name, error in cases.items() if error is not None and matches(pattern, name)]
            if not failed:
                self.useless.append(pattern)
            self.reasons.setdefault(reason, set()).update(failed)
            excepted.update(failed)
        self.concerned = {name for name in cases if name not in excepted}
        self.passed = {name for name in self.concerned if cases[name] is None}
        self.failing = self.concerned - self.passed
        self.listed = passing(suite)
        self.lost = self.listed - self.passed - excepted

    @property
    def percent(self):
        """How much of what concerns Forebay passes."""
        return 100 * len(self.passed) / max(1, len(self.concerned))

    def report(self):
        """Prints how the run differs from the lists."""
        for name in sorted(self.lost):
            print(f"  LOST {name}: {self.cases.get(name, 'the suite does not have it any more')}")
        for name in sorted(self.failing - self.listed):
            print(f"  fails, and is in no list: {name}: {self.cases[name][:300]}")
        for name in sorted(self.passed - self.listed):
            print(f"  passes, and is not listed: {name}")
        for pattern in self.useless:
            print(f"  no failing case needs the exception {pattern}")
        print(f"  {len(self.passed)} of {len(self.concerned)} cases that concern what is built pass: {self.percent:.1f} % "
              f"({len(self.cases)} cases in all)", flush=True)

    def complaints(self):
        """What is worse than it was, or than it may be."""
        if self.lost:
            yield f"{self.suite.name}: {len(self.lost)} cases passed when the list was written, and do not now"
        if self.percent < self.suite.percent_min:
            yield f"{self.suite.name}: less than {self.suite.percent_min} % pass"

    def write(self):
        """Writes the list of passing cases."""
        (LISTS / f"{self.suite.name}.passing").write_text("".join(f"{name}\n" for name in sorted(self.passed)))


def passing(suite):
    """The cases that passed when the list was written."""
    file = LISTS / f"{suite.name}.passing"
    return set(file.read_text().splitlines()) if file.exists() else set()


def exceptions(suite):
    """The patterns of cases that are not counted, with their reasons."""
    reason = ""
    for line in (LISTS / f"{suite.name}.exceptions").read_text().splitlines():
        if line.startswith("#"):
            reason = line.lstrip("# ")
        elif line.strip():
            yield line.strip(), reason


def matches(pattern, name):
    """Whether a pattern of the exceptions is about a case."""
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.split("*")), name) is not None
