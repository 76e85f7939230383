import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey, type Voucher } from '@seamstream/signatures';
import { type CommonConfig, commonConfigSchema } from '../config/common-config.js';
import { assertCanSign } from './signed-event-log.driver.js';

const TRAINER = ['AdapterPublished', 'AdapterPromoted'] as const;

describe('a service that writes what is vouched for', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'can-sign-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  /** A service whose own key is called "own"; `trusted` are the keys that are believed here, by name and right. */
  async function config(
    unsigned: 'allowed' | 'refused',
    trusted: Readonly<Record<string, readonly Voucher[]>> | null,
    hasKey = true,
  ): Promise<CommonConfig> {
    const own = generateKey('own', trusted?.own ?? []);
    const keys = Object.entries(trusted ?? {}).map(([name, may]) =>
      name === 'own' ? own.trusted : generateKey(name, may).trusted,
    );
    const [keyFile, trustedKeysFile] = [join(folder, 'own.key.pem'), join(folder, 'trusted-keys.json')];
    await writeFile(keyFile, own.privatePem);
    await writeFile(trustedKeysFile, JSON.stringify({ keys }));
    return commonConfigSchema.parse({
      signatures: {
        unsigned,
        ...(hasKey ? { keyFile } : {}),
        ...(trusted === null ? {} : { trustedKeysFile }),
      },
    });
  }

  it('starts with a key that is trusted with all that it writes', async () => {
    for (const unsigned of ['allowed', 'refused'] as const)
      await assertCanSign(await config(unsigned, { own: ['adapters', 'promotions'], other: [] }), TRAINER);
  });

  it('does not start with a key that is not among the trusted ones, though unsigned facts are believed', async () => {
    for (const unsigned of ['allowed', 'refused'] as const)
      for (const trusted of [{ other: ['adapters', 'promotions'] as const }, ...(unsigned === 'refused' ? [{}] : [])])
        await expect(assertCanSign(await config(unsigned, trusted), TRAINER)).rejects.toMatchObject({
          code: 'INVALID_CONFIGURATION',
          message: expect.stringContaining('which is not among the trusted ones: no reader would believe it') as string,
        });
  });

  it('does not start with a key that may not vouch for everything that it writes', async () => {
    for (const own of [[], ['adapters'], ['promotions'], ['manifests']] as const)
      await expect(assertCanSign(await config('refused', { own }), TRAINER)).rejects.toMatchObject({
        code: 'INVALID_CONFIGURATION',
        message: expect.stringContaining('a key that may vouch for') as string,
      });
    await assertCanSign(await config('refused', { own: ['manifests'] }), ['BufferCommitted']);
  });

  it('needs a key where unsigned facts are refused, and none where they are believed', async () => {
    await expect(assertCanSign(await config('refused', { other: [] }, false), TRAINER)).rejects.toMatchObject({
      code: 'INVALID_CONFIGURATION',
      message: expect.stringContaining('SEAM_SIGNATURES_KEY_FILE') as string,
    });
    await assertCanSign(await config('allowed', { other: [] }, false), TRAINER);
    await assertCanSign(await config('allowed', null, false), TRAINER);
    // This process trusts no keys and checks nothing. Another reader of the log may know the key.
    await assertCanSign(await config('allowed', null), TRAINER);
  });
});
