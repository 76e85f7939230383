import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '@seamstream/service-kit';
import { trainerConfigSchema } from './config.js';
import { loadValidationProblems } from './validation-problems.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'validation-'));
});
afterAll(() => rm(folder, { recursive: true }));

const tolerated = (minProblems = 1) => ({ rule: 'tolerance', risk: 0.05, minProblems }) as const;

async function load(content: string, more: Partial<Parameters<typeof loadValidationProblems>[0]> = {}) {
  const file = join(folder, 'problems.jsonl');
  await writeFile(file, content);
  return loadValidationProblems({ file, promotion: tolerated(), ...more });
}
const refusal = (message: RegExp) => ({ code: 'INVALID_CONFIGURATION', message: expect.stringMatching(message) });
const GSM8K = '{"question":"Two and three?","answer":"2+3=<<2+3=5>>5\\n#### 5"}\n';

describe('validation problems', () => {
  it('are read in the form that seam publish has by default, the id and the version left to it', async () => {
    const { name, problems } = await load('{"prompt":"2+3?","reference":"5","verifier":"numeric"}\n');
    expect(name).toBe('problems.jsonl');
    expect(problems).toEqual([
      {
        problemId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        domain: 'default',
        prompt: '2+3?',
        reference: '5',
        verifier: { kind: 'numeric', version: '1', options: {} },
        metadata: {},
      },
    ]);
  });

  it('are read as a published dataset, recognised or named, and as many as asked for', async () => {
    const three = GSM8K.repeat(3);
    expect((await load(three)).problems).toHaveLength(3);
    expect((await load(three, { limit: 2 })).problems).toMatchObject([
      { prompt: 'Two and three?', reference: '5' },
      { prompt: 'Two and three?' },
    ]);
    await expect(load(three, { dataset: 'aime' })).rejects.toMatchObject(refusal(/as aime\) has \d+ faults/));
    await expect(load(three, { dataset: 'gsm9k' })).rejects.toMatchObject(
      refusal(/in a form that is known \(seam, .*gsm8k.*got "gsm9k"\. .*SEAM_TRAINER_VALIDATION_DATASET/),
    );
    await expect(load('{"q":"?"}\n')).rejects.toMatchObject(refusal(/got a first row that is in none of them/));
  });

  it('have a form that exists, or the configuration is at fault as a whole', () => {
    const named = (name: string) => () => loadConfig(trainerConfigSchema, { SEAM_TRAINER_VALIDATION_DATASET: name });
    expect(named('gsm8k')().trainer.validationDataset).toBe('gsm8k');
    expect(named('bogus')).toThrow(
      /SEAM_TRAINER_VALIDATION_DATASET: .*expected one of "seam"\|.*"gsm8k".*, got "bogus"/,
    );
  });

  it('are refused before anything is trained where they are too few', async () => {
    await expect(load('\n')).rejects.toMatchObject(refusal(/has 0 problems, and a promotion needs 1/));
    await expect(load(GSM8K, { promotion: tolerated(2) })).rejects.toMatchObject(refusal(/has 1 problems.*needs 2/));
  });

  it('are refused where they are too few for any candidate to be better beyond chance, with the number that would do', async () => {
    const beyondChance = (risk: number, minProblems = 1) => ({ rule: 'better', risk, minProblems }) as const;
    expect((await load(GSM8K.repeat(12), { promotion: beyondChance(0.05) })).problems).toHaveLength(12);
    await expect(load(GSM8K.repeat(11), { promotion: beyondChance(0.05) })).rejects.toMatchObject(
      refusal(/has 11 problems, and 12 are the fewest .* at a risk of 0\.05.*PROMOTION_RISK.*PROMOTION_RULE=tolerance/),
    );
    expect((await load(GSM8K.repeat(8), { promotion: beyondChance(0.5) })).problems).toHaveLength(8);
    await expect(load(GSM8K.repeat(12), { promotion: beyondChance(0.05, 13) })).rejects.toMatchObject(
      refusal(/has 12 problems, and a promotion needs 13\. Take more, or lower SEAM_TRAINER_PROMOTION_MIN_PROBLEMS/),
    );
  });

  it('are not limited to fewer than can decide, or the configuration is at fault', () => {
    const configured = (variables: Record<string, string>) => () => loadConfig(trainerConfigSchema, variables);
    expect(configured({ SEAM_TRAINER_PROMOTION_MOST: '11' })).toThrow(
      /SEAM_TRAINER_PROMOTION_MOST: .*no candidate can be promoted on so few: raise it to 12 at least/,
    );
    expect(configured({ SEAM_TRAINER_PROMOTION_MOST: '12' })().trainer.promotion).toMatchObject({
      most: 12,
      rule: 'better',
    });
    expect(configured({ SEAM_TRAINER_PROMOTION_TOLERANCE: '0.1' })).toThrow(/belong to the rule tolerance/);
  });

  it('are refused with each row that cannot be judged', async () => {
    const bad =
      '{"prompt":"a","reference":"5","verifier":"nmeric"}\n{"prompt":"a","reference":"x","verifier":"numeric"}\n';
    await expect(load(bad)).rejects.toMatchObject(
      refusal(/2 faults[^]*row 1: verifier: expected a verifier that exists[^]*row 2: reference/),
    );
  });

  it('are asked for where none are named, and a file that is not there is said so', async () => {
    const absent = { file: undefined, promotion: tolerated() };
    await expect(loadValidationProblems(absent)).rejects.toMatchObject(refusal(/Set SEAM_TRAINER_VALIDATION_PROBLEMS/));
    const missing = { file: join(folder, 'nothing.jsonl'), promotion: tolerated() };
    await expect(loadValidationProblems(missing)).rejects.toMatchObject(refusal(/ENOENT.*Name a file/));
  });

  it('are not looked for in a folder or a damaged file, and both are named with the setting', async () => {
    await expect(loadValidationProblems({ file: folder, promotion: tolerated() })).rejects.toMatchObject({
      details: { file: folder },
    });
    await expect(loadValidationProblems({ file: folder, promotion: tolerated() })).rejects.toMatchObject(
      refusal(
        new RegExp(`expected SEAM_TRAINER_VALIDATION_PROBLEMS to name a readable file, got "${folder}" .*EISDIR`),
      ),
    );
    await expect(load('PAR1 and no more')).rejects.toMatchObject(
      refusal(
        /Cannot read .*problems\.jsonl as Parquet: expected whole pages.*SEAM_TRAINER_VALIDATION_PROBLEMS names it/,
      ),
    );
  });
});
