"""Reads the newest version of the success buffer from a bucket with tools that are not ours, and prints what it found.

  read-buffer.py ENDPOINT BUCKET PREFIX     credentials and region come from the environment

boto3 lists and fetches, pyarrow reads the partitions from S3, DuckDB reads the same files from a folder (its S3 reader is an
extension that is downloaded when it is used). One JSON object on stdout.
"""

import hashlib
import json
import os
import sys
import tempfile

import boto3
import duckdb
import pyarrow.dataset
import pyarrow.fs
from botocore.config import Config

endpoint, bucket, prefix = sys.argv[1:4]
s3 = boto3.client("s3", endpoint_url=endpoint, config=Config(s3={"addressing_style": "path"}))

pages = s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
keys = [entry["Key"] for page in pages for entry in page.get("Contents", [])]
manifests = sorted(key for key in keys if key.endswith("/manifest.json"))
manifest_key = manifests[-1]
manifest_bytes = s3.get_object(Bucket=bucket, Key=manifest_key)["Body"].read()
manifest = json.loads(manifest_bytes)
folder = manifest_key.removesuffix("manifest.json")
# Keys in the manifest are those of the system, below the prefix that the bucket is shared by.
root = folder.removesuffix(os.path.commonprefix([file["key"] for file in manifest["files"]]).split("domain=")[0])

partitions = [file for file in manifest["files"] if "stratum" in file]
bodies = {file["key"]: s3.get_object(Bucket=bucket, Key=root + file["key"])["Body"].read() for file in partitions}
for file in partitions:
    body = bodies[file["key"]]
    assert len(body) == file["sizeBytes"], file["key"]
    assert hashlib.sha256(body).hexdigest() == file["sha256"], file["key"]

filesystem = pyarrow.fs.S3FileSystem(
    access_key=os.environ["AWS_ACCESS_KEY_ID"],
    secret_key=os.environ["AWS_SECRET_ACCESS_KEY"],
    region=os.environ["AWS_REGION"],
    endpoint_override=endpoint.removeprefix("http://"),
    scheme="http",
)
dataset = pyarrow.dataset.dataset(
    [f"{bucket}/{root}{file['key']}" for file in partitions],
    filesystem=filesystem,
    format="parquet",
    partitioning="hive",
    partition_base_dir=f"{bucket}/{folder}",
)
by_arrow = dataset.to_table().sort_by("outcomeId").to_pylist()
hard = dataset.count_rows(filter=pyarrow.dataset.field("difficulty") == "hard")

with tempfile.TemporaryDirectory() as local:
    for key, body in bodies.items():
        path = os.path.join(local, key.removeprefix(folder.removeprefix(root)))
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(body)
    relation = duckdb.sql(
        f"SELECT * FROM read_parquet('{local}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false) ORDER BY outcomeId"
    )
    by_duckdb = [dict(zip(relation.columns, row)) for row in relation.fetchall()]
    strata = dict(
        duckdb.sql(
            f"SELECT domain || '/' || difficulty, count(*) FROM read_parquet('{local}/**/*.parquet', hive_partitioning = true) GROUP BY ALL"
        ).fetchall()
    )

print(
    json.dumps(
        {
            "versions": len(manifests),
            "manifestDigest": hashlib.sha256(manifest_bytes).hexdigest(),
            "bufferDigest": manifest["bufferDigest"],
            "rows": manifest["rows"],
            "strata": strata,
            "hard": hard,
            "arrow": by_arrow,
            "duckdb": by_duckdb,
        }
    )
)
