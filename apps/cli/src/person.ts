import { userInfo } from 'node:os';

/** Who acts where a command does not say: as the configuration says, else who is logged in on this machine (docs/adr/0117). */
export function personOfMachine({ person }: { readonly person?: string | undefined }): string {
  if (person !== undefined) return person;
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user without a name.
    return `uid-${process.getuid?.()}`;
  }
}
