"""The suite of Ceph's object gateway, ceph/s3-tests: its tests of S3 itself. They use boto3."""

import hashlib
import os
import pathlib
import subprocess
import xml.etree.ElementTree as ElementTree

from .suite import Broken, Suite, Unavailable, command, provide_once

# The lists in crates/s3/tests/conformance are about this commit.
COMMIT = "8f0ae7b404a3a2fcf7038bf1e6bf29544fe9b6a3"
REQUIREMENTS = ("boto3==1.44.8", "awscrt==0.38.1", "pytest==9.2.0", "pytz==2026.6", "requests==2.34.2", "isodate==0.7.2",
                "httplib2==0.32.1", "munch==4.0.0")
FILES = ("s3tests/functional/test_s3.py", "s3tests/functional/test_headers.py")
# Tests with these marks are left out: AWS fails them, or they are about a service or a feature that is not built.
MARKS_LEFT_OUT = (
    "fails_on_aws",
    "encryption", "bucket_encryption", "sse_s3",
    "bucket_logging", "bucket_logging_cleanup",
    "iam_account", "iam_cross_account", "iam_role", "iam_tenant", "iam_user",
    "s3select", "sns", "test_of_sts", "webidentity_test",
    # Signature Version 2.
    "auth_aws2",
)
SECONDS_MAX = 1800
# Buckets cannot be created in us-east-1 by name.
REGION = "eu-central-1"
# What users may do who are not administrators. In the suite every user is an account of its own.
POLICY = {"Version": "2012-10-17", "Statement": {
    "Effect": "Allow", "Action": ["s3:CreateBucket", "s3:ListAllMyBuckets"], "Resource": "*"}}


def provide():
    """The user's checkout, and a virtual environment with what it requires."""
    named = os.environ.get("S3_TESTS_DIR")
    if not named:
        raise Unavailable(f"S3_TESTS_DIR must name a checkout of ceph/s3-tests, commit {COMMIT}")
    checkout = pathlib.Path(named).resolve()
    if not (checkout / FILES[0]).is_file():
        raise Unavailable(f"S3_TESTS_DIR is {checkout}, which is no checkout of ceph/s3-tests: it has no {FILES[0]}")

    def build(folder):
        command("python3-venv is needed", "python3", "-m", "venv", folder)
        command("what the suite requires comes from PyPI", folder / "bin/python", "-m", "pip", "install", "--quiet",
                "--disable-pip-version-check", *REQUIREMENTS)

    versions = hashlib.sha256(" ".join(REQUIREMENTS).encode()).hexdigest()[:8]
    return checkout, provide_once(f"ceph-s3-tests-{versions}", build) / "bin/python"


def configuration(daemon):
    """The suite's configuration, with users made for it."""
    daemon.group("others", POLICY)
    users = {
        "s3 main": ("main", ["administrators"]),
        "s3 alt": ("alt", ["others"]),
        "s3 tenant": ("tenant", ["administrators"]),
        # The tests that need the rights of these are left out, but the suite requires them.
        "iam": ("iam", []),
        "iam root": ("root", []),
        "iam alt root": ("alt-root", []),
    }
    lines = ["[DEFAULT]", f"host = {daemon.host}", f"port = {daemon.port}", "is_secure = False", "ssl_verify = False",
             "[fixtures]", "bucket prefix = conformance-{random}-"]
    for section, (name, groups) in users.items():
        access, secret = daemon.user(name, *groups)
        lines += [f"[{section}]", f"display_name = {name}", f"user_id = {name}", f"email = {name}@example.com",
                  f"access_key = {access}", f"secret_key = {secret}"]
        if section == "s3 main":
            # The daemon's lifecycle pass cannot be hurried, so the suite would wait longer in vain.
            lines += [f"api_name = {REGION}", "lc_debug_interval = 1"]
        if section == "s3 tenant":
            lines += ["tenant = tenant"]
    return "\n".join(lines) + "\n"


def run(provided, daemon, folder):
    """Runs the tests that have none of the marks."""
    checkout, python = provided
    settings, report = folder / "s3tests.conf", folder / "report.xml"
    settings.write_text(configuration(daemon))
    marks = " and ".join(f"not {mark}" for mark in MARKS_LEFT_OUT)
    environment = os.environ | {"S3TEST_CONF": str(settings), "AWS_DEFAULT_REGION": REGION, "AWS_EC2_METADATA_DISABLED": "true",
                                "HOME": str(folder)}
    result = subprocess.run(
        [python, "-m", "pytest", "-p", "no:cacheprovider", "-m", marks, f"--junitxml={report}", "--tb=line", "-q", *FILES],
        cwd=checkout, env=environment, capture_output=True, text=True, errors="replace", timeout=SECONDS_MAX,
    )
    # 0: all passed; 1: some failed.
    if result.returncode > 1 or not report.exists():
        raise Broken(f"pytest ended with {result.returncode}: {result.stdout[-2000:]}{result.stderr[-2000:]}")
    cases = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name, error = case.get("name"), None
        for kind in ("failure", "error", "skipped"):
            for found in case.iter(kind):
                error = error or f"{kind}: {' '.join((found.get('message') or '').split())}"
        cases[name] = cases.get(name) or error
    return cases


SUITE = Suite(name="ceph", percent_min=90, provide=provide, run=run, daemon_options=("--s3-region", REGION))
