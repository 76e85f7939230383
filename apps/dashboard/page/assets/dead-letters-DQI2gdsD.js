import {
  g as a,
  j as c,
  u as d,
  C as e,
  v as f,
  _ as i,
  l,
  z as m,
  O as n,
  h as o,
  x as p,
  S as r,
  i as s,
  F as t,
  m as u,
} from './index-3tIWgAri.js';
var h = 200;
function g() {
  let { data: g, fault: _ } = s(`/api/views/dead-letters`);
  if (g === null) return e(r, { fault: _ });
  let v = l.value.get(`code`),
    y = g.deadLetters.filter((e) => v === null || e.code === v).toReversed(),
    b = e(f, {
      counted: `Records of the topic seam.dead-letters, and which of them were sent again.`,
      command: `seam dead-letters list`,
    });
  return e(m, {
    children: [
      e(`h1`, { children: `Dead letters` }),
      g.deadLetters.length === 0
        ? e(a, { command: `seam dead-letters list`, children: `No record went to the dead letters.` })
        : e(`div`, {
            class: `cards`,
            children: [
              e(o, {
                title: `By code`,
                how: b,
                children: [
                  e(`p`, {
                    class: `big`,
                    children: [
                      e(`span`, { 'data-value': `letters`, children: n(g.deadLetters.length) }),
                      ` `,
                      e(`small`, { children: `letters` }),
                    ],
                  }),
                  e(`ul`, {
                    class: `plain`,
                    children: Object.entries(g.byCode).map(([t, r]) =>
                      e(
                        `li`,
                        {
                          children: e(`button`, {
                            type: `button`,
                            'aria-pressed': v === t,
                            onClick: () => d({ code: v === t ? void 0 : t }),
                            children: [t, ` `, n(r)],
                          }),
                        },
                        t,
                      ),
                    ),
                  }),
                  e(`p`, { children: `To send them again, once their cause is mended:` }),
                  e(`code`, {
                    class: `command`,
                    children: [`seam dead-letters redrive`, v === null ? `` : ` --code ${v}`, ` --dry-run`],
                  }),
                ],
              }),
              e(o, {
                title: c(y.length, `letter`),
                size: `wide`,
                how: b,
                children: y.slice(0, h).map((n) =>
                  e(
                    `details`,
                    {
                      children: [
                        e(`summary`, {
                          children: [
                            e(`span`, { class: `mono`, children: `${n.topic}/${n.partition}/${n.offset}` }),
                            ` `,
                            e(u, { kind: `bad`, children: [`! `, n.code] }),
                            ` `,
                            n.redriven ? e(u, { kind: `dim`, children: `sent again` }) : null,
                            ` `,
                            n.reason,
                          ],
                        }),
                        e(i, {
                          of: [
                            [`time`, t(n.meta.occurredAt)],
                            [`consumer`, n.group],
                            [`key`, e(`span`, { class: `mono`, children: n.key ?? `none` }, `k`)],
                          ],
                        }),
                        e(`h3`, { children: `bytes, base64` }),
                        e(p, { children: n.value ?? `no value` }),
                      ],
                    },
                    n.meta.messageId,
                  ),
                ),
              }),
            ],
          }),
    ],
  });
}
export { g as DeadLettersPage };
