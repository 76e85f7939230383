/** What a client may say to Seamstream by headers, where its library has no room for further fields. */
import type { IncomingHttpHeaders } from 'node:http';

const FIELDS = {
  'x-seam-domain': 'domain',
  'x-seam-conversation': 'conversation',
  'x-seam-session': 'session',
} as const;

/** The body with `seam` completed by headers; a field of the body goes before its header. A body that is no object stays as it is. */
export function withSeamHeaders(body: unknown, headers: IncomingHttpHeaders): unknown {
  const given = Object.entries(FIELDS).flatMap(([header, field]) => {
    const value = headers[header];
    return typeof value === 'string' ? [[field, value] as const] : [];
  });
  if (given.length === 0 || typeof body !== 'object' || body === null || Array.isArray(body)) return body;
  const { seam } = body as { seam?: unknown };
  if (seam !== undefined && (typeof seam !== 'object' || seam === null)) return body;
  return { ...body, seam: { ...Object.fromEntries(given), ...seam } };
}
