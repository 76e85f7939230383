import { C as e, t as i, L as n, f as r, I as t } from './index-3tIWgAri.js';
var a = !0,
  o = `uplot`,
  s = `u-hz`,
  c = `u-vt`,
  l = `u-title`,
  u = `u-wrap`,
  d = `u-under`,
  f = `u-over`,
  p = `u-axis`,
  m = `u-off`,
  h = `u-select`,
  g = `u-cursor-x`,
  _ = `u-cursor-y`,
  v = `u-cursor-pt`,
  y = `u-legend`,
  b = `u-live`,
  x = `u-inline`,
  S = `u-series`,
  C = `u-marker`,
  w = `u-label`,
  T = `u-value`,
  E = `width`,
  D = `height`,
  ee = `top`,
  te = `bottom`,
  ne = `left`,
  re = `right`,
  ie = `#000`,
  ae = `#0000`,
  oe = `mousemove`,
  se = `mousedown`,
  ce = `mouseup`,
  le = `mouseenter`,
  ue = `mouseleave`,
  de = `dblclick`,
  fe = `resize`,
  pe = `scroll`,
  me = `change`,
  O = `dppxchange`,
  he = `--`,
  ge = typeof window < `u`,
  _e = ge ? document : null,
  ve = ge ? window : null,
  k = ge ? navigator : null,
  A,
  ye;
function be() {
  let e = devicePixelRatio;
  A != e &&
    ((A = e),
    ye && Ne(me, ye, be),
    (ye = matchMedia(`(min-resolution: ${A - 0.001}dppx) and (max-resolution: ${A + 0.001}dppx)`)),
    Me(me, ye, be),
    ve.dispatchEvent(new CustomEvent(O)));
}
function xe(e, t) {
  if (t != null) {
    let n = e.classList;
    !n.contains(t) && n.add(t);
  }
}
function Se(e, t) {
  let n = e.classList;
  n.contains(t) && n.remove(t);
}
function j(e, t, n) {
  e.style[t] = n + `px`;
}
function Ce(e, t, n, r) {
  let i = _e.createElement(e);
  return t != null && xe(i, t), n?.insertBefore(i, r), i;
}
function we(e, t) {
  return Ce(`div`, e, t);
}
var Te = new WeakMap();
function Ee(e, t, n, r, i) {
  let a = `translate(` + t + `px,` + n + `px)`;
  a != Te.get(e) && ((e.style.transform = a), Te.set(e, a), t < 0 || n < 0 || t > r || n > i ? xe(e, m) : Se(e, m));
}
var De = new WeakMap();
function Oe(e, t, n) {
  let r = t + n;
  r != De.get(e) && (De.set(e, r), (e.style.background = t), (e.style.borderColor = n));
}
var ke = new WeakMap();
function Ae(e, t, n, r) {
  let i = t + `` + n;
  i != ke.get(e) &&
    (ke.set(e, i),
    (e.style.height = n + `px`),
    (e.style.width = t + `px`),
    (e.style.marginLeft = r ? -t / 2 + `px` : 0),
    (e.style.marginTop = r ? -n / 2 + `px` : 0));
}
var je = { passive: !0 },
  M = { ...je, capture: !0 };
function Me(e, t, n, r) {
  t.addEventListener(e, n, r ? M : je);
}
function Ne(e, t, n, r) {
  t.removeEventListener(e, n, je);
}
ge && be();
function Pe(e, t, n, r) {
  let i;
  (n ||= 0), (r ||= t.length - 1);
  let a = r <= 2147483647;
  for (; r - n > 1; ) (i = a ? (n + r) >> 1 : Ze((n + r) / 2)), t[i] < e ? (n = i) : (r = i);
  return e - t[n] <= t[r] - e ? n : r;
}
function Fe(e) {
  return (t, n, r) => {
    let i = -1,
      a = -1;
    for (let a = n; a <= r; a++)
      if (e(t[a])) {
        i = a;
        break;
      }
    for (let i = r; i >= n; i--)
      if (e(t[i])) {
        a = i;
        break;
      }
    return [i, a];
  };
}
var N = (e) => e != null,
  Ie = (e) => e != null && e > 0,
  P = Fe(N),
  Le = Fe(Ie);
function Re(e, t, n, r = 0, i = !1) {
  let a = i ? Le : P,
    o = i ? Ie : N;
  [t, n] = a(e, t, n);
  let s = e[t],
    c = e[t];
  if (t > -1) {
    if (r == 1) (s = e[t]), (c = e[n]);
    else if (r == -1) (s = e[n]), (c = e[t]);
    else
      for (let r = t; r <= n; r++) {
        let t = e[r];
        o(t) && (t < s ? (s = t) : t > c && (c = t));
      }
  }
  return [s ?? z, c ?? -z];
}
function ze(e, t, n, r) {
  let i = R(e),
    a = R(t);
  e == t && (i == -1 ? ((e *= n), (t /= n)) : ((e /= n), (t *= n)));
  let o = n == 10 ? rt : it,
    s = i == 1 ? Ze : $e,
    c = a == 1 ? $e : Ze,
    l = s(o(Xe(e))),
    u = c(o(Xe(t))),
    d = nt(n, l),
    f = nt(n, u);
  return (
    n == 10 && (l < 0 && (d = U(d, -l)), u < 0 && (f = U(f, -u))),
    r || n == 2 ? ((e = d * i), (t = f * a)) : ((e = H(e, d)), (t = V(t, f))),
    [e, t]
  );
}
function Be(e, t, n, r) {
  let i = ze(e, t, n, r);
  return e == 0 && (i[0] = 0), t == 0 && (i[1] = 0), i;
}
var Ve = 0.1,
  He = { mode: 3, pad: Ve },
  Ue = { pad: 0, soft: null, mode: 0 },
  We = { min: Ue, max: Ue };
function Ge(e, t, n, r) {
  return kt(n) ? qe(e, t, n) : ((Ue.pad = n), (Ue.soft = r ? 0 : null), (Ue.mode = r ? 3 : 0), qe(e, t, We));
}
function F(e, t) {
  return e ?? t;
}
function Ke(e, t, n) {
  for (t = F(t, 0), n = F(n, e.length - 1); t <= n; ) {
    if (e[t] != null) return !0;
    t++;
  }
  return !1;
}
function qe(e, t, n) {
  let r = n.min,
    i = n.max,
    a = F(r.pad, 0),
    o = F(i.pad, 0),
    s = F(r.hard, -z),
    c = F(i.hard, z),
    l = F(r.soft, z),
    u = F(i.soft, -z),
    d = F(r.mode, 0),
    f = F(i.mode, 0),
    p = t - e,
    m = rt(p),
    h = tt(Xe(e), Xe(t)),
    g = Xe(rt(h) - m);
  (p < 1e-24 || g > 10) &&
    ((p = 0), (e == 0 || t == 0) && ((p = 1e-24), d == 2 && l != z && (a = 0), f == 2 && u != -z && (o = 0)));
  let _ = p || h || 1e3,
    v = nt(10, Ze(rt(_))),
    y = U(H(e - _ * (p == 0 ? (e == 0 ? 0.1 : 1) : a), v / 10), 24),
    b = e >= l && (d == 1 || (d == 3 && y <= l) || (d == 2 && y >= l)) ? l : z,
    x = tt(s, y < b && e >= b ? b : et(b, y)),
    S = U(V(t + _ * (p == 0 ? (t == 0 ? 0.1 : 1) : o), v / 10), 24),
    C = t <= u && (f == 1 || (f == 3 && S >= u) || (f == 2 && S <= u)) ? u : -z,
    w = et(c, S > C && t <= C ? C : tt(C, S));
  return x == w && x == 0 && (w = 100), [x, w];
}
var I = new Intl.NumberFormat(ge ? k.language : `en-US`),
  Je = (e) => I.format(e),
  L = Math,
  Ye = L.PI,
  Xe = L.abs,
  Ze = L.floor,
  Qe = L.round,
  $e = L.ceil,
  et = L.min,
  tt = L.max,
  nt = L.pow,
  R = L.sign,
  rt = L.log10,
  it = L.log2,
  at = (e, t = 1) => L.sinh(e) * t,
  ot = (e, t = 1) => L.asinh(e / t),
  z = 1 / 0;
function st(e) {
  return (rt((e ^ (e >> 31)) - (e >> 31)) | 0) + 1;
}
function ct(e, t, n) {
  return et(tt(e, t), n);
}
function lt(e) {
  return typeof e == `function`;
}
function B(e) {
  return lt(e) ? e : () => e;
}
var ut = () => {},
  dt = (e) => e,
  ft = (e, t) => t,
  pt = (e) => null,
  mt = (e) => !0,
  ht = (e, t) => e == t,
  gt = /\.\d*?(?=9{6,}|0{6,})/gm,
  _t = (e) => {
    if (Et(e) || yt.has(e)) return e;
    let t = `${e}`,
      n = t.match(gt);
    if (n == null) return e;
    let r = n[0].length - 1;
    if (t.indexOf(`e-`) != -1) {
      let [e, n] = t.split(`e`);
      return +`${_t(e)}e${n}`;
    }
    return U(e, r);
  };
function vt(e, t) {
  return _t(U(_t(e / t)) * t);
}
function V(e, t) {
  return _t($e(_t(e / t)) * t);
}
function H(e, t) {
  return _t(Ze(_t(e / t)) * t);
}
function U(e, t = 0) {
  if (Et(e)) return e;
  let n = 10 ** t;
  return Qe(e * n * (1 + 2 ** -52)) / n;
}
var yt = new Map();
function bt(e) {
  return ((`` + e).split(`.`)[1] || ``).length;
}
function xt(e, t, n, r) {
  let i = [],
    a = r.map(bt);
  for (let o = t; o < n; o++) {
    let t = Xe(o),
      n = U(nt(e, o), t);
    for (let s = 0; s < r.length; s++) {
      let c = e == 10 ? +`${r[s]}e${o}` : r[s] * n,
        l = (o >= 0 ? 0 : t) + (o >= a[s] ? 0 : a[s]),
        u = e == 10 ? c : U(c, l);
      i.push(u), yt.set(u, l);
    }
  }
  return i;
}
var St = {},
  Ct = [],
  wt = [null, null],
  Tt = Array.isArray,
  Et = Number.isInteger,
  Dt = (e) => e === void 0;
function Ot(e) {
  return typeof e == `string`;
}
function kt(e) {
  let t = !1;
  if (e != null) {
    let n = e.constructor;
    t = n == null || n == Object;
  }
  return t;
}
function At(e) {
  return typeof e == `object` && !!e;
}
var jt = Object.getPrototypeOf(Uint8Array),
  Mt = `__proto__`;
function Nt(e, t = kt) {
  let n;
  if (Tt(e)) {
    let r = e.find((e) => e != null);
    if (Tt(r) || t(r)) {
      n = Array(e.length);
      for (let r = 0; r < e.length; r++) n[r] = Nt(e[r], t);
    } else n = e.slice();
  } else if (e instanceof jt) n = e.slice();
  else if (t(e)) {
    n = {};
    for (let r in e) r != Mt && (n[r] = Nt(e[r], t));
  } else n = e;
  return n;
}
function W(e) {
  let t = arguments;
  for (let n = 1; n < t.length; n++) {
    let r = t[n];
    for (let t in r) t != Mt && (kt(e[t]) ? W(e[t], Nt(r[t])) : (e[t] = Nt(r[t])));
  }
  return e;
}
var Pt = 0,
  Ft = 1,
  It = 2;
function Lt(e, t, n) {
  for (let r = 0, i, a = -1; r < t.length; r++) {
    let o = t[r];
    if (o > a) {
      for (i = o - 1; i >= 0 && e[i] == null; ) e[i--] = null;
      for (i = o + 1; i < n && e[i] == null; ) e[(a = i++)] = null;
    }
  }
}
function Rt(e, t) {
  if (Vt(e)) {
    let t = e[0].slice();
    for (let n = 1; n < e.length; n++) t.push(...e[n].slice(1));
    return Ht(t[0]) || (t = Bt(t)), t;
  }
  let n = new Set();
  for (let t = 0; t < e.length; t++) {
    let r = e[t][0],
      i = r.length;
    for (let e = 0; e < i; e++) n.add(r[e]);
  }
  let r = [Array.from(n).sort((e, t) => e - t)],
    i = r[0].length,
    a = new Map();
  for (let e = 0; e < i; e++) a.set(r[0][e], e);
  for (let n = 0; n < e.length; n++) {
    let o = e[n],
      s = o[0];
    for (let e = 1; e < o.length; e++) {
      let c = o[e],
        l = Array(i).fill(void 0),
        u = t ? t[n][e] : Ft,
        d = [];
      for (let e = 0; e < c.length; e++) {
        let t = c[e],
          n = a.get(s[e]);
        t === null ? u != Pt && ((l[n] = t), u == It && d.push(n)) : (l[n] = t);
      }
      Lt(l, d, i), r.push(l);
    }
  }
  return r;
}
var zt = typeof queueMicrotask > `u` ? (e) => Promise.resolve().then(e) : queueMicrotask;
function Bt(e) {
  let t = e[0],
    n = t.length,
    r = Array(n);
  for (let e = 0; e < r.length; e++) r[e] = e;
  r.sort((e, n) => t[e] - t[n]);
  let i = [];
  for (let t = 0; t < e.length; t++) {
    let a = e[t],
      o = Array(n);
    for (let e = 0; e < n; e++) o[e] = a[r[e]];
    i.push(o);
  }
  return i;
}
function Vt(e) {
  let t = e[0][0],
    n = t.length;
  for (let r = 1; r < e.length; r++) {
    let i = e[r][0];
    if (i.length != n) return !1;
    if (i != t) {
      for (let e = 0; e < n; e++) if (i[e] != t[e]) return !1;
    }
  }
  return !0;
}
function Ht(e, t = 100) {
  let n = e.length;
  if (n <= 1) return !0;
  let r = 0,
    i = n - 1;
  for (; r <= i && e[r] == null; ) r++;
  for (; i >= r && e[i] == null; ) i--;
  if (i <= r) return !0;
  let a = tt(1, Ze((i - r + 1) / t));
  for (let t = e[r], n = r + a; n <= i; n += a) {
    let r = e[n];
    if (r != null) {
      if (r <= t) return !1;
      t = r;
    }
  }
  return !0;
}
var Ut = [
    `January`,
    `February`,
    `March`,
    `April`,
    `May`,
    `June`,
    `July`,
    `August`,
    `September`,
    `October`,
    `November`,
    `December`,
  ],
  Wt = [`Sunday`, `Monday`, `Tuesday`, `Wednesday`, `Thursday`, `Friday`, `Saturday`];
