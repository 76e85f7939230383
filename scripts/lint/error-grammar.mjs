/**
 * A rule of eslint: a message of an error with a code is "Cannot X: expected A, got B. Do C.". A machine sees its frame: what cannot be
 * done, a colon, why, a full stop. A message that is computed elsewhere is seen there, or not at all.
 */

/** The classes of errors that a person reads, each with where its message is among the arguments. */
const MESSAGES = {
  SeamError: ([, message]) => message,
  ApiError: ([answer]) => answer?.properties?.find(({ key }) => key?.name === 'message')?.value,
};

/** What a value of a template is in the text that is looked at: no letter, no colon and no full stop. */
const HOLE = '…';

/** A text that begins so has its frame already: it is the message of another error. */
const ANOTHER_MESSAGE = /^(?:message|messageOf)$/;

/** The last name of an expression: `message` of `cause.message`, `messageOf` of `messageOf(cause)`. */
function lastNameOf(expression) {
  if (expression.type === 'MemberExpression') return expression.property.name;
  return expression.type === 'CallExpression' ? lastNameOf(expression.callee) : expression.name;
}

/** The texts that an expression may give, with holes for what is not known. Nothing for what is computed elsewhere. */
function textsOf(node) {
  switch (node?.type) {
    case 'Literal':
      return [String(node.value)];
    case 'TemplateLiteral': {
      const [first] = node.expressions;
      const isCarriedOn = node.quasis[0].value.raw === '' && ANOTHER_MESSAGE.test(lastNameOf(first));
      return isCarriedOn ? [] : [node.quasis.map(({ value }) => value.cooked ?? value.raw).join(HOLE)];
    }
    case 'BinaryExpression': {
      const ends = textsOf(node.right);
      return textsOf(node.left).flatMap((begin) =>
        ends.length === 0 ? [begin + HOLE] : ends.map((end) => begin + end),
      );
    }
    case 'ConditionalExpression':
      return [...textsOf(node.consequent), ...textsOf(node.alternate)];
    default:
      return [];
  }
}

/** What a text lacks, as the message says it; undefined where it has its frame. */
function faultOf(text) {
  if (!/^Cannot [a-z…]/.test(text)) return 'a beginning such as "Cannot open the log"';
  if (!/: \S/.test(text)) return 'a colon after what cannot be done, and then why';
  if (!/[.…]$/.test(text.trimEnd()) || /, got [^.:]*…$/.test(text)) return 'a full stop at its end';
  return undefined;
}

const errorGrammar = {
  meta: {
    type: 'suggestion',
    docs: { description: 'messages of errors in one grammar' },
    schema: [],
    messages: {
      fault:
        'Cannot keep the message "{{text}}": expected {{expected}}. Write "Cannot X: expected A, got B. Do C.", without more than is needed.',
    },
  },
  create(context) {
    return {
      NewExpression(node) {
        const message = MESSAGES[node.callee.name]?.(node.arguments);
        for (const text of textsOf(message)) {
          const expected = faultOf(text);
          if (expected !== undefined) {
            context.report({ node: message, messageId: 'fault', data: { text: text.slice(0, 60), expected } });
          }
        }
      },
    };
  },
};

/** The plugin that holds the rule. */
export const errorRules = { rules: { 'error-grammar': errorGrammar } };
