import { Linter } from 'eslint';
import { errorRules } from '../../scripts/lint/error-grammar.mjs';

const linter = new Linter();
/** What the rule says of a source, one message each. */
const messagesOf = (source: string): string[] =>
  linter
    .verify(source, [{ plugins: { house: errorRules }, rules: { 'house/error-grammar': 'error' } }])
    .map(({ message }) => message);

describe('the rule of the grammar of errors', () => {
  it.each([
    ['a text', "new SeamError('CONFLICT', 'Cannot open the log: expected one, got none. Name another folder.');"],
    ['a value in its place', 'new SeamError(code, `Cannot ${operation}: there is no ${place}. Make it first.`);'],
    ['a text in parts', 'new SeamError(code, `Cannot read ${path}: expected JSON, ` + `got ${found}. Mend it.`);'],
    ['a reason at its end', 'new SeamError(code, `Cannot generate: ${reason}`);'],
    ['the message of another error before it', 'new SeamError(code, `${cause.message} Correct ${setting}.`);'],
    ['such a message by a function', 'new SeamError(code, `${messageOf(cause)} Nothing was consumed.`);'],
    ['a message that is computed', 'new SeamError(code, onOneLine(text)); new SeamError(answer.code, answer.reason);'],
    ['an answer of the API', "new ApiError({ status: 404, message: 'Cannot answer: expected a, got b.' });"],
    ['a cause, which is a part of a message', "new RangeError('no codec has the number 7');"],
    ['another class', "new Thing('x', 'no grammar');"],
  ])('takes %s', (_, source) => {
    expect(messagesOf(source)).toEqual([]);
  });

  it.each([
    ['what was done', "new SeamError('CONFLICT', 'Opening the log: expected one, got none.');", 'a beginning such as'],
    ['a value alone', 'new SeamError(code, `${operation}: this log was closed.`);', 'a beginning such as'],
    ['a reason alone', "new SeamError(code, 'the model was closed');", 'a beginning such as'],
    ['no reason', "new SeamError(code, 'Cannot use a log that was closed.');", 'a colon after'],
    ['a colon within a place', 'new SeamError(code, `Cannot open lmdb:${folder}.`);', 'a colon after'],
    ['no end', "new SeamError(code, 'Cannot open: the disk is full');", 'a full stop'],
    ['a value as its end', 'new SeamError(code, `Cannot open: expected a, got ${b}`);', 'a full stop'],
    ['parts', "new SeamError(code, 'Opening: expected a, ' + 'got b.');", 'a beginning such as'],
    ['one of two texts', "new SeamError(code, some ? 'Cannot open: a.' : 'no');", 'a beginning such as'],
    ['an answer of the API', "new ApiError({ status: 404, message: 'not found' });", 'a beginning such as'],
  ])('refuses %s', (_, source, expected) => {
    const messages = messagesOf(source);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^Cannot keep the message "/);
    expect(messages[0]).toContain(expected);
  });
});
