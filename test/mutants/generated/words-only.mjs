// Which mutants do not count, by rule: those that change nothing but words for people. What a learning run does is the same with them.
//
//   - the message of an error: the text in `new SeamError(code, text)`, `new Error(text)` and their kin, with all that is spliced into it;
//   - what is logged, and whether: statements `logger.…`, `log.…` and `console.…`;
//   - any other text of three words or more: a reason, a name of a gate. On this path no program reads such a text; what models read is
//     composed in libs/experience and libs/tasks.
//
// An error's code and details count, and so does whether it is thrown.

const FEWEST_WORDS = 3;
const LOGS = new Set(['logger', 'log', 'console']);
const LEVELS = new Set(['trace', 'debug', 'info', 'log', 'warn', 'error', 'fatal']);

/** An ignorer as @stryker-mutator/instrumenter calls it, with a path of @babel/traverse; what lies below an ignored node is ignored too. */
export const wordsOnly = {
  shouldIgnore(path) {
    if (isMessage(path)) return 'the message of an error';
    if (isLogged(path.node)) return 'what is logged';
    if (wordsOf(path.node) >= FEWEST_WORDS) return 'a text for people';
    return undefined;
  },
};

/** Words of a text, each splice one of them; 0 for what is no text. */
function wordsOf({ type, value, quasis }) {
  if (type === 'StringLiteral') return wordCount(value);
  return type === 'TemplateLiteral' ? wordCount(quasis.map((quasi) => quasi.value.raw).join('x')) : 0;
}

const wordCount = (text) => (text.match(/\S*\p{L}\S*/gu) ?? []).length;

function isMessage({ node, parent, listKey, key }) {
  if (parent?.type !== 'NewExpression' || listKey !== 'arguments') return false;
  const name = parent.callee.name ?? '';
  if (!name.endsWith('Error') || node.type === 'ObjectExpression') return false;
  return key === (name === 'SeamError' ? 1 : 0);
}

/** A whole statement: where the call's value is used, it is no log. */
function isLogged({ type, expression }) {
  if (type !== 'ExpressionStatement' || expression.callee?.type !== 'MemberExpression') return false;
  const { object, property } = expression.callee;
  return LEVELS.has(property.name) && LOGS.has(object.name ?? object.property?.name);
}
