/** A browser for specs: it keeps cookies by origin, follows no redirect by itself, and says what a real one says of its requests. */
import { parseSetCookie } from 'cookie';

export class FakeBrowser {
  /** By origin, then by name. */
  readonly jar = new Map<string, Map<string, string>>();

  /** As a page of the same origin asks. */
  async ask(address: string, { method = 'GET', headers = {} }: RequestInit = {}): Promise<Response> {
    const { origin } = new URL(address);
    const own = method === 'GET' ? {} : { origin };
    const given = headers as Readonly<Record<string, string>>;
    return this.send(address, { method, headers: { 'sec-fetch-site': 'same-origin', ...own, ...given } });
  }

  /** As a person who follows a link or a redirect. */
  async visit(address: string): Promise<Response> {
    return this.send(address, { headers: { 'sec-fetch-site': 'none' } });
  }

  /** Follows redirects, and clicks what the provider's page offers. @param until the address of a redirect that is not followed any more */
  async follow(first: string, until: (address: string) => boolean): Promise<string> {
    for (let address = first, hop = 0; hop < 10; hop++) {
      if (until(address)) return address;
      const answer = address.includes('/interaction/') ? await this.click(address) : await this.visit(address);
      const to = answer.headers.get('location');
      if (to === null) throw new Error(`Cannot follow ${address}: status ${answer.status} ${await answer.text()}`);
      address = new URL(to, address).href;
    }
    throw new Error('Cannot follow: too many redirects.');
  }

  cookies(origin: string): Map<string, string> {
    const cookies = this.jar.get(origin) ?? new Map<string, string>();
    this.jar.set(origin, cookies);
    return cookies;
  }

  private async click(address: string): Promise<Response> {
    return this.send(address, { method: 'POST' });
  }

  private async send(address: string, init: RequestInit): Promise<Response> {
    const cookies = this.cookies(new URL(address).origin);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), ...(cookie === '' ? {} : { cookie }) };
    const answer = await fetch(address, { ...init, headers, redirect: 'manual' });
    for (const text of answer.headers.getSetCookie()) {
      const { name, value = '', maxAge, expires } = parseSetCookie(text, { decode: (raw) => raw });
      if (maxAge === 0 || (expires !== undefined && expires.getTime() < Date.now())) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  }
}
