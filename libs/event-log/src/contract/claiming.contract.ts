import { newId } from '@seamstream/kernel';
import type { Claim, EventLog } from '../event-log.js';
import { type LogScene, refusalOf, valuesOf } from './log-scene.contract.js';

export function describeClaiming(scene: LogScene): void {
  const { open, topicWith, record, readAll } = scene;

  describe('claiming a name', () => {
    const name = (): string => `name-${newId()}`;
    const step = (target: EventLog, claim: Claim, topic: string, value: string) =>
      target.transact({
        records: [0, 1].map((partition) => record(topic, value, { partition })),
        consumed: { claim, offsets: [] },
      });
    const stored = async (topic: string): Promise<(string | null)[]> =>
      valuesOf([...(await readAll(topic)), ...(await readAll(topic, 1))]);

    it('lets the last claimant continue, and fences those before, in any log', async () => {
      const [topic, shared] = [await topicWith(2), name()];
      const first = await scene.log.claim(shared);
      const positions = await step(scene.log, first, topic, 'one');
      expect(positions).toMatchObject([
        { topic, partition: 0 },
        { topic, partition: 1 },
      ]);
      const other = await open();
      const second = await other.claim(shared);
      expect(await refusalOf(step(scene.log, first, topic, 'too late'))).toMatchObject({
        code: 'FENCED',
        retryable: true,
      });
      await step(other, second, topic, 'two');
      const third = await other.claim(shared);
      expect(await refusalOf(step(other, second, topic, 'too late'))).toMatchObject({ code: 'FENCED' });
      await step(other, third, topic, 'three');
      expect(await stored(topic)).toEqual(['one', 'two', 'three', 'one', 'two', 'three']);
    });

    it('fences a step that commits nothing, which is how a holder finds out that it is one no longer', async () => {
      const shared = name();
      const first = await scene.log.claim(shared);
      const look = (target: EventLog, claim: Claim) =>
        target.transact({ records: [], consumed: { claim, offsets: [] } });
      await expect(look(scene.log, first)).resolves.toEqual([]);
      const other = await open();
      const second = await other.claim(shared);
      expect(await refusalOf(look(scene.log, first))).toMatchObject({ code: 'FENCED' });
      await expect(look(other, second)).resolves.toEqual([]);
    });

    it('shows a claimant all that was committed under the claims before', async () => {
      const [topic, shared] = [await topicWith(2), name()];
      const other = await open();
      for (const [index, target] of [scene.log, other, scene.log, other].entries()) {
        const claim = await target.claim(shared);
        for (const partition of [0, 1]) expect(await readAll(topic, partition, 0, target)).toHaveLength(index);
        await step(target, claim, topic, 'x');
      }
    });

    it('records each once when several at once look and then append what is missing', async () => {
      const [topic, shared] = [await topicWith(2), name()];
      const values = Array.from({ length: 40 }, (_, index) => `${index}`);
      const fill = async (target: EventLog): Promise<'done' | 'fenced'> => {
        const claim = await target.claim(shared);
        const present = new Set(valuesOf(await readAll(topic, 0, 0, target)));
        try {
          for (const value of values) if (!present.has(value)) await step(target, claim, topic, value);
          return 'done';
        } catch (error) {
          expect(error).toMatchObject({ code: 'FENCED' });
          return 'fenced';
        }
      };
      const ends = await Promise.all([fill(scene.log), fill(await open()), fill(await open())]);
      expect(ends).toContain('done');
      expect(await stored(topic)).toEqual([...values, ...values]);
    });

    it('keeps names apart, and each as it is while others come and go', async () => {
      const topic = await topicWith(2);
      const mine = await scene.log.claim(name());
      const other = await open();
      await other.claim(name());
      await other.close();
      await step(scene.log, mine, topic, 'x');
      expect(await stored(topic)).toEqual(['x', 'x']);
    });

    it('gives up a claim that is released, and leaves the one that took its place alone', async () => {
      const [topic, shared] = [await topicWith(2), name()];
      const first = await scene.log.claim(shared);
      const second = await scene.log.claim(shared);
      await scene.log.release(first);
      await step(scene.log, second, topic, 'one');
      for (let time = 0; time < 2; time++) {
        await scene.log.release(second);
        expect(await refusalOf(step(scene.log, second, topic, 'too late'))).toMatchObject({ code: 'FENCED' });
      }
      await step(scene.log, await scene.log.claim(shared), topic, 'two');
      expect(await stored(topic)).toEqual(['one', 'two', 'one', 'two']);
    });

    it.each([[''], ['a/b'], ['x'.repeat(201)]])('refuses the name %j', async (bad) => {
      expect(await refusalOf(scene.log.claim(bad))).toMatchObject({ code: 'INVALID_INPUT' });
    });
  });
}
