/**
 * Whether a text talks of anything but the exchange that it was asked for in. "Nothing to add", "your text here" and "I cannot help with
 * that" are made of words for the exchange and of words that carry no meaning alone. So is every rephrasing of them, which no list of
 * sentences could hold. An experience names what it is about and what to do: two different words besides these, or a relation such as
 * "x > 3".
 */
import { asData } from '@seamstream/experience';
import { hasRelation, wordsIn, writtenWordsIn } from './plain-words.js';

const words = (list: string): ReadonlySet<string> => new Set(list.split(/\s+/u));

/** English words that carry no meaning alone, also what is left of them at an apostrophe. */
const STOP = words(
  `a an the this that these those there here it its i me my we us our you your he him his she her they them their one some any each all
  both no not none nothing never nor neither and or but if then else so because as of to in on at by for from with without into
  about than be is am are was were been being do does did doing done have has had having can cannot could may might must shall should will
  would ain aren couldn didn doesn don hadn hasn haven isn ll re shan shouldn ve wasn weren won wouldn let when while where which who whom
  whose what why how too very just only also really still yet ever`,
);

/** What a model says of the question, its form and its answer. */
const EXCHANGE = words(
  `experience experiences operation operations proposal proposals text texts reason reasons change changes changed list lists add added
  adding modify modified delete deleted merge keep kept strategy strategies situation situations suggestion suggestions advice null
  undefined empty na todo tbd placeholder applicable relevant available necessary need needs needed required provided possible given new
  further additional more other anything something everything see above below help assist ok okay yes sure fine thanks thank please well
  note sorry unfortunately now moment present time response reply answer input output context json string`,
);

/** What a form has in brackets where it is to be filled in, besides words of the exchange. */
const SLOT = words(
  'insert condition conditions action actions step task topic goal problem description describe details example specific name number numbers x y',
);

/** "[condition]", "<your text>", "{strategy}". */
const BRACKETS = /[[<{]([^[\]<>{}]*)[\]>}]/gu;

/** A model that says what it will not or cannot do: an experience speaks to the solver. */
const REFUSAL =
  /^(?:(?:well|ok|okay|note|please|sorry|unfortunately|but|however) )*(?:i (?:m|am) (?:very |so |really )?(?:sorry|afraid|unable|not able)|i (?:can not|cannot|can t|could not|couldn t|will not|won t|do not|don t|am not)|i apologi[sz]e|as an ai)(?: |$)/u;

/** Scripts without blanks between words: two characters count as a word. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/gu;

/** "V = IR" says what letters stand for. */
const FORMULA = /[\p{L}\p{N})]\s*[=≈≠≤≥]\s*[\p{L}\p{N}(√-]/u;

const LEAST_WORDS = 2;

/**
 * @param text in plain letters, as a reader sees it
 * @param isEarlier as the release before judged: a relation is no content by itself, and the name of a control token and a word under
 *   marks are
 */
export function hasContent(text: string, isEarlier = false): boolean {
  const wordsOf = isEarlier ? writtenWordsIn : wordsIn;
  const isSlot = (inner: string): boolean => wordsOf(inner).every((word) => isOfExchange(word) || SLOT.has(word));
  if (REFUSAL.test(wordsOf(text).join(' '))) return false;
  const isToken = (slot: string): boolean => !isEarlier && asData(slot) !== slot;
  const filled = text.replaceAll(BRACKETS, (slot, inner: string) => (isSlot(inner) || isToken(slot) ? ' ' : slot));
  if (!isEarlier && hasRelation(filled, (word) => !isOfExchange(word))) return true;
  const content = new Set(wordsOf(filled.replaceAll(UNSPACED, ' ')).filter(isContent));
  const unspaced = new Set(filled.match(UNSPACED)).size / 2;
  return content.size + unspaced + (FORMULA.test(filled) ? 1 : 0) >= LEAST_WORDS;
}

const isOfExchange = (word: string): boolean => STOP.has(word) || EXCHANGE.has(word);
/** A letter alone is a name for something that is not said; a digit is a number. */
const isContent = (word: string): boolean => !isOfExchange(word) && !/^\p{L}$/u.test(word);
