/** The two cookies of the dashboard: of a session, and of a login that has begun. No script reads them. */
import { parseCookie, stringifySetCookie } from 'cookie';

export class Cookie {
  readonly name: string;
  private readonly isSecure: boolean;

  /**
   * @param origin of the gateway as browsers know it. By https the name has the prefix that keeps other hosts of the domain from setting it
   * (RFC 6265bis, section 4.1.3.2)
   */
  constructor(name: string, origin: string) {
    this.isSecure = origin.startsWith('https:');
    this.name = this.isSecure ? `__Host-${name}` : name;
  }

  /** @param header as the request has it */
  in(header: string | undefined): string | undefined {
    return header === undefined ? undefined : parseCookie(header)[this.name];
  }

  /** @param maxAgeMs the browser forgets it then; 0: at once */
  set(value: string, maxAgeMs: number): string {
    return stringifySetCookie({
      ...{ name: this.name, value, path: '/', maxAge: Math.ceil(maxAgeMs / 1000) },
      ...{ httpOnly: true, secure: this.isSecure, sameSite: 'lax' },
    });
  }
}
