import { encodeEvent, TOPIC } from '@seamstream/events';
import { ProblemContents } from '@seamstream/evidence';
import { newWorld, openLog } from '@seamstream/testing';
import { explored, problemAbout } from '@seamstream/testing/result-log';
import { readLogInput, withContents } from './learning-input.js';
import { RecordedEvents } from './recorded-events.js';

it('a run learns from whole problems, and leaves out and names the entries whose content is not in the log', async () => {
  const log = await openLog(newWorld());
  const problems = [problemAbout('p-0'), problemAbout('p-1'), problemAbout('gone')];
  // From another log: the first says where its content is not, the second copies it.
  const groups = problems.map((problem, index) =>
    explored(problem, index === 1 ? {} : { namedAt: { partition: 9, offset: 77 } }),
  );
  await log.append(groups.slice(0, 2).map(({ published }) => encodeEvent(published)));
  await log.append(groups.flatMap(({ experiences, outcomes }) => [...experiences, ...outcomes]).map(encodeEvent));
  const ranges = await Promise.all(
    [TOPIC.experiences, TOPIC.outcomes].map(async (topic) =>
      (await log.watermarks(topic)).map(({ partition, low, high }) => ({ topic, partition, from: low, to: high })),
    ),
  );
  const read = await readLogInput(new RecordedEvents(log), ranges.flat(), { excluded: new Set() });
  const { input, missing } = await withContents(read, new ProblemContents(log));
  if (input.reads !== 'log') throw new Error('the log was read');
  expect(input.experiences.map(({ problem }) => problem)).toEqual(
    expect.arrayContaining(Array.from({ length: 4 }, () => problems.slice(0, 2)).flat()),
  );
  expect(input.experiences).toHaveLength(8);
  expect(input.results).toEqual(read.results);
  expect([...missing].sort()).toEqual(groups[2]!.experiences.map(({ experienceId }) => experienceId).sort());
});
