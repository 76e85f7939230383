import { t as e } from './chart-Bss7o3Q5.js';
import {
  v as _,
  O as a,
  T as c,
  b as d,
  g as f,
  o as g,
  m as h,
  M as i,
  _ as l,
  j as m,
  C as n,
  P as o,
  h as p,
  D as r,
  S as s,
  A as t,
  a as u,
  z as v,
} from './index-3tIWgAri.js';
function y(e) {
  if (e === null) return `open`;
  let [t, n] = e.interval95;
  return t > 0 ? `helps` : n < 0 ? `harms` : `open`;
}
var b = { helps: `helps`, harms: `harms`, open: `not decided` };
function x({ rows: e }) {
  return n(`table`, {
    class: `forest`,
    children: [
      n(`thead`, {
        children: n(`tr`, {
          children: [
            n(`th`, { scope: `col`, children: `domain` }),
            n(`th`, { scope: `col`, class: `end`, children: `without` }),
            n(`th`, { scope: `col`, class: `end`, children: `with` }),
            n(`th`, { scope: `col`, children: `lift in points, 95 % at any look` }),
            n(`th`, { scope: `col`, children: `says` }),
          ],
        }),
      }),
      n(`tbody`, {
        children: e.map((e) =>
          n(
            `tr`,
            {
              class: e.isAll === !0 ? `all` : ``,
              children: [
                n(`th`, { scope: `row`, children: e.name }),
                n(`td`, {
                  class: `end`,
                  children: [t(e.control.rate, 0), ` `, n(`small`, { children: [`of `, a(e.control.problems)] })],
                }),
                n(`td`, {
                  class: `end`,
                  children: [t(e.treated.rate, 0), ` `, n(`small`, { children: [`of `, a(e.treated.problems)] })],
                }),
                n(`td`, { class: `bar`, children: n(C, { lift: e.lift, name: e.name }) }),
                n(`td`, { class: `says ${y(e.lift)}`, children: b[y(e.lift)] }),
              ],
            },
            e.name,
          ),
        ),
      }),
    ],
  });
}
var S = (e) => 100 + e * 96;
function C({ lift: e, name: t }) {
  if (e === null) return n(`span`, { class: `dim`, children: `no interval yet` });
  let [r, a] = e.interval95,
    o = `${i(e.value)} (${i(r)} to ${i(a)})`;
  return n(`span`, {
    class: `interval`,
    children: [
      n(`svg`, {
        viewBox: `0 0 200 20`,
        role: `img`,
        'aria-label': `${t}: ${o}`,
        class: y(e),
        preserveAspectRatio: `none`,
        children: [
          n(`line`, { x1: `100`, x2: `100`, y1: `0`, y2: `20`, class: `zero` }),
          n(`line`, { x1: S(r), x2: S(a), y1: `10`, y2: `10`, class: `range` }),
          n(`rect`, { x: S(e.value) - 2, y: `4`, width: `4`, height: `12`, rx: `1`, class: `value` }),
        ],
      }),
      n(`small`, { class: `mono`, children: o }),
    ],
  });
}
function w({ measured: e }) {
  let t = e.slice(-24),
    r = [...new Set(t.flatMap(({ perDomain: e }) => Object.keys(e)))].sort();
  return n(`div`, {
    class: `scroll-x`,
    tabIndex: 0,
    role: `region`,
    'aria-label': `What is learned, by domain and adapter`,
    children: n(`table`, {
      class: `learned`,
      children: [
        n(`thead`, {
          children: n(`tr`, {
            children: [
              n(`th`, { scope: `col`, children: `domain` }),
              n(`th`, { scope: `col`, children: `before` }),
              t.map(({ version: e, adapterDigest: t, status: r }) =>
                n(
                  `th`,
                  {
                    scope: `col`,
                    children: [n(`a`, { href: `/adapters/${t}`, children: [`v`, e] }), n(`small`, { children: r })],
                  },
                  t,
                ),
              ),
            ],
          }),
        }),
        n(`tbody`, {
          children: r.map((e) =>
            n(
              `tr`,
              {
                children: [
                  n(`th`, { scope: `row`, children: e }),
                  n(T, { rate: t[0]?.parentPerDomain[e] }),
                  t.map(({ adapterDigest: t, perDomain: r }) => n(T, { rate: r[e] }, t)),
                ],
              },
              e,
            ),
          ),
        }),
      ],
    }),
  });
}
function T({ rate: e }) {
  return e === void 0
    ? n(`td`, { class: `dim`, children: `–` })
    : n(`td`, { class: `heat heat-${Math.min(9, Math.floor(e * 10))}`, children: t(e, 0) });
}
function E() {
  let e = g.value;
  return e === null
    ? n(s, { fault: null })
    : n(v, {
        children: [
          n(`h1`, { class: `unseen`, children: `Overview` }),
          n(O, { of: e }),
          n(P, { of: e }),
          n(F, { of: e }),
        ],
      });
}
var D = { helps: `Experiences help.`, harms: `Experiences harm.`, open: `Not decided yet.` };
function O({ of: e }) {
  let t =
    e.lift.modes.find((e) => e.mode === `deploy` && e.lift !== null) ??
    e.lift.modes.find(({ mode: e }) => e === `explore`) ??
    e.lift.modes[0];
  return n(`section`, {
    class: `question`,
    'aria-labelledby': `helps`,
    children: [
      n(`h2`, { id: `helps`, children: `Does it help?` }),
      t === void 0
        ? n(f, { command: `seam publish problems.jsonl`, children: `No problem has a result yet.` })
        : n(`div`, {
            class: `cards`,
            children: [n(A, { mode: t, unsettled: e.lift.unsettled }), n(M, { mode: t, of: e }), n(N, { mode: t })],
          }),
    ],
  });
}
var k = `A problem counts once, by the share of its candidates that solved it, when every problem published before it in its partition has an end. The interval is a mixture of fixed bets on the inverse-propensity score: it holds at every look, however things drift.`;
function A({ mode: e, unsettled: t }) {
  let { lift: r, treated: a, control: o, missing: s } = e,
    c = s.treated + s.control + s.unassigned;
  return n(p, {
    title: `Lift`,
    how: n(_, { counted: k, command: `seam lift` }),
    children: [
      n(`p`, {
        class: `big ${y(r)}`,
        children: [
          n(`span`, { 'data-value': `lift`, children: r === null ? `–` : i(r.value) }),
          n(`small`, { children: ` points` }),
        ],
      }),
      n(`p`, {
        children: [
          n(`strong`, { children: D[y(r)] }),
          ` `,
          r === null
            ? `There is no control arm to compare with, or its share changed.`
            : `95 % at any look: ${i(r.interval95[0])} to ${i(r.interval95[1])}.`,
        ],
      }),
      n(l, {
        of: [
          [`with an experience`, n(j, { rate: a.rate, problems: a.problems, name: `treated` }, `t`)],
          [`without (control)`, n(j, { rate: o.rate, problems: o.problems, name: `control` }, `c`)],
          [`counted in mode`, e.mode],
          ...(t > 0 ? [[`not settled yet`, m(t, `problem`)]] : []),
          ...(c > 0 ? [[`ended without a verdict`, m(c, `problem`)]] : []),
        ],
      }),
    ],
  });
}
function j(e) {
  return n(`span`, {
    children: [
      n(`strong`, { 'data-value': e.name, children: t(e.rate) }),
      ` `,
      n(`small`, { children: [`of `, m(e.problems, `problem`)] }),
    ],
  });
}
function M({ mode: r, of: i }) {
  let { series: a } = r,
    o = 0,
    s = a.map(({ own: e }) => (o += e.treated.problems + e.control.problems)),
    c = i.promotions.map(({ at: e, version: t }) => ({
      x: s[a.findLastIndex(({ from: t }) => t <= e)] ?? 0,
      label: `v${t}`,
    })),
    l = [
      { label: `with, of this stretch`, colour: `--treated`, values: a.map(({ own: e }) => e.treated.rate), dots: !0 },
      { label: `without, so far`, colour: `--control`, values: a.map(({ control: e }) => e.rate) },
      {
        label: `lift so far, upper`,
        colour: `--lift`,
        values: a.map(({ lift: e }) => e?.interval95[1] ?? null),
        thin: !0,
        band: !0,
      },
      {
        label: `lift so far, lower`,
        colour: `--lift`,
        values: a.map(({ lift: e }) => e?.interval95[0] ?? null),
        thin: !0,
      },
    ];
  return n(p, {
    title: `Course`,
    size: `wide`,
    how: n(_, { counted: `${k} Ticks are promotions.`, command: `seam lift --json` }),
    children: n(e, {
      label: `Success with and without experiences, and the band of the lift, over problems`,
      x: s,
      xLabel: `problems, in the order of publication`,
      lines: l,
      marks: c,
      range: [Math.min(-0.25, a.at(-1)?.lift?.interval95[0] ?? 0), 1],
      format: (e) => t(e, 0),
      height: 250,
    }),
  });
}
function N({ mode: e }) {
  return n(p, {
    title: `By domain`,
    size: `full`,
    how: n(_, { counted: k, command: `seam lift` }),
    children: n(x, { rows: [...e.domains.map((e) => ({ name: e.domain, ...e })), { ...e, name: `all`, isAll: !0 }] }),
  });
}
function P({ of: i }) {
  let { measured: s, served: m, status: h } = i,
    g = u.value?.at ?? 0;
  return n(`section`, {
    class: `question`,
    'aria-labelledby': `learns`,
    children: [
      n(`h2`, { id: `learns`, children: `Is it learning?` }),
      s.length === 0
        ? n(f, {
            command: `seam runs`,
            children: `No adapter was measured yet. A run begins after each window of problems.`,
          })
        : n(`div`, {
            class: `cards`,
            children: [
              n(p, {
                title: `Served`,
                how: n(_, { counted: `The last promotion in the log that counts.`, command: `seam adapters` }),
                children: [
                  m === null
                    ? n(`p`, { class: `big`, children: `base model` })
                    : n(`div`, {
                        class: `big`,
                        children: [
                          n(`a`, { href: `/adapters/${m.adapterDigest}`, children: [`v`, m.version] }),
                          ` `,
                          n(`small`, { class: `mono`, children: o(m.adapterDigest) }),
                        ],
                      }),
                  n(l, {
                    of: [
                      ...(m === null ? [] : [[`since`, `${r(m.since)}, ${c(m.since, g)}`]]),
                      [`runs`, `${a(h.runs.all)}, ${a(h.runs.promoted)} promoted`],
                      [`under way`, a(h.runs.underWay)],
                      [
                        `last run`,
                        h.lastRun === null
                          ? `none`
                          : n(`span`, {
                              children: [
                                n(`a`, {
                                  href: `/training/${h.lastRun.runId}`,
                                  class: `mono`,
                                  children: o(h.lastRun.runId),
                                }),
                                ` `,
                                h.lastRun.algorithm,
                                ` `,
                                n(d, { status: h.lastRun.decision ?? h.lastRun.status }),
                              ],
                            }),
                      ],
                      ...(i.pinned ? [[`pinned`, `yes`]] : []),
                    ],
                  }),
                ],
              }),
              n(p, {
                title: `Validation`,
                size: `wide`,
                how: n(_, {
                  counted: `Each adapter next to its parent, on problems that decided nothing before.`,
                  command: `seam adapters --json`,
                }),
                children: n(e, {
                  label: `Success on validation problems, by adapter and its parent`,
                  x: s.map(({ version: e }) => e),
                  xLabel: `adapter`,
                  integers: !0,
                  lines: [
                    { label: `adapter`, colour: `--treated`, values: s.map(({ success: e }) => e), dots: !0 },
                    {
                      label: `its parent, same problems`,
                      colour: `--control`,
                      values: s.map(({ parentSuccess: e }) => e),
                      dots: !0,
                      dashed: !0,
                    },
                  ],
                  range: [0, 1],
                  format: (e) => t(e, 0),
                }),
              }),
              n(p, {
                title: `What is learned`,
                size: `full`,
                how: n(_, {
                  counted: `Share of each domain's validation problems that the adapter solved when it was decided on.`,
                  command: `seam adapters show served --json`,
                }),
                children: n(w, { measured: s }),
              }),
            ],
          }),
    ],
  });
}
function F({ of: e }) {
  let { ledger: t, findings: i, newestAt: o, waiting: s, buffer: c } = e.status;
  return n(`section`, {
    class: `question`,
    'aria-labelledby': `well`,
    children: [
      n(`h2`, { id: `well`, children: `Is it well?` }),
      n(`div`, {
        class: `cards`,
        children: [
          n(p, {
            title: `Ledger`,
            size: `tall`,
            how: n(_, {
              counted: `Published is the sum of all that became of problems, and no fact belongs to a problem that was not published.`,
              command: `seam ledger`,
            }),
            children: [
              n(`p`, {
                class: `big ${t.balanced ? `helps` : `harms`}`,
                children: t.balanced ? `balanced` : `not balanced`,
              }),
              n(l, {
                of: [
                  [`published`, n(`span`, { 'data-value': `published`, children: a(t.published) })],
                  [
                    `solved`,
                    n(`a`, { href: `/problems?standing=solved`, 'data-value': `solved`, children: a(t.solved) }),
                  ],
                  [
                    `not solved`,
                    n(`a`, { href: `/problems?standing=failed`, 'data-value': `failed`, children: a(t.failed) }),
                  ],
                  [`in flight`, n(`a`, { href: `/problems?standing=inFlight`, children: a(t.inFlight) })],
                  [`expired`, a(t.expired)],
                  [`dead letters`, n(`a`, { href: `/dead-letters`, children: a(t.deadLetterRecords) })],
                  ...(s.answers > 0 ? [[`answers wait for feedback`, a(s.answers)]] : []),
                ],
              }),
            ],
          }),
          n(p, {
            title: `Stages`,
            size: `wide`,
            how: n(_, {
              counted: `Records of each stage's topic, and those that its consumers have not answered yet.`,
              command: `seam status`,
            }),
            children: [
              n(`ol`, {
                class: `stages`,
                children: e.stages.map(({ name: e, records: t, lag: r }) =>
                  n(
                    `li`,
                    {
                      class: r > 0 ? `behind` : ``,
                      children: [
                        n(`strong`, { children: e }),
                        n(`span`, { children: a(t) }),
                        n(`small`, { children: r === 0 ? `up to date` : `${a(r)} to go` }),
                      ],
                    },
                    e,
                  ),
                ),
              }),
              n(l, {
                of: [
                  [`newest event`, o === null ? `none` : r(o)],
                  [
                    `buffer`,
                    c === null
                      ? `no version yet`
                      : n(`a`, { href: `/buffer`, children: `version ${c.version}, ${m(c.rows, `row`)}` }),
                  ],
                ],
              }),
            ],
          }),
          n(p, {
            title: `Findings`,
            size: `wide`,
            how: n(_, {
              counted: `What the last ended run found wrong. The doctor looks at more.`,
              command: `seam doctor`,
            }),
            children:
              i.length === 0
                ? n(`p`, {
                    children: [
                      `The last run found nothing wrong. `,
                      n(`a`, { href: `/doctor`, children: `Ask the doctor` }),
                    ],
                  })
                : n(`ul`, {
                    class: `plain`,
                    children: i.map((e) =>
                      n(
                        `li`,
                        {
                          children: n(`a`, { href: `/doctor`, children: n(h, { kind: `warn`, children: [`! `, e] }) }),
                        },
                        e,
                      ),
                    ),
                  }),
          }),
        ],
      }),
    ],
  });
}
export { E as OverviewPage };
