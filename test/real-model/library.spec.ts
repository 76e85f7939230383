/**
 * Training-Free GRPO with a real model: SmolLM2-135M-Instruct in llama.cpp answers. The same model reads the attempts in all three stages,
 * in llama.cpp as well, or as a checkpoint that this project's engine computes (SEAM_TEST_REAL_LIBRARY=checkpoint). Its replies are as they come: loops, half sentences, JSON under a schema. The problems are capitals, which it knows, and which
 * it stops telling where an entry leads it astray: a library can hurt here, and can hardly help.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { jest } from '@jest/globals';
import { type ModelServer, smolLm2, startLlamaServer } from '@seamstream/dev-servers';
import type { EventOf } from '@seamstream/events';
import { repliedOperations } from '@seamstream/experience-library';
import { seamCommand } from '../support/seam-command.js';
import { ServiceProcesses } from '../support/service-processes.js';
import { fetched } from './fetched.js';

// Minutes on two quiet cores; what hangs ends nevertheless.
jest.setTimeout(3_600_000);

const PROBLEMS = 5;
const HELD_OUT = 10;
const BUDGET = 60_000;
const KEY = 'a-key-of-the-test';
const TEMPLATES = fileURLToPath(new URL('templates', import.meta.url));
const STAGES = ['summary', 'advantage', 'consolidation'] as const;
const CAPITALS = new Map(
  (
    'Italy Rome, Ghana Accra, Nepal Kathmandu, Japan Tokyo, Peru Lima, Norway Oslo, Kenya Nairobi, Egypt Cairo, Poland Warsaw, ' +
    'Bolivia Sucre, Australia Canberra, Spain Madrid, France Paris, Cuba Havana, Chile Santiago, Canada Ottawa, Greece Athens, ' +
    'Austria Vienna, Hungary Budapest, Ireland Dublin, Sweden Stockholm, Finland Helsinki, Portugal Lisbon, Russia Moscow, ' +
    'China Beijing, Thailand Bangkok, Germany Berlin'
  )
    .split(', ')
    .map((pair) => pair.split(' ') as [string, string]),
);
const COUNTRIES = [...CAPITALS.keys()];
const TRAIN = [
  ...['temperature=0.7', 'maxTokens=192', 'batchSize=1', 'maxOperations=5', 'attempts=3'].flatMap((each) => [
    '--set',
    each,
  ]),
];

/** Minutes of a whole machine, and replies that differ between processors: `npm run conformance:library`, `…-checkpoint`. */
const isLocal = process.env.SEAM_TEST_REAL_LIBRARY === 'checkpoint';
const isAsked = isLocal || process.env.SEAM_TEST_REAL_LIBRARY === '1';
const served = isAsked
  ? await fetched("SmolLM2 in llama.cpp's server", async () => {
      const model = await smolLm2();
      return { model, server: await startLlamaServer(model.gguf, 'smollm2', KEY) };
    })
  : undefined;
const begun = performance.now();
const say = (text: string): void => {
  process.stderr.write(`${((performance.now() - begun) / 1000).toFixed(0)} s: ${text}\n`);
};

