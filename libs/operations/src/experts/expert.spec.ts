import { type Expert, expertFiles, expertIn } from './expert.js';

describe('the files of an expert', () => {
  it('give the expert back', () => {
    expect(expertIn(expertFiles(EXPERT))).toEqual(EXPERT);
  });

  it.each<[string, string, string | object]>([
    ['an unknown field', 'expert.json', { extra: 1 }],
    ['a version that is not known', 'expert.json', { version: 2 }],
    ['a name that leads elsewhere', 'expert.json', { name: '../x' }],
    ['an unknown file', 'notes.txt', 'hello'],
    ['what is no JSON', 'history.json', '{'],
    ['a line without its end', 'edits.jsonl', '{"problemId":"p","entry":"","reward":1}'],
    ['a field too many in a line', 'edits.jsonl', '{"problemId":"p","entry":"","reward":1,"more":1}\n'],
  ])('are refused with %s', (_, name, body) => {
    expect(() =>
      expertIn(filesWith(name, typeof body === 'string' ? body : JSON.stringify({ ...EXPERT.description, ...body }))),
    ).toThrow(`Cannot read ${name}`);
  });

  it('are refused where one is missing', () => {
    const files = new Map(expertFiles(EXPERT));
    files.delete('history.json');
    expect(() => expertIn(files)).toThrow('Cannot read history.json of an expert: expected a file, got none.');
  });
});

const EXPERT: Expert = {
  description: { version: 1, name: 'herbs', adapterDigest: 'a'.repeat(64), baseModelDigest: 'b'.repeat(64) },
  adapter: { config: Buffer.from('{}'), tensors: Buffer.from('t') },
  templates: new Map([['executor/plain.txt', 'Solve {problem}']]),
  history: [
    {
      adapterDigest: 'a'.repeat(64),
      parent: null,
      runId: 'r',
      algorithm: 'sft',
      publishedAt: 1,
      inputs: [{ topic: 't', partition: 0, from: 0, to: 5 }],
      manifestDigest: null,
      metrics: { loss: 0.5 },
    },
  ],
  runs: [{ runId: 'r', algorithm: 'sft', seed: 's', codeVersion: '1', configuration: { steps: 2 } }],
  evaluations: [],
  edits: [{ problemId: 'p', entry: '{}', reward: 1 }],
  problems: [
    {
      problemId: 'p',
      domain: 'd',
      prompt: 'How many?',
      reference: '2',
      verifier: { kind: 'numeric', version: '1', options: {} },
      metadata: {},
    },
  ],
};

const filesWith = (name: string, body: string): Map<string, Uint8Array> =>
  new Map(expertFiles(EXPERT)).set(name, Buffer.from(body));
