import { Turnstile } from './turnstile.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('lets many in side by side, and who wants to be alone before whoever comes later', async () => {
  const turnstile = new Turnstile();
  const inside = new Set<string>();
  const seen: string[] = [];
  const visit = (name: string) => async (): Promise<void> => {
    inside.add(name);
    for (let step = 0; step < 3; step++) {
      await turn();
      seen.push([...inside].sort().join(''));
    }
    inside.delete(name);
  };
  await Promise.all([
    turnstile.shared(visit('a')),
    turnstile.shared(visit('b')),
    turnstile.alone(visit('C')),
    turnstile.shared(visit('d')),
    turnstile.alone(visit('E')),
    turnstile.shared(visit('f')).finally(() => undefined),
  ]);
  expect([...new Set(seen)]).toEqual(['ab', 'b', 'C', 'd', 'E', 'f']);
  await expect(turnstile.alone(() => Promise.reject(new Error('failed inside')))).rejects.toThrow('failed inside');
  await expect(turnstile.shared(async () => 'goes on')).resolves.toBe('goes on');
});
