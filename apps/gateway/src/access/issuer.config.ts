/** Settings of the OpenID provider whose tokens open the gateway. */
import { isTenant } from '@seamstream/events';
import { ROLES } from '@seamstream/operations/access';
import { httpAddress, isPlaintextElsewhere } from '@seamstream/service-kit/config';
import { z } from 'zod';

/** Signatures by a private key. Not among them: `none`, and those by a secret that the gateway would have to know (HS256). */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;

export const issuerSchema = z
  .object({
    /** The OpenID provider whose bearer tokens are taken as well: its address exactly as its tokens have it (iss). https, or on this machine. */
    url: httpAddress
      .refine((url) => !isPlaintextElsewhere(url), { error: 'expected https, or an address of this machine' })
      .optional(),
    /** What tokens must name as their audience (aud). Needed with the provider. */
    audience: z.string().min(1).optional(),
    /** The claim that names the groups of a user; a path with dots leads into it (realm_access.roles). */
    rolesClaim: z.string().min(1).default('groups'),
    /** Roles by group, as a JSON object: {"staff": "publisher", "platform": "admin"}. The highest counts; without one a token is refused. */
    roles: z.record(z.string().min(1), z.enum(ROLES)).default({}),
    /** The claim that says to which tenant a user belongs, in the form of rolesClaim. A text in it is one name, with its spaces. */
    tenantsClaim: z.string().min(1).default('groups'),
    /**
     * Tenants by what the claim holds, as a JSON object: {"org-7": "acme", "house": "default"}. A token needs exactly one of them. Empty: all
     * users belong to the default tenant.
     */
    tenants: z
      .record(
        z.string().min(1),
        z.string().refine(isTenant, 'expected 1 to 32 lower-case letters, figures and single hyphens'),
      )
      .default({}),
    /** Algorithms that tokens may be signed by, as a JSON list. */
    algorithms: z.array(z.enum(ALGORITHMS)).min(1).default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  })
  .refine(({ url, audience }) => (url === undefined) === (audience === undefined), {
    path: ['audience'],
    error: 'expected url and audience, or neither',
  })
  .refine(({ url, roles }) => (url === undefined) === (Object.keys(roles).length === 0), {
    path: ['roles'],
    error: 'expected a role for at least one group with the url, and none without it',
  })
  .refine(({ url, tenants }) => url !== undefined || Object.keys(tenants).length === 0, {
    path: ['tenants'],
    error: 'expected tenants with the url, and none without it',
  })
  .prefault({});

/** Of a gateway that takes tokens. */
export type IssuerSettings = Omit<z.infer<typeof issuerSchema>, 'url' | 'audience'> & {
  readonly url: string;
  readonly audience: string;
};
