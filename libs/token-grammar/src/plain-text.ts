/**
 * The characters that text written by a model may hold. Left out is what a reader does not see or what changes how the rest
 * is shown: controls, line and paragraph separators, bidirectional controls, everything that Unicode calls default
 * ignorable (zero-width and format characters, variation selectors, tags), surrogates and noncharacters. The table is written out instead of taken from the
 * engine's regular expressions, so that a newer Unicode version does not change what a grammar accepts.
 *
 * Source: Unicode 16.0, DerivedCoreProperties.txt (Default_Ignorable_Code_Point), general categories Cc, Cs, Zl, Zp and
 * section 23.7 (noncharacters); U+FFF9–FFFB are the interlinear annotation controls.
 */
export type CodePointRange = readonly [first: number, last: number];

/** Ascending and disjoint. */
export const HIDDEN_CODE_POINTS: readonly CodePointRange[] = [
  [0x0000, 0x001f],
  [0x007f, 0x009f],
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x061c, 0x061c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x2028, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xd800, 0xdfff],
  [0xfdd0, 0xfdef],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0xfffe, 0xffff],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  ...Array.from({ length: 13 }, (_, i): CodePointRange => [(i + 1) * 0x10000 + 0xfffe, (i + 1) * 0x10000 + 0xffff]),
  [0xe0000, 0xe0fff],
  [0xefffe, 0xeffff],
  [0xffffe, 0xfffff],
  [0x10fffe, 0x10ffff],
];

/** Whether text written by a model may contain a code point. */
export function isPlainCodePoint(codePoint: number): boolean {
  return !HIDDEN_CODE_POINTS.some(([first, last]) => codePoint >= first && codePoint <= last);
}
