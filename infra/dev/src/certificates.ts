/** A certificate authority of one test run, a certificate for a broker on this machine and one for a client, all by OpenSSL. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mustRun } from './host-tools.js';

/** PEM texts. */
export interface Certificates {
  authority: string;
  /** PKCS#8 key and certificate, in this order, as Kafka's PEM key store wants them. */
  server: string;
  client: { certificate: string; key: string };
}

const CURVE = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
const DAYS = ['-days', '30'];

/** Makes them in `folder`, which also keeps the files. */
export async function makeCertificates(folder: string): Promise<Certificates> {
  const openssl = (args: string[]): Promise<string> =>
    mustRun('openssl', args, 'make certificates for TLS', 'OpenSSL 3 is needed.');
  const file = (name: string): string => join(folder, name);
  const authority = ['-CA', file('authority.crt'), '-CAkey', file('authority.key')];
  await openssl(
    ['req', '-x509', ...CURVE, ...DAYS, '-subj', '/CN=seamstream test authority'].concat(
      ['-keyout', file('authority.key'), '-out', file('authority.crt')],
      ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'keyUsage=critical,keyCertSign'],
    ),
  );
  for (const [name, subject] of [
    ['server', '/CN=localhost'],
    ['client', '/CN=seamstream-client'],
  ] as const) {
    await openssl(['req', ...CURVE, '-subj', subject, '-keyout', file(`${name}.key`), '-out', file(`${name}.csr`)]);
    await writeFile(file(`${name}.ext`), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
    await openssl(
      ['x509', '-req', ...authority, '-CAcreateserial', ...DAYS].concat(
        ['-in', file(`${name}.csr`), '-out', file(`${name}.crt`)],
        ['-extfile', file(`${name}.ext`)],
      ),
    );
  }
  const text = (name: string): Promise<string> => readFile(file(name), 'utf8');
  return {
    authority: await text('authority.crt'),
    server: (await text('server.key')) + (await text('server.crt')),
    client: { certificate: await text('client.crt'), key: await text('client.key') },
  };
}
