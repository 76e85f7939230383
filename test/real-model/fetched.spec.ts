/** This stage may be left out only for want of its tools: an index that answers, or anything else that goes wrong, is no excuse. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SeamError } from '@seamstream/kernel';
import { fetched } from './fetched.js';

const missing = (): Promise<never> =>
  Promise.reject(new SeamError('INVALID_CONFIGURATION', 'Cannot fetch: there is none.'));
const before = { ...process.env };
let index: Server | undefined;
afterEach(async () => {
  process.env = { ...before };
  const open = index;
  index = undefined;
  if (open?.listening === true) await new Promise((resolve) => open.close(resolve));
});

it('is left out where the package index does not answer', async () => {
  const port = await startIndex();
  await new Promise((resolve) => index!.close(resolve));
  askAt(port);
  await expect(fetched('nothing', missing)).resolves.toBeUndefined();
});

it('fails where the index answers and has not what is wanted, and where anything else is wrong', async () => {
  askAt(await startIndex());
  await expect(fetched('nothing', missing)).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
  await expect(fetched('nothing', () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
});

function askAt(port: number): void {
  const own = { PIP_INDEX_URL: `http://127.0.0.1:${port}/simple`, PIP_CONFIG_FILE: '/dev/null', NO_PROXY: '127.0.0.1' };
  Object.assign(process.env, own, { no_proxy: own.NO_PROXY, PIP_EXTRA_INDEX_URL: '', PIP_TRUSTED_HOST: '127.0.0.1' });
}

async function startIndex(): Promise<number> {
  index = createServer((_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<a href="pip-99.0.tar.gz">pip-99.0.tar.gz</a>');
  });
  await new Promise<void>((resolve) => index!.listen(0, '127.0.0.1', resolve));
  return (index.address() as AddressInfo).port;
}
