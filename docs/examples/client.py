#!/usr/bin/env python3
"""A small client of `storm serve` in another language: nothing but the standard library, one item after the other.

    python3 client.py http://127.0.0.1:8080 --items 20 --name nightly-job

It retries what may pass, waits as long as it is told, and leaves an item alone when the quota is gone. With --impatient it
tries again at once, which the platform counts as early. Its last line is its own count, as JSON.
"""

import argparse
import http.client
import json
import time
import urllib.parse


def parse_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--items", type=int, default=20)
    parser.add_argument("--attempts", type=int, default=5)
    parser.add_argument("--name", default="python")
    parser.add_argument("--speed", type=float, default=1.0, help="that of the platform: waits are shorter by it")
    parser.add_argument("--impatient", action="store_true")
    return parser.parse_args()


def wait_seconds(response, attempt):
    """The told wait, or else exponential backoff."""
    told = response.headers.get("Retry-After", "")
    return float(told) if told.isdigit() else min(0.5 * 2**attempt, 8.0)


def fetch_item(connection, item, options, counts):
    for attempt in range(options.attempts):
        connection.request("GET", f"/v1/items/{item}", headers={"x-client": options.name})
        response = connection.getresponse()
        response.read()
        counts["calls"] += 1
        counts[str(response.status)] = counts.get(str(response.status), 0) + 1
        if response.status == 200:
            counts["done"] += 1
            return
        if response.headers.get("x-limit-kind") == "quota":
            return
        if not options.impatient:
            time.sleep(wait_seconds(response, attempt) / options.speed)


def main():
    options = parse_arguments()
    target = urllib.parse.urlsplit(options.url)
    connection = http.client.HTTPConnection(target.hostname, target.port, timeout=60)
    counts = {"calls": 0, "done": 0}
    for item in range(1, options.items + 1):
        fetch_item(connection, item, options, counts)
    connection.close()
    print(json.dumps(counts))


if __name__ == "__main__":
    main()
