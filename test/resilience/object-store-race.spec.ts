/** Eight processes race for objects in one folder; some are killed. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { Random } from '@seamstream/kernel';
import { FsObjectStore } from '@seamstream/object-store-fs';

jest.setTimeout(600_000);

const CHILD = fileURLToPath(new URL('../support/object-store.child.mjs', import.meta.url));
const ROUNDS = 100;
const KILLED = new Set(['w1', 'w4', 'w6']);

it('R24: has exactly one winner per object and loses no merged row, although three of the eight are killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'object-race-'));
  const random = Random.of('object race');
  const store = await FsObjectStore.open({ folder });
  await store.put('manifest', new Uint8Array(0));
  const said = new Map<string, string[]>();
  await Promise.all(
    Array.from({ length: 8 }, (_, index) => `w${index}`).map(async (name) => {
      const lines: string[] = [];
      said.set(name, lines);
      const child = spawn(process.execPath, [CHILD, folder, name, String(ROUNDS)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const killAfter = KILLED.has(name) ? 5 + random.int(60) : Number.POSITIVE_INFINITY;
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (lines.push(line) >= killAfter) child.kill('SIGKILL');
      });
      await new Promise((resolve) => child.once('close', resolve));
    }),
  );
  for (const [name, lines] of said) expect([name, lines.includes('done')]).toEqual([name, !KILLED.has(name)]);
  for (let round = 0; round < ROUNDS; round++) {
    const winners = [...said].filter(([, lines]) => lines.includes(`won ${round}`)).map(([name]) => name);
    const content = Buffer.from(await store.get(`race/${round}`)).toString();
    expect(winners.length).toBeLessThanOrEqual(1);
    // A winner may be killed after winning, before it says so; no other writer may say so then.
    if (winners.length === 0) expect(KILLED).toContain(content);
    else expect(winners).toEqual([content]);
  }
  const rows = Buffer.from(await store.get('manifest'))
    .toString()
    .trim()
    .split('\n');
  expect(new Set(rows).size).toBe(rows.length);
  for (const [name, lines] of said) {
    const merged = lines.filter((line) => line.startsWith('merged ')).map((line) => `${name} ${line.slice(7)}`);
    for (const row of merged) expect(rows).toContain(row);
    // A killed writer may have merged one more row than it could say.
    expect(rows.filter((row) => row.startsWith(`${name} `)).length - merged.length).toBeLessThanOrEqual(
      KILLED.has(name) ? 1 : 0,
    );
  }
  await rm(folder, { recursive: true });
});
