/** The chart's place for the gateway, which answers clients: off unless values say otherwise, one door for them, one for health. */
import { gatewayConfigSchema } from '@seamstream/gateway/config';
import { loadConfig } from '@seamstream/service-kit';
import { podsOf } from './chart/policy.js';
import { environmentOf, openChart } from './chart/rendering.js';
import type { Values } from './chart/values.js';

const opened = await openChart();
const chart = opened!;
afterAll(() => opened?.close());

(opened === undefined ? describe.skip : describe)('The gateway of the chart', () => {
  const render = (gateway: Values) => chart.render([], { services: { gateway: { enabled: true, ...gateway } } });

  it('is not there by default', async () => {
    const { text } = await chart.render([]);
    expect(text).not.toContain('gateway');
  });

  it('answers clients at a port that its Service, its Ingress and its HTTPRoute lead to, and its door lets them in', async () => {
    const { documents } = await chart.checked(['production', 'gateway']);
    const of = (kind: string, name: string) =>
      documents.find((each) => each.kind === kind && each.metadata.name === `demo-${name}`)!.spec!;
    const [pod] = podsOf(documents).filter(({ owner }) => owner.metadata.name === 'demo-gateway');
    const [container] = pod!.spec.containers;
    const port = container!.ports!.find(({ name }) => name === 'api')!.containerPort;
    expect(environmentOf(container!)).toMatchObject({ SEAM_GATEWAY_HOST: '0.0.0.0', SEAM_GATEWAY_PORT: String(port) });
    expect(of('Service', 'gateway')).toMatchObject({
      selector: { 'app.kubernetes.io/component': pod!.labels['app.kubernetes.io/component'] },
      ports: [{ name: 'api', port: 80, targetPort: 'api' }],
    });
    expect(of('Ingress', 'gateway')).toMatchObject({
      rules: [
        {
          host: 'seam.example.org',
          http: { paths: [{ backend: { service: { name: 'demo-gateway', port: { name: 'api' } } } }] },
        },
      ],
      tls: [{ secretName: 'seam-gateway-tls' }],
    });
    expect(of('HTTPRoute', 'gateway')).toMatchObject({
      rules: [{ backendRefs: [{ name: 'demo-gateway', port: 80 }] }],
    });
    expect(of('NetworkPolicy', 'door-of-clients')).toMatchObject({
      podSelector: { matchLabels: { 'app.kubernetes.io/component': 'gateway' } },
      ingress: [{ ports: [{ port: 'api' }], from: [{ namespaceSelector: {} }] }],
    });
  });

  it('reaches its OpenID provider, and has the secret of its client from a Secret', async () => {
    const login = { SEAM_GATEWAY_LOGIN_CLIENT_ID: 'seam', SEAM_GATEWAY_LOGIN_PUBLIC_URL: 'https://seam.example.org' };
    const settings = { SEAM_GATEWAY_ISSUER_URL: 'https://login.example.org:8443/realms/seam', ...login };
    const loginSecret = { name: 'seam-login', key: 'secret' };
    const gateway = { enabled: true, settings, loginSecret };
    const { documents } = await chart.checked(['production', 'gateway'], { services: { gateway } });
    const [pod] = podsOf(documents).filter(({ owner }) => owner.metadata.name === 'demo-gateway');
    const [container] = pod!.spec.containers;
    expect(environmentOf(container!)).toMatchObject({ SEAM_GATEWAY_LOGIN_SECRET_VARIABLE: 'LOGIN_CLIENT_SECRET' });
    expect(JSON.stringify(container)).toContain('{"name":"seam-login","key":"secret"}');
    const door = documents.find(({ metadata }) => metadata.name === 'demo-door-to-issuer')!.spec!;
    expect(door).toMatchObject({
      podSelector: { matchLabels: { 'app.kubernetes.io/component': 'gateway' } },
      policyTypes: ['Egress'],
      egress: [{ ports: [{ port: 8443 }] }],
    });
    const { text } = await chart.render(['production', 'gateway']);
    expect(text).not.toContain('door-to-issuer');
  });

  it('takes clients for 5 s, and then ends its answers before the kill', async () => {
    const { documents } = await chart.checked(['production', 'gateway'], {
      services: { gateway: { terminationGraceSeconds: 60 } },
    });
    const [pod] = podsOf(documents).filter(({ owner }) => owner.metadata.name === 'demo-gateway');
    const container = pod!.spec.containers[0]!;
    const { gateway } = loadConfig(gatewayConfigSchema, environmentOf(container));
    expect(pod!.spec.terminationGracePeriodSeconds).toBe(60);
    expect(container).toMatchObject({ lifecycle: { preStop: { sleep: { seconds: 5 } } } });
    // Then what is cut off gets two seconds for a last word.
    expect(gateway.shutdownGraceMs).toBe(45_000);
  });

  it.each([
    ['a port that the chart gives', { settings: { SEAM_GATEWAY_PORT: 1 } }, 'SEAM_GATEWAY_PORT'],
    ['a grace that the chart gives', { settings: { SEAM_GATEWAY_SHUTDOWN_GRACE_MS: 1 } }, 'SHUTDOWN_GRACE_MS'],
    ['a setting that it does not know', { settings: { SEAM_GATEWAY_MODLES: 'x' } }, 'SEAM_GATEWAY_MODLES'],
    ['a setting of another service', { settings: { SEAM_BUFFER_SHARDS: 2 } }, 'SEAM_BUFFER_SHARDS'],
  ])('is refused with %s', async (_what, values, said) => {
    expect(await render(values)).toMatchObject({ text: '', said: expect.stringContaining(said) });
  });
});