function Gt(e) {
  return e.slice(0, 3);
}
var Kt = Wt.map(Gt),
  qt = { MMMM: Ut, MMM: Ut.map(Gt), WWWW: Wt, WWW: Kt };
function Jt(e) {
  return (e < 10 ? `0` : ``) + e;
}
function Yt(e) {
  return (e < 10 ? `00` : e < 100 ? `0` : ``) + e;
}
var Xt = {
  YYYY: (e) => e.getFullYear(),
  YY: (e) => (e.getFullYear() + ``).slice(2),
  MMMM: (e, t) => t.MMMM[e.getMonth()],
  MMM: (e, t) => t.MMM[e.getMonth()],
  MM: (e) => Jt(e.getMonth() + 1),
  M: (e) => e.getMonth() + 1,
  DD: (e) => Jt(e.getDate()),
  D: (e) => e.getDate(),
  WWWW: (e, t) => t.WWWW[e.getDay()],
  WWW: (e, t) => t.WWW[e.getDay()],
  HH: (e) => Jt(e.getHours()),
  H: (e) => e.getHours(),
  h: (e) => {
    let t = e.getHours();
    return t == 0 ? 12 : t > 12 ? t - 12 : t;
  },
  AA: (e) => (e.getHours() >= 12 ? `PM` : `AM`),
  aa: (e) => (e.getHours() >= 12 ? `pm` : `am`),
  a: (e) => (e.getHours() >= 12 ? `p` : `a`),
  mm: (e) => Jt(e.getMinutes()),
  m: (e) => e.getMinutes(),
  ss: (e) => Jt(e.getSeconds()),
  s: (e) => e.getSeconds(),
  fff: (e) => Yt(e.getMilliseconds()),
};
function Zt(e, t) {
  t ||= qt;
  let n = [],
    r = /\{([a-z]+)\}|[^{]+/gi,
    i;
  for (; (i = r.exec(e)); ) n.push(i[0][0] == `{` ? Xt[i[1]] : i[0]);
  return (e) => {
    let r = ``;
    for (let i = 0; i < n.length; i++) r += typeof n[i] == `string` ? n[i] : n[i](e, t);
    return r;
  };
}
var G = new Intl.DateTimeFormat().resolvedOptions().timeZone;
function K(e, t) {
  let n;
  return (
    t == `UTC` || t == `Etc/UTC`
      ? (n = new Date(+e + e.getTimezoneOffset() * 6e4))
      : t == G
        ? (n = e)
        : ((n = new Date(e.toLocaleString(`en-US`, { timeZone: t }))), n.setMilliseconds(e.getMilliseconds())),
    n
  );
}
var Qt = (e) => e % 1 == 0,
  $t = [1, 2, 2.5, 5],
  en = xt(10, -32, 0, $t),
  tn = xt(10, 0, 32, $t),
  nn = tn.filter(Qt),
  rn = en.concat(tn),
  an = `
`,
  on = `{YYYY}`,
  sn = an + on,
  cn = `{M}/{D}`,
  ln = an + cn,
  un = ln + `/{YY}`,
  dn = `{aa}`,
  fn = `{h}:{mm}` + dn,
  pn = an + fn,
  mn = `:{ss}`,
  q = null;
function hn(e) {
  let t = e * 1e3,
    n = t * 60,
    r = n * 60,
    i = r * 24,
    a = i * 30,
    o = i * 365,
    s = (e == 1 ? xt(10, 0, 3, $t).filter(Qt) : xt(10, -3, 0, $t)).concat([
      t,
      t * 5,
      t * 10,
      t * 15,
      t * 30,
      n,
      n * 5,
      n * 10,
      n * 15,
      n * 30,
      r,
      r * 2,
      r * 3,
      r * 4,
      r * 6,
      r * 8,
      r * 12,
      i,
      i * 2,
      i * 3,
      i * 4,
      i * 5,
      i * 6,
      i * 7,
      i * 8,
      i * 9,
      i * 10,
      i * 15,
      a,
      a * 2,
      a * 3,
      a * 4,
      a * 6,
      o,
      o * 2,
      o * 5,
      o * 10,
      o * 25,
      o * 50,
      o * 100,
    ]),
    c = [
      [o, on, q, q, q, q, q, q, 1],
      [i * 28, `{MMM}`, sn, q, q, q, q, q, 1],
      [i, cn, sn, q, q, q, q, q, 1],
      [r, `{h}` + dn, un, q, ln, q, q, q, 1],
      [n, fn, un, q, ln, q, q, q, 1],
      [t, mn, un + ` ` + fn, q, ln + ` ` + fn, q, pn, q, 1],
      [e, mn + `.{fff}`, un + ` ` + fn, q, ln + ` ` + fn, q, pn, q, 1],
    ];
  function l(t) {
    return (s, c, l, u, d, f) => {
      let p = [],
        m = d >= o,
        h = d >= a && d < o,
        g = t(l),
        _ = U(g * e, 3),
        v = Tn(g.getFullYear(), m ? 0 : g.getMonth(), h || m ? 1 : g.getDate()),
        y = U(v * e, 3);
      if (h || m) {
        let n = h ? d / a : 0,
          r = m ? d / o : 0,
          i = _ == y ? _ : U(Tn(v.getFullYear() + r, v.getMonth() + n, 1) * e, 3),
          s = new Date(Qe(i / e)),
          c = s.getFullYear(),
          l = s.getMonth();
        for (let a = 0; i <= u; a++) {
          let o = Tn(c + r * a, l + n * a, 1),
            s = o - t(U(o * e, 3));
          (i = U((+o + s) * e, 3)), i <= u && p.push(i);
        }
      } else {
        let a = d >= i ? i : d,
          o = y + (Ze(l) - Ze(_)) + V(_ - y, a);
        p.push(o);
        let m = t(o),
          h = m.getHours() + m.getMinutes() / n + m.getSeconds() / r,
          g = d / r,
          v = f / s.axes[c]._space;
        for (; (o = U(o + d, e == 1 ? 0 : 3)), !(o > u); )
          if (g > 1) {
            let e = Ze(U(h + g, 6)) % 24,
              n = t(o).getHours() - e;
            n > 1 && (n = -1), (o -= n * r), (h = (h + g) % 24);
            let i = p[p.length - 1];
            U((o - i) / d, 3) * v >= 0.7 && p.push(o);
          } else p.push(o);
      }
      return p;
    };
  }
  return [s, c, l];
}
var [gn, _n, vn] = hn(1),
  [yn, bn, xn] = hn(0.001);
xt(2, -53, 53, [1]);
function Sn(e, t) {
  return e.map((e) => e.map((n, r) => (r == 0 || r == 8 || n == null ? n : t(r == 1 || e[8] == 0 ? n : e[1] + n))));
}
function Cn(e, t) {
  return (n, r, i, a, o) => {
    let s = t.find((e) => o >= e[0]) || t[t.length - 1],
      c,
      l,
      u,
      d,
      f,
      p;
    return r.map((t) => {
      let n = e(t),
        r = n.getFullYear(),
        i = n.getMonth(),
        a = n.getDate(),
        o = n.getHours(),
        m = n.getMinutes(),
        h = n.getSeconds(),
        g =
          (r != c && s[2]) ||
          (i != l && s[3]) ||
          (a != u && s[4]) ||
          (o != d && s[5]) ||
          (m != f && s[6]) ||
          (h != p && s[7]) ||
          s[1];
      return (c = r), (l = i), (u = a), (d = o), (f = m), (p = h), g(n);
    });
  };
}
function wn(e, t) {
  let n = Zt(t);
  return (t, r, i, a, o) => r.map((t) => n(e(t)));
}
function Tn(e, t, n) {
  return new Date(e, t, n);
}
function En(e, t) {
  return t(e);
}
var Dn = `{YYYY}-{MM}-{DD} {h}:{mm}{aa}`;
function On(e, t) {
  return (n, r, i, a) => (a == null ? he : t(e(r)));
}
function kn(e, t) {
  let n = e.series[t];
  return n.width ? n.stroke(e, t) : n.points.width ? n.points.stroke(e, t) : null;
}
function An(e, t) {
  return e.series[t].fill(e, t);
}
var jn = {
  show: !0,
  live: !0,
  isolate: !1,
  mount: ut,
  markers: { show: !0, width: 2, stroke: kn, fill: An, dash: `solid` },
  idx: null,
  idxs: null,
  values: [],
};
function Mn(e, t) {
  let n = e.cursor.points,
    r = we(),
    i = n.size(e, t);
  j(r, E, i), j(r, D, i);
  let a = i / -2;
  j(r, `marginLeft`, a), j(r, `marginTop`, a);
  let o = n.width(e, t, i);
  return o && j(r, `borderWidth`, o), r;
}
function Nn(e, t) {
  let n = e.series[t].points;
  return n._fill || n._stroke;
}
function Pn(e, t) {
  let n = e.series[t].points;
  return n._stroke || n._fill;
}
function Fn(e, t) {
  return e.series[t].points.size;
}
var In = [0, 0];
function Ln(e, t, n) {
  return (In[0] = t), (In[1] = n), In;
}
function Rn(e, t, n, r = !0) {
  return (e) => {
    e.button != 0 || (r && e.target != t) || n(e);
  };
}
function zn(e, t, n, r = !0) {
  return (e) => {
    (r && e.target != t) || n(e);
  };
}
var Bn = {
    show: !0,
    x: !0,
    y: !0,
    lock: !1,
    move: Ln,
    points: { one: !1, show: Mn, size: Fn, width: 0, stroke: Pn, fill: Nn },
    bind: { mousedown: Rn, mouseup: Rn, click: Rn, dblclick: Rn, mousemove: zn, mouseleave: zn, mouseenter: zn },
    drag: {
      setScale: !0,
      x: !0,
      y: !1,
      dist: 0,
      uni: null,
      click: (e, t) => {
        t.stopPropagation(), t.stopImmediatePropagation();
      },
      _x: !1,
      _y: !1,
    },
    focus: { dist: (e, t, n, r, i) => r - i, prox: -1, bias: 0 },
    hover: { skip: [void 0], prox: null, bias: 0 },
    left: -10,
    top: -10,
    idx: null,
    dataIdx: null,
    idxs: null,
    event: null,
  },
  Vn = { show: !0, stroke: `rgba(0,0,0,0.07)`, width: 2 },
  Hn = W({}, Vn, { filter: ft }),
  Un = W({}, Hn, { size: 10 }),
  Wn = W({}, Vn, { show: !1 }),
  Gn = `12px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif, "Apple Color Emoji", "Segoe UI Emoji", "Segoe UI Symbol", "Noto Color Emoji"`,
  Kn = `bold ` + Gn,
  qn = 1.5,
  Jn = {
    show: !0,
    scale: `x`,
    stroke: ie,
    space: 50,
    gap: 5,
    alignTo: 1,
    size: 50,
    labelGap: 0,
    labelSize: 30,
    labelFont: Kn,
    side: 2,
    grid: Hn,
    ticks: Un,
    border: Wn,
    font: Gn,
    lineGap: qn,
    rotate: 0,
  },
  Yn = `Value`,
  Xn = `Time`,
  Zn = { show: !0, scale: `x`, auto: !1, sorted: 1, min: z, max: -1 / 0, idxs: [] };
function Qn(e, t, n, r, i) {
  return t.map((e) => (e == null ? `` : Je(e)));
}
function $n(e, t, n, r, i, a, o) {
  let s = [],
    c = yt.get(i) || 0;
  n = o ? n : U(V(n, i), c);
  for (let e = n; e <= r; e = U(e + i, c)) s.push(Object.is(e, -0) ? 0 : e);
  return s;
}
function er(e, t, n, r, i, a, o) {
  let s = [],
    c = e.scales[e.axes[t].scale].log;
  (i = nt(c, Ze((c == 10 ? rt : it)(n)))), c == 10 && (i = rn[Pe(i, rn)]);
  let l = n,
    u = i * c;
  c == 10 && (u = rn[Pe(u, rn)]);
  do
    s.push(l),
      (l += i),
      c == 10 && !yt.has(l) && (l = U(l, yt.get(i))),
      l >= u && ((i = l), (u = i * c), c == 10 && (u = rn[Pe(u, rn)]));
  while (l <= r);
  return s;
}
function tr(e, t, n, r, i, a, o) {
  let s = e.scales[e.axes[t].scale].asinh,
    c = r > s ? er(e, t, tt(s, n), r, i) : [s],
    l = r >= 0 && n <= 0 ? [0] : [];
  return (n < -s ? er(e, t, tt(s, -r), -n, i) : [s])
    .reverse()
    .map((e) => -e)
    .concat(l, c);
}
var nr = /./,
  rr = /[12357]/,
  ir = /[125]/,
  ar = /1/,
  or = (e, t, n, r) =>
    e.map((e, i) => ((t == 4 && e == 0) || (i % r == 0 && n.test(e.toExponential()[+(e < 0)])) ? e : null));
function sr(e, t, n, r, i) {
  let a = e.axes[n],
    o = a.scale,
    s = e.scales[o],
    c = e.valToPos,
    l = a._space,
    u = c(10, o),
    d = c(9, o) - u >= l ? nr : c(7, o) - u >= l ? rr : c(5, o) - u >= l ? ir : ar;
  if (d == ar) {
    let e = Xe(c(1, o) - u);
    if (e < l) return or(t.slice().reverse(), s.distr, d, $e(l / e)).reverse();
  }
  return or(t, s.distr, d, 1);
}
function cr(e, t, n, r, i) {
  let a = e.axes[n],
    o = a.scale,
    s = a._space,
    c = e.valToPos,
    l = Xe(c(1, o) - c(2, o));
  return l < s ? or(t.slice().reverse(), 3, nr, $e(s / l)).reverse() : t;
}
function lr(e, t, n, r) {
  return r == null ? he : t == null ? `` : Je(t);
}
var ur = {
  show: !0,
  scale: `y`,
  stroke: ie,
  space: 30,
  gap: 5,
  alignTo: 1,
  size: 50,
  labelGap: 0,
  labelSize: 30,
  labelFont: Kn,
  side: 3,
  grid: Hn,
  ticks: Un,
  border: Wn,
  font: Gn,
  lineGap: qn,
  rotate: 0,
};
function dr(e, t) {
  return U((3 + (e || 1) * 2) * t, 3);
}
function fr(e, t) {
  let { scale: n, idxs: r } = e.series[0],
    i = e._data[0],
    a = e.valToPos(i[r[0]], n, !0),
    o = Xe(e.valToPos(i[r[1]], n, !0) - a) / (e.series[t].points.space * A);
  return r[1] - r[0] <= o;
}
var J = { scale: null, auto: !0, sorted: 0, min: z, max: -1 / 0 },
  Y = (e, t, n, r, i) => i,
  pr = {
    show: !0,
    auto: !0,
    sorted: 0,
    gaps: Y,
    alpha: 1,
    facets: [W({}, J, { scale: `x` }), W({}, J, { scale: `y` })],
  },
  mr = {
    scale: `y`,
    auto: !0,
    sorted: 0,
    show: !0,
    spanGaps: !1,
    gaps: Y,
    alpha: 1,
    points: { show: fr, filter: null },
    values: null,
    min: z,
    max: -1 / 0,
    idxs: [],
    path: null,
    clip: null,
  };
function hr(e, t, n, r, i) {
  return n / 10;
}
var gr = { time: a, auto: !0, distr: 1, log: 10, asinh: 1, min: null, max: null, dir: 1, ori: 0 },
  _r = W({}, gr, { time: !1, ori: 1 }),
  vr = {};
function yr(e, t) {
  let n = vr[e];
  return (
    n ||
      ((n = {
        key: e,
        plots: [],
        sub(e) {
          n.plots.push(e);
        },
        unsub(e) {
          n.plots = n.plots.filter((t) => t != e);
        },
        pub(e, t, r, i, a, o, s) {
          for (let c = 0; c < n.plots.length; c++) n.plots[c] != t && n.plots[c].pub(e, t, r, i, a, o, s);
        },
      }),
      e != null && (vr[e] = n)),
    n
  );
}
var br = 1,
  xr = 2;
function Sr(e, t, n) {
  let r = e.mode,
    i = e.series[t],
    a = r == 2 ? e._data[t] : e._data,
    o = e.scales,
    s = e.bbox,
    c = a[0],
    l = r == 2 ? a[1] : a[t],
    u = r == 2 ? o[i.facets[0].scale] : o[e.series[0].scale],
    d = r == 2 ? o[i.facets[1].scale] : o[i.scale],
    f = s.left,
    p = s.top,
    m = s.width,
    h = s.height,
    g = e.valToPosH,
    _ = e.valToPosV;
  return u.ori == 0
    ? n(i, c, l, u, d, g, _, f, p, m, h, jr, Nr, Fr, Lr, zr)
    : n(i, c, l, u, d, _, g, p, f, h, m, Mr, Pr, Ir, Rr, Br);
}
function Cr(e, t) {
  let n = 0,
    r = 0,
    i = F(e.bands, Ct);
  for (let e = 0; e < i.length; e++) {
    let a = i[e];
    a.series[0] == t ? (n = a.dir) : a.series[1] == t && (a.dir == 1 ? (r |= 1) : (r |= 2));
  }
  return [n, r == 1 ? -1 : r == 2 ? 1 : r == 3 ? 2 : 0];
}
function wr(e, t, n, r, i) {
  let a = e.mode,
    o = e.series[t],
    s = a == 2 ? o.facets[1].scale : o.scale,
    c = e.scales[s];
  return i == -1 ? c.min : i == 1 ? c.max : c.distr == 3 ? (c.dir == 1 ? c.min : c.max) : 0;
}
function Tr(e, t, n, r, i, a) {
  return Sr(e, t, (e, t, o, s, c, l, u, d, f, p, m) => {
    let h = e.pxRound,
      g = s.dir * (s.ori == 0 ? 1 : -1),
      _ = s.ori == 0 ? Nr : Pr,
      v,
      y;
    g == 1 ? ((v = n), (y = r)) : ((v = r), (y = n));
    let b = h(l(t[v], s, p, d)),
      x = h(u(o[v], c, m, f)),
      S = h(l(t[y], s, p, d)),
      C = h(u(a == 1 ? c.max : c.min, c, m, f)),
      w = new Path2D(i);
    return _(w, S, C), _(w, b, C), _(w, b, x), w;
  });
}
function Er(e, t, n, r, i, a) {
  let o = null;
  if (e.length > 0) {
    o = new Path2D();
    let s = t == 0 ? Fr : Ir,
      c = n;
    for (let t = 0; t < e.length; t++) {
      let n = e[t];
      if (n[1] > n[0]) {
        let e = n[0] - c;
        e > 0 && s(o, c, r, e, r + a), (c = n[1]);
      }
    }
    let l = n + i - c;
    l > 0 && s(o, c, r - 5, l, r + a + 10);
  }
  return o;
}
function Dr(e, t, n) {
  let r = e[e.length - 1];
  r && r[0] == t ? (r[1] = n) : e.push([t, n]);
}
function Or(e, t, n, r, i, a, o) {
  let s = [],
    c = e.length;
  for (let l = i == 1 ? n : r; l >= n && l <= r; l += i)
    if (t[l] === null) {
      let u = l,
        d = l;
      if (i == 1) for (; ++l <= r && t[l] === null; ) d = l;
      else for (; --l >= n && t[l] === null; ) d = l;
      let f = a(e[u]),
        p = d == u ? f : a(e[d]),
        m = u - i;
      f = o <= 0 && m >= 0 && m < c ? a(e[m]) : f;
      let h = d + i;
      (p = o >= 0 && h >= 0 && h < c ? a(e[h]) : p), p >= f && s.push([f, p]);
    }
  return s;
}
function kr(e) {
  return e == 0 ? dt : e == 1 ? Qe : (t) => vt(t, e);
}
function Ar(e) {
  let t = e == 0 ? jr : Mr,
    n =
      e == 0
        ? (e, t, n, r, i, a) => {
            e.arcTo(t, n, r, i, a);
          }
        : (e, t, n, r, i, a) => {
            e.arcTo(n, t, i, r, a);
          },
    r =
      e == 0
        ? (e, t, n, r, i) => {
            e.rect(t, n, r, i);
          }
        : (e, t, n, r, i) => {
            e.rect(n, t, i, r);
          };
  return (e, i, a, o, s, c = 0, l = 0) => {
    c == 0 && l == 0
      ? r(e, i, a, o, s)
      : ((c = et(c, o / 2, s / 2)),
        (l = et(l, o / 2, s / 2)),
        t(e, i + c, a),
        n(e, i + o, a, i + o, a + s, c),
        n(e, i + o, a + s, i, a + s, l),
        n(e, i, a + s, i, a, l),
        n(e, i, a, i + o, a, c),
        e.closePath());
  };
}
var jr = (e, t, n) => {
    e.moveTo(t, n);
  },
  Mr = (e, t, n) => {
    e.moveTo(n, t);
  },
  Nr = (e, t, n) => {
    e.lineTo(t, n);
  },
  Pr = (e, t, n) => {
    e.lineTo(n, t);
  },
  Fr = Ar(0),
  Ir = Ar(1),
  Lr = (e, t, n, r, i, a) => {
    e.arc(t, n, r, i, a);
  },
  Rr = (e, t, n, r, i, a) => {
    e.arc(n, t, r, i, a);
  },
  zr = (e, t, n, r, i, a, o) => {
    e.bezierCurveTo(t, n, r, i, a, o);
  },
  Br = (e, t, n, r, i, a, o) => {
    e.bezierCurveTo(n, t, i, r, o, a);
  };
function Vr(e) {
  return (e, t, n, r, i) =>
    Sr(e, t, (t, a, o, s, c, l, u, d, f, p, m) => {
      let { pxRound: h, points: g } = t,
        _,
        v;
      s.ori == 0 ? ((_ = jr), (v = Lr)) : ((_ = Mr), (v = Rr));
      let y = U(g.width * A, 3),
        b = ((g.size - g.width) / 2) * A,
        x = U(b * 2, 3),
        S = new Path2D(),
        C = new Path2D(),
        { left: w, top: T, width: E, height: D } = e.bbox;
      Fr(C, w - x, T - x, E + x * 2, D + x * 2);
      let ee = (e) => {
        if (o[e] != null) {
          let t = h(l(a[e], s, p, d)),
            n = h(u(o[e], c, m, f));
          _(S, t + b, n), v(S, t, n, b, 0, Ye * 2);
        }
      };
      if (i) i.forEach(ee);
      else for (let e = n; e <= r; e++) ee(e);
      return { stroke: y > 0 ? S : null, fill: S, clip: C, flags: 3 };
    });
}
function Hr(e) {
  return (t, n, r, i, a, o) => {
    r != i && (a != r && o != r && e(t, n, r), a != i && o != i && e(t, n, i), e(t, n, o));
  };
}
var Ur = Hr(Nr),
  Wr = Hr(Pr);
function Gr(e) {
  let t = F(e?.alignGaps, 0);
  return (e, n, r, i) =>
    Sr(e, n, (a, o, s, c, l, u, d, f, p, m, h) => {
      [r, i] = P(s, r, i);
      let g = a.pxRound,
        _ = (e) => g(u(e, c, m, f)),
        v = (e) => g(d(e, l, h, p)),
        y,
        b;
      c.ori == 0 ? ((y = Nr), (b = Ur)) : ((y = Pr), (b = Wr));
      let x = c.dir * (c.ori == 0 ? 1 : -1),
        S = { stroke: new Path2D(), fill: null, clip: null, band: null, gaps: null, flags: br },
        C = S.stroke,
        w = !1;
      if (i - r >= m * 4) {
        let t = (t) => e.posToVal(t, c.key, !0),
          n = null,
          a = null,
          l,
          u,
          d,
          f = _(o[x == 1 ? r : i]),
          p = _(o[r]),
          m = _(o[i]),
          h = t(x == 1 ? p + 1 : m - 1);
        for (let e = x == 1 ? r : i; e >= r && e <= i; e += x) {
          let r = o[e],
            i = (x == 1 ? r < h : r > h) ? f : _(r),
            c = s[e];
          i == f
            ? c == null
              ? c === null && (w = !0)
              : ((u = c), n == null ? (y(C, i, v(u)), (l = n = a = u)) : u < n ? (n = u) : u > a && (a = u))
            : (n != null && b(C, f, v(n), v(a), v(l), v(u)),
              c == null ? ((n = a = null), c === null && (w = !0)) : ((u = c), y(C, i, v(u)), (n = a = l = u)),
              (f = i),
              (h = t(f + x)));
        }
        n != null && n != a && d != f && b(C, f, v(n), v(a), v(l), v(u));
      } else
        for (let e = x == 1 ? r : i; e >= r && e <= i; e += x) {
          let t = s[e];
          t === null ? (w = !0) : t != null && y(C, _(o[e]), v(t));
        }
      let [T, E] = Cr(e, n);
      if (a.fill != null || T != 0) {
        let t = (S.fill = new Path2D(C)),
          s = v(a.fillTo(e, n, a.min, a.max, T)),
          c = _(o[r]),
          l = _(o[i]);
        x == -1 && ([l, c] = [c, l]), y(t, l, s), y(t, c, s);
      }
      if (!a.spanGaps) {
        let l = [];
        w && l.push(...Or(o, s, r, i, x, _, t)),
          (S.gaps = l = a.gaps(e, n, r, i, l)),
          (S.clip = Er(l, c.ori, f, p, m, h));
      }
      return E != 0 && (S.band = E == 2 ? [Tr(e, n, r, i, C, -1), Tr(e, n, r, i, C, 1)] : Tr(e, n, r, i, C, E)), S;
    });
}
function Kr(e) {
  let t = F(e.align, 1),
    n = F(e.ascDesc, !1),
    r = F(e.alignGaps, 0),
    i = F(e.extend, !1);
  return (e, a, o, s) =>
    Sr(e, a, (c, l, u, d, f, p, m, h, g, _, v) => {
      [o, s] = P(u, o, s);
      let y = c.pxRound,
        { left: b, width: x } = e.bbox,
        S = (e) => y(p(e, d, _, h)),
        C = (e) => y(m(e, f, v, g)),
        w = d.ori == 0 ? Nr : Pr,
        T = { stroke: new Path2D(), fill: null, clip: null, band: null, gaps: null, flags: br },
        E = T.stroke,
        D = d.dir * (d.ori == 0 ? 1 : -1),
        ee = C(u[D == 1 ? o : s]),
        te = S(l[D == 1 ? o : s]),
        ne = te,
        re = te;
      i && t == -1 && ((re = b), w(E, re, ee)), w(E, te, ee);
      for (let e = D == 1 ? o : s; e >= o && e <= s; e += D) {
        let n = u[e];
        if (n == null) continue;
        let r = S(l[e]),
          i = C(n);
        t == 1 ? w(E, r, ee) : w(E, ne, i), w(E, r, i), (ee = i), (ne = r);
      }
      let ie = ne;
      i && t == 1 && ((ie = b + x), w(E, ie, ee));
      let [ae, oe] = Cr(e, a);
      if (c.fill != null || ae != 0) {
        let t = (T.fill = new Path2D(E)),
          n = C(c.fillTo(e, a, c.min, c.max, ae));
        w(t, ie, n), w(t, re, n);
      }
      if (!c.spanGaps) {
        let i = [];
        i.push(...Or(l, u, o, s, D, S, r));
        let f = (c.width * A) / 2,
          p = n || t == 1 ? f : -f,
          m = n || t == -1 ? -f : f;
        i.forEach((e) => {
          (e[0] += p), (e[1] += m);
        }),
          (T.gaps = i = c.gaps(e, a, o, s, i)),
          (T.clip = Er(i, d.ori, h, g, _, v));
      }
      return oe != 0 && (T.band = oe == 2 ? [Tr(e, a, o, s, E, -1), Tr(e, a, o, s, E, 1)] : Tr(e, a, o, s, E, oe)), T;
    });
}
function qr(e, t, n, r, i, a, o = z) {
  if (e.length > 1) {
    let s = null;
    for (let c = 0, l = 1 / 0; c < e.length; c++)
      if (t[c] !== void 0) {
        if (s != null) {
          let t = Xe(e[c] - e[s]);
          t < l && ((l = t), (o = Xe(n(e[c], r, i, a) - n(e[s], r, i, a))));
        }
        s = c;
      }
  }
  return o;
}
function Jr(e) {
  e ||= St;
  let t = F(e.size, [0.6, z, 1]),
    n = e.align || 0,
    r = e.gap || 0,
    i = e.radius;
  i = i == null ? [0, 0] : typeof i == `number` ? [i, 0] : i;
  let a = B(i),
    o = 1 - t[0],
    s = F(t[1], z),
    c = F(t[2], 1),
    l = F(e.disp, St),
    u = F(e.each, (e) => {}),
    { fill: d, stroke: f } = l;
  return (e, t, i, p) =>
    Sr(e, t, (m, h, g, _, v, y, b, x, S, C, w) => {
      let T = m.pxRound,
        E = n,
        D = r * A,
        ee = s * A,
        te = c * A,
        ne,
        re;
      _.ori == 0 ? ([ne, re] = a(e, t)) : ([re, ne] = a(e, t));
      let ie = _.dir * (_.ori == 0 ? 1 : -1),
        ae = _.ori == 0 ? Fr : Ir,
        oe =
          _.ori == 0
            ? u
            : (e, t, n, r, i, a, o) => {
                u(e, t, n, i, r, o, a);
              },
        se = F(e.bands, Ct).find((e) => e.series[0] == t),
        ce = se == null ? 0 : se.dir,
        le = m.fillTo(e, t, m.min, m.max, ce),
        ue = T(b(le, v, w, S)),
        de,
        fe,
        pe,
        me = C,
        O = T(m.width * A),
        he = !1,
        ge = null,
        _e = null,
        ve = null,
        k = null;
      d != null &&
        (O == 0 || f != null) &&
        ((he = !0),
        (ge = d.values(e, t, i, p)),
        (_e = new Map()),
        new Set(ge).forEach((e) => {
          e != null && _e.set(e, new Path2D());
        }),
        O > 0 &&
          ((ve = f.values(e, t, i, p)),
          (k = new Map()),
          new Set(ve).forEach((e) => {
            e != null && k.set(e, new Path2D());
          })));
      let { x0: ye, size: be } = l;
      if (ye != null && be != null) {
        (E = 1), (h = ye.values(e, t, i, p)), ye.unit == 2 && (h = h.map((t) => e.posToVal(x + t * C, _.key, !0)));
        let n = be.values(e, t, i, p);
        (fe = be.unit == 2 ? n[0] * C : y(n[0], _, C, x) - y(0, _, C, x)),
          (me = qr(h, g, y, _, C, x, me)),
          (pe = me - fe + D);
      } else (me = qr(h, g, y, _, C, x, me)), (pe = me * o + D), (fe = me - pe);
      pe < 1 && (pe = 0), O >= fe / 2 && (O = 0), pe < 5 && (T = dt);
      let xe = pe > 0,
        Se = me - pe - (xe ? O : 0);
      (fe = T(ct(Se, te, ee))),
        (de = (E == 0 ? fe / 2 : E == ie ? 0 : fe) - E * ie * ((E == 0 ? D / 2 : 0) + (xe ? O / 2 : 0)));
      let j = { stroke: null, fill: null, clip: null, band: null, gaps: null, flags: 0 },
        Ce = he ? null : new Path2D(),
        we = null;
      if (se != null) we = e.data[se.series[1]];
      else {
        let { y0: n, y1: r } = l;
        n != null && r != null && ((g = r.values(e, t, i, p)), (we = n.values(e, t, i, p)));
      }
      let Te = ne * fe,
        Ee = re * fe;
      for (let n = ie == 1 ? i : p; n >= i && n <= p; n += ie) {
        let r = g[n];
        if (r == null) continue;
        if (we != null) {
          let e = we[n] ?? 0;
          if (r - e == 0) continue;
          ue = b(e, v, w, S);
        }
        let i = y(_.distr != 2 || l != null ? h[n] : n, _, C, x),
          a = b(F(r, le), v, w, S),
          o = T(i - de),
          s = T(tt(a, ue)),
          c = T(et(a, ue)),
          u = s - c;
        if (r != null) {
          let i = r < 0 ? Ee : Te,
            a = r < 0 ? Te : Ee;
          he
            ? (O > 0 && ve[n] != null && ae(k.get(ve[n]), o, c + Ze(O / 2), fe, tt(0, u - O), i, a),
              ge[n] != null && ae(_e.get(ge[n]), o, c + Ze(O / 2), fe, tt(0, u - O), i, a))
            : ae(Ce, o, c + Ze(O / 2), fe, tt(0, u - O), i, a),
            oe(e, t, n, o - O / 2, c, fe + O, u);
        }
      }
      return (
        O > 0
          ? (j.stroke = he ? k : Ce)
          : he || ((j._fill = m.width == 0 ? m._fill : (m._stroke ?? m._fill)), (j.width = 0)),
        (j.fill = he ? _e : Ce),
        j
      );
    });
}
function Yr(e, t) {
  let n = F(t?.alignGaps, 0);
  return (t, r, i, a) =>
    Sr(t, r, (o, s, c, l, u, d, f, p, m, h, g) => {
      [i, a] = P(c, i, a);
      let _ = o.pxRound,
        v = (e) => _(d(e, l, h, p)),
        y = (e) => _(f(e, u, g, m)),
        b,
        x,
        S;
      l.ori == 0 ? ((b = jr), (S = Nr), (x = zr)) : ((b = Mr), (S = Pr), (x = Br));
      let C = l.dir * (l.ori == 0 ? 1 : -1),
        w = v(s[C == 1 ? i : a]),
        T = w,
        E = [],
        D = [];
      for (let e = C == 1 ? i : a; e >= i && e <= a; e += C)
        if (c[e] != null) {
          let t = s[e],
            n = v(t);
          E.push((T = n)), D.push(y(c[e]));
        }
      let ee = { stroke: e(E, D, b, S, x, _), fill: null, clip: null, band: null, gaps: null, flags: br },
        te = ee.stroke,
        [ne, re] = Cr(t, r);
      if (o.fill != null || ne != 0) {
        let e = (ee.fill = new Path2D(te)),
          n = y(o.fillTo(t, r, o.min, o.max, ne));
        S(e, T, n), S(e, w, n);
      }
      if (!o.spanGaps) {
        let e = [];
        e.push(...Or(s, c, i, a, C, v, n)), (ee.gaps = e = o.gaps(t, r, i, a, e)), (ee.clip = Er(e, l.ori, p, m, h, g));
      }
      return (
        re != 0 && (ee.band = re == 2 ? [Tr(t, r, i, a, te, -1), Tr(t, r, i, a, te, 1)] : Tr(t, r, i, a, te, re)), ee
      );
    });
}
function Xr(e) {
  return Yr(Zr, e);
}
function Zr(e, t, n, r, i, a) {
  let o = e.length;
  if (o < 2) return null;
  let s = new Path2D();
  if ((n(s, e[0], t[0]), o == 2)) r(s, e[1], t[1]);
  else {
    let n = Array(o),
      r = Array(o - 1),
      a = Array(o - 1),
      c = Array(o - 1);
    for (let n = 0; n < o - 1; n++) (a[n] = t[n + 1] - t[n]), (c[n] = e[n + 1] - e[n]), (r[n] = a[n] / c[n]);
    n[0] = r[0];
    for (let e = 1; e < o - 1; e++)
      r[e] === 0 || r[e - 1] === 0 || r[e - 1] > 0 != r[e] > 0
        ? (n[e] = 0)
        : ((n[e] = (3 * (c[e - 1] + c[e])) / ((2 * c[e] + c[e - 1]) / r[e - 1] + (c[e] + 2 * c[e - 1]) / r[e])),
          isFinite(n[e]) || (n[e] = 0));
    n[o - 1] = r[o - 2];
    for (let r = 0; r < o - 1; r++)
      i(
        s,
        e[r] + c[r] / 3,
        t[r] + (n[r] * c[r]) / 3,
        e[r + 1] - c[r] / 3,
        t[r + 1] - (n[r + 1] * c[r]) / 3,
        e[r + 1],
        t[r + 1],
      );
  }
  return s;
}
var Qr = new Set();
function $r() {
  for (let e of Qr) e.syncRect(!0);
}
ge &&
  (Me(fe, ve, $r),
  Me(pe, ve, $r, !0),
  Me(O, ve, () => {
    hi.pxRatio = A;
  }));
var ei = Gr(),
  ti = Vr();
function ni(e, t, n, r) {
  return (r ? [e[0], e[1]].concat(e.slice(2)) : [e[0]].concat(e.slice(1))).map((e, r) => ii(e, r, t, n));
}
function ri(e, t) {
  return e.map((e, n) => (n == 0 ? {} : W({}, t, e)));
}
function ii(e, t, n, r) {
  return W({}, t == 0 ? n : r, e);
}
function ai(e, t, n) {
  return t == null ? wt : [t, n];
}
var oi = ai;
function si(e, t, n) {
  return t == null ? wt : Ge(t, n, Ve, !0);
}
function ci(e, t, n, r) {
  return t == null ? wt : ze(t, n, e.scales[r].log, !1);
}
var li = ci;
function ui(e, t, n, r) {
  return t == null ? wt : Be(t, n, e.scales[r].log, !1);
}
var di = ui;
function fi(e, t, n, r, i) {
  let a = tt(st(e), st(t)),
    o = t - e,
    s = Pe((i / r) * o, n);
  do {
    let e = n[s],
      t = (r * e) / o;
    if (t >= i && a + (e < 5 ? yt.get(e) : 0) <= 17) return [e, t];
  } while (++s < n.length);
  return [0, 0];
}
function pi(e) {
  let t, n;
  return (e = e.replace(/(\d+)px/, (e, r) => (t = Qe((n = +r) * A)) + `px`)), [e, t, n];
}
function mi(e) {
  e.show &&
    [e.font, e.labelFont].forEach((e) => {
      let t = U(e[2] * A, 1);
      (e[0] = e[0].replace(/[0-9.]+px/, t + `px`)), (e[1] = t);
    });
}
function hi(e, t, n) {
  let r = { mode: F(e.mode, 1) },
    i = r.mode;
  function a(e, t, n, r) {
    let i = t.valToPct(e);
    return r + n * (t.dir == -1 ? 1 - i : i);
  }
  function ie(e, t, n, r) {
    let i = t.valToPct(e);
    return r + n * (t.dir == -1 ? i : 1 - i);
  }
  function fe(e, t, n, r) {
    return t.ori == 0 ? a(e, t, n, r) : ie(e, t, n, r);
  }
  (r.valToPosH = a), (r.valToPosV = ie);
  let pe = !1;
  r.status = 0;
  let me = (r.root = we(o));
  if ((e.id != null && (me.id = e.id), xe(me, e.class), e.title)) {
    let t = we(l, me);
    t.textContent = e.title;
  }
  let ge = Ce(`canvas`),
    k = (r.ctx = ge.getContext(`2d`)),
    ye = we(u, me);
  Me(
    `click`,
    ye,
    (e) => {
      e.target === Te && (X != Ni || Z != Pi) && Ri.click(r, e);
    },
    !0,
  );
  let be = (r.under = we(d, ye));
  ye.appendChild(ge);
  let Te = (r.over = we(f, ye));
  e = Nt(e);
  let De = +F(e.pxAlign, 1),
    ke = kr(De);
  (e.plugins || []).forEach((t) => {
    t.opts && (e = t.opts(r, e) || e);
  });
  let je = e.ms || 0.001,
    M = (r.series = i == 1 ? ni(e.series || [], Zn, mr, !1) : ri(e.series || [null], pr)),
    Fe = (r.axes = ni(e.axes || [], Jn, ur, !0)),
    N = (r.scales = {}),
    Ie = (r.bands = e.bands || []);
  Ie.forEach((e) => {
    (e.fill = B(e.fill || null)), (e.dir = F(e.dir, -1));
  });
  let P = i == 2 ? M[1].facets[0].scale : M[0].scale,
    Le = { axes: _i, series: Wr },
    Ue = (e.drawOrder || [`axes`, `series`]).map((e) => Le[e]);
  function We(e) {
    let t =
      e.distr == 3
        ? (t) => rt(t > 0 ? t : e.clamp(r, t, e.min, e.max, e.key))
        : e.distr == 4
          ? (t) => ot(t, e.asinh)
          : e.distr == 100
            ? (t) => e.fwd(t)
            : (e) => e;
    return (n) => {
      let r = t(n),
        { _min: i, _max: a } = e,
        o = a - i;
      return (r - i) / o;
    };
  }
  function qe(t) {
    let n = N[t];
    if (n == null) {
      let r = (e.scales || St)[t] || St;
      if (r.from != null) {
        qe(r.from);
        let e = W({}, N[r.from], r, { key: t });
        (e.valToPct = We(e)), (N[t] = e);
      } else {
        (n = N[t] = W({}, t == P ? gr : _r, r)), (n.key = t);
        let e = n.time,
          a = n.range,
          o = Tt(a);
        if (
          (t != P || (i == 2 && !e)) &&
          (o &&
            (a[0] == null || a[1] == null) &&
            ((a = {
              min: a[0] == null ? He : { mode: 1, hard: a[0], soft: a[0] },
              max: a[1] == null ? He : { mode: 1, hard: a[1], soft: a[1] },
            }),
            (o = !1)),
          !o && kt(a))
        ) {
          let e = a;
          a = (t, n, r) => (n == null ? wt : Ge(n, r, e));
        }
        (n.range = B(
          a ||
            (e
              ? oi
              : t == P
                ? n.distr == 3
                  ? li
                  : n.distr == 4
                    ? di
                    : ai
                : n.distr == 3
                  ? ci
                  : n.distr == 4
                    ? ui
                    : si),
        )),
          (n.auto = B(!o && n.auto)),
          (n.clamp = B(n.clamp || hr)),
          (n._min = n._max = null),
          (n.valToPct = We(n));
      }
    }
  }
  qe(`x`),
    qe(`y`),
    i == 1 &&
      M.forEach((e) => {
        qe(e.scale);
      }),
    Fe.forEach((e) => {
      qe(e.scale);
    });
  for (let t in e.scales) qe(t);
  let I = N[P],
    Je = I.distr,
    L,
    Ze;
  I.ori == 0 ? (xe(me, s), (L = a), (Ze = ie)) : (xe(me, c), (L = ie), (Ze = a));
  let R = {};
  for (let e in N) {
    let t = N[e];
    (t.min != null || t.max != null) && ((R[e] = { min: t.min, max: t.max }), (t.min = t.max = null));
  }
  let it = e.tzDate || ((e) => new Date(Qe(e / je))),
    st = e.fmtDate || Zt,
    ut = je == 1 ? vn(it) : xn(it),
    dt = Cn(it, Sn(je == 1 ? _n : bn, st)),
    gt = On(it, En(Dn, st)),
    _t = [],
    V = (r.legend = W({}, jn, e.legend)),
    H = (r.cursor = W({}, Bn, { drag: { y: i == 2 } }, e.cursor)),
    xt = V.show,
    Et = H.show,
    jt = V.markers;
  (V.idxs = _t), (jt.width = B(jt.width)), (jt.dash = B(jt.dash)), (jt.stroke = B(jt.stroke)), (jt.fill = B(jt.fill));
  let Mt,
    Pt,
    Ft,
    It = [],
    Lt = [],
    Rt,
    Bt = !1,
    Vt = {};
  if (V.live) {
    let e = M[1] ? M[1].values : null;
    (Bt = e != null), (Rt = Bt ? e(r, 1, 0) : { _: 0 });
    for (let e in Rt) Vt[e] = he;
  }
  if (xt) {
    if (((Mt = Ce(`table`, y, me)), (Ft = Ce(`tbody`, null, Mt)), V.mount(r, Mt), Bt)) {
      Pt = Ce(`thead`, null, Mt, Ft);
      let e = Ce(`tr`, null, Pt);
      for (var Ht in (Ce(`th`, null, e), Rt)) Ce(`th`, w, e).textContent = Ht;
    } else xe(Mt, x), V.live && xe(Mt, b);
  }
  let Ut = { show: !0 },
    Wt = { show: !1 };
  function Gt(e, t) {
    if (t == 0 && (Bt || !V.live || i == 2)) return wt;
    let n = [],
      a = Ce(`tr`, S, Ft, Ft.childNodes[t]);
    xe(a, e.class), e.show || xe(a, m);
    let o = Ce(`th`, null, a);
    if (jt.show) {
      let e = we(C, o);
      if (t > 0) {
        let n = jt.width(r, t);
        n && (e.style.border = n + `px ` + jt.dash(r, t) + ` ` + jt.stroke(r, t)), (e.style.background = jt.fill(r, t));
      }
    }
    let s = we(w, o);
    for (var c in (e.label instanceof HTMLElement ? s.appendChild(e.label) : (s.textContent = e.label),
    t > 0 &&
      (jt.show || (s.style.color = e.width > 0 ? jt.stroke(r, t) : jt.fill(r, t)),
      qt(
        `click`,
        o,
        (t) => {
          if (H._lock) return;
          Fn(t);
          let n = M.indexOf(e);
          if ((t.ctrlKey || t.metaKey) != V.isolate) {
            let e = M.some((e, t) => t > 0 && t != n && e.show);
            M.forEach((t, r) => {
              r > 0 && Gi(r, e ? (r == n ? Ut : Wt) : Ut, !0, $.setSeries);
            });
          } else Gi(n, { show: !e.show }, !0, $.setSeries);
        },
        !1,
      ),
      Rn &&
        qt(
          le,
          o,
          (t) => {
            H._lock || (Fn(t), Gi(M.indexOf(e), $i, !0, $.setSeries));
          },
          !1,
        )),
    Rt)) {
      let e = Ce(`td`, T, a);
      (e.textContent = `--`), n.push(e);
    }
    return [a, n];
  }
  let Kt = new Map();
  function qt(e, t, n, i = !0) {
    let a = Kt.get(t) || {},
      o = H.bind[e](r, t, n, i);
    o && (Me(e, t, (a[e] = o)), Kt.set(t, a));
  }
  function Jt(e, t, n) {
    let r = Kt.get(t) || {};
    for (let n in r) (e == null || n == e) && (Ne(n, t, r[n]), delete r[n]);
    e ?? Kt.delete(t);
  }
  let Yt = 0,
    Xt = 0,
    G = 0,
    K = 0,
    Qt = 0,
    $t = 0,
    en = Qt,
    tn = $t,
    an = G,
    on = K,
    sn = 0,
    cn = 0,
    ln = 0,
    un = 0;
  r.bbox = {};
  let dn = !1,
    fn = !1,
    pn = !1,
    mn = !1,
    q = !1,
    hn = !1;
  function Tn(e, t, n) {
    (n || e != r.width || t != r.height) && kn(e, t), vi(!1), (pn = !0), (fn = !0), Ci();
  }
  function kn(e, t) {
    (r.width = Yt = G = e), (r.height = Xt = K = t), (Qt = $t = 0), Nn(), Pn();
    let n = r.bbox;
    (sn = n.left = vt(Qt * A, 0.5)),
      (cn = n.top = vt($t * A, 0.5)),
      (ln = n.width = vt(G * A, 0.5)),
      (un = n.height = vt(K * A, 0.5));
  }
  function An() {
    let e = !1,
      t = 0;
    for (; !e; ) {
      t++;
      let n = hi(t),
        i = gi(t);
      (e = t == 3 || (n && i)), e || (kn(r.width, r.height), (fn = !0));
    }
  }
  function Mn({ width: e, height: t }) {
    Tn(e, t);
  }
  r.setSize = Mn;
  function Nn() {
    let e = !1,
      t = !1,
      n = !1,
      r = !1;
    Fe.forEach((i, a) => {
      if (i.show && i._show) {
        let { side: a, _size: o } = i,
          s = a % 2,
          c = o + (i.label == null ? 0 : i.labelSize);
        c > 0 &&
          (s
            ? ((G -= c), a == 3 ? ((Qt += c), (r = !0)) : (n = !0))
            : ((K -= c), a == 0 ? (($t += c), (e = !0)) : (t = !0)));
      }
    }),
      (nr[0] = e),
      (nr[1] = n),
      (nr[2] = t),
      (nr[3] = r),
      (G -= or[1] + or[3]),
      (Qt += or[3]),
      (K -= or[2] + or[0]),
      ($t += or[0]);
  }
  function Pn() {
    let e = Qt + G,
      t = $t + K,
      n = Qt,
      r = $t;
    function i(i, a) {
      switch (i) {
        case 1:
          return (e += a), e - a;
        case 2:
          return (t += a), t - a;
        case 3:
          return (n -= a), n + a;
        case 0:
          return (r -= a), r + a;
      }
    }
    Fe.forEach((e, t) => {
      if (e.show && e._show) {
        let t = e.side;
        (e._pos = i(t, e._size)), e.label != null && (e._lpos = i(t, e.labelSize));
      }
    });
  }
  if (H.dataIdx == null) {
    let e = H.hover,
      n = (e.skip = new Set(e.skip ?? []));
    n.add(void 0);
    let r = (e.prox = B(e.prox)),
      i = (e.bias ??= 0);
    H.dataIdx = (e, a, o, s) => {
      if (a == 0) return o;
      let c = o,
        l = r(e, a, o, s) ?? z,
        u = l >= 0 && l < z,
        d = I.ori == 0 ? G : K,
        f = H.left,
        p = t[0],
        m = t[a];
      if (n.has(m[o])) {
        c = null;
        let e = null,
          t = null,
          r;
        if (i == 0 || i == -1) for (r = o; e == null && r-- > 0; ) n.has(m[r]) || (e = r);
        if (i == 0 || i == 1) for (r = o; t == null && r++ < m.length; ) n.has(m[r]) || (t = r);
        if (e != null || t != null) {
          if (u) {
            let n = e == null ? -1 / 0 : L(p[e], I, d, 0),
              r = t == null ? 1 / 0 : L(p[t], I, d, 0),
              i = f - n,
              a = r - f;
            i <= a ? i <= l && (c = e) : a <= l && (c = t);
          } else c = t == null ? e : e == null ? t : o - e <= t - o ? e : t;
        }
      } else u && Xe(f - L(p[o], I, d, 0)) > l && (c = null);
      return c;
    };
  }
  let Fn = (e) => {
    H.event = e;
  };
  (H.idxs = _t), (H._lock = !1);
  let In = H.points;
  (In.show = B(In.show)),
    (In.size = B(In.size)),
    (In.stroke = B(In.stroke)),
    (In.width = B(In.width)),
    (In.fill = B(In.fill));
  let Ln = (r.focus = W({}, e.focus || { alpha: 0.3 }, H.focus)),
    Rn = Ln.prox >= 0,
    zn = Rn && In.one,
    Vn = [],
    Hn = [],
    Un = [];
  function Wn(e, t) {
    let n = In.show(r, t);
    if (n instanceof HTMLElement) return xe(n, v), xe(n, e.class), Ee(n, -10, -10, G, K), Te.insertBefore(n, Vn[t]), n;
  }
  function Gn(e, t) {
    if (i == 1 || t > 0) {
      let t = i == 1 && N[e.scale].time,
        n = e.value;
      (e.value = t ? (Ot(n) ? On(it, En(n, st)) : n || gt) : n || lr), (e.label = e.label || (t ? Xn : Yn));
    }
    if (zn || t > 0) {
      (e.width = e.width == null ? 1 : e.width),
        (e.paths = e.paths || ei || pt),
        (e.fillTo = B(e.fillTo || wr)),
        (e.pxAlign = +F(e.pxAlign, De)),
        (e.pxRound = kr(e.pxAlign)),
        (e.stroke = B(e.stroke || null)),
        (e.fill = B(e.fill || null)),
        (e._stroke = e._fill = e._paths = e._focus = null);
      let t = dr(tt(1, e.width), 1),
        n = (e.points = W(
          {},
          { size: t, width: tt(1, t * 0.2), stroke: e.stroke, space: t * 2, paths: ti, _stroke: null, _fill: null },
          e.points,
        ));
      (n.show = B(n.show)),
        (n.filter = B(n.filter)),
        (n.fill = B(n.fill)),
        (n.stroke = B(n.stroke)),
        (n.paths = B(n.paths)),
        (n.pxAlign = e.pxAlign);
    }
    if (xt) {
      let n = Gt(e, t);
      It.splice(t, 0, n[0]), Lt.splice(t, 0, n[1]), V.values.push(null);
    }
    if (Et) {
      _t.splice(t, 0, null);
      let n = null;
      zn ? t == 0 && (n = Wn(e, t)) : t > 0 && (n = Wn(e, t)),
        Vn.splice(t, 0, n),
        Hn.splice(t, 0, 0),
        Un.splice(t, 0, 0);
    }
    Oa(`addSeries`, t);
  }
  function Kn(e, t) {
    (t ??= M.length), (e = i == 1 ? ii(e, t, Zn, mr) : ii(e, t, {}, pr)), M.splice(t, 0, e), Gn(M[t], t);
  }
  r.addSeries = Kn;
  function qn(e) {
    if ((M.splice(e, 1), xt)) {
      V.values.splice(e, 1), Lt.splice(e, 1);
      let t = It.splice(e, 1)[0];
      Jt(null, t.firstChild), t.remove();
    }
    Et && (_t.splice(e, 1), Vn.splice(e, 1)[0].remove(), Hn.splice(e, 1), Un.splice(e, 1)), Oa(`delSeries`, e);
  }
  r.delSeries = qn;
  let nr = [!1, !1, !1, !1];
  function rr(e, t) {
    if (((e._show = e.show), e.show)) {
      let n = e.side % 2,
        i = N[e.scale];
      i ??= ((e.scale = n ? M[1].scale : P), N[e.scale]);
      let a = i.time;
      (e.size = B(e.size)),
        (e.space = B(e.space)),
        (e.rotate = B(e.rotate)),
        Tt(e.incrs) &&
          e.incrs.forEach((e) => {
            !yt.has(e) && yt.set(e, bt(e));
          }),
        (e.incrs = B(e.incrs || (i.distr == 2 ? nn : a ? (je == 1 ? gn : yn) : rn))),
        (e.splits = B(e.splits || (a && i.distr == 1 ? ut : i.distr == 3 ? er : i.distr == 4 ? tr : $n))),
        (e.stroke = B(e.stroke)),
        (e.grid.stroke = B(e.grid.stroke)),
        (e.ticks.stroke = B(e.ticks.stroke)),
        (e.border.stroke = B(e.border.stroke));
      let o = e.values;
      (e.values = Tt(o) && !Tt(o[0]) ? B(o) : a ? (Tt(o) ? Cn(it, Sn(o, st)) : Ot(o) ? wn(it, o) : o || dt) : o || Qn),
        (e.filter = B(e.filter || (i.distr >= 3 && i.log == 10 ? sr : i.distr == 3 && i.log == 2 ? cr : ft))),
        (e.font = pi(e.font)),
        (e.labelFont = pi(e.labelFont)),
        (e._size = e.size(r, null, t, 0)),
        (e._space = e._rotate = e._incrs = e._found = e._splits = e._values = null),
        e._size > 0 && ((nr[t] = !0), (e._el = we(p, ye)));
    }
  }
  function ir(e, t, n, r) {
    let [i, a, o, s] = n,
      c = t % 2,
      l = 0;
    return (
      c == 0 && (s || a) && (l = (t == 0 && !i) || (t == 2 && !o) ? Qe(Jn.size / 3) : 0),
      c == 1 && (i || o) && (l = (t == 1 && !a) || (t == 3 && !s) ? Qe(ur.size / 2) : 0),
      l
    );
  }
  let ar = (r.padding = (e.padding || [ir, ir, ir, ir]).map((e) => B(F(e, ir)))),
    or = (r._padding = ar.map((e, t) => e(r, t, nr, 0))),
    fr,
    J = null,
    Y = null,
    vr = i == 1 ? M[0].idxs : null,
    Sr = null,
    Cr = !1;
  function Tr(e, n) {
    if (((t = e ?? []), (r.data = r._data = t), i == 2)) {
      fr = 0;
      for (let e = 1; e < M.length; e++) fr += t[e][0].length;
    } else {
      t.length == 0 && (r.data = r._data = t = [[]]), (Sr = t[0]), (fr = Sr.length);
      let e = t;
      if (Je == 2) {
        e = t.slice();
        let n = (e[0] = Array(fr));
        for (let e = 0; e < fr; e++) n[e] = e;
      }
      r._data = t = e;
    }
    if ((vi(!0), Oa(`setData`), Je == 2 && (pn = !0), n !== !1)) {
      let e = I;
      e.auto(r, Cr) ? Er() : Wi(P, e.min, e.max), (mn ||= H.left >= 0), (hn = !0), Ci();
    }
  }
  r.setData = Tr;
  function Er() {
    Cr = !0;
    let e, n;
    i == 1 &&
      (fr > 0
        ? ((J = vr[0] = 0),
          (Y = vr[1] = fr - 1),
          (e = t[0][J]),
          (n = t[0][Y]),
          Je == 2
            ? ((e = J), (n = Y))
            : e == n &&
              (Je == 3
                ? ([e, n] = ze(e, e, I.log, !1))
                : Je == 4
                  ? ([e, n] = Be(e, e, I.log, !1))
                  : I.time
                    ? (n = e + Qe(86400 / je))
                    : ([e, n] = Ge(e, n, Ve, !0))))
        : ((J = vr[0] = e = null), (Y = vr[1] = n = null))),
      Wi(P, e, n);
  }
  let Dr, Or, Ar, jr, Mr, Nr, Pr, Fr, Ir, Lr;
  function Rr(e, t, n, r, i, a) {
    (e ??= ae),
      (n ??= Ct),
      (r ??= `butt`),
      (i ??= ae),
      (a ??= `round`),
      e != Dr && (k.strokeStyle = Dr = e),
      i != Or && (k.fillStyle = Or = i),
      t != Ar && (k.lineWidth = Ar = t),
      a != Mr && (k.lineJoin = Mr = a),
      r != Nr && (k.lineCap = Nr = r),
      n != jr && k.setLineDash((jr = n));
  }
  function zr(e, t, n, r) {
    t != Or && (k.fillStyle = Or = t),
      e != Pr && (k.font = Pr = e),
      n != Fr && (k.textAlign = Fr = n),
      r != Ir && (k.textBaseline = Ir = r);
  }
  function Br(e, t, n, i, a = 0) {
    if (i.length > 0 && e.auto(r, Cr) && (t == null || t.min == null)) {
      let t = F(J, 0),
        r = F(Y, i.length - 1),
        o = n.min == null ? Re(i, t, r, a, e.distr == 3) : [n.min, n.max];
      (e.min = et(e.min, (n.min = o[0]))), (e.max = tt(e.max, (n.max = o[1])));
    }
  }
  let Vr = { min: null, max: null };
  function Hr() {
    for (let e in N) {
      let t = N[e];
      R[e] == null && (t.min == null || (R[P] != null && t.auto(r, Cr))) && (R[e] = Vr);
    }
    for (let e in N) {
      let t = N[e];
      R[e] == null && t.from != null && R[t.from] != null && (R[e] = Vr);
    }
    R[P] != null && vi(!0);
    let e = {};
    for (let t in R) {
      let n = R[t];
      if (n != null) {
        let a = (e[t] = Nt(N[t], At));
        if (n.min != null) W(a, n);
        else if (t != P || i == 2) {
          if (fr == 0 && a.from == null) {
            let e = a.range(r, null, null, t);
            (a.min = e[0]), (a.max = e[1]);
          } else (a.min = z), (a.max = -1 / 0);
        }
      }
    }
    if (fr > 0) {
      M.forEach((n, a) => {
        if (i == 1) {
          let i = n.scale,
            o = R[i];
          if (o == null) return;
          let s = e[i];
          if (a == 0) {
            let e = s.range(r, s.min, s.max, i);
            (s.min = e[0]),
              (s.max = e[1]),
              (J = Pe(s.min, t[0])),
              (Y = Pe(s.max, t[0])),
              Y - J > 1 && (t[0][J] < s.min && J++, t[0][Y] > s.max && Y--),
              (n.min = Sr[J]),
              (n.max = Sr[Y]);
          } else n.show && n.auto && Br(s, o, n, t[a], n.sorted);
          (n.idxs[0] = J), (n.idxs[1] = Y);
        } else if (a > 0 && n.show && n.auto) {
          let [r, i] = n.facets,
            o = r.scale,
            s = i.scale,
            [c, l] = t[a],
            u = e[o],
            d = e[s];
          u != null && Br(u, R[o], r, c, r.sorted),
            d != null && Br(d, R[s], i, l, i.sorted),
            (n.min = i.min),
            (n.max = i.max);
        }
      });
      for (let t in e) {
        let n = e[t],
          i = R[t];
        if (n.from == null && (i == null || i.min == null)) {
          let e = n.range(r, n.min == z ? null : n.min, n.max == -1 / 0 ? null : n.max, t);
          (n.min = e[0]), (n.max = e[1]);
        }
      }
    }
    for (let t in e) {
      let n = e[t];
      if (n.from != null) {
        let i = e[n.from];
        if (i.min == null) n.min = n.max = null;
        else {
          let e = n.range(r, i.min, i.max, t);
          (n.min = e[0]), (n.max = e[1]);
        }
      }
    }
    let n = {},
      a = !1;
    for (let t in e) {
      let r = e[t],
        i = N[t];
      if (i.min != r.min || i.max != r.max) {
        (i.min = r.min), (i.max = r.max);
        let e = i.distr;
        (i._min = e == 3 ? rt(i.min) : e == 4 ? ot(i.min, i.asinh) : e == 100 ? i.fwd(i.min) : i.min),
          (i._max = e == 3 ? rt(i.max) : e == 4 ? ot(i.max, i.asinh) : e == 100 ? i.fwd(i.max) : i.max),
          (n[t] = a = !0);
      }
    }
    if (a) {
      M.forEach((e, t) => {
        i == 2 ? t > 0 && n.y && (e._paths = null) : n[e.scale] && (e._paths = null);
      });
      for (let e in n) (pn = !0), Oa(`setScale`, e);
      Et && H.left >= 0 && (mn = hn = !0);
    }
    for (let e in R) R[e] = null;
  }
  function Ur(e) {
    let t = ct(J - 1, 0, fr - 1),
      n = ct(Y + 1, 0, fr - 1);
    for (; e[t] == null && t > 0; ) t--;
    for (; e[n] == null && n < fr - 1; ) n++;
    return [t, n];
  }
  function Wr() {
    if (fr > 0) {
      let e = M.some((e) => e._focus) && Lr != Ln.alpha;
      e && (k.globalAlpha = Lr = Ln.alpha),
        M.forEach((e, n) => {
          if (n > 0 && e.show && (Gr(n, !1), Gr(n, !0), e._paths == null)) {
            let a = Lr;
            Lr != e.alpha && (k.globalAlpha = Lr = e.alpha);
            let o = i == 2 ? [0, t[n][0].length - 1] : Ur(t[n]);
            (e._paths = e.paths(r, n, o[0], o[1])), Lr != a && (k.globalAlpha = Lr = a);
          }
        }),
        M.forEach((e, t) => {
          if (t > 0 && e.show) {
            let n = Lr;
            Lr != e.alpha && (k.globalAlpha = Lr = e.alpha), e._paths != null && Kr(t, !1);
            {
              let n = e._paths == null ? null : e._paths.gaps,
                i = e.points.show(r, t, J, Y, n),
                a = e.points.filter(r, t, i, n);
              (i || a) && ((e.points._paths = e.points.paths(r, t, J, Y, a)), Kr(t, !0));
            }
            Lr != n && (k.globalAlpha = Lr = n), Oa(`drawSeries`, t);
          }
        }),
        e && (k.globalAlpha = Lr = 1);
    }
  }
  function Gr(e, t) {
    let n = t ? M[e].points : M[e];
    (n._stroke = n.stroke(r, e)), (n._fill = n.fill(r, e));
  }
  function Kr(e, t) {
    let n = t ? M[e].points : M[e],
      {
        stroke: r,
        fill: i,
        clip: a,
        flags: o,
        _stroke: s = n._stroke,
        _fill: c = n._fill,
        _width: l = n.width,
      } = n._paths;
    l = U(l * A, 3);
    let u = null,
      d = (l % 2) / 2;
    t && c == null && (c = l > 0 ? `#fff` : s);
    let f = n.pxAlign == 1 && d > 0;
    if ((f && k.translate(d, d), !t)) {
      let e = sn - l / 2,
        t = cn - l / 2,
        n = ln + l,
        r = un + l;
      (u = new Path2D()), u.rect(e, t, n, r);
    }
    t ? Jr(s, l, n.dash, n.cap, c, r, i, o, a) : qr(e, s, l, n.dash, n.cap, c, r, i, o, u, a), f && k.translate(-d, -d);
  }
  function qr(e, n, i, a, o, s, c, l, u, d, f) {
    let p = !1;
    u != 0 &&
      Ie.forEach((m, h) => {
        if (m.series[0] == e) {
          let e = M[m.series[1]],
            g = t[m.series[1]],
            _ = (e._paths || St).band;
          Tt(_) && (_ = m.dir == 1 ? _[0] : _[1]);
          let v,
            y = null;
          e.show && _ && Ke(g, J, Y) ? ((y = m.fill(r, h) || s), (v = e._paths.clip)) : (_ = null),
            Jr(n, i, a, o, y, c, l, u, d, f, v, _),
            (p = !0);
        }
      }),
      p || Jr(n, i, a, o, s, c, l, u, d, f);
  }
  function Jr(e, t, n, r, i, a, o, s, c, l, u, d) {
    Rr(e, t, n, r, i),
      (c || l || d) && (k.save(), c && k.clip(c), l && k.clip(l)),
      d
        ? (s & 3) == 3
          ? (k.clip(d), u && k.clip(u), Xr(i, o), Yr(e, a, t))
          : s & xr
            ? (Xr(i, o), k.clip(d), Yr(e, a, t))
            : s & br && (k.save(), k.clip(d), u && k.clip(u), Xr(i, o), k.restore(), Yr(e, a, t))
        : (Xr(i, o), Yr(e, a, t)),
      (c || l || d) && k.restore();
  }
  function Yr(e, t, n) {
    n > 0 &&
      (t instanceof Map
        ? t.forEach((e, t) => {
            (k.strokeStyle = Dr = t), k.stroke(e);
          })
        : t != null && e && k.stroke(t));
  }
  function Xr(e, t) {
    t instanceof Map
      ? t.forEach((e, t) => {
          (k.fillStyle = Or = t), k.fill(e);
        })
      : t != null && e && k.fill(t);
  }
  function Zr(e, t, n, i) {
    let a = Fe[e],
      o;
    if (i <= 0) o = [0, 0];
    else {
      let s = (a._space = a.space(r, e, t, n, i));
      o = fi(t, n, (a._incrs = a.incrs(r, e, t, n, i, s)), i, s);
    }
    return (a._found = o);
  }
  function $r(e, t, n, r, i, a, o, s, c, l) {
    let u = (o % 2) / 2;
    De == 1 && k.translate(u, u), Rr(s, o, c, l, s), k.beginPath();
    let d,
      f,
      p,
      m,
      h = i + (r == 0 || r == 3 ? -a : a);
    n == 0 ? ((f = i), (m = h)) : ((d = i), (p = h));
    for (let r = 0; r < e.length; r++)
      t[r] != null && (n == 0 ? (d = p = e[r]) : (f = m = e[r]), k.moveTo(d, f), k.lineTo(p, m));
    k.stroke(), De == 1 && k.translate(-u, -u);
  }
  function hi(e) {
    let t = !0;
    return (
      Fe.forEach((n, i) => {
        if (!n.show) return;
        let a = N[n.scale];
        if (a.min == null) {
          n._show && ((t = !1), (n._show = !1), vi(!1));
          return;
        }
        n._show || ((t = !1), (n._show = !0), vi(!1));
        let o = n.side,
          s = o % 2,
          { min: c, max: l } = a,
          [u, d] = Zr(i, c, l, s == 0 ? G : K);
        if (d == 0) return;
        let f = a.distr == 2,
          p = (n._splits = n.splits(r, i, c, l, u, d, f)),
          m = a.distr == 2 ? p.map((e) => Sr[e]) : p,
          h = a.distr == 2 ? Sr[p[1]] - Sr[p[0]] : u,
          g = (n._values = n.values(r, n.filter(r, m, i, d, h), i, d, h));
        n._rotate = o == 2 ? n.rotate(r, g, i, d) : 0;
        let _ = n._size;
        (n._size = $e(n.size(r, g, i, e))), _ != null && n._size != _ && (t = !1);
      }),
      t
    );
  }
  function gi(e) {
    let t = !0;
    return (
      ar.forEach((n, i) => {
        let a = n(r, i, nr, e);
        a != or[i] && (t = !1), (or[i] = a);
      }),
      t
    );
  }
  function _i() {
    for (let e = 0; e < Fe.length; e++) {
      let t = Fe[e];
      if (!t.show || !t._show) continue;
      let n = t.side,
        i = n % 2,
        a,
        o,
        s = t.stroke(r, e),
        c = n == 0 || n == 3 ? -1 : 1,
        [l, u] = t._found;
      if (t.label != null) {
        let d = t.labelGap * c,
          f = Qe((t._lpos + d) * A);
        zr(t.labelFont[0], s, `center`, n == 2 ? ee : te),
          k.save(),
          i == 1
            ? ((a = o = 0), k.translate(f, Qe(cn + un / 2)), k.rotate((n == 3 ? -Ye : Ye) / 2))
            : ((a = Qe(sn + ln / 2)), (o = f));
        let p = lt(t.label) ? t.label(r, e, l, u) : t.label;
        k.fillText(p, a, o), k.restore();
      }
      if (u == 0) continue;
      let d = N[t.scale],
        f = i == 0 ? ln : un,
        p = i == 0 ? sn : cn,
        m = t._splits,
        h = d.distr == 2 ? m.map((e) => Sr[e]) : m,
        g = d.distr == 2 ? Sr[m[1]] - Sr[m[0]] : l,
        _ = t.ticks,
        v = t.border,
        y = _.show ? _.size : 0,
        b = Qe(y * A),
        x = Qe((t.alignTo == 2 ? t._size - y - t.gap : t.gap) * A),
        S = (t._rotate * -Ye) / 180,
        C = ke(t._pos * A),
        w = C + (b + x) * c;
      (o = i == 0 ? w : 0), (a = i == 1 ? w : 0);
      let T = t.font[0];
      zr(
        T,
        s,
        t.align == 1 ? ne : t.align == 2 ? re : S > 0 ? ne : S < 0 ? re : i == 0 ? `center` : n == 3 ? re : ne,
        S || i == 1 ? `middle` : n == 2 ? ee : te,
      );
      let E = t.font[1] * t.lineGap,
        D = m.map((e) => ke(fe(e, d, f, p))),
        ie = t._values;
      for (let e = 0; e < ie.length; e++) {
        let t = ie[e];
        if (t != null) {
          i == 0 ? (a = D[e]) : (o = D[e]), (t = `` + t);
          let n =
            t.indexOf(`
`) == -1
              ? [t]
              : t.split(/\n/gm);
          for (let e = 0; e < n.length; e++) {
            let t = n[e];
            S
              ? (k.save(), k.translate(a, o + e * E), k.rotate(S), k.fillText(t, 0, 0), k.restore())
              : k.fillText(t, a, o + e * E);
          }
        }
      }
      _.show && $r(D, _.filter(r, h, e, u, g), i, n, C, b, U(_.width * A, 3), _.stroke(r, e), _.dash, _.cap);
      let ae = t.grid;
      ae.show &&
        $r(
          D,
          ae.filter(r, h, e, u, g),
          i,
          i == 0 ? 2 : 1,
          i == 0 ? cn : sn,
          i == 0 ? un : ln,
          U(ae.width * A, 3),
          ae.stroke(r, e),
          ae.dash,
          ae.cap,
        ),
        v.show &&
          $r(
            [C],
            [1],
            +(i == 0),
            i == 0 ? 1 : 2,
            i == 1 ? cn : sn,
            i == 1 ? un : ln,
            U(v.width * A, 3),
            v.stroke(r, e),
            v.dash,
            v.cap,
          );
    }
    Oa(`drawAxes`);
  }
  function vi(e) {
    M.forEach((t, n) => {
      n > 0 &&
        ((t._paths = null),
        e &&
          (i == 1
            ? ((t.min = null), (t.max = null))
            : t.facets.forEach((e) => {
                (e.min = null), (e.max = null);
              })));
    });
  }
  let yi = !1,
    bi = !1,
    xi = [];
  function Si() {
    bi = !1;
    for (let e = 0; e < xi.length; e++) Oa(...xi[e]);
    xi.length = 0;
  }
  function Ci() {
    yi ||= (zt(Ti), !0);
  }
  function wi(e, t = !1) {
    (yi = !0), (bi = t), e(r), Ti(), t && xi.length > 0 && queueMicrotask(Si);
  }
  r.batch = wi;
  function Ti() {
    if (((dn &&= (Hr(), !1)), (pn &&= (An(), !1)), fn)) {
      if (
        (j(be, ne, Qt),
        j(be, ee, $t),
        j(be, E, G),
        j(be, D, K),
        j(Te, ne, Qt),
        j(Te, ee, $t),
        j(Te, E, G),
        j(Te, D, K),
        j(ye, E, Yt),
        j(ye, D, Xt),
        (ge.width = Qe(Yt * A)),
        (ge.height = Qe(Xt * A)),
        Fe.forEach(({ _el: e, _show: t, _size: n, _pos: r, side: i }) => {
          if (e != null) {
            if (t) {
              let t = i === 3 || i === 0 ? n : 0,
                a = i % 2 == 1;
              j(e, a ? `left` : `top`, r - t),
                j(e, a ? `width` : `height`, n),
                j(e, a ? `top` : `left`, a ? $t : Qt),
                j(e, a ? `height` : `width`, a ? K : G),
                Se(e, m);
            } else xe(e, m);
          }
        }),
        (Dr = Or = Ar = Mr = Nr = Pr = Fr = Ir = jr = null),
        (Lr = 1),
        fa(!0),
        Qt != en || $t != tn || G != an || K != on)
      ) {
        vi(!1);
        let e = G / an,
          t = K / on;
        if (Et && !mn && H.left >= 0) {
          (H.left *= e), (H.top *= t), ki && Ee(ki, Qe(H.left), 0, G, K), Ai && Ee(Ai, 0, Qe(H.top), G, K);
          for (let n = 0; n < Vn.length; n++) {
            let r = Vn[n];
            r != null && ((Hn[n] *= e), (Un[n] *= t), Ee(r, $e(Hn[n]), $e(Un[n]), G, K));
          }
        }
        if (Q.show && !q && Q.left >= 0 && Q.width > 0) {
          (Q.left *= e), (Q.width *= e), (Q.top *= t), (Q.height *= t);
          for (let e in ha) j(Vi, e, Q[e]);
        }
        (en = Qt), (tn = $t), (an = G), (on = K);
      }
      Oa(`setSize`), (fn = !1);
    }
    Yt > 0 && Xt > 0 && (k.clearRect(0, 0, ge.width, ge.height), Oa(`drawClear`), Ue.forEach((e) => e()), Oa(`draw`)),
      Q.show && q && (Hi(Q), (q = !1)),
      Et && mn && (ua(null, !0, !1), (mn = !1)),
      V.show && V.live && hn && (ca(), (hn = !1)),
      pe || ((pe = !0), (r.status = 1), Oa(`ready`)),
      (Cr = !1),
      (yi = !1);
  }
  r.redraw = (e, t) => {
    (pn = t || !1), e === !1 ? Ci() : Wi(P, I.min, I.max);
  };
  function Ei(e, n) {
    let i = N[e];
    if (i.from == null) {
      if (fr == 0) {
        let t = i.range(r, n.min, n.max, e);
        (n.min = t[0]), (n.max = t[1]);
      }
      if (n.min > n.max) {
        let e = n.min;
        (n.min = n.max), (n.max = e);
      }
      if (fr > 1 && n.min != null && n.max != null && n.max - n.min < 1e-16) return;
      e == P &&
        i.distr == 2 &&
        fr > 0 &&
        ((n.min = Pe(n.min, t[0])), (n.max = Pe(n.max, t[0])), n.min == n.max && n.max++),
        (R[e] = n),
        (dn = !0),
        Ci();
    }
  }
  r.setScale = Ei;
  let Di,
    Oi,
    ki,
    Ai,
    ji,
    Mi,
    Ni,
    Pi,
    Fi,
    Ii,
    X,
    Z,
    Li = !1,
    Ri = H.drag,
    zi = Ri.x,
    Bi = Ri.y;
  Et &&
    (H.x && (Di = we(g, Te)),
    H.y && (Oi = we(_, Te)),
    I.ori == 0 ? ((ki = Di), (Ai = Oi)) : ((ki = Oi), (Ai = Di)),
    (X = H.left),
    (Z = H.top));
  let Q = (r.select = W({ show: !0, over: !0, left: 0, width: 0, top: 0, height: 0 }, e.select)),
    Vi = Q.show ? we(h, Q.over ? Te : be) : null;
  function Hi(e, t) {
    if (Q.show) {
      for (let t in e) (Q[t] = e[t]), t in ha && j(Vi, t, e[t]);
      t !== !1 && Oa(`setSelect`);
    }
  }
  r.setSelect = Hi;
  function Ui(e) {
    if (M[e].show) xt && Se(It[e], m);
    else if ((xt && xe(It[e], m), Et)) {
      let t = zn ? Vn[0] : Vn[e];
      t != null && Ee(t, -10, -10, G, K);
    }
  }
  function Wi(e, t, n) {
    Ei(e, { min: t, max: n });
  }
  function Gi(e, t, n, a) {
    t.focus != null && ea(e),
      t.show != null &&
        M.forEach((n, r) => {
          r > 0 &&
            (e == r || e == null) &&
            ((n.show = t.show),
            Ui(r),
            i == 2 ? (Wi(n.facets[0].scale, null, null), Wi(n.facets[1].scale, null, null)) : Wi(n.scale, null, null),
            Ci());
        }),
      n !== !1 && Oa(`setSeries`, e, t),
      a && Ma(`setSeries`, r, e, t);
  }
  r.setSeries = Gi;
  function Ki(e, t) {
    W(Ie[e], t);
  }
  function qi(e, t) {
    (e.fill = B(e.fill || null)), (e.dir = F(e.dir, -1)), (t ??= Ie.length), Ie.splice(t, 0, e);
  }
  function Ji(e) {
    e == null ? (Ie.length = 0) : Ie.splice(e, 1);
  }
  (r.addBand = qi), (r.setBand = Ki), (r.delBand = Ji);
  function Yi(e, t) {
    (M[e].alpha = t), Et && Vn[e] != null && (Vn[e].style.opacity = t), xt && It[e] && (It[e].style.opacity = t);
  }
  let Xi,
    Zi,
    Qi,
    $i = { focus: !0 };
  function ea(e) {
    if (e != Qi) {
      let t = e == null,
        n = Ln.alpha != 1;
      M.forEach((r, a) => {
        if (i == 1 || a > 0) {
          let i = t || a == 0 || a == e;
          (r._focus = t ? null : i), n && Yi(a, i ? 1 : Ln.alpha);
        }
      }),
        (Qi = e),
        n && Ci();
    }
  }
  xt &&
    Rn &&
    qt(ue, Mt, (e) => {
      H._lock || (Fn(e), Qi != null && Gi(null, $i, !0, $.setSeries));
    });
  function ta(e, t, n) {
    let r = N[t];
    n && (e = e / A - (r.ori == 1 ? $t : Qt));
    let i = G;
    r.ori == 1 && ((i = K), (e = i - e)), r.dir == -1 && (e = i - e);
    let a = r._min,
      o = r._max,
      s = e / i,
      c = a + (o - a) * s,
      l = r.distr;
    return l == 3 ? nt(10, c) : l == 4 ? at(c, r.asinh) : l == 100 ? r.bwd(c) : c;
  }
  function na(e, n) {
    return Pe(ta(e, P, n), t[0], J, Y);
  }
  (r.valToIdx = (e) => Pe(e, t[0])),
    (r.posToIdx = na),
    (r.posToVal = ta),
    (r.valToPos = (e, t, n) =>
      N[t].ori == 0 ? a(e, N[t], n ? ln : G, n ? sn : 0) : ie(e, N[t], n ? un : K, n ? cn : 0)),
    (r.setCursor = (e, t, n) => {
      (X = e.left), (Z = e.top), ua(null, t, n);
    });
  function ra(e, t) {
    j(Vi, ne, (Q.left = e)), j(Vi, E, (Q.width = t));
  }
  function ia(e, t) {
    j(Vi, ee, (Q.top = e)), j(Vi, D, (Q.height = t));
  }
  let aa = I.ori == 0 ? ra : ia,
    oa = I.ori == 1 ? ra : ia;
  function sa() {
    if (xt && V.live)
      for (let e = +(i == 2); e < M.length; e++) {
        if (e == 0 && Bt) continue;
        let t = V.values[e],
          n = 0;
        for (let r in t) Lt[e][n++].firstChild.nodeValue = t[r];
      }
  }
  function ca(e, t) {
    if (
      (e != null &&
        (e.idxs
          ? e.idxs.forEach((e, t) => {
              _t[t] = e;
            })
          : Dt(e.idx) || _t.fill(e.idx),
        (V.idx = _t[0])),
      xt && V.live)
    ) {
      for (let e = 0; e < M.length; e++) (e > 0 || (i == 1 && !Bt)) && la(e, _t[e]);
      sa();
    }
    (hn = !1), t !== !1 && Oa(`setLegend`);
  }
  r.setLegend = ca;
  function la(e, n) {
    let i = M[e],
      a = e == 0 && Je == 2 ? Sr : t[e],
      o;
    Bt
      ? (o = i.values(r, e, n) ?? Vt)
      : ((o = i.value(r, n == null ? null : a[n], e, n)), (o = o == null ? Vt : { _: o })),
      (V.values[e] = o);
  }
  function ua(e, n, a) {
    (Fi = X),
      (Ii = Z),
      ([X, Z] = H.move(r, X, Z)),
      (H.left = X),
      (H.top = Z),
      Et && (ki && Ee(ki, Qe(X), 0, G, K), Ai && Ee(Ai, 0, Qe(Z), G, K));
    let o,
      s = J > Y;
    (Xi = z), (Zi = null);
    let c = I.ori == 0 ? G : K,
      l = I.ori == 1 ? G : K;
    if (X < 0 || fr == 0 || s) {
      o = H.idx = null;
      for (let e = 0; e < M.length; e++) {
        let t = Vn[e];
        t != null && Ee(t, -10, -10, G, K);
      }
      Rn && Gi(null, $i, !0, e == null && $.setSeries), V.live && (_t.fill(o), (hn = !0));
    } else {
      let e, n, a;
      i == 1 && ((e = I.ori == 0 ? X : Z), (n = ta(e, P)), (o = H.idx = Pe(n, t[0], J, Y)), (a = L(t[0][o], I, c, 0)));
      let s = -10,
        u = -10,
        d = 0,
        f = 0,
        p = !0,
        m = ``,
        h = ``;
      for (let e = +(i == 2); e < M.length; e++) {
        let g = M[e],
          _ = _t[e],
          v = _ == null ? null : i == 1 ? t[e][_] : t[e][1][_],
          y = H.dataIdx(r, e, o, n),
          b = y == null ? null : i == 1 ? t[e][y] : t[e][1][y];
        if (((hn = hn || b != v || y != _), (_t[e] = y), e > 0 && g.show)) {
          let n = y == null ? -10 : y == o ? a : L(i == 1 ? t[0][y] : t[e][0][y], I, c, 0),
            _ = b == null ? -10 : Ze(b, i == 1 ? N[g.scale] : N[g.facets[1].scale], l, 0);
          if (Rn && b != null) {
            let t = I.ori == 1 ? X : Z,
              n = Xe(Ln.dist(r, e, y, _, t));
            if (n < Xi) {
              let r = Ln.bias;
              if (r != 0) {
                let i = ta(t, g.scale),
                  a = b >= 0 ? 1 : -1,
                  o = i >= 0 ? 1 : -1;
                o == a && (o == 1 ? (r == 1 ? b >= i : b <= i) : r == 1 ? b <= i : b >= i) && ((Xi = n), (Zi = e));
              } else (Xi = n), (Zi = e);
            }
          }
          if (hn || zn) {
            let t, i;
            I.ori == 0 ? ((t = n), (i = _)) : ((t = _), (i = n));
            let a,
              o,
              c,
              l,
              g,
              v,
              y = !0,
              b = In.bbox;
            if (b != null) {
              y = !1;
              let t = b(r, e);
              (c = t.left), (l = t.top), (a = t.width), (o = t.height);
            } else (c = t), (l = i), (a = o = In.size(r, e));
            if (((v = In.fill(r, e)), (g = In.stroke(r, e)), zn))
              e == Zi && Xi <= Ln.prox && ((s = c), (u = l), (d = a), (f = o), (p = y), (m = v), (h = g));
            else {
              let t = Vn[e];
              t != null && ((Hn[e] = c), (Un[e] = l), Ae(t, a, o, y), Oe(t, v, g), Ee(t, $e(c), $e(l), G, K));
            }
          }
        }
      }
      if (zn) {
        let e = Ln.prox;
        if (hn || (Qi == null ? Xi <= e : Xi > e || Zi != Qi)) {
          let e = Vn[0];
          e != null && ((Hn[0] = s), (Un[0] = u), Ae(e, d, f, p), Oe(e, m, h), Ee(e, $e(s), $e(u), G, K));
        }
      }
    }
    if (Q.show && Li) {
      if (e != null) {
        let [t, n] = $.scales,
          [r, i] = $.match,
          [a, o] = e.cursor.sync.scales,
          s = e.cursor.drag;
        if (((zi = s._x), (Bi = s._y), zi || Bi)) {
          let { left: s, top: u, width: d, height: f } = e.select,
            p = e.scales[a].ori,
            m = e.posToVal,
            h,
            g,
            _,
            v,
            y,
            b = t != null && r(t, a),
            x = n != null && i(n, o);
          b && zi
            ? (p == 0 ? ((h = s), (g = d)) : ((h = u), (g = f)),
              (_ = N[t]),
              (v = L(m(h, a), _, c, 0)),
              (y = L(m(h + g, a), _, c, 0)),
              aa(et(v, y), Xe(y - v)))
            : aa(0, c),
            x && Bi
              ? (p == 1 ? ((h = s), (g = d)) : ((h = u), (g = f)),
                (_ = N[n]),
                (v = Ze(m(h, o), _, l, 0)),
                (y = Ze(m(h + g, o), _, l, 0)),
                oa(et(v, y), Xe(y - v)))
              : oa(0, l);
        } else ga();
      } else {
        let e = Xe(Fi - ji),
          t = Xe(Ii - Mi);
        if (I.ori == 1) {
          let n = e;
          (e = t), (t = n);
        }
        (zi = Ri.x && e >= Ri.dist), (Bi = Ri.y && t >= Ri.dist);
        let n = Ri.uni;
        n == null
          ? Ri.x && Ri.y && (zi || Bi) && (zi = Bi = !0)
          : zi && Bi && ((zi = e >= n), (Bi = t >= n), !zi && !Bi && (t > e ? (Bi = !0) : (zi = !0)));
        let r, i;
        zi && (I.ori == 0 ? ((r = Ni), (i = X)) : ((r = Pi), (i = Z)), aa(et(r, i), Xe(i - r)), Bi || oa(0, l)),
          Bi && (I.ori == 1 ? ((r = Ni), (i = X)) : ((r = Pi), (i = Z)), oa(et(r, i), Xe(i - r)), zi || aa(0, c)),
          !zi && !Bi && (aa(0, 0), oa(0, 0));
      }
    }
    if (((Ri._x = zi), (Ri._y = Bi), e == null)) {
      if (a) {
        if (Aa != null) {
          let [e, t] = $.scales;
          ($.values[0] = e == null ? null : ta(I.ori == 0 ? X : Z, e)),
            ($.values[1] = t == null ? null : ta(I.ori == 1 ? X : Z, t));
        }
        Ma(oe, r, X, Z, G, K, o);
      }
      if (Rn) {
        let e = a && $.setSeries,
          t = Ln.prox;
        Qi == null ? Xi <= t && Gi(Zi, $i, !0, e) : Xi > t ? Gi(null, $i, !0, e) : Zi != Qi && Gi(Zi, $i, !0, e);
      }
    }
    hn && ((V.idx = o), ca()), n !== !1 && Oa(`setCursor`);
  }
  let da = null;
  Object.defineProperty(r, 'rect', {
    get() {
      return da ?? fa(!1), da;
    },
  });
  function fa(e = !1) {
    e ? (da = null) : ((da = Te.getBoundingClientRect()), Oa(`syncRect`, da));
  }
  function pa(e, t, n, r, i, a, o) {
    H._lock ||
      (Li && e != null && e.movementX == 0 && e.movementY == 0) ||
      (ma(e, t, n, r, i, a, o, !1, e != null), e == null ? ua(t, !0, !1) : ua(null, !0, !0));
  }
  function ma(e, t, n, i, a, o, s, c, l) {
    if ((da ?? fa(!1), Fn(e), e != null)) (n = e.clientX - da.left), (i = e.clientY - da.top);
    else {
      if (n < 0 || i < 0) {
        (X = -10), (Z = -10);
        return;
      }
      let [e, r] = $.scales,
        s = t.cursor.sync,
        [c, l] = s.values,
        [u, d] = s.scales,
        [f, p] = $.match,
        m = t.axes[0].side % 2 == 1,
        h = I.ori == 0 ? G : K,
        g = I.ori == 1 ? G : K,
        _ = m ? o : a,
        v = m ? a : o,
        y = m ? i : n,
        b = m ? n : i;
      if (
        ((n = u == null ? (y / _) * h : f(e, u) ? fe(c, N[e], h, 0) : -10),
        (i = d == null ? (b / v) * g : p(r, d) ? fe(l, N[r], g, 0) : -10),
        I.ori == 1)
      ) {
        let e = n;
        (n = i), (i = e);
      }
    }
    l &&
      (t == null || t.cursor.event.type == oe) &&
      ((n <= 1 || n >= G - 1) && (n = vt(n, G)), (i <= 1 || i >= K - 1) && (i = vt(i, K))),
      c ? ((ji = n), (Mi = i), ([Ni, Pi] = H.move(r, n, i))) : ((X = n), (Z = i));
  }
  let ha = { width: 0, height: 0, left: 0, top: 0 };
  function ga() {
    Hi(ha, !1);
  }
  let _a, va, ya, ba;
  function xa(e, t, n, i, a, o, s) {
    (Li = !0),
      (zi = Bi = Ri._x = Ri._y = !1),
      ma(e, t, n, i, a, o, s, !0, !1),
      e != null && (qt(ce, _e, Sa, !1), Ma(se, r, Ni, Pi, G, K, null));
    let { left: c, top: l, width: u, height: d } = Q;
    (_a = c), (va = l), (ya = u), (ba = d);
  }
  function Sa(e, t, n, i, a, o, s) {
    (Li = Ri._x = Ri._y = !1), ma(e, t, n, i, a, o, s, !1, !0);
    let { left: c, top: l, width: u, height: d } = Q,
      f = u > 0 || d > 0,
      p = _a != c || va != l || ya != u || ba != d;
    if ((f && p && Hi(Q), Ri.setScale && f && p)) {
      let e = c,
        t = u,
        n = l,
        r = d;
      if ((I.ori == 1 && ((e = l), (t = d), (n = c), (r = u)), zi && Wi(P, ta(e, P), ta(e + t, P)), Bi))
        for (let e in N) {
          let t = N[e];
          e != P && t.from == null && t.min != z && Wi(e, ta(n + r, e), ta(n, e));
        }
      ga();
    } else H.lock && ((H._lock = !H._lock), ua(t, !0, e != null));
    e != null && (Jt(ce, _e), Ma(ce, r, X, Z, G, K, null));
  }
  function Ca(e, t, n, r, i, a, o) {
    if (H._lock) return;
    Fn(e);
    let s = Li;
    if (Li) {
      let e = !0,
        t = !0,
        n,
        r;
      I.ori == 0 ? ((n = zi), (r = Bi)) : ((n = Bi), (r = zi)),
        n && r && ((e = X <= 10 || X >= G - 10), (t = Z <= 10 || Z >= K - 10)),
        n && e && (X = X < Ni ? 0 : G),
        r && t && (Z = Z < Pi ? 0 : K),
        ua(null, !0, !0),
        (Li = !1);
    }
    (X = -10), (Z = -10), _t.fill(null), ua(null, !0, !0), s && (Li = s);
  }
  function wa(e, t, n, i, a, o, s) {
    H._lock || (Fn(e), Er(), ga(), e != null && Ma(de, r, X, Z, G, K, null));
  }
  function Ta() {
    Fe.forEach(mi), Tn(r.width, r.height, !0);
  }
  Me(O, ve, Ta);
  let Ea = {};
  (Ea.mousedown = xa),
    (Ea.mousemove = pa),
    (Ea.mouseup = Sa),
    (Ea.dblclick = wa),
    (Ea.setSeries = (e, t, n, i) => {
      let a = $.match[2];
      (n = a(r, t, n)), n != -1 && Gi(n, i, !0, !1);
    }),
    Et &&
      (qt(se, Te, xa),
      qt(oe, Te, pa),
      qt(le, Te, (e) => {
        Fn(e), fa(!1);
      }),
      qt(ue, Te, Ca),
      qt(de, Te, wa),
      Qr.add(r),
      (r.syncRect = fa));
  let Da = (r.hooks = e.hooks || {});
  function Oa(e, t, n) {
    bi
      ? xi.push([e, t, n])
      : e in Da &&
        Da[e].forEach((e) => {
          e.call(null, r, t, n);
        });
  }
  (e.plugins || []).forEach((e) => {
    for (let t in e.hooks) Da[t] = (Da[t] || []).concat(e.hooks[t]);
  });
  let ka = (e, t, n) => n,
    $ = W(
      {
        key: null,
        setSeries: !1,
        filters: { pub: mt, sub: mt },
        scales: [P, M[1] ? M[1].scale : null],
        match: [ht, ht, ka],
        values: [null, null],
      },
      H.sync,
    );
  $.match.length == 2 && $.match.push(ka), (H.sync = $);
  let Aa = $.key,
    ja = yr(Aa);
  function Ma(e, t, n, r, i, a, o) {
    $.filters.pub(e, t, n, r, i, a, o) && ja.pub(e, t, n, r, i, a, o);
  }
  ja.sub(r);
  function Na(e, t, n, r, i, a, o) {
    $.filters.sub(e, t, n, r, i, a, o) && Ea[e](null, t, n, r, i, a, o);
  }
  r.pub = Na;
  function Pa() {
    ja.unsub(r), Qr.delete(r), Kt.clear(), Ne(O, ve, Ta), me.remove(), Mt?.remove(), Oa(`destroy`);
  }
  r.destroy = Pa;
  function Fa() {
    Oa(`init`, e, t),
      Tr(t || e.data, !1),
      R[P] ? Ei(P, R[P]) : Er(),
      (q = Q.show && (Q.width > 0 || Q.height > 0)),
      (mn = hn = !0),
      Tn(e.width, e.height);
  }
  return M.forEach(Gn), Fe.forEach(rr), n ? (n instanceof HTMLElement ? (n.appendChild(me), Fa()) : n(r, Fa)) : Fa(), r;
}
(hi.assign = W),
  (hi.fmtNum = Je),
  (hi.rangeNum = Ge),
  (hi.rangeLog = ze),
  (hi.rangeAsinh = Be),
  (hi.orient = Sr),
  (hi.pxRatio = A),
  (hi.join = Rt),
  (hi.fmtDate = Zt),
  (hi.tzDate = K),
  (hi.sync = yr);
{
  (hi.addGap = Dr), (hi.clipGaps = Er);
  let e = (hi.paths = { points: Vr });
  (e.linear = Gr), (e.stepped = Kr), (e.bars = Jr), (e.spline = Xr);
}
function gi(e) {
  let t = document.createElement(`span`);
  (t.style.color = `var(${e})`), document.body.append(t);
  let { color: n } = getComputedStyle(t);
  return t.remove(), n;
}
var _i = (e) => e.replace(/^rgb\(([^)]*)\)$/, `rgba($1, .15)`);
function vi(e, t) {
  let { lines: n, marks: r = [], range: i, format: a, height: o = 220, xLabel: s, integers: c = !1 } = e,
    l = { stroke: gi(`--line`), width: 1 },
    u = { stroke: gi(`--dim`), grid: l, ticks: l, font: `12px system-ui` },
    d = ({ label: e, colour: t, dashed: n, thin: r, dots: i }) => ({
      label: e,
      stroke: gi(t),
      width: r === !0 ? 1 : 2,
      ...(n === !0 ? { dash: [5, 4] } : {}),
      points: { show: i === !0, size: 6, fill: gi(t) },
      value: (e, t) => (t === null ? `–` : a(t)),
      spanGaps: !0,
    });
  return {
    width: t,
    height: o,
    scales: { x: { time: !1 }, ...(i === void 0 ? {} : { y: { range: [...i] } }) },
    axes: [
      {
        ...u,
        ...(c ? { incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 1e4] } : {}),
        label: s,
        labelSize: 18,
        size: 34,
        labelFont: `12px system-ui`,
      },
      { ...u, size: 56, values: (e, t) => t.map(a) },
    ],
    series: [{ label: s }, ...n.map(d)],
    bands: n.flatMap(({ band: e, colour: t }, n) => (e === !0 ? [{ series: [n + 1, n + 2], fill: _i(gi(t)) }] : [])),
    legend: { live: !0 },
    cursor: { y: !1 },
    hooks: {
      draw: [
        (e) => {
          let { ctx: t, bbox: n } = e;
          t.save(),
            (t.strokeStyle = gi(`--promotion`)),
            (t.fillStyle = gi(`--promotion`)),
            (t.font = `${11 * devicePixelRatio}px system-ui`),
            t.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
          for (let { x: i, label: a } of r) {
            let r = Math.round(e.valToPos(i, `x`, !0));
            if (r < n.left || r > n.left + n.width) continue;
            t.beginPath(), t.moveTo(r, n.top), t.lineTo(r, n.top + n.height), t.stroke();
            let o = t.measureText(a).width + 3 * devicePixelRatio,
              s = r + o > n.left + n.width;
            t.fillText(a, s ? r - o : r + 3 * devicePixelRatio, n.top + 11 * devicePixelRatio);
          }
          t.restore();
        },
      ],
    },
  };
}
function yi(a) {
  let o = n(null),
    s = n(a);
  s.current = a;
  let c = n(void 0),
    l = n(`light`),
    u = JSON.stringify([a.lines.map(({ label: e, colour: t }) => [e, t]), a.marks, a.range]);
  return (
    t(() => {
      let e = o.current,
        t = r(() => {
          (l.current = i.value), c.current?.destroy();
          let t = Math.max(e.clientWidth, 200);
          c.current = new hi(vi(s.current, t), bi(s.current), e);
        }),
        n = new ResizeObserver(() =>
          c.current?.setSize({ width: Math.max(e.clientWidth, 200), height: s.current.height ?? 220 }),
        );
      return (
        n.observe(e),
        () => {
          n.disconnect(), t(), c.current?.destroy(), (c.current = void 0);
        }
      );
    }, [u]),
    t(() => {
      c.current?.setData(bi(a));
    }, [a.x, a.lines]),
    e(`div`, { class: `chart`, role: `img`, 'aria-label': a.label, ref: o })
  );
}
function bi({ x: e, lines: t }) {
  return [e, ...t.map(({ values: e }) => e)];
}
export { yi as t };
