/**
 * One way to write what is written in many: Unicode signs, plain-text functions, spacing and sizing commands, escaped escapes and
 * thousands separators become plain LaTeX. What it yields is read by `answer-form.ts`; meaning is decided there, not here.
 */

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/[−–—‐‑]/g, '-'],
  [/[×✕]/g, '\\times '],
  [/[⋅·∙•]/g, '\\cdot '],
  [/÷/g, '\\div '],
  [/±/g, '\\pm '],
  [/∓/g, '\\mp '],
  [/≤|⩽/g, '\\le '],
  [/≥|⩾/g, '\\ge '],
  [/≠/g, '\\ne '],
  [/[≈≃≅]/g, '\\approx '],
  [/∈/g, '\\in '],
  [/∪/g, '\\cup '],
  [/∩/g, '\\cap '],
  [/∖/g, '\\setminus '],
  [/∅/g, '\\emptyset '],
  [/∞/g, '\\infty '],
  [/[πΠ]/g, '\\pi '],
  [/θ/g, '\\theta '],
  [/α/g, '\\alpha '],
  [/β/g, '\\beta '],
  [/γ/g, '\\gamma '],
  [/λ/g, '\\lambda '],
  [/φ|ϕ/g, '\\phi '],
  [/°/g, '^\\circ '],
  [/⟨/g, '\\langle '],
  [/⟩/g, '\\rangle '],
  [/[⇒⟹]/g, '\\Rightarrow '],
  [/→/g, '\\to '],
  [/∠/g, '\\angle '],
  [/ℝ/g, '\\mathbb{R}'],
  [/ℤ/g, '\\mathbb{Z}'],
  [/ℕ/g, '\\mathbb{N}'],
  [/√\s*(\d+(?:\.\d+)?|[a-zA-Z])/g, '\\sqrt{$1}'],
  [/√\s*\(([^()]*)\)/g, '\\sqrt{$1}'],
];

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const SUBSCRIPTS = '₀₁₂₃₄₅₆₇₈₉';

/** Commands whose backslash is often doubled where LaTeX went through a string literal. */
const DOUBLED =
  /\\\\(?=(?:[dt]?frac|sqrt|left|right|leq?|geq?|lt|gt|neq?|in|cup|cap|infty|pi|theta|alpha|beta|text|mathrm|mathbb|mathbf|boxed|pm|mp|cdot|times|quad|sin|cos|tan|log|ln|circ|begin|end|approx|emptyset|angle|overline)(?![a-zA-Z])|[{}%$])/g;

const ROW_END = '\u0002';

/** More calls are not an answer. */
const MAX_CALLS = 200;

const FUNCTIONS = 'arcsin|arccos|arctan|arsinh|arcosh|artanh|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log|ln|exp';
const FUNCTION = new RegExp(`^(?:${FUNCTIONS}|gcd|lcm|max|min)$`);
const CALLED = /^(?:a(?:rc?)?(?:sin|cos|tan|cot)h?|sqrt|[aA]bs|ceil(?:ing)?|floor|factorial|binomial)$/;
const UNIT_LETTER = /^[mgshLVWNJKACF]$/;
const CORNERS: Readonly<Record<string, string>> = { ul: '\\lceil ', ur: '\\rceil ', ll: '\\lfloor ', lr: '\\rfloor ' };
const GREEK = 'alpha|beta|gamma|delta|epsilon|theta|lambda|mu|rho|sigma|tau|phi|psi|omega';

/** Inverse functions as they are called elsewhere: asin, arcsinh, \sin^{-1}. */
const INVERSE =
  /(?<![a-zA-Z\\])(?:arc|ar|a)(?:(sin|cos|tan|cot)|(sinh|cosh|tanh))(?![a-zA-Z])|\\(?:arc(sinh|cosh|tanh)|(?:(sin|cos|tan|cot)|(sinh|cosh|tanh))\s*\^\s*(?:\{\s*-\s*1\s*\}|-1(?!\d)))(?![a-zA-Z])/g;

