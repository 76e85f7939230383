/** "From an empty cluster to a loop that learns" in docs/how-to/kubernetes.md: the commands, against the tools and files that they name. */
import { existsSync, readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { openChart } from './chart/rendering.js';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const guide = read('docs/how-to/kubernetes.md');
const [, block = ''] = /\nFive commands:\n\n```sh\n([^`]+)```/.exec(guide) ?? [];
const commands = block
  .replaceAll(/ \\\n\s+/g, ' ')
  .trim()
  .split('\n');

const opened = await openChart();
const chart = opened!;
afterAll(() => opened?.close());

describe('The five commands of the guide', () => {
  it('are five, and name files of this repository and the image that the profile runs', () => {
    expect(commands.map((each) => each.split(' ')[0])).toEqual(['kind', 'kubectl', 'kubectl', 'helm', 'kubectl']);
    const files = commands.flatMap((each) => [...each.matchAll(/(?:^| )(infra\/[^ ]+)/g)].map(([, path]) => path!));
    expect(files).toHaveLength(3);
    expect(files.filter((path) => !existsSync(new URL(path, ROOT)))).toEqual([]);
    expect(guide).toContain(`npm run image -- --tag ${kind.image.repository}:${kind.image.tag} && podman save`);
  });

  it('make what the profile expects: Kafka, S3 with its keys, and the files that settings name', () => {
    const addresses = servers.flatMap(({ kind: each, metadata, spec }) =>
      each === 'Service' ? [`${metadata.name}:${spec!.ports![0]!.port}`] : [],
    );
    expect([...kind.kafka.brokers, kind.objectStore.endpoint.replace('http://', '')]).toEqual(addresses);
    const secrets = servers.filter((each) => each.kind === 'Secret').map(({ metadata }) => metadata.name);
    expect(secrets).toEqual([kind.objectStore.credentialsSecret]);
    expect(new Set(servers.flatMap(({ metadata }) => metadata.namespace ?? []))).toEqual(new Set(['seam']));
    expect(commands[2]).toContain(`create configmap ${kind.files.configMap} `);
    const given = [...commands[2]!.matchAll(/--from-file=(?:\S*\/)?(\S+)/g)].map(([, name]) => name!).sort();
    const wanted = read('infra/helm/seamstream/profiles/kind.yaml').matchAll(/\/files\/([a-z.-]+)/g);
    expect([...new Set([...wanted].map(([, name]) => name))].sort()).toEqual(given);
  });

  it('start the program as the image starts it, in a pod of the chart', () => {
    const [, entry] = /^ENTRYPOINT \[(.*)\]$/m.exec(read('infra/images/Containerfile'))!;
    const words = (JSON.parse(`[${entry}]`) as readonly string[]).join(' ');
    expect(commands[3]).toContain('install demo ');
    expect(commands[4]).toContain(`exec deploy/demo-planner -- ${words} seam start `);
  });

  (opened === undefined ? it.skip : it)('have the options of kubectl, helm and seam', async () => {
    const helps = await Promise.all([
      ...['apply', 'wait', 'create configmap', 'exec'].map((each) =>
        chart.tools.kubectl([...each.split(' '), '--help']),
      ),
      chart.tools.kubectl(['options']),
      chart.tools.helm(['install', '--help']),
    ]);
    const text = `${helps.map(({ stdout }) => stdout).join('\n')}\n${read('docs/reference/commands.md')}`;
    const options = commands
      .slice(1)
      .flatMap((each) => [...each.matchAll(/ (--?[a-z][a-z-]*)/g)].map(([, name]) => name!));
    expect(options.length).toBeGreaterThan(12);
    expect(options.filter((name) => !new RegExp(`(^|[\\s\`,])${name}\\b`).test(text))).toEqual([]);
  });
});

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec?: { readonly ports?: readonly { readonly port: number }[] };
}
const servers = parseAllDocuments(read('infra/kubernetes/trial-servers.yaml')).map((each) => each.toJS() as Named);
const kind = parse(read('infra/helm/seamstream/profiles/kind.yaml')) as {
  readonly image: { readonly repository: string; readonly tag: string };
  readonly kafka: { readonly brokers: readonly string[] };
  readonly objectStore: { readonly endpoint: string; readonly credentialsSecret: string };
  readonly files: { readonly configMap: string };
};
