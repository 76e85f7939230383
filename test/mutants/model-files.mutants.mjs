// What a model's folder asks for is bounded before it is done, and no text from outside becomes a control token.
const TOKENIZER = {
  file: 'libs/tokenizer/src/tokenizer-json.ts',
  suite: 'quick',
  spec: 'tokenizer/src/tokenizer-json.spec.ts',
};

export default [
  {
    control: 'a regular expression of a tokenizer is of the published list, or one class of characters',
    ...TOKENIZER,
    from: 'if (!isLinearPattern(regex))',
    to: 'if (!isLinearPattern && regex)',
  },
  {
    control: 'normalizers multiply a text by no more than a bound',
    ...TOKENIZER,
    from: 'if (growth > MAX_GROWTH)',
    to: 'if (growth > MAX_GROWTH * 1e12)',
  },
  {
    control: 'sizes of config.json have a largest value',
    file: 'libs/model-files/src/config-fields.ts',
    suite: 'quick',
    spec: 'language-model/src/checkpoint/model-config.spec.ts',
    from: 'if ((value as number) > largest)',
    to: 'if ((value as number) > largest * 1e300)',
  },
  {
    control: 'a chat template makes no special token of what a message says',
    file: 'libs/tokenizer/src/chat-template.ts',
    suite: 'quick',
    spec: 'tokenizer/src/chat-template.spec.ts',
    from: 'if (tokensOf(text) === tokensOf(apart())) return;',
    to: 'if (tokensOf(text) !== tokensOf(apart()) || true) return;',
  },
  {
    control: "control tokens with DeepSeek's wide bars are broken in text from outside",
    file: 'libs/experience/src/plain-data.ts',
    suite: 'quick',
    spec: 'experience/src/plain-data.spec.ts',
    from: '<[|｜]|[|｜]>',
    to: '<[|]|[|]>',
  },
  {
    control: 'an adapter has the tensors of the model before it serves',
    file: 'apps/generator/src/serving-adapter.ts',
    suite: 'quick',
    spec: 'apps/generator/src/serving-adapter.spec.ts',
    from: '...(shapesFor === undefined ? {} : { shapesFor }),',
    to: '...(shapesFor === undefined ? { shapesFor } : {}),',
  },
];
