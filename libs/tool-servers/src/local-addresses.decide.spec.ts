import fc from 'fast-check';
import { forbiddenAddress } from './local-addresses.decide.js';

const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255));

describe('addresses in arguments', () => {
  it('lead to no address of the machine or its network, in whichever spelling', () => {
    const local = fc.oneof(
      octets.map(([b, c, d]) => [127, b, c, d]),
      octets.map(([b, c, d]) => [10, b, c, d]),
      octets.map(([b, c, d]) => [172, 16 + (b % 16), c, d]),
      octets.map(([, c, d]) => [192, 168, c, d]),
      octets.map(([, c, d]) => [169, 254, c, d]),
      octets.map(([b, c, d]) => [100, 64 + (b % 64), c, d]),
    );
    fc.assert(
      fc.property(
        local,
        fc.nat(5),
        fc.constantFrom('http', 'HTTPS', ' http', 'ht\ntp'),
        (address, spelling, scheme) => {
          const url = `${scheme}://${spelled(address, spelling)}/latest?x=1`;
          expect(forbiddenAddress({ deep: [{ url }] }, undefined)).toMatch(/machine or its network/);
        },
      ),
    );
  });

  it('lead to no local name, to no other scheme with a host, to no file, and hold no password', () => {
    for (const url of [
      'http://localhost',
      'http://LOCALHOST.:80/',
      'http://a.internal/',
      'http://printer/',
      '//127.1/',
    ])
      expect(forbiddenAddress([url], undefined)).toMatch(/machine or its network/);
    for (const url of ['127.0.0.1:8080/x', 'localhost:8080', '169.254.169.254/latest', 'api.default.svc/', '[::1]:80'])
      expect(forbiddenAddress([url], undefined)).toMatch(/machine or its network/);
    for (const url of ['http://kubernetes.default.svc/', 'http://[::127.0.0.1]/', 'http://168.63.129.16/'])
      expect(forbiddenAddress([url], undefined)).toMatch(/machine or its network/);
    // A key is read as well.
    expect(forbiddenAddress({ 'http://localhost/': 1 }, undefined)).toMatch(/machine or its network/);
    for (const url of [
      ...['view-source:http://example.org/', 'view-source:file:///etc/passwd', 'data:text/html,<b>', 'blob:http://a/b'],
      ...['javascript:fetch(1)', ' about:config'],
    ])
      expect(forbiddenAddress([url], ['example.org'])).toMatch(/no address of a page/);
    for (const url of ['file:///etc/passwd', 'file:/etc', 'ftp://h.org/', 'gopher://h.org/', 'ws://h.org'])
      expect(forbiddenAddress([url], undefined)).toMatch(/no address of a page/);
    for (const url of ['http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[fd00::1]/', 'http://[fe80::1]/'])
      expect(forbiddenAddress([url], undefined)).toMatch(/machine or its network/);
    expect(forbiddenAddress(['http://me:word@example.org/'], undefined)).toMatch(/a user or a password/);
  });

  it('may lead elsewhere, and other texts are no addresses', () => {
    for (const text of [
      'https://example.org/a',
      'http://8.8.8.8/',
      'http://[2001:db8::1]/',
      'a',
      '',
      'see: this',
      'data: the table',
      'note: read this',
      '10.5',
      'readme.txt',
      7,
      null,
    ])
      expect(forbiddenAddress({ text }, undefined)).toBeUndefined();
  });

  it('lead to the allowed hosts alone where there are some', () => {
    const hosts = ['127.0.0.1:80', 'a.org'];
    expect(forbiddenAddress(['https://a.org:8443/x', 'https://a.org'], hosts)).toBeUndefined();
    for (const url of ['http://127.0.0.1:81/', 'https://b.org', 'https://xa.org', 'https://a.org.evil.net'])
      expect(forbiddenAddress(url, hosts)).toMatch(/not among the allowed hosts/);
  });

  it('are not looked for without end', () => {
    const begun = performance.now();
    for (const text of ['1.'.repeat(50_000), 'a.'.repeat(50_000), `[${':'.repeat(100_000)}`, ' '.repeat(100_000)])
      forbiddenAddress(text, undefined);
    expect(performance.now() - begun).toBeLessThan(1_000);
    let nested: unknown = 'http://localhost';
    for (let depth = 0; depth < 100_000; depth++) nested = [nested];
    expect(forbiddenAddress(nested, undefined)).toMatch(/nested more than/);
  });
});

/** An IPv4 address as browsers and servers read it, too. */
function spelled([a, b, c, d]: readonly number[], spelling: number): string {
  const number = ((a! << 24) | (b! << 16) | (c! << 8) | d!) >>> 0;
  const spellings = [
    `${a}.${b}.${c}.${d}`,
    String(number),
    `0x${number.toString(16)}`,
    `0${a!.toString(8)}.${b}.${c}.${d}`,
    `${a}.${b}.${(c! << 8) | d!}`,
    `[::ffff:${a}.${b}.${c}.${d}]`,
  ];
  return spellings[spelling]!;
}
