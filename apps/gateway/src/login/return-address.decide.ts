/** Where a browser goes when its user has signed in. Pure. */

/** A cookie holds it, and browsers take cookies of 4,096 bytes. */
const LONGEST = 1_024;

/**
 * The address of the dashboard that was asked for: a path with its query, of this origin. All else is the first page, since a link of strangers
 * may ask for it.
 * @param origin scheme, host and port of the gateway as browsers know it
 */
export function returnAddress(asked: unknown, origin: string): string {
  if (typeof asked !== 'string' || asked.length > LONGEST || !asked.startsWith('/') || !URL.canParse(asked, origin))
    return '/';
  const { origin: own, pathname, search } = new URL(asked, origin);
  // A path that begins with two slashes names another host where it stands alone; one to the login would sign in again.
  const isPage = !pathname.startsWith('//') && !/^\/login(\/|$)/.test(pathname);
  return own === origin && isPage ? pathname + search : '/';
}
