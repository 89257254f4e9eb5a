"""boto3: objects, ranges, conditions, parts, copies and versions; and requests that must be refused."""

import hashlib
import io
import random

import botocore
from boto3.s3.transfer import TransferConfig

from .trees import same

PART = 5 << 20


def code(call, *arguments, **named):
    """The error code that a call is answered with."""
    try:
        call(*arguments, **named)
    except botocore.exceptions.ClientError as error:
        return error.response["Error"]["Code"]
    return "no error"


def objects(s3):
    """Objects, ranges, conditions, parts, copies and versions."""
    s3.create_bucket(Bucket="bucket")
    put = s3.put_object(Bucket="bucket", Key="a/b", Body=b"hello", Metadata={"x": "y"}, ContentType="text/plain")
    same(put["ETag"], f'"{hashlib.md5(b"hello").hexdigest()}"', "the ETag")
    got = s3.get_object(Bucket="bucket", Key="a/b")
    same((got["Body"].read(), got["Metadata"], got["ContentType"]), (b"hello", {"x": "y"}, "text/plain"), "an object")
    got = s3.get_object(Bucket="bucket", Key="a/b", Range="bytes=1-2")
    same((got["Body"].read(), got["ContentRange"]), (b"el", "bytes 1-2/5"), "a range")
    same(code(s3.put_object, Bucket="bucket", Key="a/b", Body=b"x", IfNoneMatch="*"), "PreconditionFailed", "If-None-Match")
    same(code(s3.get_object, Bucket="bucket", Key="none"), "NoSuchKey", "a key that is not there")
    same(code(s3.get_object, Bucket="bucket2", Key="none"), "NoSuchBucket", "a bucket that is not there")
    same(code(s3.delete_bucket, Bucket="bucket"), "BucketNotEmpty", "a bucket that is not empty")
    data = random.Random(1).randbytes(17_000_000)
    parts = TransferConfig(multipart_threshold=PART, multipart_chunksize=PART)
    s3.upload_fileobj(io.BytesIO(data), "bucket", "big", Config=parts)
    head = s3.head_object(Bucket="bucket", Key="big")
    same((head["ContentLength"], head["ETag"][-3:]), (len(data), '-4"'), "an object of parts")
    s3.copy_object(Bucket="bucket", Key="copy", CopySource="bucket/big")
    for key in ("big", "copy"):
        out = io.BytesIO()
        s3.download_fileobj("bucket", key, out)
        same(hashlib.sha256(out.getvalue()).digest(), hashlib.sha256(data).digest(), f"the content of {key}")
    listed = s3.list_objects_v2(Bucket="bucket", Delimiter="/")
    same(([o["Key"] for o in listed["Contents"]], listed["CommonPrefixes"]), (["big", "copy"], [{"Prefix": "a/"}]), "a listing")
    s3.put_bucket_versioning(Bucket="bucket", VersioningConfiguration={"Status": "Enabled"})
    new = s3.put_object(Bucket="bucket", Key="a/b", Body=b"new")["VersionId"]
    s3.delete_object(Bucket="bucket", Key="a/b")
    same(code(s3.get_object, Bucket="bucket", Key="a/b"), "NoSuchKey", "an object behind a delete marker")
    same(s3.get_object(Bucket="bucket", Key="a/b", VersionId="null")["Body"].read(), b"hello", "the version before")
    same(s3.get_object(Bucket="bucket", Key="a/b", VersionId=new)["Body"].read(), b"new", "a version")
    page = s3.list_object_versions(Bucket="bucket", Prefix="a/")
    same((len(page["Versions"]), len(page["DeleteMarkers"])), (2, 1), "a listing of versions")


def strangers(daemon):
    """Requests that nobody may make."""
    same(code(daemon.client(secret="x" * 40).list_buckets), "SignatureDoesNotMatch", "a wrong secret")
    same(code(daemon.client(key="A" * 20).list_buckets), "InvalidAccessKeyId", "an unknown key")
    anonymous = daemon.client(signature_version=botocore.UNSIGNED)
    same(code(anonymous.get_object, Bucket="bucket", Key="big"), "AccessDenied", "a request without a signature")


def check(place, daemon):
    """Uses default settings."""
    objects(place.s3)
    strangers(daemon)
