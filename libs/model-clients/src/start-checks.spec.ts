import { environmentKind } from '@seamstream/environments';
import { DEFAULT_ENTRY_SCHEMA, domainEntrySchema, entrySchemas, loadPrompts } from '@seamstream/experience';
import { SeamError } from '@seamstream/kernel';
import { FakeGenerator, fakeTokenizer } from '@seamstream/rollout/testing';
import { assertAnswers, assertGenerates } from './start-checks.js';

const words = { words: ['once'] };
const narrow = entrySchemas({ sums: domainEntrySchema({ concepts: words, strategy: words, pitfalls: words }) });
const model = new FakeGenerator(fakeTokenizer([JSON.stringify(DEFAULT_ENTRY_SCHEMA)]));

const injection = environmentKind('prompt-injection');

describe('a model that starts', () => {
  it('is asked whether it can write entries under the schemas of the named domains, or under the general one', async () => {
    const prompts = await loadPrompts();
    await assertGenerates(model, prompts, narrow, 100);
    const tooShort = assertGenerates(model, prompts, entrySchemas(), 5);
    await expect(tooShort).rejects.toMatchObject({ code: 'INVALID_CONFIGURATION' });
    await expect(tooShort).rejects.toThrow(/Cannot start the generator: .* room for its shortest text/);
  });

  it('is refused where no problem and its answer would fit, or where no prompt can be rendered', async () => {
    const prompts = await loadPrompts();
    expect(() => assertAnswers(model, injection, prompts, 100)).not.toThrow();
    expect(() => assertAnswers(model, injection, prompts, 510)).toThrow(
      /expected a model that holds the shortest prompt and what follows it, \d+ and 510 tokens, this one holds 512\. Lower SEAM_EXECUTOR_MAX_TOKENS/,
    );
    const broken = {
      ...prompts,
      executor: () => {
        throw new SeamError('CHECKPOINT_INVALID', 'the template asks for a message that is not there.');
      },
    };
    expect(() => assertAnswers(model, injection, broken, 10)).toThrow(
      /the template fails: the template asks for a message/,
    );
  });
});
