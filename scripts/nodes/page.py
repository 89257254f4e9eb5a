"""The examples in a page of the documentation, which the checks use as they are."""

import pathlib


def example(page, first_line):
    """The indented block of the page that begins with that line."""
    lines = pathlib.Path(page).read_text().splitlines()
    begin = lines.index(f"    {first_line}")
    block = []
    for line in lines[begin:]:
        if line and not line.startswith("    "):
            break
        block.append(line[4:])
    return "\n".join(block).rstrip("\n") + "\n"
