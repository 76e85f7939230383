// Forms of the chart's values: what each may be, with its default and what it means.
export const object = (description, properties, more = {}) => ({ type: 'object', description, properties, ...more });
export const text = (description, fallback = '', more = {}) => ({
  type: 'string',
  description,
  default: fallback,
  ...more,
});
export const flag = (description, fallback) => ({ type: 'boolean', description, default: fallback });
export const whole = (description, fallback, minimum = 0, more = {}) => ({
  ...{ type: 'integer', description, default: fallback, minimum },
  ...more,
});
export const list = (description, items, more = {}) => ({ type: 'array', description, items, default: [], ...more });
/** Kubernetes' own structure, which its API server checks. */
export const free = (description, fallback = {}) => ({ type: 'object', description, default: fallback, isFree: true });
/** Labels or annotations. Kubernetes refuses a number or a flag without quotes. */
export const texts = (description) => ({ ...free(description), additionalProperties: { type: 'string' } });
/** Names of Kubernetes' objects: https://kubernetes.io/docs/concepts/overview/working-with-objects/names/ */
export const NAME = {
  pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
  maxLength: 253,
};
/** 1 to 65535. */
export const PORT = '([1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])';
export const secretKey = (what, key) =>
  object(`Where ${what} is: a Secret that exists. Without a name there is none.`, {
    name: text('Name of the Secret.', '', { ...NAME }),
    key: text('Key in the Secret.', key, { pattern: '^[-._a-zA-Z0-9]+$' }),
  });
