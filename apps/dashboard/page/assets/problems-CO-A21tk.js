import {
  i as a,
  s as c,
  w as d,
  C as e,
  y as f,
  g as i,
  u as l,
  O as n,
  j as o,
  z as p,
  S as r,
  l as s,
  D as t,
  v as u,
} from './index-3tIWgAri.js';
import { Story as h } from './problem-CzW4m4tx.js';
import { t as m } from './table-VU_COQ7M.js';
var g = 1e3,
  _ = [
    { title: `time`, width: `84px`, cell: (n) => e(`time`, { class: `mono dim`, children: t(n.publishedAt) }) },
    {
      title: `problem`,
      width: `minmax(160px, 3fr)`,
      cell: (t) => e(`a`, { href: `/problems/${t.problemId}`, children: t.question }),
    },
    { title: `domain`, width: `minmax(90px, 1fr)`, cell: (e) => e.domain },
    { title: `arm`, width: `80px`, cell: (e) => e.arm ?? `–` },
    { title: `candidates`, width: `92px`, end: !0, cell: (e) => `${e.numIn}/${e.candidates}` },
    { title: `became`, width: `124px`, cell: (t) => e(f, { standing: t.standing }) },
  ],
  v = new Set([`arm`, `candidates`, `domain`]);
function y() {
  let t = new URLSearchParams(s.value),
    d = t.get(`peek`);
  t.delete(`peek`), t.set(`limit`, String(g));
  let { data: f, fault: y } = a(`/api/views/problems?${t}`);
  return e(p, {
    children: [
      e(`h1`, { children: `Problems` }),
      e(b, { domains: f?.domains ?? [] }),
      f === null
        ? e(r, { fault: y })
        : e(p, {
            children: [
              y === null ? null : e(r, { fault: y }),
              e(`p`, {
                class: `dim line`,
                children: [
                  e(`span`, {
                    children: [
                      o(f.matching, `problem`),
                      ` `,
                      f.matching > f.rows.length ? `match, the newest ${n(f.rows.length)} are listed` : `match`,
                      `; the newest `,
                      n(f.recent),
                      ` of `,
                      e(`span`, { 'data-value': `all`, children: n(f.all) }),
                      ` are looked at.`,
                    ],
                  }),
                  e(u, {
                    counted: `The problems published last, and what the ledger says of each. Older ones are found by id.`,
                    command: `seam tail problems`,
                  }),
                ],
              }),
              f.rows.length === 0
                ? e(i, { command: `seam publish problems.jsonl`, children: `No problem fits.` })
                : e(`div`, {
                    class: d === null ? `` : `with-peek`,
                    children: [
                      e(m, {
                        label: `Problems, newest first`,
                        columns: d === null ? _ : _.filter(({ title: e }) => !v.has(e)),
                        rows: f.rows,
                        keyOf: ({ problemId: e }) => e,
                        chosen: d,
                        onChoose: ({ problemId: e }) => l({ peek: e }),
                        onOpen: ({ problemId: e }) => c(`/problems/${encodeURIComponent(e)}`),
                        onClose: () => l({ peek: void 0 }),
                      }),
                      d === null
                        ? null
                        : e(`aside`, {
                            class: `peek`,
                            'aria-label': `The chosen problem`,
                            children: [
                              e(`p`, {
                                class: `line`,
                                children: [
                                  e(`a`, { href: `/problems/${d}`, children: `Open` }),
                                  e(`button`, {
                                    type: `button`,
                                    onClick: () => l({ peek: void 0 }),
                                    children: `Close`,
                                  }),
                                ],
                              }),
                              e(h, { problemId: d, isPeek: !0 }),
                            ],
                          }),
                    ],
                  }),
            ],
          }),
    ],
  });
}
function b({ domains: t }) {
  let n = (t, n, r) =>
    e(`label`, {
      children: [
        n,
        e(`select`, {
          value: s.value.get(t) ?? ``,
          onChange: (e) => l({ [t]: e.currentTarget.value }),
          children: [
            e(`option`, { value: ``, children: `all` }),
            r.map(([t, n]) => e(`option`, { value: t, children: n }, t)),
          ],
        }),
      ],
    });
  return e(`search`, {
    class: `filters`,
    children: [
      n(
        `domain`,
        `domain`,
        t.map((e) => [e, e]),
      ),
      n(
        `arm`,
        `arm`,
        [`explore`, `deploy`, `control`].map((e) => [e, e]),
      ),
      n(
        `standing`,
        `became`,
        [`solved`, `failed`, `inFlight`, `ungraded`, `expired`, `deadLettered`].map((e) => [e, d[e]]),
      ),
      e(`label`, {
        children: [
          `words or id`,
          e(`input`, {
            type: `search`,
            value: s.value.get(`text`) ?? ``,
            onInput: (e) => l({ text: e.currentTarget.value }),
          }),
        ],
      }),
    ],
  });
}
export { y as ProblemsPage };
