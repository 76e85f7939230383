import { type FakeWorld, fakeWorld } from '../command-runtime.fake.js';

const withValues = async (text: string): Promise<FakeWorld> => {
  const world = await fakeWorld();
  world.files.set('own.yaml', Buffer.from(text));
  return world;
};

describe('seam deploy check', () => {
  it('says what production should not have, and fails for it with --production alone', async () => {
    const world = await withValues('settings: { SEAM_SIGNATURES_UNSIGNED: allowed }\n');
    expect(await world.seam('deploy', 'check', 'own.yaml')).toBe(0);
    expect(world.takeOutput()).toMatch(/^warning {2}image-without-digest {2}image\.digest\n/m);
    expect(await world.seam('deploy', 'check', 'own.yaml', '--production')).toBe(1);
    expect(world.takeOutput()).toMatch(/^error {2}unsigned-adapters .*\n.*\n {2}What to do: /m);
  });

  it('says which Secret the namespace lacks, and which key', async () => {
    const world = await withValues(
      'settings: { SEAM_SIGNATURES_UNSIGNED: allowed }\nhttp: { tlsSecret: door }\nobjectStore: { credentialsSecret: keys }\n',
    );
    world.files.set('-', Buffer.from('Secret door tls.crt\nConfigMap keys\n'));
    expect(await world.seam('deploy', 'check', 'own.yaml', '--objects', '-', '--json')).toBe(1);
    expect(world.takeJson()).toMatchObject([
      {
        looked: 2,
        findings: expect.arrayContaining([
          expect.objectContaining({ code: 'object-missing', message: 'The namespace has no Secret keys.' }),
          expect.objectContaining({ code: 'key-missing', message: 'The Secret door has no tls.key; it has tls.crt.' }),
        ]),
      },
    ]);
    world.files.set(
      '-',
      Buffer.from('Secret door tls.crt tls.key\nSecret keys AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY\n'),
    );
    expect(await world.seam('deploy', 'check', 'own.yaml', '--objects', '-')).toBe(0);
    expect(world.takeOutput()).toContain('Looked for 2 objects of the namespace.');
  });

  it.each(['NAME  TYPE\nkeys Opaque\n', '{"items":[]}', 'Secret\n'])(
    'refuses objects in another form: %j',
    async (text) => {
      const world = await withValues('objectStore: { credentialsSecret: keys }\n');
      world.files.set('-', Buffer.from(text));
      expect(await world.seam('deploy', 'check', 'own.yaml', '--objects', '-')).toBe(2);
      expect(world.takeErrors()).toContain('Cannot read line 1 of --objects');
    },
  );
});
