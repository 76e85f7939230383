import { t as e } from './chart-Bss7o3Q5.js';
import {
  u as _,
  O as a,
  _ as c,
  g as d,
  h as f,
  p as g,
  l as h,
  F as i,
  b as l,
  k as m,
  C as n,
  P as o,
  i as p,
  D as r,
  S as s,
  A as t,
  c as u,
  v,
  z as y,
} from './index-3tIWgAri.js';
function b(e, t) {
  let n = e === null ? new Map() : S(e),
    r = S(t);
  return [...new Set([...n.keys(), ...r.keys()])]
    .sort()
    .map((e) => ({ name: e, from: n.get(e), to: r.get(e) }))
    .filter((e) => e.from !== e.to);
}
var x = 120;
function S(e) {
  let t = new Map(),
    n = (e, r) => {
      if (typeof e == `object` && e && !Array.isArray(e) && Object.keys(e).length > 0)
        for (let [t, i] of Object.entries(e)) n(i, r === `` ? t : `${r}.${t}`);
      else {
        let n = JSON.stringify(e);
        t.set(r, n.length > x ? `${n.slice(0, 119)}…` : n);
      }
    };
  try {
    n(JSON.parse(e), ``);
  } catch {
    t.set(``, e);
  }
  return t;
}
var C = [`--treated`, `--lift`, `--control`, `--promotion`];
function w() {
  let { data: e, fault: t } = p(`/api/views/runs`);
  if (e === null) return n(s, { fault: t });
  let { runs: r } = e,
    i = u.value[1],
    a = r.findIndex(({ runId: e }) => e === i);
  return r.length === 0
    ? n(y, {
        children: [
          n(`h1`, { children: `Training` }),
          n(d, { command: `seam train sft`, children: `No run yet. One is planned after each window of problems.` }),
        ],
      })
    : n(y, {
        children: [
          n(`h1`, { children: a < 0 ? `Training` : `Run ${o(i)}` }),
          i !== void 0 && a < 0 ? n(`p`, { class: `fault`, children: [`The log has no run `, o(i), `.`] }) : null,
          a < 0 ? n(T, { runs: r }) : n(k, { run: r[a], before: r[a - 1] }),
        ],
      });
}
function T({ runs: e }) {
  let i = (h.value.get(`over`) ?? ``).split(`,`).filter(Boolean),
    s = h.value.get(`metric`) ?? `loss`,
    c = i.length > 0 ? e.filter(({ runId: e }) => i.includes(e)) : e.slice(-C.length),
    u = [...new Set(e.flatMap(({ metrics: e }) => Object.keys(e)))].sort(),
    d = (e) => {
      let t = i.includes(e) ? i.filter((t) => t !== e) : [...i, e].slice(-C.length);
      _({ over: t.join(`,`) });
    };
  return n(`div`, {
    class: `cards`,
    children: [
      n(f, {
        title: `Curves`,
        size: `full`,
        how: n(v, {
          counted: `The figures that runs report with their checkpoints. Choose up to four runs below.`,
          command: `seam runs --json`,
        }),
        children: [
          n(`label`, {
            children: [
              `figure`,
              ` `,
              n(`select`, {
                value: s,
                onChange: (e) => _({ metric: e.currentTarget.value }),
                children: u.map((e) => n(`option`, { children: e }, e)),
              }),
            ],
          }),
          n(O, { runs: c, metric: s }),
        ],
      }),
      n(f, {
        title: `Runs`,
        size: `full`,
        how: n(v, { counted: `Every training run of the log, newest first.`, command: `seam runs` }),
        children: n(`div`, {
          class: `scroll-x`,
          tabIndex: 0,
          role: `region`,
          'aria-label': `Training runs`,
          children: n(`table`, {
            class: `plain-table`,
            children: [
              n(`thead`, {
                children: n(`tr`, {
                  children: [
                    n(`th`, { scope: `col`, children: `over` }),
                    n(`th`, { scope: `col`, children: `run` }),
                    n(`th`, { scope: `col`, children: `began` }),
                    n(`th`, { scope: `col`, children: `algorithm` }),
                    n(`th`, { scope: `col`, class: `end`, children: `steps` }),
                    n(`th`, { scope: `col`, class: `end`, children: `seconds` }),
                    n(`th`, { scope: `col`, class: `end`, children: `loss` }),
                    n(`th`, { scope: `col`, class: `end`, children: `success` }),
                    n(`th`, { scope: `col`, class: `end`, children: `parent` }),
                    n(`th`, { scope: `col`, children: `made` }),
                    n(`th`, { scope: `col`, children: `outcome` }),
                  ],
                }),
              }),
              n(`tbody`, {
                children: e
                  .toReversed()
                  .map((e) =>
                    n(
                      `tr`,
                      {
                        children: [
                          n(`td`, {
                            children: n(`input`, {
                              type: `checkbox`,
                              'aria-label': `Draw run ${o(e.runId)}`,
                              checked: c.includes(e),
                              onChange: () => d(e.runId),
                            }),
                          }),
                          n(`td`, {
                            children: n(`a`, { class: `mono`, href: `/training/${e.runId}`, children: o(e.runId) }),
                          }),
                          n(`td`, { class: `mono`, children: r(e.startedAt) }),
                          n(`td`, { children: e.algorithm }),
                          n(`td`, { class: `end`, children: a(e.steps) }),
                          n(`td`, { class: `end`, children: E(e) }),
                          n(`td`, { class: `end`, children: e.metrics.loss === void 0 ? `–` : m(e.metrics.loss) }),
                          n(`td`, { class: `end`, children: t(e.evaluation?.success) }),
                          n(`td`, { class: `end`, children: t(e.evaluation?.parentSuccess) }),
                          n(`td`, { children: e.adapterDigest === null ? `–` : n(g, { digest: e.adapterDigest }) }),
                          n(`td`, { children: n(l, { status: e.decision ?? e.status }) }),
                        ],
                      },
                      e.runId,
                    ),
                  ),
              }),
            ],
          }),
        }),
      }),
    ],
  });
}
var E = ({ startedAt: e, endedAt: t }) => (t === null ? `–` : ((t - e) / 1e3).toFixed(1));
function D({ checkpoints: e, metrics: t, steps: n }, r) {
  let i = [{ step: n, metrics: t }];
  return new Map([...e, ...i].flatMap(({ step: e, metrics: t }) => (t[r] === void 0 ? [] : [[e, t[r]]])));
}
function O({ runs: t, metric: r }) {
  let i = t.map((e) => D(e, r)),
    a = [...new Set(i.flatMap((e) => [...e.keys()]))].sort((e, t) => e - t);
  return a.length === 0
    ? n(`p`, { class: `dim`, children: [`None of the chosen runs reports `, r, `.`] })
    : n(e, {
        label: `${r} of ${t.length} runs over their steps`,
        x: a,
        xLabel: `step`,
        integers: !0,
        lines: t.map((e, t) => ({
          label: `${o(e.runId)} ${e.algorithm}`,
          colour: C[t % C.length],
          values: a.map((e) => i[t].get(e) ?? null),
          dots: !0,
        })),
        format: m,
      });
}
function k({ run: e, before: r }) {
  let a = n(v, { counted: `What the log says of this run.`, command: `seam runs show ${o(e.runId)}` }),
    s = b(r?.configuration ?? null, e.configuration);
  return n(`div`, {
    class: `cards`,
    children: [
      n(f, {
        title: `Run`,
        how: a,
        children: n(c, {
          of: [
            [`outcome`, n(l, { status: e.decision ?? e.status }, `o`)],
            [`why`, e.reason ?? `–`],
            [`algorithm`, e.algorithm],
            [`began`, i(e.startedAt)],
            [`seconds`, E(e)],
            [`from`, n(g, { digest: e.parentAdapter }, `f`)],
            [`made`, e.adapterDigest === null ? `nothing` : n(g, { digest: e.adapterDigest }, `m`)],
            [`success`, `${t(e.evaluation?.success)}, parent ${t(e.evaluation?.parentSuccess)}`],
            [`code`, e.codeVersion],
          ],
        }),
      }),
      n(f, {
        title: `Figures`,
        how: a,
        size: `wide`,
        children: n(c, { of: Object.entries(e.metrics).map(([e, t]) => [e, m(t)]) }),
      }),
      n(f, {
        title: `Curve`,
        size: `full`,
        how: a,
        children: n(O, { runs: [e], metric: h.value.get(`metric`) ?? `loss` }),
      }),
      n(f, {
        title: `Settings against the run before`,
        size: `full`,
        how: n(v, {
          counted: `Settings as recorded when the run began; of those that are equal none is shown.`,
          command: r === void 0 ? `seam runs show ${o(e.runId)}` : `seam runs compare ${o(r.runId)} ${o(e.runId)}`,
        }),
        children:
          s.length === 0
            ? n(`p`, { class: `dim`, children: `They are equal.` })
            : n(`table`, {
                class: `plain-table`,
                children: [
                  n(`thead`, {
                    children: n(`tr`, {
                      children: [
                        n(`th`, { scope: `col`, children: `setting` }),
                        n(`th`, {
                          scope: `col`,
                          children:
                            r === void 0 ? `before` : n(`a`, { href: `/training/${r.runId}`, children: o(r.runId) }),
                        }),
                        n(`th`, { scope: `col`, children: `this run` }),
                      ],
                    }),
                  }),
                  n(`tbody`, {
                    children: s.map(({ name: e, from: t, to: r }) =>
                      n(
                        `tr`,
                        {
                          children: [
                            n(`th`, { scope: `row`, class: `mono`, children: e }),
                            n(`td`, { class: `mono wrap`, children: t ?? `–` }),
                            n(`td`, { class: `mono wrap`, children: r ?? `–` }),
                          ],
                        },
                        e,
                      ),
                    ),
                  }),
                ],
              }),
      }),
    ],
  });
}
export { w as TrainingPage };
