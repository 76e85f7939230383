/** The gateway: who may ask it, whom it asks, how clients reach it, how it ends. */
import type { ChartValues } from './chart-values.js';
import { error, type Findings, type Said, warning } from './deploy-finding.js';
import { type Rule, settingOf } from './rule.js';
import { HAND_BACK_SECONDS, PRE_STOP_SECONDS } from './service-environment.js';

/** As SEAM_GATEWAY_ANSWER_WITHIN_MS has it by default (docs/reference/settings.md). */
const ANSWER_WITHIN_MS = 600_000;

/** Paths that lead to something: the page and all below it, clients of OpenAI, problems and events. */
const ANSWERED = /^\/$|^\/(v1|api)(\/|$)/;

/** Annotations by which an Ingress changes paths: nginx and HAProxy rewrite, Kong strips, Traefik has a middleware that may do both. */
const CHANGES_PATHS = /rewrite|strip|middleware/i;

export const GATEWAY: readonly Rule[] = [
  function access(values: ChartValues): Findings {
    if (!values.services.gateway.enabled) return [];
    // Another value than these two is refused by the gateway's own reader.
    if ((settingOf(values, 'gateway', 'SEAM_GATEWAY_ACCESS') ?? 'open') !== 'open') return [];
    const said: Said = [
      'services.gateway.settings.SEAM_GATEWAY_ACCESS',
      'The gateway is open to everybody, so it refuses to listen on an address that other machines reach.',
      'Set it to keys (docs/how-to/gateway.md).',
    ];
    return [error('gateway-open', said)];
  },

  function upstream(values: ChartValues): Findings {
    if (!values.services.gateway.enabled) return [];
    const names = ['SEAM_GATEWAY_UPSTREAM_URL', 'SEAM_GATEWAY_UPSTREAM_MODEL'];
    const missing = names.filter((setting) => settingOf(values, 'gateway', setting) === undefined);
    return missing.map((setting) =>
      error('gateway-without-upstream', [
        `services.gateway.settings.${setting}`,
        'The gateway does not know which executor to ask, and does not start.',
        'Give the address of an OpenAI-compatible server, and the name of its model.',
      ]),
    );
  },

  function ways({ services: { gateway } }: ChartValues): Findings {
    if (!gateway.enabled) return [];
    const { ingress, httpRoute } = gateway;
    return [
      ...(ingress?.enabled === true && ingress.host === ''
        ? [
            error('ingress-without-host', [
              'services.gateway.ingress.host',
              'The chart refuses an Ingress without a host.',
              'Give the name that clients ask.',
            ]),
          ]
        : []),
      ...(httpRoute?.enabled === true && httpRoute.parentRefs.length === 0
        ? [
            error('route-without-gateway', [
              'services.gateway.httpRoute.parentRefs',
              'The chart refuses an HTTPRoute that belongs to no Gateway.',
              'Name the Gateway of the cluster.',
            ]),
          ]
        : []),
    ];
  },

  function entrance({ services: { gateway }, networkPolicy }: ChartValues): Findings {
    const isLedTo = gateway.ingress?.enabled === true || gateway.httpRoute?.enabled === true;
    if (!gateway.enabled || !isLedTo) return [];
    const { clients = [], path = '/', ingress } = gateway;
    const isRewritten = Object.entries(ingress?.annotations ?? {}).some(
      ([name, value]) => value !== 'false' && CHANGES_PATHS.test(`${name} ${value}`),
    );
    return [
      ...(networkPolicy.enabled && clients.length === 0
        ? [
            warning('entrance-shut', [
              'services.gateway.clients',
              'Pods of this namespace alone may ask the gateway, and what leads clients to it is rarely one of them.',
              'Name the namespace of the Ingress controller or the Gateway.',
            ]),
          ]
        : []),
      ...(ANSWERED.test(path) || isRewritten
        ? []
        : [
            warning('path-not-answered', [
              'services.gateway.path',
              `Requests arrive with their whole path, and the gateway has nothing below ${path}.`,
              'Set it to /, /v1 or /api, or have the Ingress take the path away by an annotation.',
            ]),
          ]),
    ];
  },

  function grace(values: ChartValues): Findings {
    const { enabled: isOn, terminationGraceSeconds } = values.services.gateway;
    if (!isOn) return [];
    const answerMs = Number(settingOf(values, 'gateway', 'SEAM_GATEWAY_ANSWER_WITHIN_MS') ?? ANSWER_WITHIN_MS);
    const left = terminationGraceSeconds - HAND_BACK_SECONDS - PRE_STOP_SECONDS;
    if (left * 1000 >= answerMs) return [];
    const needed = Math.ceil(answerMs / 1000) + HAND_BACK_SECONDS + PRE_STOP_SECONDS;
    const said: Said = [
      'services.gateway.terminationGraceSeconds',
      `An answer may take ${answerMs / 1000} s, and is cut off after ${left} s where its pod ends.`,
      `Set it to ${needed} or more, or SEAM_GATEWAY_ANSWER_WITHIN_MS to less.`,
    ];
    return [warning('grace-shorter-than-an-answer', said)];
  },
];
