/** Whether the bucket of the object store is there, and making it. */
import { applyBucket, compareBucket } from '@seamstream/operations/cluster';
import { Command } from 'commander';
import { examples } from '../command-options.js';
import type { CommandRuntime, RunCommand } from '../command-runtime.js';
import { EXIT, type ExitCode } from '../exit-codes.js';

async function diff(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal } = runtime;
  const { bucket, exists } = await compareBucket(runtime);
  if (terminal.json) terminal.printJson({ bucket, exists });
  else terminal.print(`${bucket}  ${exists ? 'is there' : 'is missing: seam bucket apply makes it'}\n`);
  return exists ? EXIT.ok : EXIT.failedCheck;
}

async function apply(runtime: CommandRuntime): Promise<ExitCode> {
  const { terminal } = runtime;
  const { bucket, made } = await applyBucket(runtime);
  if (terminal.json) terminal.printJson({ bucket, made });
  else terminal.print(`${bucket}  ${made ? 'made' : 'is there already'}\n`);
  return EXIT.ok;
}

export function bucketCommand(run: RunCommand): Command {
  return new Command('bucket')
    .summary('the S3 bucket of the object store: look whether it is there, make it')
    .addHelpText(
      'after',
      examples([
        ['seam bucket diff', 'whether it is there; exits 1 if not'],
        ['seam bucket apply', 'make it if it is missing'],
      ]),
    )
    .addCommand(
      new Command('diff')
        .summary('whether the bucket is there')
        .description(
          'Looks for the bucket of SEAM_OBJECT_STORE_S3_BUCKET. Changes nothing. Exits 1 when there is none.',
        )
        .action(() => run((runtime) => diff(runtime))),
    )
    .addCommand(
      new Command('apply')
        .summary('makes the bucket if it is missing')
        .description(
          'Makes the bucket of SEAM_OBJECT_STORE_S3_BUCKET in the region of the settings. Changes nothing of one that is there.\n' +
            'Needs the right to make buckets. Encryption, versions and rights of the bucket are for you to set (infra/s3).',
        )
        .action(() => run((runtime) => apply(runtime))),
    );
}
