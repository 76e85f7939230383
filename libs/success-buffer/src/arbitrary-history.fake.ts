/** Histories of groups as fast-check makes them. */
import fc from 'fast-check';
import { group } from './told-groups.fake.js';

// Small alphabets make collisions, duplicates and full strata common.
const words = ['oak', 'ash', 'yew', 'teak', 'pine'];
const arbitraryGroup = fc.record({
  results: fc.string({ unit: fc.constantFrom('+', '-', 'x'), minLength: 1, maxLength: 4 }),
  prompt: fc.array(fc.constantFrom(...words), { minLength: 6, maxLength: 9 }).map((chosen) => chosen.join(' ')),
  entry: fc.constantFrom('{"a":1}', '{"a":2}', 'bad'),
  arm: fc.constantFrom('explore', 'explore', 'deploy', 'control'),
  domain: fc.constantFrom('timber', 'herbs'),
  partition: fc.integer({ min: 0, max: 1 }),
  subject: fc.constantFrom(undefined, 'mallory'),
  incomplete: fc.boolean(),
  // Results of its first members that are recorded again later in the log.
  anew: fc.string({ unit: fc.constantFrom('+', '-', 'x'), maxLength: 4 }),
});
export const history = fc.array(arbitraryGroup, { maxLength: 14 }).map((groups) =>
  groups.flatMap(({ results, anew, incomplete, subject, ...options }, index) => {
    const facts = {
      ...options,
      ...(subject === undefined ? {} : { subject }),
      size: results.length + (incomplete ? 1 : 0),
    };
    const first = group(`g${index}`, results, { ...facts, offset: index * 4 });
    const later = group(`g${index}`, anew.slice(0, results.length), { ...facts, offset: index * 4 + 23 });
    for (const { event } of later)
      Object.assign(event.meta, { messageId: `${['a', '', 'h', 'z'][index % 4]}${event.meta.messageId}` });
    return [...first, ...later];
  }),
);
export const config = {
  capacityPerStratum: 2,
  maxRowsPerSubject: 3,
  maxAgeRecords: 30,
  nearDuplicates: { shingleWords: 2, threshold: 0.5 },
};
