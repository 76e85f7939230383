/**
 * Words by which a text takes an answer back or leaves it open. An answer with one of them commits to nothing: "A or B" is right
 * whatever the reference is, so it must never count.
 */

/** Taken back or left open, whatever else is said. */
const WITHDRAWN =
  /\b(?:wait|hmm|oops|maybe|perhaps|possibly|probably|unsure|uncertain|not sure|don'?t know|(?:might|may|could|would|should) (?:also |well |still )?be|on second thoughts?|scratch that|or rather|no longer|actually|instead|wrong|incorrect|mistaken|ruled out|eliminated|excluded|rejected)\b|\?/i;

/** What begins a remark that goes against what stands before it. */
const TURNS =
  /^[\s,;:.([{–—-]*(?:or|nor|but|no|not|never|neither|either|isn'?t|is not|alternatively|versus|vs|otherwise)\b/i;

/** A negation anywhere, or a second thing offered. */
const NEGATED =
  /\b(?:or|nor|but|no|not|never|none|neither|either|cannot|versus|vs|alternatively|otherwise|however|although|except)\b|n't\b/i;

/** Whether words take back or leave open what stands beside them. */
export const withdraws = (words: string): boolean => WITHDRAWN.test(words) || TURNS.test(words);

/** Whether words hold a negation or an alternative of any kind; stricter than {@link withdraws}. */
export const hedges = (words: string): boolean => WITHDRAWN.test(words) || NEGATED.test(words);

/** Whether the words before a value say that it is not the answer, or one of several: "not", "or", "rather than". */
export const rejectsWhatFollows = (words: string): boolean =>
  /(?:\b(?:or|nor|not|never|neither|maybe|perhaps|possibly|rather than|instead of|other than|except|unlike|versus|vs)|n't)[\s:*`("']*(?:(?:it|this|that|be|is|maybe|perhaps|possibly|even|also|just)[\s:*`("']+){0,3}$/i.test(
    words.slice(-80),
  );
