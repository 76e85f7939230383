/** Sessions by name, each compiled when it is first asked for. */
import { type Graph, Session, type SessionSettings } from '@seamstream/tensor-graph';

export class Sessions {
  readonly #sessions = new Map<string, Promise<Session>>();

  /** @throws SESSION_FAILED; what could not be compiled is tried again when it is asked for again. */
  get(name: string, build: () => { readonly graph: Graph }, settings: SessionSettings): Promise<Session> {
    let session = this.#sessions.get(name);
    if (!session) {
      session = Session.create(build().graph, settings);
      this.#sessions.set(name, session);
      session.catch(() => this.#sessions.delete(name));
    }
    return session;
  }

  async close(): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of await Promise.allSettled(sessions)) {
      if (session.status === 'fulfilled') await session.value.close();
    }
  }
}
