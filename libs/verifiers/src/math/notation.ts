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

const FUNCTIONS = 'arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log|ln|exp';

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
  s = s
    .replaceAll('\\\\', ROW_END) // a row's end must not lose its second backslash to the spacing commands below
    .replaceAll(/\\(?:left|right)\s*\.(?!\d)/g, '')
    .replaceAll(/\\(?:left|right|[bB]igg?[lrm]?|middle)(?![a-zA-Z])/g, '')
    .replaceAll(/\\(?:displaystyle|textstyle|scriptstyle|limits|nolimits|rm|bf|it)(?![a-zA-Z])/g, ' ')
    .replaceAll(/\\(?:label|tag)\{[^{}]*\}/g, '')
    .replaceAll(/,\s*\\!\s*(?=\d)/g, '')
    .replaceAll('\\!', '')
    .replaceAll(/(?<=\d)\{,\}(?=\d)/g, '')
    .replaceAll('{,}', ',')
    .replaceAll(/(?<=\d)(?:\\[,;:]|\\ |~)(?=\d{3}(?!\d))/g, '')
    .replaceAll(/\\q?quad/g, '   ')
    .replaceAll(/\\[,;:> ]|~/g, ' ')
    .replaceAll(/\\(?:hspace|vspace|phantom)\*?\{[^{}]*\}/g, ' ')
    .replaceAll(/\\[dtc]frac(?![a-zA-Z])/g, '\\frac')
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
    .replaceAll(/\\(?:implies|Longrightarrow|iff|Leftrightarrow)(?![a-zA-Z])/g, '\\Rightarrow ')
    .replaceAll(/\\(?:lbrace|\{)/g, '\\{')
    .replaceAll(/\\(?:rbrace|\})/g, '\\}')
    .replaceAll(/\\(?:lbrack)(?![a-zA-Z])/g, '[')
    .replaceAll(/\\(?:rbrack)(?![a-zA-Z])/g, ']')
    .replaceAll(/\\(?:lvert|rvert|vert)(?![a-zA-Z])/g, '|')
    .replaceAll(/\\mathbb\s*([A-Z])/g, '\\mathbb{$1}')
    .replaceAll(/\\(?:reals|Reals|R)(?![a-zA-Z])/g, '\\mathbb{R}')
    .replaceAll(
      /\\(?:bold|boldsymbol|pmb|bm|mathbf|mathit|mathsf|mathrm|textrm|textbf|textit|textsf|textnormal|mbox|hbox|emph|text|operatorname)\*?\s*\{([^{}]*)\}/g,
      (_, inner: string) => wordOrSymbol(inner),
    )
    .replaceAll(/\\(?:boxed|fbox)\s*(?=\{)/g, '')
    .replaceAll(/\^\s*\{?\s*\\(?:circ|degree)\s*\}?|\\degree(?![a-zA-Z])/g, '\\degrees ')
    .replaceAll(/\\?[$€£¥]|\\[()[\]]/g, ' ')
    .replaceAll(/\\?["“”]/g, ' ')
    .replaceAll(/\\(?=[%#&])/g, '')
    .replaceAll(/\\overline\s*\{\s*([A-Z]{2,})\s*\}/g, '$1');
  return plainText(s)
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(ROW_END, '\\\\ ')
    .trim();
}

/** Arithmetic as it is typed without LaTeX. */
function plainText(text: string): string {
  let s = text
    .replaceAll('**', '^')
    .replaceAll(/(?<=[\w)}\]])\s*\*\s*(?=[\w(\\{[])/g, ' \\cdot ')
    .replaceAll(/\^\s*(-?\d{2,}|-\d)/g, '^{$1}')
    .replaceAll(new RegExp(`(?<![a-zA-Z\\\\])(?:${FUNCTIONS})(?=\\s*\\(|\\s*\\d|\\s+[a-z](?![a-zA-Z]))`, 'g'), '\\$&')
    .replaceAll(/(?<![a-zA-Z\\])(?:pi)(?![a-zA-Z])/g, '\\pi ')
    .replaceAll(/(?<![a-zA-Z\\])(?:infinity|infty|inf|oo)(?![a-zA-Z])/gi, '\\infty ')
    .replaceAll(/(?<![\d.,/^])(\d+) (\d+)\/(\d+)(?![\d.])/g, '$1\\frac{$2}{$3}')
    .replaceAll(/\\sqrt\s+(?=\d)/g, '\\sqrt')
    .replaceAll(/\\sqrt(\d)/g, '\\sqrt{$1}');
  // sqrt(x+(1)) with its matching parenthesis.
  for (let at = s.search(/(?<![a-zA-Z\\])sqrt\s*\(/); at >= 0; at = s.search(/(?<![a-zA-Z\\])sqrt\s*\(/)) {
    const open = s.indexOf('(', at);
    const close = closing(s, open);
    s =
      close < 0
        ? `${s.slice(0, at)}\\${s.slice(at)}`
        : `${s.slice(0, at)}\\sqrt{${s.slice(open + 1, close)}}${s.slice(close + 1)}`;
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

/** \mathrm{E} is E; \mathrm{arctan} a function; \text{ meters} stays text. */
function wordOrSymbol(inner: string): string {
  const word = inner.trim();
  if (/^[a-zA-Z]$/.test(word)) return ` ${word} `;
  if (/^(?:arcsin|arccos|arctan|sinh|cosh|tanh|sin|cos|tan|cot|sec|csc|log|ln|exp|gcd|lcm|max|min)$/.test(word))
    return `\\${word} `;
  if (/^[\d\s.,+\-()]*$/.test(word)) return ` ${word} `;
  return `\\text{${inner}}`;
}

function digitsOf(run: string, alphabet: string): string {
  return Array.from(run, (each) => String(alphabet.indexOf(each))).join('');
}
