import { type Evaluation, encodeEvent, originMeta, type SeamEvent } from '@seamstream/events';
import { evaluatedByPerson } from '@seamstream/testing/promotion-log';
import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const digest = (start: string): string => start.padEnd(64, '0');
let events = 0;
const meta = () =>
  originMeta({
    messageId: `m-${events++}`,
    correlationId: 'r',
    source: 'seam/trainer',
    occurredAt: 0,
    sourceClass: 'model',
  });

const publishedEvent = (start: string, parent: string | null): SeamEvent => ({
  type: 'AdapterPublished',
  method: 'seam',
  slot: 'generator',
  artefact: null,
  engine: null,
  attestation: null,
  meta: meta(),
  adapterDigest: digest(start),
  key: `adapters/${start}`,
  kind: 'full',
  sizeBytes: 2048,
  baseModelDigest: digest('ba5e'),
  parent: parent === null ? null : digest(parent),
  runId: `run-${start}`,
  algorithm: 'grpo',
  inputs: [{ topic: 'seam.outcomes', partition: 1, from: 0, to: 1234 }],
  manifestDigest: null,
  fingerprint: 'f',
  metrics: { loss: 0.123456 },
});
const promotedEvent = (start: string, parent: string | null, success: number): SeamEvent => ({
  type: 'AdapterPromoted',
  slot: 'generator',
  attestation: null,
  meta: meta(),
  adapterDigest: digest(start),
  key: `adapters/${start}`,
  fingerprint: 'f',
  parent: parent === null ? null : digest(parent),
  runId: null,
  rule: 'not worse',
  onlyOverParent: true,
  promotedBy: 'ada',
  reason: 'measured elsewhere',
  evaluation: evaluationOf(success, parent === null ? 0.25 : null),
});
const evaluationOf = (success: number, parentSuccess: number | null): Evaluation => ({
  problemSet: 'validation',
  problemSetDigest: 'd',
  problems: 200,
  success,
  parentSuccess,
  perDomain: { sums: 1 },
  parentPerDomain: {},
  rescued: null,
  broken: null,
  asked: {},
  repeated: 0,
});
const evaluatedEvent = (start: string, parent: string | null, success: number): SeamEvent =>
  evaluatedByPerson(digest(start), evaluationOf(success, parent === null ? 0.25 : null), digest('ba5e'));

/** a111 from the base model, promoted and followed by a222; b333 from a111, undecided. */
async function withAdapters(): Promise<FakeWorld> {
  const world = await fakeWorld();
  const events = [
    publishedEvent('a111', null),
    evaluatedEvent('a111', null, 0.5),
    promotedEvent('a111', null, 0.5),
    publishedEvent('a222', 'a111'),
    evaluatedEvent('a222', 'a111', 0.75),
    promotedEvent('a222', 'a111', 0.75),
    publishedEvent('b333', 'a111'),
  ];
  for (const event of events) await world.log.append([encodeEvent(event)]);
  return world;
}

