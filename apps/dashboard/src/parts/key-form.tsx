/** Asks for a key, in place of the page that could not be read without one. */
import type { JSX } from 'preact';
import { openWith } from '../state/access.js';

export function KeyForm(): JSX.Element {
  return (
    <>
      <h1>This gateway asks for a key</h1>
      <p>
        A key with the role viewer suffices: <code>seam gateway keys issue "my page" --role viewer --by me</code>. It
        stays in this tab until you close it.
      </p>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const key = new FormData(event.currentTarget).get('key');
          if (typeof key === 'string' && key.trim() !== '') openWith(key.trim());
        }}
      >
        <label class="grow">
          key
          <input name="key" type="password" class="mono" autocomplete="off" required />
        </label>
        <button type="submit">Open</button>
      </form>
    </>
  );
}
