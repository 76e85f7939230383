/**
 * Words by which a text takes an answer back or leaves it open. An answer with one of them commits to nothing: "A or B" is right for
 * every reference, so it must never count.
 */

/** Taken back or left open, regardless of what else is said. */
const WITHDRAWN =
  /\b(?:wait|hmm|oops|nope|nah|no way|doubt(?:s|ed|ful)?|hardly|unlikely|maybe|perhaps|possibly|probably|unsure|uncertain|not sure|don'?t know|(?:might|may|could|would|should) (?:also |well |still )?be|on second thoughts?|scratch that|or rather|no longer|actually|instead|wrong|incorrect|mistaken|ruled out|eliminated|excluded|rejected)\b|\?/i;

/** What begins a remark that goes against what stands before it. */
const TURNS =
  /^[\s,;:.([{–—-]*(?:or|nor|but|no|nope|nah|not|never|neither|either|isn'?t|is not|alternatively|versus|vs|otherwise)\b/i;

/** A negation anywhere, or a second thing offered. */
const NEGATED =
  /\b(?:or|nor|but|no|nope|not|never|none|neither|either|cannot|versus|vs|alternatively|otherwise|however|although|except)\b|n't\b/i;

/** Whether words take back or leave open what is next to them. */
export const withdraws = (words: string): boolean => WITHDRAWN.test(words) || TURNS.test(words);

/** Whether words hold a negation or an alternative of any kind; stricter than {@link withdraws}. */
export const hedges = (words: string): boolean => WITHDRAWN.test(words) || NEGATED.test(words);

/** Whether the words before a value say that it is not the answer, or one of several: "not", "or", "rather than". */
export const rejectsWhatFollows = (words: string): boolean =>
  /(?:\b(?:or|nor|not|never|neither|maybe|perhaps|possibly|rather than|instead of|other than|except|unlike|versus|vs)|n't)[\s:*`("']*(?:(?:it|this|that|be|is|maybe|perhaps|possibly|even|also|just)[\s:*`("']+){0,3}$/i.test(
    words.slice(-80),
  );

/** What takes an answer back where a later sentence begins with it. */
const TAKES_BACK =
  /^(?:but |oh,? |and |so )?(?:(?:wait|hmm|oops|nope|nah|actually|sorry|correction|scratch that|on second thoughts?|or|not|maybe|perhaps|instead|rather|i was wrong|(?:that(?: i|['’])s|this is) (?:wrong|incorrect|false|not (?:quite |at all )?(?:right|correct|it|so|true|the|my|what|an?)\b|not\s*$)|i doubt)(?![a-z])|no\s*(?:[,:;—–-]|$))/i;

/** Whether a text behind an answer takes it back in a separate sentence. */
export const takesBack = (after: string): boolean =>
  after.split(/[.!?\n]/).some((sentence) => TAKES_BACK.test(sentence.replace(/^[\s*_>#(-]+/, '')));

/** Words that may stand between the start of a clause and the answer that it states: nothing in them doubts or denies. */
const LEADS_TO =
  /^(?:the|my|our|a|an|this|that|it|its|final|last|correct|right|best|proper|only|overall|numeric(?:al)?|multiple-choice|resulting|exact|approximate|so|thus|therefore|hence|then|and|now|finally|clearly|obviously|evidently|consequently|accordingly|here|in|conclusion|short|summary|total|all|as|we|i|you|one|can|will|must|also|to|think|believe|say|would|conclude|see|get|find|know|have|follows|means|shows|implies|gives|tells|us|me|which|is|indeed|again|question|problem|number|part|for|of|with|from|by|\d+|[a-j]|complete|full|simplified|desired|required|given|above)$/i;
/** How a clause begins that names the grounds of an answer. */
const GROUNDS =
  /^(?:based on|given|from|by|using|according to|with|for|of|after|because of|due to|since|as|because|when|at|in)\b/i;
const DENIES =
  /\b(?:no|not|never|nobody|none|nor|neither|without|wrong|incorrect|false|bad|former|previous|other|another|doubt\w*|hardly|unlikely|impossible|whether|if|unless|suppose|supposing|assum\w+|pretend\w*|imagine|might|may|could|maybe|perhaps|possibly|probably|guess|deny|denies|disagree\w*|reject\w*|cannot|contrary|opposite|instead|rather|than|everything but|anything but)\b|n['’]t\b/i;

/**
 * Whether the words before "the answer is" on its line leave it a statement: what the last clause says is known to lead to an answer, or
 * names its grounds. "I doubt the answer is A" states nothing, in any words for the doubt.
 */
export function statesWhatFollows(before: string): boolean {
  const line = before.slice(-300).split('\n').at(-1)!;
  const clause = line
    .split(/[,;:.!?—–]|\s-\s/)
    .at(-1)!
    .replaceAll(/[*_#>`$()[\]{}"']/g, ' ')
    .trim();
  if (clause === '') return true;
  if (DENIES.test(clause)) return false;
  return GROUNDS.test(clause) || clause.split(/\s+/).every((word) => LEADS_TO.test(word));
}

/** Whether the words before a mark like "Answer:" on its line call what follows no answer: "wrong answer: 7". */
export const deniesMark = (before: string): boolean =>
  DENIES.test(
    before
      .slice(-120)
      .split(/[\n.!?,;]/)
      .at(-1)!,
  );
