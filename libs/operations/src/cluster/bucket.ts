/** Whether the bucket of the object store is there, and making it. */

interface BucketWorld {
  openBucket(): Promise<{ readonly name: string; exists(): Promise<boolean>; make(): Promise<void> }>;
}

/** Nothing is changed. */
export async function compareBucket(
  world: BucketWorld,
): Promise<{ readonly bucket: string; readonly exists: boolean }> {
  const bucket = await world.openBucket();
  return { bucket: bucket.name, exists: await bucket.exists() };
}

/** Makes the bucket where there is none. One that is there stays as it is, with all of its settings. */
export async function applyBucket(world: BucketWorld): Promise<{ readonly bucket: string; readonly made: boolean }> {
  const bucket = await world.openBucket();
  const made = !(await bucket.exists());
  if (made) await bucket.make();
  return { bucket: bucket.name, made };
}
