/** How well the models of the world of attributes do what they were trained to; prints one table per model. */
import {
  attributeProblems,
  CUSTOM,
  drawWorld,
  followCustom,
  followPlan,
  operatorsOf,
  KINDS,
  planSchemaFor,
  PRESETS,
  randomPlan,
  rightEntry,
  stepsOf,
} from '@seamstream/attribute-world';
import { entryText } from '@seamstream/experience';
import { Random } from '@seamstream/kernel';
import { LanguageModel } from '@seamstream/language-model';

const PROBLEMS = 300;
const RESPONSE_TOKENS = 48;
const ENTRY_TOKENS = 64;

const write = ({ domain }, entry) => entryText(entry, planSchemaFor(domain));
const share = (flags) => Number((flags.filter(Boolean).length / flags.length).toFixed(3));
const answerOf = (text) => text.split('Answer: ')[1];

async function texts(model, prompts, sampling, schemaOf) {
  const written = await model.generate(
    prompts.map((prompt, index) => ({
      promptTokenIds: model.tokenizer.encode(prompt),
      seeds: [`measure ${index}`],
      sampling: { topK: 0, topP: 1, ...sampling },
      ...(schemaOf === undefined ? {} : { schema: schemaOf(index) }),
    })),
  );
  return written.map(([one]) => model.tokenizer.decode(one.tokenIds));
}

/** Success with the lore's entries, obedience to random ones and to another's, and what it solves without one, by preset and split. */
export async function measureAttributeExecutor(folder, prompts) {
  const model = await LanguageModel.load(folder);
  const table = {};
  for (const preset of PRESETS) {
    for (const split of ['heldOut', 'newWords']) {
      const world = drawWorld('measure', preset);
      const problems = attributeProblems({ world, seed: 'measure', split, count: PROBLEMS });
      const random = Random.of('measure', preset, split);
      const responses = (promptOf) => texts(model, problems.map(promptOf), { temperature: 0, maxTokens: RESPONSE_TOKENS });
      const drawn = problems.map((problem) => randomPlan(problem, random));
      const foreign = problems.map((_, index) => write(problems[(index + 1) % PROBLEMS], drawn[(index + 1) % PROBLEMS]));
      const solved = (given) => share(given.map((text, index) => answerOf(text) === problems[index].reference));
      const right = await responses((problem) => prompts.executor(problem.prompt, write(problem, rightEntry(problem, world))));
      const obeyed = await responses((problem, index) => prompts.executor(problem.prompt, write(problem, drawn[index])));
      const others = await responses((problem, index) => prompts.executor(problem.prompt, foreign[index]));
      const alone = await responses((problem) => prompts.executor(problem.prompt, null));
      table[`${preset} ${split}`] = {
        right: solved(right),
        obeys: share(obeyed.map((text, index) => text === followPlan(problems[index], drawn[index]))),
        obeysForeign: share(
          others.map((text, index) => text === followPlan(problems[index], drawn[(index + 1) % PROBLEMS])),
        ),
        alone: solved(alone),
        asCustom: share(alone.map((text, index) => text === followCustom(problems[index]))),
        wrapper: solved(await responses((problem) => prompts.wrapperOnly(problem.prompt))),
        hint: solved(await responses((problem) => prompts.executor(problem.prompt, prompts.fixedHint))),
      };
    }
  }
  await model.close();
  console.table(table);
}

/** Whether it reads rightly, and how far its operators are from even. */
export async function measureAttributeGenerator(folder, prompts) {
  const model = await LanguageModel.load(folder);
  const world = drawWorld('measure', 'strange');
  const table = {};
  const problems = attributeProblems({ world, seed: 'measure', split: 'newWords', count: 3 * PROBLEMS });
  for (const temperature of [1, 0]) {
    const written = await texts(
      model,
      problems.map(({ prompt }) => prompts.generator(prompt)),
      { temperature, maxTokens: ENTRY_TOKENS },
      (index) => planSchemaFor(problems[index].domain),
    );
    const plans = written.map((text) => stepsOf(JSON.parse(text)));
    const wanted = problems.map((problem) => stepsOf(rightEntry(problem, world)));
    const reads = plans.map((plan, index) => plan.every(({ value }, step) => value === wanted[index][step].value));
    table[`temperature ${temperature}`] = {
      reads: share(reads),
      right: share(plans.map((plan, index) => JSON.stringify(plan) === JSON.stringify(wanted[index]))),
      stepsAsLore: share(plans.flatMap((plan, index) => plan.map(({ operator }, at) => operator === wanted[index][at].operator))),
      stepsAsCustom: share(plans.flatMap((plan) => plan.map(({ value, operator }) => CUSTOM.get(value) === operator))),
      ...Object.fromEntries(
        KINDS.flatMap(operatorsOf).map((operator) => [
          operator,
          share(plans.flat().map((step) => step.operator === operator)),
        ]),
      ),
    };
  }
  await model.close();
  console.table(table);
}
