"""datasketch on documents from a file, for success-buffer.bench.mjs: shingles of words, MinHash of 128 permutations, LSH at the
threshold; every document is asked for its likes, then inserted. Prints pairs and processor seconds as JSON.

    PYTHON near-duplicates-reference.py FILE THRESHOLD SHINGLE_WORDS      FILE: one document per line

MinHash.update_batch hashes all shingles of a document in numpy: datasketch's fastest way for documents that come one by one.
"""

import json
import sys
import time

import datasketch


def main() -> None:
    path, threshold, width = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
    with open(path, encoding="utf-8") as file:
        documents = file.read().splitlines()
    # Permutations are drawn once; each document's MinHash is an empty copy.
    empty = datasketch.MinHash(num_perm=128, seed=1)
    index = datasketch.MinHashLSH(threshold=threshold, num_perm=128)
    pairs = []
    started, wall = time.process_time(), time.perf_counter()
    for number, document in enumerate(documents):
        words = document.split(" ")
        shingles = {" ".join(words[i : i + width]).encode() for i in range(len(words) - width + 1)}
        signature = empty.copy()
        signature.update_batch(shingles)
        pairs.extend((other, number) for other in index.query(signature))
        index.insert(number, signature)
    seconds, wall_seconds = time.process_time() - started, time.perf_counter() - wall
    json.dump(
        {"version": datasketch.__version__, "seconds": seconds, "wallSeconds": wall_seconds, "pairs": pairs}, sys.stdout
    )


main()
