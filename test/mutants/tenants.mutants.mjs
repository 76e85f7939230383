/** What a tenant may use as a whole, and what is written, counted and shown by tenant. Who sees what: access.mutants.mjs. */
const quick = (file, spec, rows) => rows.map((row) => ({ suite: 'quick', file, spec, ...row }));

const PUBLISH = 'apps/cli/src/publish/publish-problems.command.spec.ts';
const LIMITS = 'apps/gateway/src/quotas/tenant-limits.spec.ts';

export default [
  ...quick('libs/operations/src/quotas/declared-limits.ts', LIMITS, [
    {
      control: 'a request takes room of its tenant',
      from: 'return [client, WHOLE_TENANT]',
      to: 'return [client]',
      title: 'for all of its clients together',
    },
    {
      control: 'the limit of each client is not that of a tenant as a whole',
      from: 'keyId === WHOLE_TENANT ? [client] : [client,',
      to: "keyId === '' ? [client] : [client,",
      title: 'has none but its own',
    },
  ]),
  ...quick('apps/gateway/src/quotas/quotas.ts', LIMITS, [
    {
      control: 'both the client and its tenant need room',
      from: 'if (admitted.length < reserved.length) {',
      to: 'if (admitted.length === 0) {',
      title: 'in several gateways',
    },
    {
      control: 'what its tenant has no room for takes no room of the client',
      from: 'await this.settle(charge(admitted).released()).catch(() => undefined);',
      to: '',
      title: 'die and start again',
    },
  ]),
  ...quick('apps/gateway/src/quotas/charge.ts', LIMITS, [
    {
      control: 'client and tenant are both charged with what was used',
      from: 'return this.reserved.map((',
      to: 'return this.reserved.slice(0, 1).map((',
      title: 'die and start again',
    },
  ]),
  ...quick('apps/gateway/src/quotas/refusal.decide.ts', LIMITS, [
    {
      control: 'a refusal says whose limit it is',
      from: "keyId === WHOLE_TENANT ? 'tenant' : 'client'",
      to: "keyId === WHOLE_TENANT ? 'client' : 'client'",
      title: 'learns whose limit it is',
    },
  ]),
  ...quick('libs/operations/src/publish/publish-file.ts', PUBLISH, [
    {
      control: 'the command line publishes for the tenant that it names',
      from: 'clock.now(), { by, tenant }));',
      to: 'clock.now(), { by }));',
      title: 'publishes for a tenant',
    },
    {
      control: 'of one file each tenant has its own problems',
      from: '{ digest: clientIn(tenant, digest), unit }',
      to: '{ digest, unit }',
      title: 'publishes for a tenant',
    },
  ]),
  ...quick('libs/operations/src/publish/publication.ts', PUBLISH, [
    {
      control: "an id of a row is its tenant's own word",
      from: 'own === undefined || tenant === DEFAULT_TENANT ? own',
      to: 'own === undefined || tenant !== "" ? own',
      title: 'publishes for a tenant',
    },
  ]),
  ...quick('libs/operations/src/publish/known-questions.ts', PUBLISH, [
    {
      control: "a question of another tenant is no tenant's own",
      from: ' || tenantOf(event.meta) !== tenant) continue;',
      to: ') continue;',
      title: 'publishes for a tenant',
    },
  ]),
  ...quick('libs/operations/src/access/tenant-name.ts', PUBLISH, [
    {
      control: 'a tenant has a name by one rule',
      from: 'if (!isTenant(tenant))',
      to: "if (tenant === '*')",
      title: 'which is no name of one',
    },
  ]),
  ...quick('libs/events/src/grading.ts', 'apps/executor/src/ungraded.spec.ts', [
    {
      control: "an answer of another tenant is not in the place of the attempt's own",
      from: 'return `${tenantOf(event.meta)}/',
      to: 'return `${tenantOf({ ...event.meta, tenant: null })}/',
      title: 'is not in the way',
    },
  ]),
  ...quick('libs/operations/src/feedback/give-feedback.ts', 'apps/cli/src/feedback/give-feedback.command.spec.ts', [
    {
      control: 'feedback is on the answer of the tenant that is named',
      from: 'asked === undefined || tenant === asked',
      to: "asked === undefined || tenant !== ''",
      title: 'judges the answer of the tenant',
    },
  ]),
  ...quick('libs/read-models/src/lift.projection.ts', 'libs/operations/src/cost/extra-solved.spec.ts', [
    {
      control: 'lift is counted by tenant',
      from: "if (typeof meta.tenant === 'string') known.tenant = meta.tenant;",
      to: '',
      title: 'tell each tenant',
    },
  ]),
  ...quick('libs/operations/src/cost/extra-solved.ts', 'libs/operations/src/cost/extra-solved.spec.ts', [
    {
      control: 'an extra solved problem has the price of its tenant',
      from: "if (by === 'tenant') return liftOfTenant(name, lift);",
      to: "if (by === 'tenant') return liftOfDeployed(lift, estimates);",
      title: 'tell each tenant',
    },
  ]),
  ...quick('libs/events/src/grading.ts', 'libs/read-models/src/problem-story.projection.spec.ts', [
    {
      control: "another tenant's candidate does not take the place of a story's own",
      from: 'return `${tenantOf(event.meta)}/',
      to: 'return `${tenantOf({ ...event.meta, tenant: null })}/',
    },
  ]),
];
