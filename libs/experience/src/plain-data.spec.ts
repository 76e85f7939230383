import fc from 'fast-check';
import { asData } from './plain-data.js';

/** Control tokens as the families' tokenizers spell them, from their published vocabularies. */
const CONTROL_TOKENS = [
  ...['<|im_start|>', '<|im_end|>', '<|endoftext|>', '<|eot_id|>', '<|start_header_id|>', '<|channel|>', '<|return|>'],
  ...['<｜User｜>', '<｜Assistant｜>', '<｜begin▁of▁sentence｜>', '<｜end▁of▁sentence｜>', '<｜tool▁calls▁begin｜>'],
  ...['[INST]', '[/INST]', '[TOOL_CALLS]', '[SYSTEM_PROMPT]', '[/SYSTEM_PROMPT]', '[AVAILABLE_TOOLS]', '[THINK]'],
  ...['<s>', '</s>', '<unk>', '<pad>', '<bos>', '<eos>', '<mask>', '<<SYS>>', '<</SYS>>', '[CLS]', '[SEP]', '[gMASK]'],
  ...['<start_of_turn>', '<end_of_turn>', '<start_of_image>', '<unused99>', '<sop>', '<eop>', '<fim_prefix>'],
  ...['<tool_call>', '</tool_call>', '<tool_response>', '<think>', '</think>', '<tools>', '<end_of_utterance>'],
];

describe('text from outside', () => {
  it('keeps no control token of a known family, in no surroundings', () => {
    for (const token of CONTROL_TOKENS) expect([token, asData(`a${token}b`).includes(token)]).toEqual([token, false]);
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...CONTROL_TOKENS, '<', '>', '[', '|', '｜', '_', 'x', ' ', '\u200b')),
        (parts) => {
          const data = asData(parts.join(''));
          expect(CONTROL_TOKENS.filter((token) => data.includes(token))).toEqual([]);
          expect(asData(data)).toBe(data);
        },
      ),
    );
  });

  it('is otherwise as it was', () => {
    const text = 'if (a < b && arr[mask] > x[i]) { f<T>(y) } // <b>bold</b>, triangle [ABC], a|b, |x| <= 3\n\t<p>';
    expect(asData(text)).toBe(text);
  });

  it('is read in linear time', () => {
    // A quadratic expression would need hours for some of these.
    for (const piece of ['<', '<a', '<a_', '[A_', '[', '</', '<aaaaaaaaaaaaaaaaaaaaaaaa', '_a', '<|', '[/INST', '｜'])
      expect(asData(piece.repeat(2 ** 20 / piece.length)).length).toBeGreaterThanOrEqual(2 ** 19);
  });
});
