/** Folders that earlier releases left when they were killed in the middle of a training run, read and continued by today's code. */
import { KeptFolder, keptFolders } from '../support/kept-folder.js';
import { ofType } from '../support/recorded-run.js';

const NAMES = await keptFolders();
const NEWEST = NAMES.at(-1)!;
/** How an answer was found is no part of it. */
const saidOf = (answer: unknown): object =>
  JSON.parse(JSON.stringify(answer), (key, value: unknown) =>
    ['from', 'snapshot', 'snapshots'].includes(key) ? undefined : value,
  ) as object;

describe.each(NAMES)('a data folder that was kept on %s', (name) => {
  let release: KeptFolder;
  beforeAll(async () => {
    release = await KeptFolder.open(name);
  });
  afterAll(() => release.close());

  it('is said to hold what its release said of it', async () => {
    const { said } = release.kept;
    expect(said.map(({ args }) => args[0])).toEqual(expect.arrayContaining(['status', 'runs', 'adapters', 'doctor']));
    const today = await Promise.all(said.map(({ args }) => release.seam(args)));
    for (const [index, { answer }] of said.entries()) expect(saidOf(today[index])).toMatchObject(saidOf(answer));
  }, 200_000);

  it('is continued: the killed run ends with the adapter that it would have had, and nothing is lost or counted twice', async () => {
    const before = await release.events();
    const ended = new Set(ofType(before, 'TrainingRunCompleted').map(({ runId }) => runId));
    const running = ofType(before, 'TrainingRunCheckpointed').find(({ runId }) => !ended.has(runId));
    await release.resume();
    const after = await release.events();
    const adapters = ofType(after, 'AdapterPublished');
    expect(release.areKept(adapters)).toEqual([true, true]);
    const steps = ofType(after, 'TrainingRunCheckpointed').filter(({ runId }) => runId === running!.runId);
    expect(steps.map(({ step }) => step)).toEqual([4, 8]);
    const answers = ofType(after, 'ExperienceGenerated').filter(({ arm }) => arm === 'deploy');
    expect(answers).toHaveLength(1);
    expect(adapters.map(({ adapterDigest }) => adapterDigest)).toContain(answers[0]!.adapterDigest);
    expect(ofType(after, 'TrainingRunStarted')).toHaveLength(ofType(before, 'TrainingRunStarted').length);
    expect(await release.seam(['ledger'])).toMatchObject({
      ...{ published: ofType(before, 'ProblemPublished').length, inFlight: 0, balanced: true, orphaned: 0, expired: 1 },
      ...{ arms: { deploy: { groups: 1, complete: 1 } } },
      ...{ repeated: { problems: 0, experiences: 0, outcomes: 0, deadLetters: 0 } },
    });
  }, 200_000);
});

it('a snapshot of another release is passed over', async () => {
  const release = await KeptFolder.open(NEWEST);
  const { snapshot } = (await release.seam(['status'])) as { snapshot: object };
  await release.close();
  expect(snapshot).toEqual({ records: 0, passedOver: 'it is of another release', kept: 'written' });
}, 60_000);
