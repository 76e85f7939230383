import { FAMILY_NAMES, generateTask, ruleOf } from './generated-tasks.js';
import { type Grid, MAX_SIDE, parseGrid, printGrid } from './grid.js';
import { parseGridTask } from './grid-task.js';

const apply = (family: (typeof FAMILY_NAMES)[number], text: string, parameters: Record<string, number> = {}): string =>
  printGrid(ruleOf(family, parameters, parseGrid(text)));

describe('a rule', () => {
  it.each([
    ['recolour', { from: 1, to: 2 }, '012\n130', '022\n230'],
    ['swap-colours', { from: 1, to: 2 }, '012\n130', '021\n230'],
    ['flip', {}, '120\n034', '021\n430'],
    ['rotate', {}, '12\n34', '31\n42'],
    ['transpose', {}, '12\n34', '13\n24'],
    ['shift', { down: 1, right: 1 }, '12\n34', '43\n21'],
    ['gravity', {}, '120\n030\n001', '000\n020\n131'],
    ['frame', { colour: 5 }, '111\n123\n111', '555\n525\n555'],
    ['fill', { colour: 4 }, '0000\n0111\n0101\n0111', '0000\n0111\n0141\n0111'],
    ['fill', { colour: 4 }, '010\n101\n010', '010\n141\n010'],
    ['fill', { colour: 4 }, '111\n100\n111', '111\n100\n111'],
    ['crop', {}, '000\n012\n000', '12'],
    ['crop', {}, '000\n000', '0'],
    ['mirror', {}, '12\n34', '1221\n3443'],
    ['stretch', { factor: 2 }, '12', '1122\n1122'],
    ['tile', {}, '12', '1212\n1212'],
    ['count', { colour: 2 }, '212\n020', '222'],
    ['count', { colour: 2 }, '11', '0'],
    ['rays', {}, '030\n000\n104', '333\n000\n111'],
    ['most-common', {}, '000\n224\n440', '4'],
    ['most-common', {}, '021\n021', '1'],
    ['most-common', {}, '000', '0'],
  ] as const)('of the family %s with %j turns %j into %j', (family, parameters, input, output) => {
    expect(apply(family, input, parameters)).toBe(output);
  });
});

describe('a generated task', () => {
  it('exists in at least twelve families', () => {
    expect(FAMILY_NAMES.length).toBeGreaterThanOrEqual(12);
  });

  it.each(FAMILY_NAMES)(
    'of the family %s follows its rule in every pair, with different inputs that it changes',
    (family) => {
      for (let seed = 0; seed < 40; seed++) {
        const task = generateTask(family, { seed: String(seed), numTrain: 3, numTest: 2 });
        parseGridTask(task);
        expect([task.train.length, task.test.length]).toEqual([3, 2]);
        const pairs = [...task.train, ...task.test];
        expect(new Set(pairs.map(({ input }) => printGrid(input))).size).toBe(5);
        for (const { input, output } of pairs) {
          expect(ruleOf(family, task.parameters, input)).toEqual(output);
          expect(output).not.toEqual(input);
          expect(Math.max(sideOf(input), sideOf(output))).toBeLessThanOrEqual(MAX_SIDE);
        }
      }
    },
  );

  it('is the same for the same seed, and another one for another seed or family', () => {
    const texts = FAMILY_NAMES.flatMap((family) =>
      ['1', '2', '3'].map((seed) => JSON.stringify(generateTask(family, { seed }))),
    );
    expect(new Set(texts).size).toBe(texts.length);
    expect(JSON.stringify(generateTask('recolour', { seed: '1' }))).toBe(texts[0]);
  });

  it('is refused where there are not so many inputs', () => {
    expect(() => generateTask('flip', { seed: '1', numTrain: 5000 })).toThrow(
      'Cannot generate a task of the family flip: expected 5001 different inputs',
    );
  });
});

const sideOf = (grid: Grid): number => Math.max(grid.length, grid[0]!.length);
