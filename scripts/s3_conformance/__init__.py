"""What scripts/check-s3-conformance does. `__main__` is where to start reading, and `suites` has the table of suites."""
