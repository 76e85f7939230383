import { messageOf, SeamError } from '@seamstream/kernel';

/** Makes a folder and those that it lies in. @throws INVALID_INPUT where that is not possible */
export async function makeFolder(path: string): Promise<void> {
  const service = await import('@seamstream/service-kit/drivers');
  try {
    await service.makeFolder(path);
  } catch (cause) {
    throw new SeamError(
      'INVALID_INPUT',
      `Cannot make the folder ${path}: ${messageOf(cause)}. Choose a place that is writable.`,
      { cause },
    );
  }
}
