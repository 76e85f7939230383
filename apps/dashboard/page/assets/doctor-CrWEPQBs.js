import {
  h as a,
  m as c,
  C as e,
  _ as i,
  v as l,
  O as n,
  i as o,
  S as r,
  j as s,
  F as t,
  z as u,
} from './index-3tIWgAri.js';
function d() {
  let { data: n, fault: c } = o(`/api/views/doctor`, !1),
    d = o(`/api/views/health`, !1);
  return e(u, {
    children: [
      e(`h1`, { children: `Doctor` }),
      e(`div`, {
        class: `cards`,
        children: [
          e(a, {
            title: `Findings`,
            size: `wide`,
            how: e(l, {
              counted: `The newest 256 groups, the runs since the last promotion, what is served, and what the buffer refused.`,
              command: `seam doctor`,
            }),
            children: n === null ? e(r, { fault: c }) : e(f, { of: n }),
          }),
          e(a, {
            title: `Health`,
            how: e(l, { counted: `What the gateway runs on.`, command: `seam config` }),
            children:
              d.data === null
                ? e(r, { fault: d.fault })
                : e(i, {
                    of: [
                      [`log`, d.data.log.driver],
                      [`identity`, e(`span`, { class: `mono wrap`, children: d.data.log.identity }, `i`)],
                      [`objects`, d.data.objects.driver],
                      [`topics`, s(d.data.log.topics.length, `topic`)],
                      [`Node`, d.data.node],
                      [`gateway since`, t(d.data.startedAt)],
                    ],
                  }),
          }),
        ],
      }),
    ],
  });
}
function f({ of: t }) {
  let { findings: r, looked: i } = t;
  return e(u, {
    children: [
      r.length === 0
        ? e(`p`, { class: `helps`, children: e(`strong`, { children: `✓ Nothing keeps this system from learning.` }) })
        : e(`ul`, {
            class: `findings`,
            'data-value': `findings`,
            children: r.map(({ code: t, severity: n, evidence: r, remedy: i }) =>
              e(
                `li`,
                {
                  children: [
                    e(`p`, {
                      children: [
                        e(c, { kind: n === `error` ? `bad` : `warn`, children: [`! `, n] }),
                        ` `,
                        e(`strong`, { children: t }),
                      ],
                    }),
                    e(`p`, { children: r }),
                    e(`p`, { class: `dim`, children: [`What to do: `, i] }),
                  ],
                },
                t,
              ),
            ),
          }),
      e(`p`, {
        class: `dim`,
        children: [
          `Looked at `,
          s(i.groups, `group`),
          `, `,
          s(i.runs.length, `run`),
          ` and `,
          n(i.admitted),
          ` `,
          `admissions. `,
          i.snapshots.filter(({ state: e }) => e === `agrees`).length,
          ` of `,
          i.snapshots.length,
          ` `,
          `snapshots of read models were compared and agree.`,
        ],
      }),
    ],
  });
}
export { d as DoctorPage };
