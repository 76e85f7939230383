/**
 * A rule of eslint: comments, texts and titles of tests are plain modern English. It finds the habits of STYLE that a machine can see, and
 * suggests the usual word. A text without a space is a name or a value on the wire, not prose, and is left alone.
 */

/** What is found, and what to write instead. `name` is the word as the message shows it. */
export const HABITS = [
  {
    name: 'whoever',
    pattern: /\bwho(?:so)?ever\b/i,
    instead: 'the actor: "an instance that", "a caller that", "any process"',
  },
  { name: 'whatever', pattern: /\bwhatever\b/i, instead: '"any", "all", "regardless of"' },
  { name: 'anew', pattern: /\banew\b/i, instead: '"again", "afresh"' },
  { name: 'in hand', pattern: /\bin hand\b/i, instead: '"in flight", "in-flight records", "current"' },
  { name: 'takes leave', pattern: /\bt(?:ake|akes|ook|aking) leave\b/i, instead: '"disconnects", "leaves"' },
  { name: 'of its own', pattern: /\bof (?:its|their) own\b/i, instead: '"its own X", "a separate X"' },
  {
    name: 'is none',
    // Not Python's `is None`, which tests hold as text.
    pattern: /(?<!\b[Tt]here )\b(?:[Ii]s|[Aa]re|[Ww]as|[Ww]ere) none\b/,
    instead: '"is not one", "is not an X", "does not exist"',
  },
  {
    name: 'came, comes',
    pattern:
      /(?:[,;:]|\bbut|\band|\bwhat|\bwhich) c(?:ame|omes)\b(?! (?:from|first|last|back|before|after|to|with|out))/i,
    instead: '"got" in an error, else "received", "arrived", "returned"',
  },
  {
    name: 'told, tells',
    pattern: /\b(?:told|tells)\b(?! apart)/i,
    instead: '"reported", "returned", "says", "distinguishes"',
  },
  { name: 'goes on', pattern: /\b(?:go|goes|going|gone|went) on\b/i, instead: '"continues", "resumes", "happens"' },
  {
    name: 'stands in',
    pattern: /\b(?:stand|stands|standing|stood) in\b/i,
    instead: '"is in", "is part of", "replaces"',
  },
  { name: 'beside', pattern: /\bbeside\b/i, instead: '"alongside", "next to", "besides"' },
  {
    name: 'nobody',
    pattern: /\b(?:nobody|somebody)\b/i,
    instead: 'the actor: "no other process", "no caller", "a person"',
  },
];

/** The habits in a text, each with where its word begins. */
function habitsIn(text) {
  return HABITS.flatMap((habit) =>
    [...text.matchAll(new RegExp(habit.pattern, `${habit.pattern.flags}g`))].map(({ 0: found, index }) => ({
      ...habit,
      found,
      index,
    })),
  );
}

/** The rule, as eslint takes it. */
const plainWords = {
  meta: {
    type: 'suggestion',
    docs: { description: 'prose of the code in plain modern English' },
    // `codeIn`: names of properties whose texts are code.
    schema: [
      {
        type: 'object',
        properties: { codeIn: { type: 'array', items: { type: 'string' } } },
        additionalProperties: false,
      },
    ],
    messages: { habit: 'Cannot keep "{{found}}" ({{name}}): expected plain modern English. Write {{instead}}.' },
  },
  create(context) {
    const { sourceCode } = context;
    const codeIn = new Set(context.options[0]?.codeIn);
    const check = (node, text) => {
      for (const { name, found, instead, index } of habitsIn(text)) {
        // Escapes make a text shorter than its source: then the place is near the word, never beyond the node.
        const start = sourceCode.getLocFromIndex(Math.min(node.range[0] + index + 2, node.range[1]));
        context.report({ loc: { start, end: node.loc.end }, messageId: 'habit', data: { name, found, instead } });
      }
    };
    const isCode = ({ parent }) => parent.type === 'Property' && codeIn.has(parent.key.name);
    const checkText = (node, text) => {
      if (/\s/.test(text) && !isCode(node)) check(node, text);
    };
    return {
      Program() {
        for (const comment of sourceCode.getAllComments()) {
          if (!/^\s*(?:eslint-|biome-ignore)/.test(comment.value)) check(comment, comment.value);
        }
      },
      Literal(node) {
        if (typeof node.value === 'string') checkText(node, node.value);
      },
      // As one text, so that "expected ${a}, came ${b}" is seen whole.
      TemplateLiteral(node) {
        checkText(node, node.quasis.map((quasi) => quasi.value.cooked ?? quasi.value.raw).join('${…}'));
      },
    };
  },
};

/** The plugin that holds the rule. */
export const houseRules = { rules: { 'plain-words': plainWords } };
