import { INTERVAL_MS, LINES_PER_REASON, RationedLines } from './rationed-lines.js';

interface Line {
  readonly facts: Readonly<Record<string, unknown>>;
  readonly sentence: string;
}

function rationed(): { lines: Line[]; rationed: RationedLines; clock: { ms: number }; end: () => Promise<void> } {
  const [lines, clock]: [Line[], { ms: number }] = [[], { ms: 1_000 }];
  const warn = (facts: Line['facts'], sentence: string): void => void lines.push({ facts, sentence });
  let end = async (): Promise<void> => undefined;
  const atEnd = (sumUp: () => Promise<void>): void => {
    end = sumUp;
  };
  const own = new RationedLines({ warn } as never, atEnd, () => clock.ms);
  return { lines, clock, rationed: own, end: () => end() };
}

describe('lines that a stranger causes', () => {
  it('are written in full as long as they are few', () => {
    const { lines, clock, rationed: own } = rationed();
    for (let index = 0; index < 100; index++, clock.ms += INTERVAL_MS / LINES_PER_REASON)
      own.warn('identity', { index }, 'NOT BELIEVED');
    own.sumUp();
    expect(lines).toEqual(Array.from({ length: 100 }, (_, index) => ({ facts: { index }, sentence: 'NOT BELIEVED' })));
  });

  it('are rationed for each reason: a flood is a few lines, and every record is written or counted', () => {
    const { lines, clock, rationed: own } = rationed();
    const flood = 200_000;
    for (let index = 0; index < flood; index++) {
      own.warn('identity', { index }, 'NOT BELIEVED');
      if (index === flood / 2) own.warn('problem_missing', { index }, 'NOT BELIEVED');
      // Over two and a half intervals.
      clock.ms += (2.5 * INTERVAL_MS) / flood;
    }
    own.sumUp();
    own.sumUp();
    const told = lines.filter(({ sentence }) => sentence === 'NOT BELIEVED');
    const sums = lines.filter(({ sentence }) => sentence !== 'NOT BELIEVED');
    expect(told.filter(({ facts }) => facts.index !== flood / 2)).toHaveLength(3 * LINES_PER_REASON);
    expect(told.filter(({ facts }) => facts.index === flood / 2)).toHaveLength(1);
    expect(sums.map(({ facts }) => facts.reason)).toEqual(['identity', 'identity', 'identity']);
    expect(sums.reduce((sum, { facts }) => sum + (facts.untold as number), told.length)).toBe(flood + 1);
    expect(sums[0]!.sentence).toBe('79,990 more lines with the same reason were not written one by one');
  });

  it('are all written or counted when their service ends, even after a short flood', async () => {
    const { lines, rationed: own, end } = rationed();
    const flood = LINES_PER_REASON + 7;
    for (let index = 0; index < flood; index++) own.warn('identity', { index }, 'NOT BELIEVED');
    expect(lines).toHaveLength(LINES_PER_REASON);
    await end();
    await end();
    expect(lines.slice(LINES_PER_REASON).map(({ facts }) => facts)).toEqual([{ reason: 'identity', untold: 7 }]);
  });

  it('begin again in full when the flood is over', () => {
    const { lines, clock, rationed: own } = rationed();
    for (let index = 0; index < 1_000; index++) own.warn('identity', {}, 'NOT BELIEVED');
    own.sumUp();
    clock.ms += INTERVAL_MS;
    lines.length = 0;
    own.warn('identity', { again: true }, 'NOT BELIEVED');
    expect(lines).toEqual([{ facts: { again: true }, sentence: 'NOT BELIEVED' }]);
  });

  it('are written again after the clock was set back', () => {
    const { lines, clock, rationed: own } = rationed();
    for (let index = 0; index < 100; index++) own.warn('identity', {}, 'NOT BELIEVED');
    clock.ms -= 60 * INTERVAL_MS;
    lines.length = 0;
    for (let index = 0; index < 5; index++, clock.ms += INTERVAL_MS) own.warn('identity', { index }, 'NOT BELIEVED');
    expect(lines.filter(({ sentence }) => sentence === 'NOT BELIEVED')).toHaveLength(5);
  });
});
