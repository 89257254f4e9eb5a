"""The suites, in the order in which they run. A suite is a module that has a `SUITE`; see `suite.Suite` for what that is."""

from . import ceph, minio_go, object_store, s3s_e2e, versitygw

SUITES = {suite.name: suite for suite in (versitygw.SUITE, ceph.SUITE, minio_go.SUITE, object_store.SUITE, s3s_e2e.SUITE)}
