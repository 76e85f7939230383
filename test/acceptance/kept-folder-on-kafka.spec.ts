/** The log of an earlier release in a cluster, byte for byte and as far read as it was, continued by today's services. */
import { startKafka } from '@seamstream/dev-servers';
import { KeptFolder, keptFolders } from '../support/kept-folder.js';

const [NEWEST] = (await keptFolders()).slice(-1);

it('a log of an earlier release is continued on Kafka, to the same adapters and a ledger that balances', async () => {
  const [kafka, release] = await Promise.all([startKafka(), KeptFolder.open(NEWEST!)]);
  const environment = {
    SEAM_EVENT_LOG_DRIVER: 'kafka',
    SEAM_EVENT_LOG_KAFKA_BROKERS: kafka.bootstrap,
    SEAM_SIGNATURES_UNSIGNED: 'allowed',
  };
  try {
    await release.moveTo(kafka.bootstrap);
    const status = release.kept.said.find(({ args }) => args[0] === 'status')!.answer;
    const { ledger, served, buffer, runs } = status;
    expect(await release.seam(['status'], environment)).toMatchObject({ ledger, served, buffer, runs });
    await release.resume(environment);
    const { answer } = (await release.seam(['replay', '--read-model', 'adapters'], environment)) as {
      answer: { versions: Parameters<KeptFolder['areKept']>[0] };
    };
    expect(release.areKept(answer.versions)).toEqual([true, true]);
    expect(await release.seam(['ledger'], environment)).toMatchObject({
      ...{ inFlight: 0, balanced: true, orphaned: 0, expired: 1, arms: { deploy: { complete: 1 } } },
      repeated: { problems: 0, experiences: 0, outcomes: 0, deadLetters: 0 },
    });
  } finally {
    await Promise.all([release.close(), kafka.stop()]);
  }
}, 300_000);
