"""Reads a version of the success buffer from the files of a store in a folder, with DuckDB and pyarrow as documented.

  read-buffer-folder.py FOLDER_OF_THE_VERSION     one JSON object on stdout
"""

import json
import sys

import duckdb
import pyarrow.dataset

folder = sys.argv[1]
relation = duckdb.sql(
    f"SELECT domain, difficulty, outcomeId FROM read_parquet('{folder}/**/*.parquet', hive_partitioning = true) ORDER BY outcomeId"
)
dataset = pyarrow.dataset.dataset(folder, format="parquet", partitioning="hive", exclude_invalid_files=True)
table = dataset.to_table(columns=["domain", "difficulty", "outcomeId"]).sort_by("outcomeId")
print(json.dumps({"duckdb": relation.fetchall(), "arrow": [list(row.values()) for row in table.to_pylist()]}))
