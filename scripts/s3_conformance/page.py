"""The tables of docs/s3-conformance.md."""

import pathlib

PAGE = pathlib.Path("docs/s3-conformance.md")


def write(result):
    """Writes the table of a suite."""
    begin, end = (f"<!-- {which} of the table of {result.suite.name} -->\n" for which in ("begin", "end"))
    before, rest = PAGE.read_text().split(begin)
    PAGE.write_text(before + begin + "\n" + "".join(table(result)) + "\n" + end + rest.split(end)[1])


def table(result):
    """The lines of a table."""
    yield f"Of {len(result.concerned)} cases that concern what is built, {len(result.passed)} pass: {result.percent:.1f} %.\n\n"
    if result.reasons:
        yield "| cases | not counted | reason |\n|---|---|---|\n"
    for reason, names in result.reasons.items():
        # A case that fails now and then may have passed.
        if names:
            yield f"| {len(names)} | {', '.join(f'`{name}`' for name in sorted(names))} | {reason} |\n"
    if result.failing:
        yield "\nThese are counted, and fail:\n\n"
    for name in sorted(result.failing):
        yield f"- `{name}`\n"
