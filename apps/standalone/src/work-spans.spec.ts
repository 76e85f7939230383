import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@seamstream/kernel';
import fc from 'fast-check';
import { type WorkSpan, WorkSpans, workedMs } from './work-spans.js';

describe('time that was worked', () => {
  it('leaves out what lies between two processes, and what lies outside of what is asked for', () => {
    const spans = [
      { fromMs: 0, toMs: 100 },
      { fromMs: 1_000_000, toMs: 1_000_050 },
    ];
    expect(workedMs(spans, 10, 1_000_040)).toBe(90 + 40);
    expect(workedMs(spans, 200, 900)).toBe(0);
    expect(workedMs([], 0, 10)).toBe(0);
  });

  it('is the number of milliseconds that lie in a span, however spans overlap', () => {
    const time = fc.nat(60);
    const span = fc.tuple(time, time).map(([a, b]): WorkSpan => ({ fromMs: Math.min(a, b), toMs: Math.max(a, b) }));
    fc.assert(
      fc.property(fc.array(span, { maxLength: 6 }), time, time, (spans, fromMs, toMs) => {
        let counted = 0;
        for (let ms = fromMs; ms < toMs; ms++) if (spans.some((each) => each.fromMs <= ms && ms < each.toMs)) counted++;
        expect(workedMs(spans, fromMs, toMs)).toBe(counted);
      }),
    );
  });
});

describe('the times of a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'seam-spans-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('resume where the previous process ended, also where it was killed after its last save', async () => {
    const clock = new ManualClock(1_000);
    const first = await WorkSpans.begin(folder, clock);
    clock.advance(500);
    await first.end();
    clock.advance(3_600_000);
    const second = await WorkSpans.begin(folder, clock);
    clock.advance(200);
    expect(workedMs(second.all(), 1_000, clock.now())).toBe(700);
    await second.end();
    expect(JSON.parse(await readFile(join(folder, 'work-spans.json'), 'utf8'))).toHaveLength(2);
  });

  it('end with the loop, however long the process continues to host services', async () => {
    const clock = new ManualClock(0);
    const spans = await WorkSpans.begin(folder, clock);
    clock.advance(300);
    await spans.end();
    clock.advance(7_200_000);
    await spans.end();
    expect(workedMs(spans.all(), 0, clock.now())).toBe(300);
    const next = await WorkSpans.begin(folder, clock);
    expect(workedMs(next.all(), 0, clock.now())).toBe(300);
    await next.end();
  });

  it('begin with what is known of a folder that kept none', async () => {
    const clock = new ManualClock(10_000);
    const spans = await WorkSpans.begin(folder, clock, [{ fromMs: 0, toMs: 400 }]);
    expect(workedMs(spans.all(), 0, 10_000)).toBe(400);
    await spans.end();
    const next = await WorkSpans.begin(folder, clock, [{ fromMs: 0, toMs: 9_000 }]);
    expect(workedMs(next.all(), 0, 10_000)).toBe(400);
    await next.end();
  });

  it('are not guessed from a file that holds something else', async () => {
    await writeFile(join(folder, 'work-spans.json'), '{"fromMs":1');
    await expect(WorkSpans.begin(folder, new ManualClock(0))).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
  });
});
