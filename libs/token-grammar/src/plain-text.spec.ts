import { HIDDEN_CODE_POINTS, isPlainCodePoint } from './plain-text.js';

describe('the characters that a model may write', () => {
  it('exclude every control, surrogate, separator and default ignorable character that the engine knows of', () => {
    const hidden = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u;
    const unlike: string[] = [];
    for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
      const isInterlinear = codePoint >= 0xfff9 && codePoint <= 0xfffb;
      if (isPlainCodePoint(codePoint) !== !(hidden.test(String.fromCodePoint(codePoint)) || isInterlinear))
        unlike.push(codePoint.toString(16));
    }
    expect(unlike).toEqual([]);
  });

  it('form an ascending table without overlaps', () => {
    for (let i = 1; i < HIDDEN_CODE_POINTS.length; i++)
      expect(HIDDEN_CODE_POINTS[i]![0]).toBeGreaterThan(HIDDEN_CODE_POINTS[i - 1]![1]);
  });
});