describe('seam adapters', () => {
  it('lists versions with parent, status and measured success', async () => {
    const world = await withAdapters();
    expect(await world.seam('adapters')).toBe(0);
    const lines = world.takeOutput().split('\n');
    expect(lines[1]).toMatch(
      /^1 {2}a1110000 {2}grpo +base +promoted +50\.0 % +25\.0 % +2\.0 KiB +1970-01-01 00:00:00$/,
    );
    expect(lines[2]).toMatch(/^2 {2}a2220000 {2}grpo +a1110000 +served +75\.0 %/);
    expect(lines[3]).toMatch(/^3 {2}b3330000 {2}grpo +a1110000 +published +–/);
    expect(lines[4]).toBe('Served: a2220000');
  });

  it('lists every promotion that nothing in the log bears out, and keeps what was served', async () => {
    const world = await withAdapters();
    const forged = { ...promotedEvent('b333', 'a222', 0.9), promotedBy: null } as SeamEvent;
    await world.log.append([encodeEvent(forged)]);
    await world.seam('adapters');
    expect(world.takeOutput()).toMatch(
      /Served: a2220000\n {2}promoted by ada, 1970-01-01 00:00:00: measured elsewhere \(75\.0 % of 200 problems of validation\)\nNot believed: AdapterPromoted of b3330000 by seam\/trainer \(m-\d+\): it names neither a run nor the person who promoted\n$/,
    );
  });

  it('draws who was trained from whom', async () => {
    const world = await withAdapters();
    await world.seam('adapters', 'tree');
    expect(world.takeOutput()).toBe(
      'base\n└─ a1110000  grpo  promoted  50.0 %\n   ├─ a2220000  grpo  served  75.0 %\n   └─ b3330000  grpo  published  –\n',
    );
  });

  it('shows one in full by its first digits', async () => {
    const world = await withAdapters();
    expect(await world.seam('adapters', 'show', 'A222')).toBe(0);
    const output = world.takeOutput();
    expect(output).toContain(digest('a222'));
    expect(output).toMatch(/parent +a111/);
    expect(output).toMatch(/offsets +seam\.outcomes\/1 0 … 1,234/);
    expect(output).toMatch(/evaluation +75\.0 % of 200 on validation, parent –/);
    expect(output).toMatch(/loss +0\.12346/);
    await world.seam('adapters', 'show', 'b333', '--json');
    expect(world.takeJson()).toMatchObject([{ adapterDigest: digest('b333'), status: 'published' }]);
  });

  it('shows what the comparison with its parent came to, and what it needed', async () => {
    const world = await withAdapters();
    const events: SeamEvent[] = [
      {
        type: 'TrainingRunStarted',
        method: 'seam',
        slot: 'generator',
        meta: meta(),
        runId: 'run-b333',
        algorithm: 'grpo',
        configuration: JSON.stringify({ promotion: { rule: 'better', level: 0.005 } }),
        inputs: [],
        manifestKey: null,
        manifestDigest: null,
        baseModelDigest: digest('ba5e'),
        parentAdapter: digest('a111'),
        seed: 's',
        codeVersion: '0',
        manifests: [],
      },
      {
        type: 'TrainingRunRejected',
        meta: meta(),
        runId: 'run-b333',
        adapterDigest: digest('b333'),
        reason: 'not better',
        evaluation: {
          ...evaluationOf(0.36, 0.25),
          parentPerDomain: { sums: 0.25 },
          rescued: 43,
          broken: 21,
          asked: { sums: 200 },
          repeated: 7,
          judges: [
            { model: 'qwen', revision: 'fp_1', verdicts: 399 },
            { model: 'qwen', revision: null, verdicts: 1 },
          ],
          judgedApart: 12,
        },
        metrics: {},
      },
    ];
    await world.log.append(events.map(encodeEvent));
    await world.seam('adapters', 'show', 'b333');
    const output = world.takeOutput();
    expect(output).toMatch(/compared +43 rescued, 21 broken: evidence 14, needed 200; 7 problems were asked before/);
    expect(output).toMatch(/ {2}sums +100\.0 %, parent 25\.0 %/);
    expect(output).toMatch(/judged by +qwen \(fp_1\), 399 verdicts; qwen, 1 verdict\n/);
    expect(output).toMatch(/judged apart +12 problems\n/);
    await world.seam('adapters', 'show', 'b333', '--json');
    expect(world.takeJson()).toMatchObject([{ comparison: { rescued: 43, broken: 21, repeated: 7, needed: 200 } }]);
  });

  it('says which adapters there are when the digits fit none, several or are too few', async () => {
    const world = await withAdapters();
    await world.log.append([encodeEvent(publishedEvent('a2225', null))]);
    expect(await world.seam('adapters', 'show', 'ffff')).toBe(2);
    expect(world.takeErrors()).toContain(
      'expected one of those in the log (a1110000, a2220000, b3330000, a2225000), got none of them',
    );
    expect(await world.seam('adapters', 'show', 'a222')).toBe(2);
    expect(world.takeErrors()).toContain('"a222", which begins a2220000, a2225000. Give more digits.');
    expect(await world.seam('adapters', 'show', 'a2')).toBe(2);
    expect(world.takeErrors()).toContain('expected at least 4 hexadecimal digits');
  });

  it('serves the base model where there are none', async () => {
    const world = await fakeWorld();
    await world.seam('adapters');
    expect(world.takeOutput()).toBe('No adapters yet: the base model is served.\n');
    await world.seam('adapters', 'tree');
    expect(world.takeOutput()).toBe('base  served\n');
  });
});
