import { Random } from '@seamstream/kernel';
import { runPlots } from './run-plots.js';
import type { TrackedPoint } from './tracker.port.js';

describe('the picture of a run', () => {
  it('has a bar of each bin of the last step, the highest over the whole height', () => {
    const counts = [4, 0, 0, 2, 0, 0, 0, 0, 0, 1];
    const points = [1, 2].flatMap((step) =>
      counts.map((count, bin) => point(`reward/histogram_${bin}`, step, step === 1 ? 9 : count)),
    );
    const picture = runPlots({ name: 'r', points });
    expect(picture).toContain('rewards of step 2');
    const bars = [...picture.matchAll(/height="([\d.]+)" fill="#2b6cb0"><title>(\d+)</g)];
    expect(bars.map(([, height, count]) => [Number(height), Number(count)])).toEqual(
      counts.map((count) => [count * 40, count]),
    );
  });

  it('shows the trend as the line of least squares, and what was before next to what was after', () => {
    const means = [0.2, 0.5, 0.2, 0.5].map((value, at) => point('reward/mean', at + 1, value));
    const compared = [point('validation/before_training', 1, 0.25), point('validation/after_training', 1, 0.5)];
    const picture = runPlots({ name: 'r', points: [...means, ...compared] });
    // Slope 0.06 a step around 0.35 at 2.5: 0.26 at step 1 and 0.44 at step 4, in a panel of 160.
    expect(picture).toContain('<polyline points="16,118.4 304,89.6" fill="none" stroke="#888"/>');
    expect(picture).toMatch(/height="40" fill="#b0b0b0"><title>0.250</);
    expect(picture).toMatch(/height="80" fill="#2b6cb0"><title>0.500</);
  });

  it('says where there are no figures', () => {
    expect(runPlots({ name: 'r', points: [] }).match(/no figures/g)).toHaveLength(4);
  });

  it('is well formed, within its panels and the same each time, for any figures and names', () => {
    const metrics = ['reward/mean', 'reward/std', 'success_rate', 'gaining_share', 'validation/after_training'];
    metrics.push('accuracy/before_update', 'reward/histogram_0', 'reward/histogram_9', 'something/else');
    for (let seed = 0; seed < 40; seed++) {
      const random = Random.of('plots', seed);
      const steps = Array.from({ length: random.int(6) }, (_, at) => at * (1 + random.int(3)));
      const points = metrics.flatMap((metric) =>
        steps.filter(() => random.int(4) > 0).map((step) => point(metric, step, random.float() * 4 - 1)),
      );
      const picture = runPlots({ name: `</text><script>&"'${seed}`, points });
      expect(picture).toBe(runPlots({ name: `</text><script>&"'${seed}`, points }));
      expect(picture).not.toMatch(/NaN|Infinity|undefined|<script|e[-+]\d/);
      expect(unclosed(picture)).toEqual([]);
      for (const [, y] of picture.matchAll(/ (?:y|y1|y2|cy|height)="(-?[\d.]+)"/g))
        expect(Number(y)).toBeLessThanOrEqual(464);
      for (const [, y] of picture.matchAll(/ (?:y1|y2|cy|height)="(-?[\d.]+)"/g))
        expect(Number(y)).toBeGreaterThanOrEqual(0);
    }
  });
});

const point = (metric: string, step: number, value: number): TrackedPoint => ({ metric, step, value, at: step });

/** Elements that are open at the end, or closed by others. */
function unclosed(document: string): string[] {
  const open: string[] = [];
  for (const [, close, name, self] of document.matchAll(/<(\/?)([a-z]+)[^<>]*?(\/?)>/g)) {
    if (close === '/') {
      if (open.at(-1) !== name) return [...open, `/${name}`];
      open.pop();
    } else if (self === '') open.push(name!);
  }
  return open;
}
