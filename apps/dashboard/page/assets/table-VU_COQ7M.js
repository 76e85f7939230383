import { C as e, n as i, L as n, R as r, I as t } from './index-3tIWgAri.js';
var a = 40,
  o = 12;
function s(s) {
  let { label: c, columns: l, rows: u, keyOf: d, chosen: f, onChoose: p, onOpen: m, onClose: h } = s,
    g = n(null),
    [_, v] = r(0),
    [y, b] = r(600),
    x = u.findIndex((e) => d(e) === f),
    S = n(x);
  t(() => {
    S.current = x;
  }, [x]),
    t(() => {
      let e = new ResizeObserver(([e]) => b(e.contentRect.height));
      return e.observe(g.current), () => e.disconnect();
    }, []),
    t(() =>
      i({
        move(e) {
          let t = Math.min(Math.max(S.current + e, 0), u.length - 1),
            n = u[t];
          if (n === void 0) return;
          (S.current = t), p(n);
          let r = g.current,
            i = a;
          t * a < r.scrollTop
            ? (r.scrollTop = t * a)
            : (t + 1) * a + i > r.scrollTop + r.clientHeight && (r.scrollTop = (t + 1) * a + i - r.clientHeight);
        },
        open() {
          let e = u[S.current];
          e !== void 0 && m(e);
        },
        close: h,
      }),
    );
  let C = Math.max(0, Math.floor(_ / a) - o),
    w = Math.min(u.length, Math.ceil((_ + y) / a) + o),
    T = { gridTemplateColumns: l.map(({ width: e }) => e).join(` `) };
  return e(`div`, {
    class: `long-table`,
    ref: g,
    role: `table`,
    'aria-label': c,
    'aria-rowcount': u.length + 1,
    tabIndex: 0,
    onScroll: (e) => v(e.currentTarget.scrollTop),
    children: [
      e(`div`, {
        role: `rowgroup`,
        class: `head`,
        children: e(`div`, {
          role: `row`,
          class: `row`,
          style: T,
          children: l.map(({ title: t, end: n }) =>
            e(`span`, { role: `columnheader`, class: n === !0 ? `end` : ``, children: t }, t),
          ),
        }),
      }),
      e(`div`, {
        role: `rowgroup`,
        class: `body`,
        style: { height: `${u.length * a}px` },
        children: u
          .slice(C, w)
          .map((t, n) =>
            e(
              `div`,
              {
                role: `row`,
                'aria-rowindex': C + n + 2,
                'aria-current': d(t) === f || void 0,
                class: `row${d(t) === f ? ` chosen` : ``}`,
                style: { ...T, transform: `translateY(${(C + n) * a}px)` },
                onClick: () => p(t),
                onDblClick: () => m(t),
                children: l.map(({ title: n, end: r, cell: i }) =>
                  e(`span`, { role: `cell`, class: r === !0 ? `end` : ``, children: i(t) }, n),
                ),
              },
              d(t),
            ),
          ),
      }),
    ],
  });
}
export { s as t };
