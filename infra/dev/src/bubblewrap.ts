/** The sandbox of untrusted code, https://github.com/containers/bubblewrap: the machine's, else Debian's in the cache. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { mustRun } from './host-tools.js';
import { cached } from './server-cache.js';

const INSTALLED = '/usr/bin/bwrap';

/** The path of `bwrap`. Nothing is installed. Throws INVALID_CONFIGURATION where neither it nor Debian's package can be had. */
export async function bubblewrap(): Promise<string> {
  if (existsSync(INSTALLED)) return INSTALLED;
  const purpose = 'fetch bubblewrap';
  const advice = 'Install bubblewrap (Debian, Fedora, Arch: bubblewrap).';
  const folder = await cached('bubblewrap', async (target) => {
    await mustRun('apt-get', ['download', '--quiet', 'bubblewrap'], purpose, advice, { cwd: target });
    await mustRun('sh', ['-c', 'dpkg-deb --extract bubblewrap_*.deb .'], purpose, advice, { cwd: target });
  });
  return join(folder, 'usr/bin/bwrap');
}
