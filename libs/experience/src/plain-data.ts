/**
 * Makes text from outside safe for a prompt. The reader of the prompt is not always known: a server behind an endpoint recognises its
 * own control tokens inside a message. So the spellings of all known families are broken, and the forms that they
 * have in common: names with underscores in angle brackets, names in capitals with underscores in square ones.
 */
import { isPlainCodePoint } from '@seamstream/token-grammar';

/**
 * Of the common chat formats; a space after the first character makes them ordinary text. Every repetition is bounded, so that
 * each place of a text is looked at so often.
 */
const CONTROL_TOKENS = new RegExp(
  [
    // ChatML, Llama 3, Phi, GLM, gpt-oss: <|im_start|>; DeepSeek, with wide bars: <｜User｜>, <｜end▁of▁sentence｜>
    String.raw`<[|｜]|[|｜]>`,
    // Llama 2, Mistral, Gemma, GLM, BERT; thinking and tools of Qwen, SmolLM3, Hermes
    String.raw`<\/?(?:s|bos|eos|pad|unk|mask|cls|sep|sop|eop|eot|eod|think|tools?|call|code|image|unused\d{1,4})>`,
    // Gemma's <start_of_turn>, Qwen's <tool_call>, Granite's and StarCoder's <fim_prefix>, … SEAM's own tag is not a control token of
    // any of them: a template may ask for an entry in it (memory-item.ts).
    String.raw`<(?!\/?memory_item>)\/?[a-z0-9]{1,24}(?:_[a-z0-9]{1,24}){1,6}>`,
    String.raw`\[\/?INST\]|<<\/?SYS>>`,
  ].join('|'),
  'giu',
);
/** Mistral's [TOOL_CALLS], GLM's [gMASK], BERT's [CLS]: in their own case only, since arr[mask] is a program. */
const CAPITAL_TOKENS =
  /\[\/?(?:BOS|EOS|UNK|PAD|CLS|SEP|MASK|[gs]MASK|IMG|ARGS|THINK|PREFIX|MIDDLE|SUFFIX|[A-Z]{1,24}(?:_[A-Z]{1,24}){1,6})\]/gu;

/** Nothing that could be hidden: most texts, and then no character has to be looked at alone. */
const VISIBLE_ASCII = /^[\t\n\x20-\x7e]*$/;

/** Makes text from outside safe for a prompt: line ends and tabs stay, other hidden characters are removed. */
export function asData(text: string): string {
  const broken = (token: string): string => `${token[0]} ${token.slice(1)}`;
  return withoutHidden(text).replaceAll(CONTROL_TOKENS, broken).replaceAll(CAPITAL_TOKENS, broken);
}

function withoutHidden(text: string): string {
  if (VISIBLE_ASCII.test(text)) return text;
  let plain = '';
  for (const character of text.replaceAll('\r\n', '\n').toWellFormed()) {
    if (character === '\n' || character === '\t' || isPlainCodePoint(character.codePointAt(0)!)) plain += character;
  }
  return plain;
}
