import { type EventOf, encodeEvent, originMeta } from '@seamstream/events';
import {
  bufferConfigSchema,
  commit,
  decodeManifest,
  encodeManifest,
  evolve,
  initialState,
  manifestDigest,
  shardsOf,
  withRules,
} from '@seamstream/success-buffer';
import { EXAMPLE_EVENTS } from '@seamstream/testing';
import type { z } from 'zod';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

let events = 0;
const meta = (id = `m-${events++}`) =>
  originMeta({ messageId: id, correlationId: 'c', source: 'seam/test', occurredAt: 0, sourceClass: 'user' });

describe('seam replay', () => {
  it('rebuilds every read model from the log', async () => {
    const world = await withVersions();
    expect(await world.seam('replay', '--read-model', 'success')).toBe(0);
    const output = world.takeOutput();
    expect(output).toMatch(/^sums +50\.0 % \(8\/16\) +– +–$/m);
    expect(output).toMatch(/^base +50\.0 % \(12\/24\) +–$/m);
    expect(world.takeErrors()).toBe('Rebuilt from 24 records.\n');
    for (const name of ['ledger', 'success', 'adapters', 'training']) {
      expect(await world.seam('replay', '--read-model', name, '--json')).toBe(0);
      expect(world.takeJson()).toMatchObject([{ readModel: name }]);
    }
    await world.seam('replay', '--read-model', 'training');
    expect(world.takeOutput()).toBe('No training runs yet.\n');
  });

  it('makes every version of the buffer again and finds the recorded digests', async () => {
    const world = await withVersions();
    expect(await world.seam('replay', '--verify-buffer')).toBe(0);
    expect(world.takeOutput()).toContain('The log gives every version of the buffer again.');
    await world.seam('replay', '--verify-buffer', '--json');
    expect(world.takeJson()).toMatchObject([
      {
        verified: 'buffer',
        equal: true,
        versions: [
          { sequence: 1, equal: true },
          { sequence: 2, rows: 12 },
        ],
      },
    ]);
  });

  it('makes every version again by the rules that were in force', async () => {
    const world = await withVersions(1, [{}, { capacityPerStratum: 1 }]);
    expect(await world.seam('replay', '--verify-buffer', '--json')).toBe(0);
    expect(world.takeJson()).toMatchObject([
      {
        equal: true,
        versions: [
          { sequence: 1, rows: 6 },
          { sequence: 2, rows: 2 },
        ],
      },
    ]);
  });

  it('makes every version of every shard again', async () => {
    const world = await withVersions(3);
    expect(await world.seam('replay', '--verify-buffer')).toBe(0);
    const output = world.takeOutput();
    expect(output).toContain('The log gives every version of the buffer again.');
    expect(output.match(/^[012]of3 .* equal$/gm)).toHaveLength(6);
    await world.seam('replay', '--verify-buffer', '--json');
    const [{ versions }] = world.takeJson() as [{ versions: { sequence: number; rows: number }[] }];
    const last = versions.filter(({ sequence }) => sequence === 2);
    expect(last.map(({ rows }) => rows)).toEqual([4, 8, 0]);
  });

  it('ends with 1 when the log gives another buffer', async () => {
    const world = await withVersions();
    const { partition, high } = (await world.log.watermarks('seam.outcomes')).find((mark) => mark.high > 0)!;
    // A version that claims one record more than it was made from.
    const [position] = await world.log.append([
      { ...encodeEvent({ ...outcome(99, 1), groupSize: 1, success: true }), partition },
    ]);
    expect(position?.offset).toBe(high);
    const manifestKey = 'buffer/2/manifest.json';
    const manifest = decodeManifest(await world.objects.get(manifestKey));
    const inputs = manifest.inputs.map((range) => (range.partition === partition ? { ...range, to: high + 1 } : range));
    await world.log.append([
      encodeEvent({
        type: 'BufferCommitted',
        attestation: null,
        meta: meta(),
        sequence: 3,
        manifestKey,
        manifestDigest: manifestDigest(manifest),
        bufferDigest: manifest.bufferDigest,
        rows: manifest.rows,
        rowsPerStratum: manifest.strata,
        inputs,
        shard: 0,
        shards: 1,
      }),
    ]);
    expect(await world.seam('replay', '--verify-buffer')).toBe(1);
    const output = world.takeOutput();
    expect(output).toMatch(/^ +3 +13 +[0-9a-f]{8} +[0-9a-f]{8} +DIFFERENT$/m);
    expect(output).toContain('1 of 3 versions differ');
  });

  it('wants exactly one thing to replay', async () => {
    const world = await fakeWorld();
    expect(await world.seam('replay')).toBe(2);
    expect(world.takeErrors()).toContain('expected --read-model, --verify-buffer or --verify-adapter');
    expect(await world.seam('replay', '--verify-buffer', '--read-model', 'ledger')).toBe(2);
    expect(await world.seam('replay', '--read-model', 'everything')).toBe(2);
    expect(await world.seam('replay', '--verify-buffer')).toBe(2);
    expect(world.takeErrors()).toContain('expected a committed version, got none');
  });
});

