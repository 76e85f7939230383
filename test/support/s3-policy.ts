/**
 * What policies of S3 allow, as AWS decides it (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html):
 * one statement that denies is enough, else one that allows is needed. Of the language what infra/s3 uses; anything else throws.
 */
interface Statement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal?: '*';
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: { readonly Bool: { readonly 'aws:SecureTransport': 'false' } };
}

export interface S3Policy {
  readonly Version: '2012-10-17';
  readonly Statement: readonly Statement[];
}

const WORDS = ['Sid', 'Effect', 'Principal', 'Action', 'Resource', 'Condition'];
const TLS_IS_LACKING = JSON.stringify({ Bool: { 'aws:SecureTransport': 'false' } });

export function parseS3Policy(text: string): S3Policy {
  const policy = JSON.parse(text) as S3Policy;
  for (const statement of policy.Statement) {
    const unknown = Object.keys(statement).filter((word) => !WORDS.includes(word));
    const { Effect, Condition } = statement;
    const isKnown = ['Allow', 'Deny'].includes(Effect);
    const isTls = Condition === undefined || JSON.stringify(Condition) === TLS_IS_LACKING;
    if (unknown.length > 0 || !isKnown || !isTls) throw new Error(`a policy that this check cannot evaluate: ${text}`);
  }
  return policy;
}

export interface S3Request {
  /** e.g. s3:PutObject */
  readonly action: string;
  readonly resource: string;
  readonly isTls: boolean;
}

/** Whether these policies together let a request pass. */
export function isAllowed(policies: readonly S3Policy[], { action, resource, isTls }: S3Request): boolean {
  const met = policies
    .flatMap(({ Statement }) => Statement)
    .filter(
      (statement) =>
        [statement.Action].flat().some((pattern) => fits(pattern, action)) &&
        [statement.Resource].flat().some((pattern) => fits(pattern, resource)) &&
        (statement.Condition === undefined || !isTls),
    );
  return met.some(({ Effect }) => Effect === 'Allow') && !met.some(({ Effect }) => Effect === 'Deny');
}

function fits(pattern: string, name: string): boolean {
  const literal = pattern.split('*').map((part) => RegExp.escape(part));
  return new RegExp(`^${literal.join('.*')}$`, 's').test(name);
}
