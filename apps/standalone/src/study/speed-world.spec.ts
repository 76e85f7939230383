import { attributeSource, worldSource } from '../problem-stream.js';
import { SPEED_METHODS, speedWorld } from './speed-world.js';

const SIZES = { roundSize: 8, heldOut: 40 };
const SOURCES = { experiences: worldSource(3), attributes: attributeSource({ method: 'attributes', seed: 3 }) };

describe.each(SPEED_METHODS)('the problems of %s', (method) => {
  const world = speedWorld(method, 3, SIZES);

  it('are those that the loop publishes, in its order', () => {
    const rounds = [1, 2].flatMap((round) =>
      SOURCES[method]({
        ...{ round, phase: 'base', roundSize: 8, count: 8, occurredAt: 0 },
        startIndex: (round - 1) * 8,
      }),
    );
    expect(world.published(2)).toEqual(
      rounds.flatMap((event) => (event.type === 'ProblemPublished' ? [event.problem] : [])),
    );
    expect(world.published(2)).toHaveLength(16);
  });

  it('are measured on others, which another seed of a world of attributes does not share', () => {
    const trained = new Set(world.published(8).map(({ prompt }) => prompt));
    expect(world.heldOut.length).toBeGreaterThan(30);
    expect(world.heldOut.filter(({ prompt }) => trained.has(prompt))).toEqual([]);
    const elsewhere = speedWorld(method, 4, SIZES).heldOut;
    expect(
      elsewhere.map(({ reference }) => reference).join() === world.heldOut.map((each) => each.reference).join(),
    ).toBe(method === 'experiences');
  });

  it('have a schema for each of their domains, and for no other', () => {
    for (const { domain } of world.heldOut) expect(world.schemaFor(domain)).toBeDefined();
    expect(() => world.schemaFor('elsewhere')).toThrow(/^Cannot judge an entry: expected a domain/);
  });
});
