import { ReadWriteLock } from './read-write-lock.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('lets readers in together and a waiting writer before later readers', async () => {
  const lock = new ReadWriteLock();
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
    lock.read(visit('a')),
    lock.read(visit('b')),
    lock.write(visit('C')),
    lock.read(visit('d')),
    lock.write(visit('E')),
    lock.read(visit('f')).finally(() => undefined),
  ]);
  expect([...new Set(seen)]).toEqual(['ab', 'b', 'C', 'd', 'E', 'f']);
  await expect(lock.write(() => Promise.reject(new Error('planted')))).rejects.toThrow('planted');
  await expect(lock.read(async () => 'free again')).resolves.toBe('free again');
});
