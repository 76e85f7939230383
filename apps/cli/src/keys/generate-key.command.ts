/** Keys for signing adapters, promotions and versions of the buffer. */
import { shortId } from '@seamstream/kernel';
import { generateKeyFiles } from '@seamstream/operations/keys';
import { VOUCHERS, type Voucher } from '@seamstream/signatures';
import { Command, Option } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

interface GenerateOptions {
  readonly may: readonly Voucher[];
  readonly key?: string;
  readonly trusted: string;
}

async function generate(
  runtime: CommandRuntime,
  name: string,
  { may, key: keyFile = `${name}.key.pem`, trusted: trustedFile }: GenerateOptions,
): Promise<ExitCode> {
  const { terminal } = runtime;
  const made = await generateKeyFiles(runtime, { name, may, keyFile, trustedFile });
  if (terminal.json) terminal.printJson(made);
  else {
    terminal.print(`${name} ${shortId(made.keyId)} may vouch for ${may.join(', ')}\n`);
    terminal.print(`  who signs:    SEAM_SIGNATURES_KEY_FILE=${keyFile}\n`);
    terminal.print(`  who believes: SEAM_SIGNATURES_TRUSTED_KEYS_FILE=${trustedFile}\n`);
  }
  return EXIT.ok;
}

export function keysCommand(run: RunCommand): Command {
  return new Command('keys')
    .summary('keys that sign adapters, promotions and versions of the buffer')
    .addHelpText('after', examples([['seam keys generate trainer --may adapters promotions', 'for the trainer']]))
    .addCommand(
      new Command('generate')
        .summary('make an Ed25519 key, and add its public half to the trusted ones')
        .description(
          'Writes the private key to a separate file, readable by its owner alone, and adds the public key to the list of trusted ones. A file that is there is never replaced.',
        )
        .argument('<name>', 'whose key it is')
        .addOption(new Option('--may <what...>', 'what it may vouch for').choices(VOUCHERS).makeOptionMandatory())
        .option('--key <file>', 'where the private key goes (default: NAME.key.pem)')
        .option('--trusted <file>', 'the list of trusted keys, made where it is missing', 'trusted-keys.json')
        .addHelpText(
          'after',
          examples([
            ['seam keys generate trainer --may adapters promotions', 'trainer.key.pem and trusted-keys.json'],
            ['seam keys generate buffer --may manifests', 'a second one in the same list'],
          ]),
        )
        .action((name: string, options: GenerateOptions) => run((runtime) => generate(runtime, name, options))),
    );
}
