/** Units behind a number, and words behind it that are no unit. */
import { unwrapText } from './words.js';

const UNIT_WORD = '[a-zA-Zµ]+\\.?(?:\\s*\\^\\s*\\{?-?\\d\\}?)?';
const TEXT_UNIT =
  /\s*\\text\{[^{}]*\}(?:\s*\^\s*\{?-?\d\}?)?(?:\s*(?:(?:\/|\\cdot)\s*)?\\text\{[^{}]*\}(?:\s*\^\s*\{?-?\d\}?)?)*$/;
const PLAIN_UNIT = new RegExp(`(?<=[\\d)}%])\\s+${UNIT_WORD}(?:(?:\\s+|\\s*\\/\\s*)${UNIT_WORD})*$`);
const GLUED_UNIT = /(?<=\d)\s*(?:cm|mm|km|kg|mg|ml|mL|ft|in|mph|hrs?|min|sec|USD|EUR|usd|deg)(?:\s*\^\s*\{?[23]\}?)?$/;

/** The text without the unit after it; a percent sign is reported, degrees are dropped. */
export function stripUnit(given: string): { readonly text: string; readonly isPercent: boolean } {
  let text = given.trim().replace(/\s*\\degrees$/, '');
  let isPercent = false;
  const percent =
    /\s*(?:%|(?:\\text\{\s*)?(?:percent(?:age)?|pct)(?:\s*\})?)(?:\s*\\?text\{[^{}]*\}|\s+[a-z ]+)?$/i.exec(text);
  if (percent !== null && percent.index > 0) {
    isPercent = true;
    text = text.slice(0, percent.index);
  }
  for (const unit of [TEXT_UNIT, PLAIN_UNIT, GLUED_UNIT]) {
    const found = unit.exec(text);
    if (found === null || found.index === 0 || isHedge(found[0]) || !/[\d)}\]a-zA-Z]$/.test(text.slice(0, found.index)))
      continue;
    if (
      unit === PLAIN_UNIT &&
      !/[a-zA-Z]{2,}/.test(found[0]) &&
      !/^\s+[mgsLhVWNJKA](?:\s*\/\s*[smh](?:\s*\^\s*\{?\d\}?)?)?$/.test(found[0])
    )
      continue;
    text = text.slice(0, found.index);
    break;
  }
  return { text: text.trim(), isPercent };
}

const HEDGE =
  /(?<![a-z])(?:or|versus|vs|if|when|unless|otherwise|else|alternatively|instead|possibly|probably|perhaps|maybe|not|never|wrong|incorrect|false|except|but|either|rather|at most|at least|dozens?|hundreds?|thousands?|(?:m|b|tr)illions?|zero|one|two|three|four|five|six|seven|eight|nine|ten)(?![a-z])/i;

/** What makes another number of the one before it. */
const CHANGES = /^(?:and )?(?:an? )?(?:half|squared|cubed|more than|less than|fewer than)(?![a-z-])/i;

/** What follows a number and says more than its unit: another number, a condition, a doubt. */
export function isHedge(words: string): boolean {
  const plain = unwrapText(words.replaceAll(/\^\s*\{?-?\d\}?/g, '')).trim();
  if (HEDGE.test(plain) || CHANGES.test(plain)) return true;
  // "kg m -3" has digits too, of short units and their exponents.
  return /\d/.test(plain) && !plain.split(/[\s/.]+/).every((word) => /^(?:[a-zA-Zµ]{1,4}(?:-?\d)?|-?\d|)$/.test(word));
}
