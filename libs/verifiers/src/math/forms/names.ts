/** Names that an answer gives to what it says: symbols, values of functions, points and figures. */

/** A symbol, a function's value, a tuple of symbols, points and figures (AB, |AB|, \angle ABC, NO/BO, S_{ABC}:S), or words. */
export function isName(text: string): boolean {
  const plain = text.replaceAll(/\\text\{[^{}]*\}/g, 'T').replaceAll(/[\s{}]|\\operatorname/g, '');
  if (/^\((?:[a-zA-Z](?:_\w+)?,)+[a-zA-Z](?:_\w+)?\)$/.test(plain)) return true;
  const symbol = /^\\?[a-zA-Z]+'*(?:_\(?[\w+\-]+\)?)?$/;
  if (/^[a-zA-Z]'*(?:_\w+)?(?:\^-1|'+)?\([\w,+\-\\]*\)$/.test(plain)) return true;
  if (/^[a-zA-Z]'*(?:_[\w+\-]+)?$|^\\[a-zA-Z]+(?:_\w+)?$/.test(plain)) return !/^\\(?:pi|infty)$/.test(plain);
  const figure = plain.replaceAll(
    /\\(?:frac|angle|triangle|overline|overrightarrow|vec|operatorname|left|right|widehat|hat|square|odot|parallel)/g,
    '',
  );
  if (figure.split(/[:/]/).every(isFigure)) return true;
  return (
    /^[a-zA-Z]{2,}$/.test(plain) && symbol.test(plain) && !plain.includes('\\') && /[A-Z]{2,}|[a-z]{3,}/.test(plain)
  );
}

/** AB, |AB|, S_{ABC}, A'B', without braces. */
function isFigure(text: string): boolean {
  const points = text.split('|').filter((part) => part !== '');
  return points.length > 0 && points.every((part) => /^[A-Z][A-Z']*(?:_\w[\w']*)?$/.test(part));
}

export function nameOf(text: string): string {
  return text.replaceAll(/[\s{}]/g, '');
}
