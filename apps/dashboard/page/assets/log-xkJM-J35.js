import {
  x as _,
  R as a,
  d as c,
  j as d,
  C as e,
  l as f,
  v as g,
  u as h,
  O as i,
  g as l,
  r as m,
  F as n,
  S as o,
  m as p,
  I as r,
  _ as s,
  D as t,
  i as u,
  z as v,
} from './index-3tIWgAri.js';
import { t as y } from './table-VU_COQ7M.js';
var b = [
    `problems`,
    `experiences`,
    `outcomes`,
    `answers`,
    `feedback`,
    `buffer`,
    `training`,
    `adapters`,
    `dead-letters`,
  ],
  x = ({ topic: e, partition: t, offset: n }) => `${e}/${t}/${n}`,
  S = `type = 'OutcomeRecorded' and problem.domain = 'metals' and success = false`,
  C = [
    {
      title: `time`,
      width: `84px`,
      cell: (n) => e(`time`, { class: `mono dim`, children: t(Date.parse(n.timestamp)) }),
    },
    {
      title: `place`,
      width: `150px`,
      cell: (t) => e(`span`, { class: `mono dim`, children: x(t).replace(`seam.`, ``) }),
    },
    {
      title: `event`,
      width: `minmax(190px, 220px)`,
      cell: (t) =>
        t.type === void 0
          ? e(p, { kind: `bad`, children: [`! `, t.error?.code ?? `no event`] })
          : e(`strong`, { children: t.type }),
    },
    { title: `says`, width: `minmax(200px, 1fr)`, cell: (e) => e.summary },
  ];
function w() {
  let t = f.value.get(`topics`) ?? ``,
    n = f.value.get(`filter`) ?? ``,
    s = f.value.get(`peek`),
    c = new URLSearchParams({ limit: `100`, ...(t === `` ? {} : { topics: t }), ...(n === `` ? {} : { filter: n }) }),
    { data: p, fault: _ } = u(`/api/views/log?${c}`),
    [w, T] = a(null);
  r(() => T(null), [t, n]);
  let D = new Set(w?.records.map(x)),
    O = [...(p?.records ?? []).filter((e) => !D.has(x(e))), ...(w?.records ?? [])],
    k = w === null ? p?.next : w.next,
    A = async () => {
      let e = await m(`/api/views/log?${c}&before=${encodeURIComponent(JSON.stringify(k))}`);
      T({ ...e, records: [...O, ...e.records] });
    },
    j = O.find((e) => x(e) === s);
  return e(v, {
    children: [
      e(`h1`, { children: `Log` }),
      e(`search`, {
        class: `filters`,
        children: [
          e(`label`, {
            children: [
              `topic`,
              e(`select`, {
                value: t,
                onChange: (e) => h({ topics: e.currentTarget.value, peek: void 0 }),
                children: [e(`option`, { value: ``, children: `all` }), b.map((t) => e(`option`, { children: t }, t))],
              }),
            ],
          }),
          e(`label`, {
            class: `grow`,
            children: [
              `filter`,
              e(
                `input`,
                {
                  class: `mono`,
                  defaultValue: n,
                  placeholder: S,
                  spellcheck: !1,
                  onChange: (e) => h({ filter: e.currentTarget.value, peek: void 0 }, !1),
                },
                n,
              ),
            ],
          }),
        ],
      }),
      _ === null ? null : e(o, { fault: _ }),
      p === null
        ? _ === null
          ? e(o, { fault: null })
          : null
        : e(v, {
            children: [
              e(`p`, {
                class: `dim line`,
                children: [
                  e(`span`, { children: [d(O.length, `record`), `, newest first; `, i(p.looked), ` looked at.`] }),
                  e(g, {
                    counted: `Records of the log from its end backwards. The filter is parsed, never evaluated.`,
                    command: `seam tail ${t === `` ? `outcomes` : t} --limit 100`,
                  }),
                ],
              }),
              O.length === 0
                ? e(l, { children: `No record fits among those that were looked at.` })
                : e(`div`, {
                    class: j === void 0 ? `` : `with-peek`,
                    children: [
                      e(y, {
                        label: `Records of the log, newest first`,
                        columns: j === void 0 ? C : C.filter(({ title: e }) => e !== `says`),
                        rows: O,
                        keyOf: x,
                        chosen: s,
                        onChoose: (e) => h({ peek: x(e) }),
                        onOpen: (e) => h({ peek: x(e) }),
                        onClose: () => h({ peek: void 0 }),
                      }),
                      j === void 0 ? null : e(E, { of: j }),
                    ],
                  }),
              k == null
                ? e(`p`, { class: `dim`, children: `This is the beginning of the log.` })
                : e(`button`, { type: `button`, onClick: () => void A(), children: `Older records` }),
            ],
          }),
    ],
  });
}
var T = ({ event: e }) => {
  let t = e?.problem?.problemId ?? e?.problemId;
  return typeof t == `string` ? t : void 0;
};
function E({ of: t }) {
  let r = t.event?.meta,
    i = T(t),
    a = (e) => c({ filter: e, topics: void 0, peek: void 0 });
  return e(`aside`, {
    class: `peek`,
    'aria-label': `The chosen record`,
    children: [
      e(`p`, {
        class: `line`,
        children: [
          e(`strong`, { children: t.type ?? `no event` }),
          e(`button`, { type: `button`, onClick: () => h({ peek: void 0 }), children: `Close` }),
        ],
      }),
      e(s, {
        of: [
          [`place`, e(`span`, { class: `mono`, children: x(t) }, `p`)],
          [`time`, n(Date.parse(t.timestamp))],
          [`key`, e(`span`, { class: `mono wrap`, children: t.key ?? `none` }, `k`)],
        ],
      }),
      e(`p`, {
        class: `arrows`,
        children: [
          r?.causationId == null
            ? null
            : e(`a`, { href: a(`meta.messageId = '${r.causationId}'`), children: `↑ its cause` }),
          r === void 0 ? null : e(`a`, { href: a(`meta.causationId = '${r.messageId}'`), children: `↓ its effects` }),
          i === void 0 ? null : e(`a`, { href: `/problems/${encodeURIComponent(i)}`, children: `→ its problem` }),
        ],
      }),
      t.error === void 0
        ? null
        : e(v, {
            children: [
              e(`p`, { class: `fault`, children: [t.error.code, `: `, t.error.message] }),
              e(`h3`, { children: `bytes, base64` }),
              e(_, { children: t.value ?? `no value` }),
            ],
          }),
      t.event === void 0
        ? null
        : e(v, { children: [e(`h3`, { children: `event` }), e(_, { children: JSON.stringify(t.event, null, 2) })] }),
      e(`h3`, { children: `headers` }),
      e(_, { children: JSON.stringify(t.headers, null, 2) }),
    ],
  });
}
export { w as LogPage };