function outcome(problem: number, candidate: number): EventOf<'OutcomeRecorded'> {
  const problemId = `p${problem}`;
  return {
    ...EXAMPLE_EVENTS.OutcomeRecorded,
    meta: meta(`o-${problem}-${candidate}`),
    problem: {
      problemId,
      domain: problem % 3 === 0 ? 'words' : 'sums',
      prompt: `What is the sum of number ${problem} and of number ${problem * 7} and its double?`,
      reference: '5',
      verifier: { kind: 'exact', version: '1', options: {} },
      metadata: {},
    },
    experienceId: `e-${problem}-${candidate}`,
    groupId: `g-${problem}`,
    candidateIndex: candidate,
    groupSize: 2,
    arm: 'explore',
    entry: `{"concepts":["c${problem % 5}"],"strategy":["s${candidate}"],"pitfalls":[]}`,
    promptTokenIds: [1, 2, 3],
    tokenIds: [4, 5, problem],
    forced: [true, false, false],
    baseModelDigest: 'b',
    adapterDigest: null,
    success: candidate === problem % 2,
    reward: candidate === problem % 2 ? 1 : 0,
  };
}

/** 12 problems of two candidates; versions of the buffer, or of each of its shards, after 6 and after 12. */
async function withVersions(shards = 1, rules: z.input<typeof bufferConfigSchema>[] = [{}, {}]): Promise<FakeWorld> {
  const world = await fakeWorld();
  const configs = rules.map((each) => bufferConfigSchema.parse(each));
  const states = shardsOf(shards).map((shard) => initialState(configs[0]!, shard));
  const ends = new Map<number, number>();
  for (let problem = 0; problem < 12; problem++) {
    for (const candidate of [0, 1]) {
      const event = outcome(problem, candidate);
      const [position] = await world.log.append([encodeEvent(event)]);
      for (const state of states) evolve(state, event, position!);
      ends.set(position!.partition, position!.offset + 1);
    }
    if (problem % 6 !== 5) continue;
    const config = configs[Math.floor(problem / 6)]!;
    for (const [shard, before] of states.entries()) {
      const version = commit(withRules(before, config), { validateEntry: () => undefined });
      states[shard] = version.state;
      const inputs = [...ends].map(([partition, to]) => ({ topic: 'seam.outcomes', partition, from: 0, to }));
      const { bufferDigest, rows, rowsPerStratum } = version;
      const { sequence } = version.state;
      const manifest = {
        sequence,
        bufferDigest,
        rows: rows.length,
        strata: { ...rowsPerStratum },
        files: [],
        inputs,
        config,
      };
      const manifestKey =
        shards === 1 ? `buffer/${sequence}/manifest.json` : `buffer/${shard}of${shards}/${sequence}/manifest.json`;
      await world.objects.put(manifestKey, encodeManifest(manifest));
      await world.log.append([
        encodeEvent({
          type: 'BufferCommitted',
          attestation: null,
          meta: meta(),
          sequence,
          manifestKey,
          manifestDigest: manifestDigest(manifest),
          bufferDigest,
          rows: rows.length,
          rowsPerStratum,
          inputs,
          shard,
          shards,
        }),
      ]);
    }
  }
  return world;
}