(served === undefined ? describe.skip : describe)(
  `a library by SmolLM2 ${isLocal ? 'as a checkpoint' : 'behind llama.cpp'}`,
  () => {
    let folder: string;
    let server: ModelServer;
    let services: ServiceProcesses;
    /** By a run, where one was made; and what is measured. */
    let learned: string | undefined;
    let studied: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'seam-real-library-'));
      server = served!.server;
      services = new ServiceProcesses(environment(), { instances: ['generator', 'executor', 'buffer'] });
      services.startAll();
    });
    afterAll(async () => {
      await services.end();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    });

    /** Whether what reads the attempts is still there. */
    let isThere = true;
    const environment = (budget = BUDGET): Record<string, string> => {
      const answering = {
        ...{
          DRIVER: 'endpoint',
          ENDPOINT_URL: server.url,
          ENDPOINT_MODEL: 'smollm2',
          ENDPOINT_KEY_VARIABLE: 'SMOL_KEY',
        },
        ...{ TEMPLATE: 'sentence', TEMPLATES_FOLDER: TEMPLATES },
      };
      const executor = Object.entries(answering).flatMap(([name, value]): [string, string][] => [
        [`SEAM_EXECUTOR_${name}`, value],
        [`SEAM_TRAINER_EXECUTOR_${name}`, value],
      ]);
      return {
        ...{ SEAM_DATA_FOLDER: join(folder, 'data'), SEAM_LOGGING_LEVEL: 'warn', SMOL_KEY: KEY },
        ...{ SEAM_ENTRY_SCHEMAS: 'memory-item', SEAM_GENERATOR_MODEL_FOLDER: served!.model.folder },
        ...{ SEAM_GENERATOR_GROUP_SIZE: '3', SEAM_GENERATOR_SCOUTS: '0', SEAM_GENERATOR_CONTROL_SHARE: '0' },
        ...{ SEAM_GENERATOR_SAMPLING_MAX_TOKENS: '24', SEAM_EXECUTOR_MAX_TOKENS: '24' },
        ...Object.fromEntries(executor),
        ...{ SEAM_TRAINER_METHOD: 'library', SEAM_TRAINER_ALGORITHM: 'llm' },
        ...{ SEAM_TRAINER_MODEL_FOLDER: served!.model.folder, SEAM_TRAINER_ENTRY_MAX_TOKENS: '96' },
        ...{
          SEAM_TRAINER_RESPONSE_MAX_TOKENS: '24',
          SEAM_TRAINER_VALIDATION_PROBLEMS: join(folder, 'validation.jsonl'),
        },
        // Whether it is better is no question here, but that it is decided on and served.
        ...{ SEAM_TRAINER_PROMOTION_RULE: 'tolerance', SEAM_TRAINER_PROMOTION_TOLERANCE: '1' },
        ...(isLocal
          ? { SEAM_TRAINER_DISTILLATION_MODEL_FOLDER: isThere ? served!.model.folder : join(folder, 'gone') }
          : behind(server.url)),
        SEAM_TRAINER_DISTILLATION_BUDGET_TOKENS: String(budget),
      };
    };

    async function seam<T>(args: readonly string[], budget?: number): Promise<T> {
      const { code, output, errors } = await seamCommand([...args, '--json'], environment(budget)).ended;
      // 1: the run was carried out, and refused or rejected what it came to.
      if (code !== 0 && !(code === 1 && output !== ''))
        throw new Error(`seam ${args.join(' ')} ended with ${code}: ${errors}`);
      return JSON.parse(output) as T;
    }

    async function write(name: string, countries: readonly string[]): Promise<string> {
      const file = join(folder, `${name}.jsonl`);
      const rows = countries.map((country) => ({
        problemId: `${name}-${country}`,
        domain: 'capitals',
        prompt: `What is the capital of ${country}?`,
        // Without the full stop, which is not part of the line that is judged.
        reference: `The capital of ${country} is ${CAPITALS.get(country)!}`,
      }));
      await writeFile(file, rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
      return file;
    }

    async function importedFrom(texts: readonly string[]): Promise<string> {
      const file = join(folder, 'proposals.json');
      await writeFile(file, JSON.stringify(Object.fromEntries(texts.map((text, at) => [`G${at}`, text]))));
      return (await seam<{ digest: string }>(['library', 'import', file, '--by', 'ada'])).digest;
    }

    const replies = async (): Promise<readonly EventOf<'LibraryReplyRecorded'>[]> => {
      const { output } = await seamCommand(
        ['tail', 'training', '--type', 'LibraryReplyRecorded', '--from', 'earliest', '--json'],
        environment(),
      ).ended;
      const lines = output.split('\n').filter((line) => line !== '');
      return lines.map((line) => (JSON.parse(line) as { event: EventOf<'LibraryReplyRecorded'> }).event);
    };
    const tokensOf = (all: Awaited<ReturnType<typeof replies>>): number =>
      all.reduce((sum, { promptTokens, responseTokens }) => sum + promptTokens + responseTokens, 0);

    it('answers what is published: the ledger balances, and nothing is lost', async () => {
      await write('validation', COUNTRIES.slice(0, 3));
      await seam(['publish', await write('train', COUNTRIES.slice(3, 3 + PROBLEMS))]);
      let ledger: Record<string, unknown>;
      do {
        await pause(2_000);
        expect(services.exits()).toEqual([]);
        ledger = await seam(['ledger']);
      } while (ledger.inFlight !== 0);
      expect(ledger).toMatchObject({ published: PROBLEMS, deadLettered: 0, balanced: true });
      say(`${PROBLEMS} problems answered, ${String(ledger.solved)} solved by an attempt`);
      await services.end();
    });

    it('goes through all three stages within its budget; what it ends with rests on its replies', async () => {
      const run = await seam<{ status: string; runId: string; adapterDigest: string | null; reason: string }>([
        'train',
        'llm',
        ...TRAIN,
      ]);
      const paid = await replies();
      for (const stage of STAGES) {
        const own = paid.filter((reply) => reply.stage === stage);
        say(`${stage}: ${own.length} replies, ${own.filter(({ isWhole }) => !isWhole).length} cut off`);
        expect(own.length).toBeGreaterThan(0);
      }
      say(`${tokensOf(paid)} tokens of ${BUDGET}; ${run.status}: ${run.reason}`);
      expect(tokensOf(paid)).toBeLessThanOrEqual(BUDGET);
      const { verified, calls } = await seam<{ calls: number; verified: { calls: number; error: number } }>([
        ...['cost', 'library', '--verify', run.runId, '--trajectory-tokens', '80'],
      ]);
      say(
        `estimated before it began: ${calls} calls for ${verified.calls}, ${Math.round(100 * verified.error)} % off in tokens`,
      );
      expect(['promoted', 'refused']).toContain(run.status);
      if (run.status === 'promoted') learned = run.adapterDigest!;
      // A model of this size drops in the last stage what it proposed in the second: then its proposals are measured as they are.
      studied = learned ?? (await importedFrom(proposalsIn(paid)));
      const { items } = await seam<{ items: readonly { text: string }[] }>(['library', 'show', studied]);
      for (const { text } of items) say(`item${learned === undefined ? ', not consolidated' : ''}: ${text}`);
      expect(items.length).toBeGreaterThan(0);
    });

    it('keeps to a smaller budget that is spent already: nothing more is asked', async () => {
      const before = (await replies()).length;
      const again = ['train', 'llm', ...TRAIN, '--set', 'epochs=2'];
      const { output, errors } = await seamCommand([...again, '--json'], environment(1_000)).ended;
      expect(output + errors).toMatch(/budget is spent/);
      expect(await replies()).toHaveLength(before);
    });

    it('measures the library next to its controls on held-out problems', async () => {
      const file = await write('held-out', COUNTRIES.slice(3 + PROBLEMS, 3 + PROBLEMS + HELD_OUT));
      const { rows } = await seam<{ rows: readonly (readonly [string, Row])[] }>([
        'study',
        'library',
        file,
        '--library',
        studied,
      ]);
      expect(rows.map(([name]) => name)).toEqual([
        'no experience',
        'no library',
        'shuffled library',
        'filler',
        'library',
      ]);
      for (const [name, { problems, success, libraryAhead }] of rows) {
        const [low, high] = libraryAhead?.interval95 ?? [0, 0];
        const ahead = libraryAhead === null ? '' : `; library ahead by ${libraryAhead.value} (${low} to ${high})`;
        say(`${name}: ${success} of ${problems}${ahead}`);
        expect(problems).toBe(HELD_OUT);
      }
    });

    it('is made again from the log to the same digest while the model is gone', async () => {
      await server.kill();
      isThere = false;
      if (learned === undefined) {
        say('no library was made, so there is none to make again');
        return;
      }
      const again = await seam(['replay', '--verify-adapter', learned]);
      expect(again).toMatchObject({ equal: true, replayedDigest: learned });
    });
  },
);

/** A reply at a time, as its two threads can write it. */
const behind = (url: string): Record<string, string> => ({
  ...{ SEAM_TRAINER_DISTILLATION_URL: url, SEAM_TRAINER_DISTILLATION_MODEL: 'smollm2' },
  ...{ SEAM_TRAINER_DISTILLATION_KEY_VARIABLE: 'SMOL_KEY', SEAM_TRAINER_DISTILLATION_JSON_SCHEMA: 'true' },
  SEAM_TRAINER_DISTILLATION_CONCURRENCY: '1',
});

/** What is added by the readable replies of the second stage. */
function proposalsIn(paid: readonly EventOf<'LibraryReplyRecorded'>[]): readonly string[] {
  const advised = paid.filter(({ stage, isWhole }) => stage === 'advantage' && isWhole);
  const operations = advised.flatMap(({ content }) => repliedOperations(content ?? '', 'advantage', 5) ?? []);
  return [...new Set(operations.flatMap((each) => ('text' in each ? [each.text] : [])))];
}

interface Row {
  readonly problems: number;
  readonly success: number;
  readonly libraryAhead: { readonly value: number; readonly interval95: readonly [low: number, high: number] } | null;
}
