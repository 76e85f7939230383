import { EXIT, HOSTED_SERVICES, readStartOptions, type StartOptions, servicesOf } from './config.js';

function read(...argv: string[]): { readonly result: StartOptions | number; readonly said: string } {
  let said = '';
  const write = (text: string): void => {
    said += text;
  };
  return { result: readStartOptions(argv, { out: write, err: write }), said };
}

describe('the arguments of npm start', () => {
  it('tell what was said from what was left to its default', () => {
    const { result } = read('--seed', '1', '--exit');
    expect(result).toMatchObject({ seed: 1, roundSize: 64, exit: true, said: new Set(['seed', 'exit']) });
  });

  it('run the world whose new words no table by name can solve, and learn from files of one’s own in the method that reads them', () => {
    expect(read().result).toMatchObject({ method: 'attributes', maxShiftedRounds: 0, heldOut: 300 });
    expect(read('--problems', 'mine.jsonl').result).toMatchObject({ method: 'experiences', heldOut: 512 });
    expect(read('--problems', 'mine.jsonl', '--method', 'library').result).toMatchObject({ method: 'library' });
    expect(read('--method', 'experiences').result).toMatchObject({ method: 'experiences', maxShiftedRounds: 10 });
  });

  it('host no trainer for a team, whose stages train, unless it is named', () => {
    const services = (...argv: string[]) => servicesOf(read(...argv).result as StartOptions, 'team');
    expect(services()).toEqual(['generator', 'executor', 'buffer', 'gateway']);
    expect(services('--services', 'gateway,trainer')).toEqual(['gateway', 'trainer']);
    expect(servicesOf(read().result as StartOptions, 'attributes')).toEqual(HOSTED_SERVICES);
  });

  it.each([
    [['--sed', '1'], '--seed'],
    [['--seed', 'one'], 'expected an integer of at least 0, got "one"'],
    [['--round-size', '4'], 'expected an integer of at least 8'],
    [['--algorithm', 'ppo'], 'curriculum, grpo, rest-em, sft'],
    [['--services', 'oven'], 'expected generator, executor, buffer, trainer, gateway or none'],
    [['stray'], 'too many arguments'],
  ])('%j end with the status of bad input, and say what was expected', (argv, message) => {
    const { result, said } = read(...argv);
    expect(result).toBe(EXIT.badInput);
    expect(said).toContain(message);
  });

  it('explain themselves, their statuses too, and end well', () => {
    const { result, said } = read('--help');
    expect(result).toBe(EXIT.ok);
    for (const text of ['--problems <file>', '3: ended without having converged', '130: stopped before the end'])
      expect(said).toContain(text);
  });
});
