/**
 * What was asked, or an error when no answer came in time. The question itself goes on: nothing is cancelled.
 * @param limitMs longest wait in milliseconds
 */
export async function answerWithin<T>(limitMs: number, asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