/** Functions as programs print them, with what becomes of their arguments. */
const CALLS: readonly (readonly [RegExp, (inner: string) => string])[] = [
  [/(?<![a-zA-Z\\])sqrt\s*\(/, (inner) => `\\sqrt{${inner}}`],
  [/(?<![a-zA-Z\\])[aA]bs\s*\(/, (inner) => `|${inner}|`],
  [/(?<![a-zA-Z])\\?ceil(?:ing)?\s*\(/, (inner) => `\\lceil ${inner}\\rceil `],
  [/(?<![a-zA-Z])\\?floor\s*\(/, (inner) => `\\lfloor ${inner}\\rfloor `],
  [/(?<![a-zA-Z\\])factorial\s*\(/, (inner) => `(${inner})!`],
  [/(?<![a-zA-Z\\])binomial\s*\(/, (inner) => `\\binom{${inner.replace(/,/, '}{')}}`],
  [
    /(?<![a-zA-Z\\])Matrix\s*\(/,
    (inner) =>
      `\\begin{pmatrix}${inner
        .trim()
        .replaceAll(/^\[\s*\[?|\]?\s*\]$/g, '')
        .replaceAll(/\]\s*,\s*\[/g, ROW_END)
        .replaceAll(',', '&')}\\end{pmatrix}`,
  ],
  // The exponent of x^(1/3) is what its parentheses hold.
  [/\^\s*\(/, (inner) => `^{${inner}}`],
];

/** The text as plain LaTeX, without delimiters of mathematics. */
export function plainNotation(text: string): string {
  let s = text;
  for (const [sign, latex] of SIGNS) s = s.replace(sign, latex);
  s = s.replace(new RegExp(`[${SUPERSCRIPTS}]+`, 'gu'), (run) => `^{${digitsOf(run, SUPERSCRIPTS)}}`);
  s = s.replace(new RegExp(`[${SUBSCRIPTS}]+`, 'gu'), (run) => `_{${digitsOf(run, SUBSCRIPTS)}}`);
  s = s
    .replace(/(\d)\s*([¼½¾⅓⅔])/gu, '$1 $2')
    .normalize('NFKC')
    .replaceAll('⁄', '/')
    .replaceAll(/\r\n?/g, '\n');
  if (!s.includes('\\begin{')) s = s.replace(DOUBLED, '\\').replace(DOUBLED, '\\');
  return plainText(plainCommands(plainWords(plainLayout(s))))
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(ROW_END, '\\\\ ')
    .trim();
}

/** Commands of layout and the synonyms of relations and brackets. */
function plainLayout(text: string): string {
  return (
    text
      .replaceAll('\\\\', ROW_END) // a row's end must not lose its second backslash to the spacing commands below
      .replaceAll(/\\(?:left|right)\s*\.(?!\d)/g, '')
      .replaceAll(/\\(?:left|right|[bB]igg?[lrm]?|middle)(?![a-zA-Z])/g, '')
      .replaceAll(
        /\\(?:displaystyle|textstyle|scriptstyle|limits|nolimits|rm|bf|it|tiny|small|normalsize|large|Large|LARGE|huge|Huge)(?![a-zA-Z])/g,
        ' ',
      )
      // Colours say nothing; what is written in the colour of the page is still read.
      .replaceAll(/\\(?:textcolor|color)\s*(?:\[[a-zA-Z]*\])?\s*\{[^{}]*\}/g, '')
      .replaceAll(/\\(?:label|tag)\{[^{}]*\}/g, '')
      .replaceAll(/,\s*\\!\s*(?=\d)/g, '')
      .replaceAll('\\!', '')
      .replaceAll(/(?<=\d)\{,\}(?=\d)/g, '')
      .replaceAll('{,}', ',')
      .replaceAll(/(?<=\d)(?:\\[,;:]|\\ |~)(?=\d{3}(?!\d))/g, '')
      .replaceAll(/\\[lr]group(?![a-zA-Z])/g, (group) => (group === '\\lgroup' ? '(' : ')'))
      .replaceAll(/\\q?quad/g, '   ')
      .replaceAll(/\\[,;:> ]|~/g, ' ')
      .replaceAll(/\\(?:hspace|vspace|phantom)\*?\{[^{}]*\}/g, ' ')
      .replaceAll(/\\(?:[dtcs]|nice)frac(?![a-zA-Z])/g, '\\frac')
      .replaceAll(/\\(?:leqslant|leqq|leq|le)(?![a-zA-Z])/g, '\\le ')
      .replaceAll(/\\(?:geqslant|geqq|geq|ge)(?![a-zA-Z])/g, '\\ge ')
      .replaceAll(/\\(?:neq|ne)(?![a-zA-Z])|\\not\s*=|!=/g, '\\ne ')
      .replaceAll(/\\lt(?![a-zA-Z])/g, '<')
      .replaceAll(/\\gt(?![a-zA-Z])/g, '>')
      .replaceAll(/<=/g, '\\le ')
      .replaceAll(/>=/g, '\\ge ')
      .replaceAll('==', '=')
      .replaceAll(/\\(?:varnothing|empty)(?![a-zA-Z])/g, '\\emptyset')
      .replaceAll(/\\(?:backslash|smallsetminus)(?![a-zA-Z])/g, '\\setminus')
      .replaceAll(/\\(?:simeq|cong|doteq)(?![a-zA-Z])/g, '\\approx ')
      .replaceAll(/\\(?:implies|Longrightarrow)(?![a-zA-Z])/g, '\\Rightarrow ')
      .replaceAll(/\\(?:iff|Longleftrightarrow)(?![a-zA-Z])/g, '\\Leftrightarrow ')
      .replaceAll(/\\(?:lbrace|\{)/g, '\\{')
      .replaceAll(/\\(?:rbrace|\})/g, '\\}')
      .replaceAll(/\\(?:lbrack)(?![a-zA-Z])/g, '[')
      .replaceAll(/\\(?:rbrack)(?![a-zA-Z])/g, ']')
      .replaceAll(/\\(?:lvert|rvert|vert)(?![a-zA-Z])/g, '|')
      .replaceAll(/\\mathbb\s*([A-Z])/g, '\\mathbb{$1}')
      .replaceAll(/\\(?:reals|Reals|R)(?![a-zA-Z])/g, '\\mathbb{R}')
  );
}

/** Words and letters set in a face of type. */
function plainWords(text: string): string {
  return text.replaceAll(
    /\\(?:bold|boldsymbol|pmb|bm|mathbf|mathit|mathsf|mathrm|textrm|textbf|textit|textsf|textnormal|mbox|hbox|emph|text|operatorname)\*?\s*\{((?:[^{}]|\^\{-?\d+\})*)\}/g,
    (command: string, inner: string, at: number, whole: string) =>
      wordOrSymbol(
        inner,
        whole.slice(Math.max(0, at - 80), at),
        whole.slice(at + command.length, at + command.length + 20),
      ),
  );
}

/** Boxes, degrees, marks of quotation and currency, and indices before exponents. */
function plainCommands(text: string): string {
  return (
    text
      .replaceAll(/\\([ul][lr])corner(?![a-zA-Z])/g, (_, corner: string) => CORNERS[corner]!)
      // x^2_i is x_i^2
      .replaceAll(/\^\s*(\{[^{}]*\}|[^\s{}\\])\s*_\s*(\{[^{}]*\}|[^\s{}\\])/g, '_$2^$1')
      .replaceAll(/\\(?:boxed|fbox)\s*(?=\{)/g, '')
      .replaceAll(
        /\^\s*(?:\{\s*\\(?:circ|degree)\s*\}|\\(?:circ|degree)(?![a-zA-Z]))|\\degree(?![a-zA-Z])/g,
        '\\degrees ',
      )
      .replaceAll(/\\degrees\s*[CF](?![a-zA-Z])/g, '\\degrees ')
      .replaceAll(/\\?[$€£¥]|\\[()[\]]/g, ' ')
      .replaceAll(/\\?["“”]/g, ' ')
      .replaceAll(/\\(?=[%#&])/g, '')
      .replaceAll(/\\overline\s*\{\s*([A-Z]{2,})\s*\}/g, '$1')
  );
}

/** Arithmetic as it is typed without LaTeX. */
function plainText(text: string): string {
  let s = text
    .replaceAll('**', '^')
    // 0.333… repeats, as far as it is written
    .replaceAll(/(?<![\d.])(\d+\.\d*?)(\d{1,6}?)\2+(?:\.\.\.|\\[cl]?dots)/g, '$1\\overline{$2}')
    .replaceAll(/(?<=[\w)}\]])\s*\*\s*(?=[\w(\\{[])/g, ' \\cdot ')
    .replaceAll(/\^\s*(-?\d{2,}|-\d)/g, '^{$1}')
    .replaceAll(INVERSE, (_, ...groups: (string | undefined)[]) => {
      const [circular, hyperbolic, arc, inverse, area] = groups;
      const round = circular ?? inverse;
      return round === undefined ? `\\ar${hyperbolic ?? arc ?? area} ` : `\\arc${round} `;
    })
    .replaceAll(new RegExp(`(?<![a-zA-Z\\\\])(?:${FUNCTIONS})(?=\\s*\\(|\\s*\\d|\\s+[a-z](?![a-zA-Z]))`, 'g'), '\\$&')
    .replaceAll(/(?<![a-zA-Z\\])(?:pi)(?![a-zA-Z])/g, '\\pi ')
    .replaceAll(new RegExp(`(?<![a-zA-Z\\\\])(?:${GREEK})(?![a-zA-Z])`, 'g'), '\\$& ')
    .replaceAll(/(?<![a-zA-Z\\])(?:infinity|infty|inf|oo)(?![a-zA-Z])/gi, '\\infty ')
    .replaceAll(/(?<![\d.,/^])(\d+) (\d+)\/(\d+)(?![\d.])/g, '$1\\frac{$2}{$3}')
    // 1 000 000 is one number, 2^3 3^2 a product; other digits with a blank between them are left apart.
    .replaceAll(/(?<![\d.,^_{])[1-9]\d{0,2}(?: \d{3})+(?![\d/])/g, (number) => number.replaceAll(' ', ''))
    .replaceAll(/(\^\d)\s+(?=\d)/g, '$1\\cdot ')
    .replaceAll(/\\sqrt\s+(?=\d)/g, '\\sqrt')
    .replaceAll(/\\sqrt(\d)/g, '\\sqrt{$1}');
  for (const [call, written] of CALLS) s = withCalls(s, call, written);
  return s;
}

/** Every call with its matching parenthesis; the text after one that is never closed stays as it is. */
function withCalls(text: string, call: RegExp, written: (inner: string) => string): string {
  let s = text;
  for (let from = 0; from < MAX_CALLS; from++) {
    const found = call.exec(s);
    if (found === null) return s;
    const open = found.index + found[0].length - 1;
    const close = closing(s, open);
    if (close < 0) return s;
    s = `${s.slice(0, found.index)}${written(s.slice(open + 1, close))}${s.slice(close + 1)}`;
  }
  return s;
}

/** Index of the parenthesis that closes the one at `open`; -1 where there is none. */
function closing(s: string, open: number): number {
  let depth = 0;
  for (let at = open; at < s.length; at++) {
    if (s[at] === '(') depth++;
    else if (s[at] === ')' && --depth === 0) return at;
  }
  return -1;
}

/**
 * \mathrm{E} is E; \mathrm{arctan} a function; \text{ meters} stays text, and so does what is both a function and a unit (min, sec)
 * where no argument follows.
 * @param before what stands before the command
 * @param following what stands after it
 */
function wordOrSymbol(inner: string, before: string, following: string): string {
  const word = inner.trim();
  // "5\,\mathrm{m}" and "\mathrm{km}/\mathrm{h}" are units, "2\mathrm{m}" may be a product.
  const isUnitLetter = /[\d)}i]\s+$|\\(?:text|mathrm|textrm)\{[^{}]*\}\s*(?:\/|\\cdot|\\times)?\s*$/.test(
    before + (inner.startsWith(' ') ? ' ' : ''),
  );
  if (/^[a-zA-Z]$/.test(word)) return isUnitLetter && UNIT_LETTER.test(word) ? `\\text{${word}}` : ` ${word} `;
  const isUnit = /^(?:min|sec)$/.test(word) && !/^\s*(?:[({\[]|\\left|\\[a-z]*theta|\^|[a-z](?![a-z]))/.test(following);
  if (FUNCTION.test(word) && !isUnit) return `\\${word} `;
  if (CALLED.test(word)) return ` ${word}`;
  if (/^[\d\s.,+\-()]*$/.test(word)) return ` ${word} `;
  return `\\text{${inner.replaceAll(/\^\{(-?\d+)\}/g, ' $1')}}`;
}

function digitsOf(run: string, alphabet: string): string {
  return Array.from(run, (each) => String(alphabet.indexOf(each))).join('');
}
