import { listedTeams, readTeamFacts, teamOn } from '@seamstream/operations/team';
import { Command } from 'commander';
import { examples } from '../command-options.js';
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

export function teamCommand(run: RunCommand): Command {
  return new Command('team')
    .summary('teams of agents: who is in them, and how they were tuned')
    .addHelpText(
      'after',
      examples([
        ['seam team list', 'every team by its slot'],
        ['seam team show', 'agents, stages, every pass, the certificate'],
      ]),
    )
    .addCommand(new Command('list').summary('every team by its slot').action(() => run((runtime) => list(runtime))))
    .addCommand(
      new Command('show')
        .summary('agents of the served team, stages with every pass and the certificate')
        .argument('[slot]', "the team's slot", 'team')
        .action((slot: string) => run((runtime) => show(runtime, slot))),
    );
}
