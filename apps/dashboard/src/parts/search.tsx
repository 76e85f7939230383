/** Finds any id: problems, runs, releases, adapters; and words of questions. */
import type { FoundThing } from '@seamstream/operations/views';
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { go } from '../state/place.js';
import { readView } from '../state/view.js';

const addressOf = ({ kind, id }: FoundThing): string =>
  `/${{ adapter: 'adapters', run: 'training', release: 'releases', problem: 'problems' }[kind]}/${encodeURIComponent(id)}`;

/** An id that no list knows may be in the log. */
const inLog = (words: string): string => {
  const fields = ['key', 'meta.messageId', 'experienceId'];
  const filter = fields.map((field) => `${field} = '${words.replaceAll("'", '')}'`).join(' or ');
  return `/log?filter=${encodeURIComponent(filter)}`;
};

export function Search(): JSX.Element {
  const [words, setWords] = useState('');
  const [found, setFound] = useState<readonly FoundThing[]>([]);
  const look = async (text: string): Promise<void> => {
    setWords(text);
    if (text.trim() === '') {
      setFound([]);
      return;
    }
    const answer = await readView<{ readonly found: readonly FoundThing[] }>(
      `/api/views/find?id=${encodeURIComponent(text)}`,
    ).catch(() => ({ found: [] }));
    setFound(answer.found);
  };
  const leave = (to: string): void => {
    setWords('');
    setFound([]);
    (document.activeElement as HTMLElement | null)?.blur();
    go(to);
  };
  const id = words.trim();
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (id === '') return;
          leave(found[0] === undefined ? inLog(id) : addressOf(found[0]));
        }}
      >
        <label class="unseen" for="search">
          Find an id, or words of a question
        </label>
        <input
          id="search"
          type="search"
          autocomplete="off"
          placeholder="Find any id   /"
          value={words}
          onInput={(event) => void look(event.currentTarget.value)}
        />
      </form>
      {id === '' ? null : (
        <ul class="found">
          {found.map((each) => (
            <li key={each.kind + each.id}>
              <a href={addressOf(each)} onClick={() => leave(addressOf(each))}>
                {each.label}
              </a>
            </li>
          ))}
          <li>
            <a href={inLog(id)} onClick={() => leave(inLog(id))}>
              Look for it in the log
            </a>
          </li>
        </ul>
      )}
    </search>
  );
}
