/** Asks who reads, in place of the page that could not be read: by a login, where the gateway has one, or by a key. */
import type { JSX } from 'preact';
import { openWith, signInAt } from '../state/access.js';
import { query, withQuery } from '../state/place.js';

/** What the gateway says of a login that led to nothing (apps/gateway/src/login/login.ts). */
const OUTCOMES: Readonly<Record<string, string>> = {
  denied: 'The provider did not sign you in.',
  expired: 'The login took too long, or began in another browser.',
  failed: 'The login failed.',
  'no-role': 'You have no role here. Ask an admin for one.',
  unavailable: 'The provider gives no answer now. Try again, or open with a key.',
};

export function KeyForm(): JSX.Element {
  const login = signInAt.value;
  return login === null ? <WithKey /> : <WithLogin login={login} />;
}

function WithLogin({ login }: { readonly login: string }): JSX.Element {
  const outcome = OUTCOMES[query.value.get('sign-in') ?? ''];
  const here = withQuery({ 'sign-in': undefined });
  return (
    <>
      <h1>Sign in to this gateway</h1>
      {outcome === undefined ? null : <p role="alert">{outcome}</p>}
      <p>
        <a class="button" rel="external" href={`${login}?to=${encodeURIComponent(here)}`}>
          Sign in
        </a>
      </p>
      <details>
        <summary>Open with a key</summary>
        <Form />
      </details>
    </>
  );
}

function WithKey(): JSX.Element {
  return (
    <>
      <h1>This gateway asks for a key</h1>
      <p>
        A key with the role viewer suffices: <code>seam gateway keys issue "my page" --role viewer --by me</code>. It
        stays in this tab until you close it.
      </p>
      <Form />
    </>
  );
}

function Form(): JSX.Element {
  return (
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
  );
}
