import { counted, NO_ANSWERS } from './answer-lines.js';

describe('the tally of answers', () => {
  it('counts a response without a final answer apart from a question that got no response', () => {
    const tally = [
      { response: 'It is 7.', answer: null, success: false },
      { response: 'Answer: 7', answer: '7', success: true },
      { response: null, answer: null, failure: { code: 'ENDPOINT_FAILED', reason: 'no answer' } },
    ].reduce(counted, NO_ANSWERS);
    expect(tally).toEqual({ answered: 1, unstated: 1, judged: 2, right: 1, failed: 1 });
  });
});
