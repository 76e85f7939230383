/**
 * What policies of S3 allow, as AWS decides it (https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html):
 * one statement that denies is enough, else one that allows is needed. Of the language what infra/s3 uses; anything else throws.
 */
import { z } from 'zod';

const list = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const policySchema = z.strictObject({
  Version: z.literal('2012-10-17'),
  Statement: z.array(
    z.strictObject({
      Sid: z.string(),
      Effect: z.enum(['Allow', 'Deny']),
      Principal: z.literal('*').optional(),
      Action: list,
      Resource: list,
      Condition: z.strictObject({ Bool: z.strictObject({ 'aws:SecureTransport': z.literal('false') }) }).optional(),
    }),
  ),
});

export type S3Policy = z.infer<typeof policySchema>;

export function parseS3Policy(text: string): S3Policy {
  return policySchema.parse(JSON.parse(text));
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
        statement.Action.some((pattern) => fits(pattern, action)) &&
        statement.Resource.some((pattern) => fits(pattern, resource)) &&
        (statement.Condition === undefined || !isTls),
    );
  return met.some(({ Effect }) => Effect === 'Allow') && !met.some(({ Effect }) => Effect === 'Deny');
}

function fits(pattern: string, name: string): boolean {
  const literal = pattern.split('*').map((part) => RegExp.escape(part));
  return new RegExp(`^${literal.join('.*')}$`, 's').test(name);
}
