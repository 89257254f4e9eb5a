"""What scripts/check-api tells schemathesis beside the OpenAPI document."""

import ast
import atexit
import collections
import json
import os
import re
import threading

import schemathesis

# Python 3.11 counts the depth of all threads' parsing together, and two workers that parse at a time end in a SystemError.
PARSING = threading.RLock()
parse_alone = ast.parse


def parse(*arguments, **options):
    with PARSING:
        return parse_alone(*arguments, **options)


ast.parse = parse

# The run's own user and token. Without them, all the rest would be refusals.
OWN = {"user": os.environ["CHECK_API_USER"], "token": os.environ["CHECK_API_TOKEN"]}
INSTEAD = {"user": "nobody", "token": "0" * 16}

# Names of things that are there, at least at first, so that not everything is answered with 404.
KNOWN = {
    "volume": ["kafka", "first", "second"],
    "snapshot": ["one", "two"],
    "policy": ["default", "first"],
    "position": [1, 2],
    "user": ["admin", "first", "second"],
    "bucket": ["first", "second"],
    "group": ["administrators", "first"],
}

MADE = ["first", "second", "one", "two"]

# What a name or an id may be: what is not must stay as it is, since it is to be refused.
NAME = re.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}|[1-9][0-9]*")

answers = collections.defaultdict(collections.Counter)


def replaced(value, known):
    """One of those that may be there, for every other value; the choice follows from the value, so that a seed repeats it."""
    text = str(value)
    choice = sum(text.encode())
    if isinstance(value, bool) or not known or not NAME.fullmatch(text) or choice % 2 == 0:
        return value
    return known[choice // 2 % len(known)]


@schemathesis.hook
def map_path_parameters(context, path_parameters):
    """Paths name things that may be there."""
    return {name: replaced(value, KNOWN.get(name)) for name, value in (path_parameters or {}).items()}


@schemathesis.hook
def map_body(context, body):
    """What is made has the names that paths have."""
    if isinstance(body, dict) and isinstance(body.get("name"), str):
        body["name"] = replaced(body["name"], MADE)
    return body


@schemathesis.hook
def before_call(context, case, kwargs):
    """Keeps the run from locking itself out: what is aimed at its own user or token is aimed at nobody instead."""
    for name, own in OWN.items():
        if str((case.path_parameters or {}).get(name)) == own:
            case.path_parameters[name] = INSTEAD[name]


@schemathesis.hook
def after_call(context, case, response):
    """Counts answers, so that the script can tell whether anything was reached at all."""
    answers[f"{case.method} {case.path}"][response.status_code] += 1


@atexit.register
def write():
    """Leaves the counts for the script."""
    with open(os.environ["CHECK_API_ANSWERS"], "w", encoding="utf-8") as file:
        json.dump(answers, file, indent=1, sort_keys=True)
