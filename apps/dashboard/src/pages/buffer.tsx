/** The success buffer: what is kept of each stratum, what was refused and why, and its versions. */
import type { BufferContents } from '@seamstream/read-models';
import type { JSX } from 'preact';
import { Card, Empty, Facts, Heads, How, Scrolled, Waiting } from '../parts/pieces.js';
import { clock, count, percent, short } from '../parts/words.js';
import { useViewAsOf } from '../state/view.js';

/** Versions that are listed, the newest first. */
const MOST_VERSIONS = 100;

export function BufferPage(): JSX.Element {
  const { data, fault } = useViewAsOf<BufferContents>('/api/views/buffer');
  if (data === null) return <Waiting fault={fault} />;
  const reasons = Object.keys(data.rejected);
  const reasonTitles = reasons.map((reason) => reason.replaceAll('_', ' '));
  const rows = data.strata.reduce((sum, stratum) => sum + stratum.rows, 0);
  return (
    <>
      <h1>Buffer</h1>
      {data.versions.length === 0 ? (
        <Empty command="seam buffer show">No version yet. One is committed when a round of problems is complete.</Empty>
      ) : (
        <div class="cards">
          <Card
            title="Kept"
            how={
              <How counted="Rows of the newest version, and every decision of the buffer." command="seam buffer show" />
            }
          >
            <p class="big">
              <span data-value="rows">{count(rows)}</span> <small>rows</small>
            </p>
            <Facts
              of={[
                [
                  'admitted',
                  <span key="a" data-value="admitted">
                    {count(data.admitted)}
                  </span>,
                ],
                ...reasons.map((reason): readonly [string, string] => [
                  `refused: ${reason.replaceAll('_', ' ')}`,
                  count(data.rejected[reason]!),
                ]),
              ]}
            />
          </Card>
          <Card
            title="Strata"
            size="wide"
            how={
              <How
                counted="By domain and difficulty: rows in the newest version, admissions, and refusals by reason."
                command="seam buffer show --json"
              />
            }
          >
            <Scrolled label="Strata of the buffer">
              <table class="plain-table">
                <Heads
                  titles={['stratum', 'rows', 'share', 'admitted', ...reasonTitles]}
                  numbers={['rows', 'share', 'admitted', ...reasonTitles]}
                />
                <tbody>
                  {data.strata.map((stratum) => (
                    <tr key={stratum.stratum}>
                      <th scope="row">{stratum.stratum}</th>
                      <td class="end">{count(stratum.rows)}</td>
                      <td class="end">{percent(rows === 0 ? null : stratum.rows / rows)}</td>
                      <td class="end">{count(stratum.admitted)}</td>
                      {reasons.map((reason) => (
                        <td key={reason} class="end">
                          {count(stratum.rejected[reason] ?? 0)}
                        </td>
                      ))}
                    </tr>
                  ))}
                </tbody>
              </table>
            </Scrolled>
          </Card>
          <Card
            title="Versions"
            size="full"
            how={
              <How
                counted="Committed versions; each is rebuilt from the log by this command."
                command="seam replay --verify-buffer"
              />
            }
          >
            <table class="plain-table">
              <Heads titles={['version', 'at', 'rows', 'digest', 'manifest']} numbers={['rows']} />
              <tbody>
                {data.versions
                  .toReversed()
                  .slice(0, MOST_VERSIONS)
                  .map((version) => (
                    <tr key={`${version.sequence}/${version.shard}`}>
                      <th scope="row">
                        {version.shards === 1
                          ? version.sequence
                          : `${version.sequence}, shard ${version.shard + 1}/${version.shards}`}
                      </th>
                      <td class="mono">{clock(version.at)}</td>
                      <td class="end">{count(version.rows)}</td>
                      <td class="mono">{short(version.bufferDigest)}</td>
                      <td class="mono wrap">{version.manifestKey}</td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </Card>
        </div>
      )}
    </>
  );
}
