/** What differs between two libraries, by id. */
import { isDeepStrictEqual } from 'node:util';
import type { ExperienceLibrary, LibraryItem } from './library.js';

export interface LibraryDiff {
  readonly added: readonly LibraryItem[];
  readonly removed: readonly LibraryItem[];
  readonly changed: readonly { readonly before: LibraryItem; readonly after: LibraryItem }[];
}

export function libraryDiff(
  before: Pick<ExperienceLibrary, 'items'>,
  after: Pick<ExperienceLibrary, 'items'>,
): LibraryDiff {
  const [old, now] = [before, after].map(({ items }) => new Map(items.map((item) => [item.id, item])));
  return {
    added: after.items.filter(({ id }) => !old!.has(id)),
    removed: before.items.filter(({ id }) => !now!.has(id)),
    changed: after.items.flatMap((item) => {
      const other = old!.get(item.id);
      return other === undefined || isDeepStrictEqual(other, item) ? [] : [{ before: other, after: item }];
    }),
  };
}
