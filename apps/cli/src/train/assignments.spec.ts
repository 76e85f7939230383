import { parseAssignments } from './assignments.js';

describe('settings from the command line', () => {
  it('go down a level at each dot; values are JSON where they are, text otherwise', () => {
    expect(
      parseAssignments([
        'batchSize=32',
        'learningRate.peak=1e-3',
        'learningRate.warmupSteps=2',
        'advantage=mean',
        'a.b.c=[1,"x"]',
        'e=',
      ]),
    ).toEqual({
      batchSize: 32,
      learningRate: { peak: 0.001, warmupSteps: 2 },
      advantage: 'mean',
      a: { b: { c: [1, 'x'] } },
      e: '',
    });
  });

  it.each(['batchSize', '=3', 'a..b=1', '__proto__.x=1', 'constructor.x=1', 'a b=1'])('refuse "%s"', (text) => {
    expect(() => parseAssignments([text])).toThrow('expected name=value');
  });

  it.each([
    ['a=1', 'a=2'],
    ['a=1', 'a.b=2'],
    ['a.b=1', 'a=2'],
  ])('refuse a name given twice: %s %s', (...texts) => {
    expect(() => parseAssignments(texts)).toThrow('expected each setting once');
  });
});
