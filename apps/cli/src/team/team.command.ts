import { plural } from '@seamstream/kernel';
import { listedTeams, publishPreferences, readTeamFacts, teamOn } from '@seamstream/operations/team';
import { Command } from 'commander';
import { byOption, examples, personOf } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';
import { keptLogOf } from '../read-models/read-model-options.js';
import { renderTeam, renderTeams } from './render-team.js';

async function list(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal } = runtime;
  const teams = listedTeams(await readTeamFacts(...(await keptLogOf(runtime))));
  if (terminal.json) terminal.printJson({ teams });
  else terminal.print(renderTeams(teams, terminal.style));
  return EXIT.ok;
}

async function show(runtime: CommandRuntime, slot: string): Promise<ExitCode> {
  const { terminal } = runtime;
  const facts = await readTeamFacts(...(await keptLogOf(runtime)));
  const team = await teamOn(facts, slot, () => runtime.openObjects());
  if (terminal.json) terminal.printJson(team);
  else terminal.print(renderTeam(team, terminal.style));
  return EXIT.ok;
}

async function prefer(runtime: CommandRuntime, path: string, { by }: { readonly by?: string }): Promise<ExitCode> {
  const { terminal, clock } = runtime;
  const person = await personOf(runtime, by);
  const published = await publishPreferences(
    { clock, openInput: (name) => runtime.openInput(name), openLog: () => runtime.openLog('create') },
    path,
    person,
  );
  const { setDigest, pairs, isNew } = published;
  if (terminal.json) terminal.printJson(published);
  else
    terminal.print(
      `${isNew ? terminal.style.green('published') : 'in the log already:'} ${plural(pairs, 'preference pair')} as ${setDigest}\nAn agent learns the chosen answers: seam train warm-up --set agent=NAME --set preferences=${setDigest}\n`,
    );
  return EXIT.ok;
}

export function teamCommand(run: RunCommand): Command {
  return new Command('team')
    .summary('teams of agents: who is in them, and how they were tuned')
    .addHelpText(
      'after',
      examples([
        ['seam team list', 'every team by its slot'],
        ['seam team show', 'agents, stages, every pass, the certificate'],
        ['seam team prefer pairs.jsonl --by ada', 'pairs whose chosen answers an agent can be warmed up on'],
      ]),
    )
    .addCommand(new Command('list').summary('every team by its slot').action(() => run((runtime) => list(runtime))))
    .addCommand(
      new Command('show')
        .summary('agents of the served team, stages with every pass and the certificate')
        .argument('[slot]', "the team's slot", 'team')
        .action((slot: string) => run((runtime) => show(runtime, slot))),
    )
    .addCommand(
      new Command('prefer')
        .summary('record preference pairs (prompt, chosen, rejected) and print the name of their set')
        .description(
          'Records the pairs of a file, all or none. An agent of a team can learn the chosen answers before its first\n' +
            'stage (seam train warm-up). A pair is no reward: no stage learns from it, and nothing learns from what was\n' +
            'rejected. A set is named by the digest of its pairs, so the same file is recorded once.',
        )
        .argument(
          '<file>',
          'JSON Lines, JSON or Parquet, or "-" for standard input: prompt, chosen, rejected; domain ("default")',
        )
        .addOption(byOption('who publishes'))
        .action((path: string, options: { readonly by?: string }) => run((runtime) => prefer(runtime, path, options))),
    );
}
