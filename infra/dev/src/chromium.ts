/** A browser for tests: the machine's Chromium, else Debian's, installed where that may be done. */
import { existsSync } from 'node:fs';
import { SeamError } from '@seamstream/kernel';
import { mustRun } from './host-tools.js';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ADVICE = 'Install Chromium (Debian: chromium).';

/** For a browser with one page alone: no start-up pages, no updates, no calls home. */
export const CHROMIUM_ARGUMENTS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The path of the browser. @throws INVALID_CONFIGURATION where there is none and none can be installed */
export async function chromium(): Promise<string> {
  const found = PLACES.find((path) => existsSync(path));
  if (found !== undefined) return found;
  const purpose = 'install Chromium';
  if (process.getuid?.() !== 0)
    throw new SeamError(
      'INVALID_CONFIGURATION',
      `Cannot ${purpose}: expected ${PLACES.join(', ')} or the rights of root, got neither. ${ADVICE}`,
    );
  const args = ['install', '--yes', '--quiet', '--no-install-recommends', 'chromium'];
  await mustRun('apt-get', args, purpose, ADVICE, { env: { DEBIAN_FRONTEND: 'noninteractive' } });
  return PLACES[0]!;
}
