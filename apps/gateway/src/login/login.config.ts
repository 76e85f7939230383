/** Settings of the dashboard's login: the gateway as a client of the OpenID provider. */

import { keyOf } from '@seamstream/model-clients';
import { LONGEST_SESSION_MS } from '@seamstream/operations/access';
import { httpAddress, isPlaintextElsewhere } from '@seamstream/service-kit/config';
import { z } from 'zod';

export const loginSchema = z
  .object({
    /** As which client the provider knows the gateway. With it people sign in to the dashboard; it needs SEAM_GATEWAY_ISSUER_URL. */
    clientId: z.string().min(1).optional(),
    /** Name of the environment variable that holds the client's secret. Without it the gateway is a public client: PKCE alone. */
    secretVariable: z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'expected the name of an environment variable, not the secret itself')
      .meta({ secretWhenRefused: true })
      .optional(),
    /** The address by which browsers reach the gateway, without a path. https, or on this machine. Needed with the client. */
    publicUrl: httpAddress
      .refine((url) => !isPlaintextElsewhere(url), { error: 'expected https, or an address of this machine' })
      .refine((url) => !URL.canParse(url) || new URL(url).href === `${new URL(url).origin}/`, {
        error: 'expected an address without a path',
      })
      .optional(),
    /** What the provider is asked for, with spaces between; openid is among it. Some give groups only to who asks for them. */
    scope: z
      .string()
      .regex(/^([\x21\x23-\x5b\x5d-\x7e]+ )*openid( [\x21\x23-\x5b\x5d-\x7e]+)*$/, 'expected openid among the scopes')
      .default('openid'),
    /** How long a session is. Then the provider is asked again, and with it the roles. At most a day. */
    sessionMs: z.int().positive().max(LONGEST_SESSION_MS).default(3_600_000),
  })
  .refine(({ clientId, publicUrl }) => (clientId === undefined) === (publicUrl === undefined), {
    path: ['publicUrl'],
    error: 'expected clientId and publicUrl, or neither',
  })
  .prefault({});

/** Of a gateway that people sign in to. */
export interface LoginSettings extends Pick<z.infer<typeof loginSchema>, 'scope' | 'sessionMs'> {
  readonly clientId: string;
  /** Scheme, host and port. */
  readonly origin: string;
  /** Undefined: a public client. */
  readonly secret: string | undefined;
  /** That identity tokens may be signed by. */
  readonly algorithms: readonly string[];
}

/**
 * Undefined where no one signs in.
 * @param environment that has the client's secret
 * @throws INVALID_CONFIGURATION where it does not have it
 */
export function loginSettings(
  {
    login,
    issuer,
  }: { readonly login: z.infer<typeof loginSchema>; readonly issuer: Pick<LoginSettings, 'algorithms'> },
  environment: NodeJS.ProcessEnv,
): LoginSettings | undefined {
  const { clientId, publicUrl, secretVariable, scope, sessionMs } = login;
  if (clientId === undefined || publicUrl === undefined) return undefined;
  const { key } = keyOf(secretVariable, 'SEAM_GATEWAY_LOGIN_SECRET_VARIABLE', environment);
  const { origin } = new URL(publicUrl);
  return { clientId, origin, secret: key ?? undefined, scope, sessionMs, algorithms: issuer.algorithms };
}
