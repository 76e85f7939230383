/**
 * A rule of eslint: at most a share of a spec's lines comes before its first test. What comes before is scenery, and the reader has to
 * pass it to learn what the spec says. Imports do not count. A short spec is left alone: there a builder of ten lines is a large share.
 */

/** Names of calls that begin a test or a suite. A suite of a contract is called `describe…` too. */
const BEGINS = /^(?:it|test|describe[A-Z\d]?\w*)$/;

/** The name that a call begins with: `it` of `it(…)`, `it.each(…)(…)` and `it.only(…)`. */
function nameOf(callee) {
  if (callee.type === 'Identifier') return callee.name;
  if (callee.type === 'MemberExpression') return nameOf(callee.object);
  if (callee.type === 'CallExpression' || callee.type === 'TaggedTemplateExpression')
    return nameOf(callee.callee ?? callee.tag);
  return '';
}

/** Lines of the statements of a kind. */
const linesOf = (statements) => statements.reduce((sum, { loc }) => sum + loc.end.line - loc.start.line + 1, 0);

const specScenery = {
  meta: {
    type: 'suggestion',
    docs: { description: 'tests come early in their file' },
    schema: [
      {
        type: 'object',
        properties: { share: { type: 'number' }, lines: { type: 'integer' } },
        additionalProperties: false,
      },
    ],
    messages: {
      scenery:
        'Cannot keep {{scenery}} of {{total}} lines before the first test: expected at most {{share}} % or {{lines}} lines. ' +
        'Use libs/testing, move a helper that other specs need into it, or put it below the tests.',
    },
  },
  create(context) {
    const { share = 0.25, lines = 20 } = context.options[0] ?? {};
    return {
      Program(program) {
        // Only statements of the file itself: a test inside a helper function is the helper's.
        const first = program.body.find(
          ({ type, expression }) =>
            type === 'ExpressionStatement' &&
            expression.type === 'CallExpression' &&
            BEGINS.test(nameOf(expression.callee)),
        );
        if (first === undefined) return;
        const total = context.sourceCode.lines.length;
        const before = program.body.filter(({ range }) => range[0] < first.range[0]);
        const imports = before.filter(({ type }) => type === 'ImportDeclaration');
        const scenery = first.loc.start.line - 1 - linesOf(imports);
        if (scenery <= lines || scenery <= share * total) return;
        context.report({
          loc: first.loc.start,
          messageId: 'scenery',
          data: { scenery, total, share: Math.round(share * 100), lines },
        });
      },
    };
  },
};

/** The plugin that holds the rule. */
export const specRules = { rules: { 'spec-scenery': specScenery } };
