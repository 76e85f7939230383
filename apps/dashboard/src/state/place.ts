/** Where one is: the page's address holds all that is chosen, so that it can be kept and sent. */
import { computed, signal } from '@preact/signals';

const address = signal(location.pathname + location.search);
addEventListener('popstate', () => {
  address.value = location.pathname + location.search;
});

export const path = computed(() => address.value.split('?')[0]!.split('/').filter(Boolean).map(decodeURIComponent));
export const query = computed(() => new URLSearchParams(address.value.split('?')[1] ?? ''));

/** The moment that pages are of: a time in ISO 8601, or the place of a record; null is now. */
export const asOf = computed(() => (query.value.get('asOf') === '' ? null : query.value.get('asOf')));

/** Goes to an address of this page. @param instead replaces the present one: a letter typed is no step back */
export function go(to: string, instead = false): void {
  if (instead) history.replaceState(null, '', to);
  else history.pushState(null, '', to);
  address.value = to;
}

/** The present address with words of its query changed; undefined removes one. */
export function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const next = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes))
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, value);
  const text = next.toString();
  return `/${path.value.map(encodeURIComponent).join('/')}${text === '' ? '' : `?${text}`}`;
}

export const setQuery = (changes: Readonly<Record<string, string | undefined>>, instead = true): void =>
  go(withQuery(changes), instead);

/** Follows links within the page without loading it again. */
addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  if (link?.origin !== location.origin || link.target !== '' || link.rel === 'external') return;
  if (link.pathname.startsWith('/api/')) return;
  event.preventDefault();
  const isElsewhere = link.pathname !== location.pathname;
  const to = new URLSearchParams(link.search);
  // One who looks at a moment looks at it on the next page as well.
  if (isElsewhere && asOf.value !== null && !to.has('asOf')) to.set('asOf', asOf.value);
  go(`${link.pathname}${to.size === 0 ? '' : `?${to}`}`);
  if (!isElsewhere) return;
  scrollTo(0, 0);
  // The keys belong to the page that one went to, and a reader of screens begins there.
  document.getElementById('main')?.focus({ preventScroll: true });
});
