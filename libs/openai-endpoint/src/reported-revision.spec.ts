import { listedFacts, modelListSchema, reportedRevision } from './reported-revision.js';

/** Entries as the servers' documentation shows them. */
const vllm = (changes = {}) =>
  modelListSchema.parse({
    object: 'list',
    data: [
      {
        id: 'qwen',
        object: 'model',
        created: 1763700000,
        owned_by: 'vllm',
        root: '/models/qwen3-4b',
        parent: null,
        max_model_len: 8192,
        permission: [{ id: 'modelperm-1', created: 1763700000 }],
        ...changes,
      },
    ],
  });
const openai = modelListSchema.parse({
  object: 'list',
  data: [{ id: 'gpt', object: 'model', created: 1, owned_by: 'openai' }],
});

describe('what a server reports about its model', () => {
  it('is the same from request to request, and another for other weights', () => {
    const facts = listedFacts(vllm(), 'qwen');
    expect(listedFacts(vllm({ created: 2, permission: [{ id: 'modelperm-2' }] }), 'qwen')).toBe(facts);
    expect(listedFacts(vllm({ root: '/models/qwen3-8b' }), 'qwen')).not.toBe(facts);
    expect(listedFacts(vllm({ max_model_len: 4096 }), 'qwen')).not.toBe(facts);
  });

  it('is made of its name in answers, its fingerprint and its place in the list', () => {
    const facts = listedFacts(vllm(), 'qwen');
    expect(reportedRevision('gpt', { model: 'gpt-2026-08-06', system_fingerprint: 'fp_1' }, null)).toBe(
      'gpt-2026-08-06/fp_1',
    );
    expect(reportedRevision('qwen', { model: 'qwen', system_fingerprint: null }, facts)).toBe(
      `models@${facts?.slice(0, 16)}`,
    );
  });

  it('is nothing where it is a name alone', () => {
    expect(listedFacts(openai, 'gpt')).toBeNull();
    expect(listedFacts(openai, 'other')).toBeNull();
    expect(reportedRevision('gpt', { model: 'gpt' }, null)).toBeNull();
    expect(reportedRevision('gpt', {}, null)).toBeNull();
  });
});
