/** What a curious client asks of each route, for the spec of tenants. */

/** In all that the tenant globex sends, and in all that it is answered. */
export const MARK = 'quince';

export interface Known {
  readonly problemId: string;
  readonly completionId: string;
  /** A problem of the tenant that asks. */
  readonly own: string;
  /** What no one of another tenant may learn. */
  readonly secrets: readonly string[];
}

export interface Request {
  readonly id?: string;
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export const chat = (
  content: string,
): { readonly model: string; readonly messages: readonly { readonly role: string; readonly content: string }[] } => ({
  model: 'seam',
  messages: [{ role: 'user', content }],
});
const nothing = (): readonly Request[] => [{}];

/** Each route of the gateway that holds data: what a curious client asks of it, and whether the other tenant's words are among its own answers. */
export const ASKED: Readonly<Record<string, { requests: (known: Known) => readonly Request[]; shows?: true }>> = {
  'POST /v1/chat/completions': {
    requests: () => [{ body: { ...chat('How many?'), seam: { conversation: 'c-1' } } }],
  },
  'POST /v1/responses': { requests: () => [{ body: { model: 'seam', input: 'How many?' } }] },
  'POST /v1/embeddings': { requests: () => [{ body: { model: 'seam', input: 'How many?' } }] },
  'GET /v1/sessions/:id': { requests: () => [{ id: MARK }] },
  'DELETE /v1/sessions/:id': { requests: () => [{ id: MARK }] },
  'GET /v1/models': { requests: nothing },
  'GET /v1/models/:id': { requests: ({ problemId }) => [{ id: 'seam' }, { id: problemId }] },
  'GET /api/problems/:id': { requests: ({ problemId, own }) => [{ id: problemId }, { id: own }], shows: true },
  'GET /api/events': {
    requests: () => [
      { query: 'from=earliest' },
      { query: 'topics=problems', headers: { 'last-event-id': firstPlaces('seam.problems') } },
      { query: 'topics=answers', headers: { 'last-event-id': firstPlaces('seam.answers') } },
      { query: 'topics=usage&from=earliest' },
      { query: 'topics=access&from=earliest' },
      { query: 'topics=dead-letters&from=earliest' },
    ],
    shows: true,
  },
  'GET /api/me': { requests: nothing },
  'GET /api/openapi.json': { requests: nothing },
  'DELETE /api/session': { requests: nothing },
  'GET /api/stream': { requests: nothing },
  'GET /api/views/overview': { requests: nothing },
  'GET /api/views/problems': { requests: () => [{}, { query: `text=${MARK}` }], shows: true },
  'GET /api/views/problems/:id': { requests: ({ problemId, own }) => [{ id: problemId }, { id: own }], shows: true },
  'GET /api/views/find': {
    requests: ({ problemId }) => [
      { query: `id=${problemId}` },
      { query: `id=${problemId.slice(0, 8)}` },
      { query: `id=${MARK}` },
    ],
    shows: true,
  },
  'GET /api/views/log': { requests: () => [{ query: 'topics=seam.problems' }, { query: `filter=${MARK}` }, {}] },
  'GET /api/views/adapters': { requests: nothing },
  'GET /api/views/adapters/use': { requests: nothing },
  'GET /api/views/adapters/:word/changes': { requests: () => [{ id: 'served' }] },
  'GET /api/views/runs': { requests: nothing },
  'GET /api/views/buffer': { requests: nothing },
  'GET /api/views/releases': { requests: nothing },
  'GET /api/views/facts': { requests: nothing },
  'GET /api/views/success': { requests: nothing },
  'GET /api/views/dead-letters': { requests: nothing },
  'GET /api/views/doctor': { requests: nothing },
  'GET /api/views/health': { requests: nothing },
  'GET /api/views/libraries': { requests: nothing },
  'GET /api/views/libraries/:word': { requests: () => [{ id: 'served' }] },
  'GET /api/views/libraries/:word/diff': { requests: () => [{ id: 'served', query: 'before=1' }] },
  'GET /api/views/teams': { requests: nothing },
  'GET /api/views/teams/:slot': { requests: () => [{ id: 'team' }] },
  'GET /api/views/self-trainings': { requests: nothing },
  'GET /api/views/edits': { requests: nothing },
  'GET /api/views/access': { requests: nothing, shows: true },
  'GET /api/views/cost': {
    requests: () => ['key', 'tenant', 'domain', 'arm', 'model'].map((by) => ({ query: `by=${by}` })),
  },
  'GET /api/views/prices': { requests: nothing },
  'GET /api/views/requests': { requests: nothing },
  'GET /api/views/start': { requests: nothing },
  'GET /api/views/report': { requests: nothing },
  'GET /api/views/audit': { requests: () => [{ query: 'act=all' }, { query: 'act=ask' }, {}] },
  // Last: from then on the ids are in what the strangers have said themselves.
  'POST /v1/feedback': {
    requests: ({ problemId, completionId }) => [
      { body: { problemId, value: true } },
      { body: { completionId, value: true }, headers: { 'idempotency-key': 'said-1' } },
    ],
  },
  'POST /api/problems': {
    requests: ({ problemId }) => [
      { body: { prompt: 'Why?', problemId } },
      { body: { prompt: 'Why?' }, headers: { 'idempotency-key': 'order-1' } },
    ],
  },
};

const firstPlaces = (topic: string): string => [0, 1, 2, 3].map((partition) => `${topic}/${partition}:0`).join(',');
