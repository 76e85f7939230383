import { StageProgress } from './stage-progress.js';

describe('the progress of a stage', () => {
  it('is a line for each agent at once, and then one in five seconds', () => {
    let now = 1_000;
    const lines: string[] = [];
    const progress = new StageProgress('in turn', { now: () => now }, (line) => lines.push(line));
    const tellAt = (ms: number, ...said: Parameters<StageProgress['tell']>): void => {
      now = ms;
      progress.tell(...said);
    };
    progress.begin(2);
    tellAt(1_000, 'planner writes turns', 0, 64);
    tellAt(2_000, 'planner writes turns', 16, 64);
    tellAt(6_000, 'planner writes turns', 32, 64);
    tellAt(6_001, 'solver writes turns', 0, 64);
    progress.begin(3);
    tellAt(6_002, 'solver writes turns', 0, 64);
    expect(lines).toEqual([
      'stage 2, in turn: planner writes turns, 0 of 64',
      'stage 2, in turn: planner writes turns, 32 of 64',
      'stage 2, in turn: solver writes turns, 0 of 64',
      'stage 3, in turn: solver writes turns, 0 of 64',
    ]);
  });
});
