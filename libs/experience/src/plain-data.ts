/** Text from outside as it may stand in a prompt. */
import { isPlainCodePoint } from '@seamstream/language-model';

/** Spellings of control tokens of the common chat formats; a space after the first character makes them ordinary text. */
const CONTROL_TOKENS =
  /<\||\|>|<\/?s>|<\/?(?:bos|eos|pad|unk|think|start_of_turn|end_of_turn)>|\[\/?INST\]|<<\/?SYS>>/gi;

/** Nothing that could be hidden: most texts, and then no character has to be looked at alone. */
const VISIBLE_ASCII = /^[\t\n\x20-\x7e]*$/;

/** Text from outside as it may stand in a prompt: line ends and tabs stay, other hidden characters go. */
export function asData(text: string): string {
  return withoutHidden(text).replaceAll(CONTROL_TOKENS, (token) => `${token[0]} ${token.slice(1)}`);
}

function withoutHidden(text: string): string {
  if (VISIBLE_ASCII.test(text)) return text;
  let plain = '';
  for (const character of text.replaceAll('\r\n', '\n').toWellFormed()) {
    if (character === '\n' || character === '\t' || isPlainCodePoint(character.codePointAt(0)!)) plain += character;
  }
  return plain;
}
