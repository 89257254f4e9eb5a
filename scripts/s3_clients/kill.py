"""The daemon is killed while clients write. What was acknowledged is there, whole, and nothing that was not written."""

import concurrent.futures
import random
import signal
import sys
import time

import botocore

ROUNDS = 3


def check(place, daemon):
    """Kills it several times."""
    daemon.client().create_bucket(Bucket="kill")
    known = {}
    for number in range(ROUNDS):
        s3 = daemon.client()

        def write(worker):
            rng, done = random.Random(number * 100 + worker), 0
            while True:
                key, body = f"w{worker}/{rng.randrange(8)}", rng.randbytes(rng.choice([100, 5_000, 300_000]))
                removes = rng.random() < 0.2
                try:
                    if removes:
                        s3.delete_object(Bucket="kill", Key=key)
                    else:
                        s3.put_object(Bucket="kill", Key=key, Body=body)
                except (botocore.exceptions.BotoCoreError, botocore.exceptions.ClientError):
                    # Unknown: either the state before, or this one.
                    known[key] = (known.get(key, (None,))[-1], None if removes else body)
                    return done
                known[key] = (None if removes else body,)
                done += 1

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            writing = [pool.submit(write, worker) for worker in range(8)]
            time.sleep(0.5 + number * 0.3)
            daemon.end(signal.SIGKILL)
            done = sum(each.result() for each in writing)
        daemon.start()
        s3 = daemon.client()
        for key, allowed in known.items():
            try:
                found = s3.get_object(Bucket="kill", Key=key)["Body"].read()
            except s3.exceptions.NoSuchKey:
                found = None
            if found not in allowed:
                sys.exit(f"check-s3: after kill -9, {key} is not what was acknowledged")
            known[key] = (found,)
        print(f"  kill {number + 1}: {done} acknowledged changes, {len(known)} keys as acknowledged")
