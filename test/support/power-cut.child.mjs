// Opens damaged copies of a log, one after the other, and says what each holds, one JSON line per copy. A copy that ends this
// process by a signal is the one after the last line.
//   power-cut.child.mjs write FOLDER         commits by commits of a new log; FOLDER/state-<k>.mdb is the file at the k-th's end
//   power-cut.child.mjs check FILE …         of each file: how many commits it holds whole, or the code of the refusal
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LmdbEventLog } from '@seamstream/event-log-lmdb';

const COMMITS = 24;
const TOPIC = 't';
const PARTITIONS = 2;

/** Records of a commit: some in each partition, small ones and ones of many pages. */
const recordsOf = (commit) =>
  Array.from({ length: 3 + (commit % 4) }, (_, index) => ({
    topic: TOPIC,
    key: null,
    partition: index % PARTITIONS,
    value: Buffer.alloc(commit % 5 === 4 ? 20_000 : 300, commit + index),
  }));

async function write(folder) {
  const log = await LmdbEventLog.open({ folder: join(folder, 'log') });
  await log.createTopics([{ name: TOPIC, partitions: PARTITIONS }]);
  for (let commit = 0; commit < COMMITS; commit++) {
    copyFileSync(join(folder, 'log', 'data.mdb'), join(folder, `state-${commit}.mdb`));
    await log.append(recordsOf(commit));
  }
  copyFileSync(join(folder, 'log', 'data.mdb'), join(folder, `state-${COMMITS}.mdb`));
  await log.close();
}

/** Commits that are there from the first one on; throws when anything else is there, or half of one. */
async function commitsIn(log) {
  const values = await Promise.all(
    Array.from({ length: PARTITIONS }, async (_, partition) => {
      const read = [];
      for await (const chunk of log.read({ topic: TOPIC, partition, from: 0 }))
        for (const { value } of chunk) read.push(Buffer.from(value));
      return read;
    }),
  );
  let commits = 0;
  for (; values.some((left) => left.length > 0); commits++) {
    for (const { partition, value } of recordsOf(commits)) {
      const found = values[partition].shift();
      if (found === undefined || !found.equals(value)) throw new Error(`commit ${commits} is not whole`);
    }
  }
  return commits;
}

async function check(file) {
  const folder = mkdtempSync(join(tmpdir(), 'power-cut-'));
  copyFileSync(file, join(folder, 'data.mdb'));
  try {
    const log = await LmdbEventLog.open({ folder });
    try {
      const commits = await commitsIn(log);
      // It continues from there.
      await log.append(recordsOf(commits));
      return { commits, goesOn: (await commitsIn(log)) === commits + 1 };
    } finally {
      await log.close();
    }
  } catch (error) {
    return { code: error.code ?? String(error) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [mode, ...paths] = process.argv.slice(2);
if (mode === 'write') await write(paths[0]);
else for (const path of paths) process.stdout.write(`${JSON.stringify(await check(path))}\n`);
