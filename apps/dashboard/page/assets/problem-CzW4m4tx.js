import {
  x as _,
  O as a,
  _ as c,
  h as d,
  A as e,
  i as f,
  v as g,
  p as h,
  N as i,
  b as l,
  m,
  D as n,
  P as o,
  j as p,
  F as r,
  S as s,
  C as t,
  c as u,
  y as v,
  z as y,
} from './index-3tIWgAri.js';
function b() {
  let e = u.value[1];
  return t(y, {
    children: [
      t(`h1`, { children: [`Problem `, t(`span`, { class: `mono`, children: o(e) })] }),
      t(x, { problemId: e }),
    ],
  });
}
function x({ problemId: e, isPeek: i = !1 }) {
  let { data: a, fault: u } = f(`/api/views/problems/${encodeURIComponent(e)}`, !i);
  if (a?.story.problem.problemId !== e) return t(s, { fault: u });
  let { story: m } = a,
    b = Map.groupBy(m.attempts, ({ groupId: e }) => e),
    x = t(g, { counted: `Everything that the log holds about this problem.`, command: `seam show ${e}` });
  return t(`div`, {
    class: `story`,
    children: [
      t(d, {
        title: `Question`,
        how: x,
        size: `full`,
        children: [
          t(_, { children: m.problem.prompt }),
          t(c, {
            of: [
              [`became`, t(v, { standing: m.standing }, `s`)],
              [`domain`, m.problem.domain],
              [`reference`, t(`span`, { class: `mono`, children: m.problem.reference }, `r`)],
              [`verifier`, m.problem.verifier?.kind ?? `none: people judge`],
              [`id`, t(`span`, { class: `mono`, children: e }, `i`)],
            ],
          }),
        ],
      }),
      t(`ol`, {
        class: `timeline`,
        children: [
          m.publications.map(({ messageId: e, at: i, source: a, mode: o }) =>
            t(
              `li`,
              {
                children: [
                  t(`time`, { title: r(i), children: n(i) }),
                  t(`div`, { children: [t(`strong`, { children: `published` }), ` to `, o, ` by `, a] }),
                ],
              },
              e,
            ),
          ),
          [...b].map(([e, n]) => t(S, { attempts: n, told: a }, e)),
          m.expiries.map(({ at: e, source: r }) =>
            t(
              `li`,
              {
                class: `bad`,
                children: [
                  t(`time`, { children: n(e) }),
                  t(`div`, { children: [t(`strong`, { children: `expired` }), `, says `, r] }),
                ],
              },
              e,
            ),
          ),
          m.deadLetters.map(({ at: e, code: r, reason: i, group: a }) =>
            t(
              `li`,
              {
                class: `bad`,
                children: [
                  t(`time`, { children: n(e) }),
                  t(`div`, { children: [t(`strong`, { children: `dead letter` }), ` by `, a, `: `, r, `, `, i] }),
                ],
              },
              `${e}${a}`,
            ),
          ),
          m.runs.map((e) =>
            t(
              `li`,
              {
                children: [
                  t(`time`, { title: r(e.startedAt), children: n(e.startedAt) }),
                  t(`div`, {
                    children: [
                      t(`strong`, { children: `learned from` }),
                      ` by run`,
                      ` `,
                      t(`a`, { class: `mono`, href: `/training/${e.runId}`, children: o(e.runId) }),
                      ` `,
                      `(`,
                      e.algorithm,
                      `,`,
                      ` `,
                      e.pairs > 0 ? p(e.pairs, `pair of the buffer`, `pairs of the buffer`) : p(e.results, `result`),
                      `) `,
                      t(l, { status: e.status }),
                      e.adapterDigest === null
                        ? null
                        : t(y, {
                            children: [
                              ` `,
                              `made `,
                              t(h, { digest: e.adapterDigest, version: a.versions[e.adapterDigest] }),
                            ],
                          }),
                    ],
                  }),
                ],
              },
              e.runId,
            ),
          ),
        ],
      }),
    ],
  });
}
function S({ attempts: e, told: i }) {
  let [s] = e,
    { arm: c, groupSize: l, writtenAt: u, groupId: d } = s,
    f = u ?? s.results[0]?.at ?? 0,
    m = e.map(({ results: e }) => e[0]).filter((e) => e?.verdict === `solved`).length;
  return t(`li`, {
    children: [
      t(`time`, { title: r(f), children: f === 0 ? `` : n(f) }),
      t(`div`, {
        children: [
          t(`strong`, { children: c === `control` ? `control arm: no experience` : `${p(l, `candidate`)} written` }),
          `, `,
          a(m),
          ` of `,
          a(l),
          ` solved it `,
          t(`small`, { class: `mono dim`, children: [`group `, o(d)] }),
          t(`div`, {
            class: `candidates`,
            children: e.map((n) => t(C, { attempt: n, told: i, others: e }, n.attemptId)),
          }),
        ],
      }),
    ],
  });
}
function C(n) {
  let { attempt: r, told: a, others: o } = n,
    s = r.results[0],
    c = w(o.map(({ results: e }) => e[0]?.response ?? ``));
  return t(`article`, {
    class: `candidate ${s?.verdict ?? `inFlight`}`,
    children: [
      t(`header`, {
        children: [
          t(`span`, { children: [r.candidateIndex + 1, `/`, r.groupSize] }),
          t(v, { standing: s?.verdict ?? `inFlight` }),
          s?.reward == null ? null : t(`span`, { class: `mono`, children: [`reward `, s.reward] }),
        ],
      }),
      r.entry === null
        ? null
        : t(y, {
            children: [
              t(`h3`, {
                children: [
                  `experience by`,
                  ` `,
                  t(h, { digest: r.adapterDigest, version: a.versions[r.adapterDigest ?? ``] }),
                ],
              }),
              t(_, { children: i(r.entry) }),
            ],
          }),
      s?.response == null
        ? null
        : t(y, {
            children: [
              t(`h3`, { children: `answer` }),
              t(`pre`, {
                class: `text`,
                children: s.response
                  .split(/(\s+)/)
                  .map((e, n) => (c.has(e) || e.trim() === `` ? e : t(`mark`, { children: e }, n))),
              }),
            ],
          }),
      s === void 0 ? null : t(`p`, { class: `verdict`, children: s.reason }),
      r.results
        .slice(1)
        .map((e) => t(`p`, { class: `dim`, children: [`also: `, e.verdict, `, `, e.reason] }, e.messageId)),
      r.results.map(({ position: { topic: e, partition: n, offset: r }, refused: i, messageId: o }) => {
        let s = a.doubts[`${e}/${n}/${r}`] ?? i;
        return s == null
          ? null
          : t(`p`, { class: `fault`, children: [`does not count: `, s.reason, `, `, s.detail] }, o);
      }),
      r.buffer.map(({ decision: n, at: r, stratum: i, reason: a, detail: o, helpfulness: s, sequence: c }) =>
        t(
          `p`,
          {
            children: [
              t(m, { kind: n === `admitted` ? `good` : `dim`, children: n === `admitted` ? `kept` : `not kept` }),
              ` `,
              t(`small`, {
                children:
                  n === `admitted` ? `in ${i}, helpfulness ${e(s, 0)}` : `${a ?? ``}${o === `` ? `` : `: ${o}`}`,
              }),
            ],
          },
          `${r}${c}`,
        ),
      ),
    ],
  });
}
function w(e) {
  let t = e.filter((e) => e !== ``);
  if (t.length < 2) return new Set(t[0]?.split(/(\s+)/));
  let [n, ...r] = t.map((e) => new Set(e.split(/(\s+)/)));
  return new Set([...n].filter((e) => r.every((t) => t.has(e))));
}
export { b as ProblemPage, x as Story };
