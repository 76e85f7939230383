import fc from 'fast-check';
import { auditQuerySchema, logQuerySchema, problemsQuerySchema } from './views.js';

describe('what the dashboard asks', () => {
  it('has defaults, and refuses unknown words', () => {
    expect(problemsQuerySchema.parse({})).toEqual({ offset: 0, limit: 200 });
    expect(problemsQuerySchema.parse({ offset: '40', arm: 'control' })).toMatchObject({ offset: 40, arm: 'control' });
    for (const query of [{ arms: 'control' }, { arm: 'left' }, { offset: '-1' }, { limit: '1e9' }, { offset: '1.5' }])
      expect(() => problemsQuerySchema.parse(query)).toThrow();
  });

  it('names the place in the log that an answer gave, and refuses any other text', () => {
    expect(logQuerySchema.parse({ before: '{"seam.problems/0":4}' }).before).toEqual({ 'seam.problems/0': 4 });
    for (const before of ['', '{', '[]', '{"a":-1}', '{"a":"4"}', 'null'])
      expect(() => logQuerySchema.parse({ before })).toThrow(/place as an earlier answer gave it/);
  });

  it('never throws anything but a complaint about the fields', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (query) => {
        for (const schema of [auditQuerySchema, logQuerySchema, problemsQuerySchema])
          expect(() => schema.safeParse(query)).not.toThrow();
      }),
    );
  });
});
