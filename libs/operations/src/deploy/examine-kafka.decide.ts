/** Kafka as Strimzi runs it: what it makes, and what values expect of it. */
import type { ChartValues, SecretKey } from './chart-values.js';
import { error, type Findings, type Said, warning } from './deploy-finding.js';
import { type DeployFacts, enabled, type Rule } from './rule.js';

export const KAFKA: readonly Rule[] = [
  function copies({ strimzi }: ChartValues): Findings {
    if (!strimzi.enabled || strimzi.replicas >= 3) return [];
    const message = `Each partition has ${strimzi.replicas} of the 3 copies that survive the loss of a broker while another is down.`;
    return [warning('few-copies', ['strimzi.replicas', message, 'Set it to 3.'])];
  },

  function mechanism({ strimzi, kafka: { sasl } }: ChartValues): Findings {
    if (!strimzi.enabled || sasl.mechanism === 'scram-sha-512') return [];
    const said: Said = [
      'kafka.sasl.mechanism',
      `The users that Strimzi makes have passwords for scram-sha-512, and services say who they are by ${sasl.mechanism}.`,
      'Set it to scram-sha-512.',
    ];
    return [error('mechanism-of-no-user', said)];
  },

  /** The password that is made for a user is in the Secret of its name. */
  function passwords(values: ChartValues, { principals, operator }: DeployFacts): Findings {
    const { strimzi, kafka } = values;
    if (!strimzi.enabled) return [];
    const named: readonly (readonly [path: string, secret: SecretKey, user: string])[] = [
      ...enabled(values).map(
        ([name, { sasl }]) => [`services.${name}.sasl.passwordSecret`, sasl.passwordSecret, principals[name]] as const,
      ),
      ['kafka.operatorPasswordSecret', kafka.operatorPasswordSecret, operator],
    ];
    return named
      .filter(([, { name, key }, user]) => name !== '' && (name !== user || key !== 'password'))
      .map(([path, { name, key }, user]) => {
        const message = `Strimzi writes the password of ${user} to the key password of the Secret ${user}, and this is the key ${key} of ${name}.`;
        return warning('password-of-another', [path, message, `Name ${user} with the key password.`]);
      });
  },
];
