import {
  v as _,
  O as a,
  _ as c,
  g as d,
  A as e,
  h as f,
  p as g,
  k as h,
  M as i,
  b as l,
  j as m,
  E as n,
  P as o,
  i as p,
  F as r,
  S as s,
  C as t,
  c as u,
  z as v,
} from './index-3tIWgAri.js';
function y() {
  let { data: e, fault: n } = p(`/api/views/adapters`);
  if (e === null) return t(s, { fault: n });
  let r = u.value[1],
    i = e.versions.find(({ adapterDigest: e }) => e === r);
  return t(v, {
    children: [
      t(`h1`, { children: i === void 0 ? `Adapters` : `Adapter v${i.version}` }),
      r !== void 0 && i === void 0
        ? t(`p`, { class: `fault`, children: [`The log has no adapter `, o(r), `.`] })
        : null,
      i === void 0 ? t(b, { of: e }) : t(C, { of: i, lineage: e }),
    ],
  });
}
function b({ of: e }) {
  if (e.versions.length === 0)
    return t(d, {
      command: `seam train sft`,
      children: `No adapter yet. A run publishes one after each window of problems.`,
    });
  let n = Map.groupBy(e.versions, ({ parent: e }) => e ?? ``),
    r = new Set(e.versions.map(({ adapterDigest: e }) => e)),
    i = e.versions.filter(({ parent: e }) => e === null || !r.has(e));
  return t(f, {
    title: `Lineage`,
    size: `full`,
    how: t(_, {
      counted: `Each adapter under the one it was trained from, with its success on validation problems.`,
      command: `seam adapters`,
    }),
    children: [
      e.pin === null ? null : t(`p`, { children: [`Pinned by `, e.pin.by, `: `, e.pin.reason] }),
      t(`ul`, {
        class: `lineage`,
        children: t(`li`, {
          children: [
            t(`span`, { class: `node`, children: `base model` }),
            t(x, { of: i, children: n, served: e.served }),
          ],
        }),
      }),
    ],
  });
}
function x(e) {
  return t(`ul`, {
    class: e.of.length === 1 ? `chain` : ``,
    children: e.of.map((n) =>
      t(
        `li`,
        {
          children: [
            t(S, { of: n, isServed: n.adapterDigest === e.served }),
            e.children.has(n.adapterDigest) ? t(x, { ...e, of: e.children.get(n.adapterDigest) }) : null,
          ],
        },
        n.adapterDigest,
      ),
    ),
  });
}
function S({ of: n, isServed: r }) {
  let a = n.evaluation?.success,
    o = n.evaluation?.parentSuccess ?? null;
  return t(`span`, {
    class: `node${r ? ` served` : ``}`,
    children: [
      t(`span`, {
        class: `swatch heat-${a === void 0 ? `none` : Math.min(9, Math.floor(a * 10))}`,
        'aria-hidden': `true`,
      }),
      t(g, { digest: n.adapterDigest, version: n.version }),
      t(`span`, { children: n.algorithm }),
      t(`strong`, { children: e(a) }),
      a === void 0 || o === null ? null : t(`small`, { children: [i(a - o), ` points to its parent`] }),
      t(l, { status: n.status }),
    ],
  });
}
function C({ of: s, lineage: u }) {
  let d = new Map(u.versions.map(({ adapterDigest: e, version: t }) => [e, t])),
    { evaluation: p, comparison: y } = s,
    b = t(_, { counted: `What the log says of this adapter.`, command: `seam adapters show ${o(s.adapterDigest)}` });
  return t(`div`, {
    class: `cards`,
    children: [
      t(f, {
        title: `Identity`,
        how: b,
        children: t(c, {
          of: [
            [`status`, t(l, { status: s.status }, `s`)],
            [`parent`, t(g, { digest: s.parent, version: d.get(s.parent ?? ``) }, `p`)],
            [`run`, t(`a`, { class: `mono`, href: `/training/${s.runId}`, children: o(s.runId) }, `r`)],
            [`algorithm`, s.algorithm],
            [`published`, r(s.publishedAt)],
            [`kind, size`, `${s.kind}, ${n(s.sizeBytes)}`],
            [`digest`, t(`span`, { class: `mono wrap`, children: s.adapterDigest }, `d`)],
            [`base model`, t(`span`, { class: `mono`, children: o(s.baseModelDigest) }, `b`)],
          ],
        }),
      }),
      t(f, {
        title: `Measured`,
        how: b,
        size: `wide`,
        children:
          p === null
            ? t(`p`, { class: `dim`, children: `It was not measured.` })
            : t(v, {
                children: [
                  t(`p`, {
                    children: [
                      t(`strong`, { children: e(p.success) }),
                      ` of `,
                      m(p.problems, `problem`),
                      ` of`,
                      ` `,
                      p.problemSet,
                      `, its parent `,
                      t(`strong`, { children: e(p.parentSuccess) }),
                      `.`,
                      y === null
                        ? null
                        : ` It rescued ${a(y.rescued)} and broke ${a(y.broken)}: evidence ${h(y.evidence)}${y.needed === null ? `` : `, needed ${h(y.needed)}`}.`,
                    ],
                  }),
                  t(`table`, {
                    class: `plain-table`,
                    children: [
                      t(`thead`, {
                        children: t(`tr`, {
                          children: [
                            t(`th`, { scope: `col`, children: `domain` }),
                            t(`th`, { scope: `col`, class: `end`, children: `parent` }),
                            t(`th`, { scope: `col`, class: `end`, children: `this adapter` }),
                            t(`th`, { scope: `col`, class: `end`, children: `points` }),
                          ],
                        }),
                      }),
                      t(`tbody`, {
                        children: Object.entries(p.perDomain).map(([n, r]) =>
                          t(
                            `tr`,
                            {
                              children: [
                                t(`th`, { scope: `row`, children: n }),
                                t(`td`, { class: `end`, children: e(p.parentPerDomain[n]) }),
                                t(`td`, { class: `end`, children: e(r) }),
                                t(`td`, {
                                  class: `end`,
                                  children: p.parentPerDomain[n] === void 0 ? `–` : i(r - p.parentPerDomain[n]),
                                }),
                              ],
                            },
                            n,
                          ),
                        ),
                      }),
                    ],
                  }),
                ],
              }),
      }),
      t(f, {
        title: `Decided`,
        size: `wide`,
        how: b,
        children: [
          s.acts.length === 0 ? t(`p`, { class: `dim`, children: s.reason ?? `Nothing was decided on it.` }) : null,
          t(`ol`, {
            class: `timeline`,
            children: s.acts.map(({ act: e, at: n, by: i, reason: a, status: o, hindrance: s }) =>
              t(
                `li`,
                {
                  children: [
                    t(`time`, { children: r(n) }),
                    t(`div`, {
                      children: [
                        t(`strong`, { children: e === `rolledBack` ? `rolled back` : e }),
                        ` by `,
                        i,
                        `: `,
                        a,
                        o === `counted` ? null : t(`span`, { class: `fault`, children: [` `, o, `: `, s] }),
                      ],
                    }),
                  ],
                },
                `${e}${n}`,
              ),
            ),
          }),
        ],
      }),
      t(f, {
        title: `Learned from`,
        how: b,
        children: t(c, {
          of: s.inputs.map(({ topic: e, partition: t, from: n, to: r }) => [`${e}/${t}`, `${a(n)} to ${a(r)}`]),
        }),
      }),
    ],
  });
}
export { y as AdaptersPage };
