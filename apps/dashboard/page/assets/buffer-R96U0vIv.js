import {
  S as a,
  h as c,
  z as d,
  A as e,
  P as i,
  i as l,
  D as n,
  _ as o,
  O as r,
  g as s,
  C as t,
  v as u,
} from './index-3tIWgAri.js';
var f = 100;
function p() {
  let { data: p, fault: m } = l(`/api/views/buffer`);
  if (p === null) return t(a, { fault: m });
  let h = Object.keys(p.rejected),
    g = p.strata.reduce((e, t) => e + t.rows, 0);
  return t(d, {
    children: [
      t(`h1`, { children: `Buffer` }),
      p.versions.length === 0
        ? t(s, {
            command: `seam buffer`,
            children: `No version yet. One is committed when a round of problems is complete.`,
          })
        : t(`div`, {
            class: `cards`,
            children: [
              t(c, {
                title: `Kept`,
                how: t(u, {
                  counted: `Rows of the newest version, and every decision of the buffer.`,
                  command: `seam buffer`,
                }),
                children: [
                  t(`p`, {
                    class: `big`,
                    children: [
                      t(`span`, { 'data-value': `rows`, children: r(g) }),
                      ` `,
                      t(`small`, { children: `rows` }),
                    ],
                  }),
                  t(o, {
                    of: [
                      [`admitted`, t(`span`, { 'data-value': `admitted`, children: r(p.admitted) }, `a`)],
                      ...h.map((e) => [`refused: ${e.replaceAll(`_`, ` `)}`, r(p.rejected[e])]),
                    ],
                  }),
                ],
              }),
              t(c, {
                title: `Strata`,
                size: `wide`,
                how: t(u, {
                  counted: `By domain and difficulty: rows in the newest version, admissions, and refusals by reason.`,
                  command: `seam buffer --json`,
                }),
                children: t(`div`, {
                  class: `scroll-x`,
                  tabIndex: 0,
                  role: `region`,
                  'aria-label': `Strata of the buffer`,
                  children: t(`table`, {
                    class: `plain-table`,
                    children: [
                      t(`thead`, {
                        children: t(`tr`, {
                          children: [
                            t(`th`, { scope: `col`, children: `stratum` }),
                            t(`th`, { scope: `col`, class: `end`, children: `rows` }),
                            t(`th`, { scope: `col`, class: `end`, children: `share` }),
                            t(`th`, { scope: `col`, class: `end`, children: `admitted` }),
                            h.map((e) => t(`th`, { scope: `col`, class: `end`, children: e.replaceAll(`_`, ` `) }, e)),
                          ],
                        }),
                      }),
                      t(`tbody`, {
                        children: p.strata.map((n) =>
                          t(
                            `tr`,
                            {
                              children: [
                                t(`th`, { scope: `row`, children: n.stratum }),
                                t(`td`, { class: `end`, children: r(n.rows) }),
                                t(`td`, { class: `end`, children: e(g === 0 ? null : n.rows / g) }),
                                t(`td`, { class: `end`, children: r(n.admitted) }),
                                h.map((e) => t(`td`, { class: `end`, children: r(n.rejected[e] ?? 0) }, e)),
                              ],
                            },
                            n.stratum,
                          ),
                        ),
                      }),
                    ],
                  }),
                }),
              }),
              t(c, {
                title: `Versions`,
                size: `full`,
                how: t(u, {
                  counted: `Committed versions; each is rebuilt from the log by this command.`,
                  command: `seam replay --verify-buffer`,
                }),
                children: t(`table`, {
                  class: `plain-table`,
                  children: [
                    t(`thead`, {
                      children: t(`tr`, {
                        children: [
                          t(`th`, { scope: `col`, children: `version` }),
                          t(`th`, { scope: `col`, children: `at` }),
                          t(`th`, { scope: `col`, class: `end`, children: `rows` }),
                          t(`th`, { scope: `col`, children: `digest` }),
                          t(`th`, { scope: `col`, children: `manifest` }),
                        ],
                      }),
                    }),
                    t(`tbody`, {
                      children: p.versions
                        .toReversed()
                        .slice(0, f)
                        .map((e) =>
                          t(
                            `tr`,
                            {
                              children: [
                                t(`th`, {
                                  scope: `row`,
                                  children:
                                    e.shards === 1 ? e.sequence : `${e.sequence}, shard ${e.shard + 1}/${e.shards}`,
                                }),
                                t(`td`, { class: `mono`, children: n(e.at) }),
                                t(`td`, { class: `end`, children: r(e.rows) }),
                                t(`td`, { class: `mono`, children: i(e.bufferDigest) }),
                                t(`td`, { class: `mono wrap`, children: e.manifestKey }),
                              ],
                            },
                            `${e.sequence}/${e.shard}`,
                          ),
                        ),
                    }),
                  ],
                }),
              }),
            ],
          }),
    ],
  });
}
export { p as BufferPage };
