const __vite__mapDeps = (
  i,
  m = __vite__mapDeps,
  d = m.f ||
    (m.f = [
      'assets/overview-Cp_RCjnY.js',
      'assets/chart-Bss7o3Q5.js',
      'assets/chart-CnsZ1jie.css',
      'assets/problems-CO-A21tk.js',
      'assets/table-VU_COQ7M.js',
      'assets/problem-CzW4m4tx.js',
      'assets/training-BSOqML2j.js',
      'assets/log-xkJM-J35.js',
    ]),
) => i.map((i) => d[i]);
var e,
  t,
  n,
  r,
  i,
  a,
  o,
  s,
  c,
  l,
  u,
  d = Symbol.for(`pv`),
  f = {},
  p = [],
  m = /^m(i|n|o|s|text|space)$/,
  h = Array.isArray,
  g = p.slice,
  _ = Object.assign;
function v(e) {
  e && e.parentNode && e.remove();
}
function y(e, t, n) {
  var r,
    i,
    a,
    o = {},
    s = arguments.length;
  for (a in t) a == `key` ? (r = t[a]) : a == `ref` && typeof e != `function` ? (i = t[a]) : (o[a] = t[a]);
  return s > 2 && (o.children = s > 3 ? g.call(arguments, 2) : n), b(e, o, r, i, null);
}
function b(n, r, i, a, o) {
  var s = {
    type: n,
    props: r,
    key: i,
    ref: a,
    __k: null,
    __: null,
    __b: 0,
    __e: null,
    __c: null,
    constructor: d,
    __v: o || ++t,
    __i: -1,
    __u: 0,
  };
  return !o && e.vnode && e.vnode(s), s;
}
function x(e) {
  return e.children;
}
function S(e, t) {
  (this.props = e), (this.context = t), (this.__g = 0);
}
function C(e, t) {
  if (t == null) return e.__ && C(e.__, e.__i + 1);
  for (var n; t < e.__k.length; t++) if ((n = e.__k[t]) && n.__e) return n.__e;
  return typeof e.type != `function` || e.props.__P ? null : C(e);
}
function w(t) {
  var n,
    r = t.__v,
    i = r.__e,
    a = [],
    o = [],
    s = t.__P;
  s &&
    (((n = _({ constructor: d }, r)).__v = r.__v + 1),
    e.vnode && e.vnode(n),
    re(s, n, r, t.__n, s.namespaceURI, 32 & r.__u ? [i] : null, a, i || C(r), 32 & r.__u, o),
    (n.__v = r.__v),
    (n.__.__k[n.__i] = n),
    M(a, n, o),
    (r.__ = r.__e = null),
    n.__e != i && T(n));
}
function T(e) {
  if ((e = e.__) && e.__c && !e.props.__P)
    return (
      (e.__e = null),
      e.__k.some(function (t) {
        return t && (e.__e = t.__e);
      }),
      T(e)
    );
}
function E(t) {
  ((8 & t.__g || ((t.__g |= 8), r.push(t), a++)) && i == e.debounceRendering) ||
    ((i = e.debounceRendering) || queueMicrotask)(D);
}
function D() {
  try {
    for (var e, t = 1; r.length; ) r.length > t && r.sort(o), (e = r.shift()), (t = r.length), 8 & e.__g && w(e);
  } finally {
    (a = r.length) && (i || queueMicrotask)(D);
  }
}
function ee(e, t, n, r, i, a, o, s, c, l, u) {
  var d,
    m,
    h,
    g,
    _,
    v,
    y = r.__k || p,
    b = t.length;
  for (c = O(n, t, y, c, b), d = 0; d < b; d++)
    (h = n.__k[d]) != null &&
      ((m = (~h.__i && y[h.__i]) || f),
      (h.__i = d),
      (v = re(e, h, m, i, a, o, s, c, l, u)),
      (g = h.__e),
      (m.ref != h.ref || 8 & m.__u) && (m.ref && N(m.ref, null, h, m), h.ref && u.push(h.ref, h.__c || g, h)),
      (_ ||= g),
      4 & h.__u
        ? ((c = k(h, c, e, !m.__v)), m.__e && (m.__e = null))
        : typeof h.type == `function` && v !== void 0
          ? (c = v)
          : g && (c = g.nextSibling),
      (h.__u &= -21));
  return (n.__e = _), c;
}
function O(e, t, n, r, i) {
  var a,
    o,
    s,
    c,
    l,
    u,
    f,
    p,
    m,
    g = n.length,
    _ = g,
    v = 0,
    y = 0,
    S = (e.__k = Array(i));
  for (a = 0; a < i; a++)
    (o = t[a]) != null && typeof o != `boolean` && typeof o != `function`
      ? (typeof o != `object` || o.constructor === String
          ? (o = S[a] = b(null, o))
          : h(o)
            ? (o = S[a] = b(x, { children: o }))
            : o.constructor === d && o.__b
              ? (o = S[a] = b(o.type, o.props, o.key, o.ref, o.__v))
              : (S[a] = o),
        (c = a + v),
        (o.__ = e),
        (o.__b = e.__b + 1),
        (s = null),
        ~(l = o.__i = te(o, n, c, _)) && (_--, (s = n[l]) && (s.__u |= 2)),
        s && s.__v
          ? ((o.__u |= 16), l == c - 1 ? v-- : l == c + 1 ? v++ : l != c && (l > c ? v-- : v++, (y = 1)))
          : (~l || (i > g ? v-- : i < g && v++), typeof o.type != `function` && (o.__u |= 4)))
      : (S[a] = null);
  if (y) {
    for (u = [], f = [], a = 0; a < i; a++)
      if ((o = S[a]) && 16 & o.__u) {
        for (v = 0, p = u.length; v < p; ) u[(m = (v + p) >> 1)] < o.__i ? (v = m + 1) : (p = m);
        (u[v] = o.__i), (f[a] = v + 1);
      }
    for (v = u.length; a--; ) f[a] && (f[a] == v ? v-- : (S[a].__u |= 4));
  }
  if (_) for (a = 0; a < g; a++) !(s = n[a]) || 2 & s.__u || (s.__e == r && (r = C(s)), se(s, s));
  return r;
}
function k(e, t, n, r) {
  var i, a, o, s;
  if (typeof e.type == `function`) {
    if (e.props.__P) return t;
    if ((i = e.__k)) for (a = 0; a < i.length; a++) i[a] && ((i[a].__ = e), (t = k(i[a], t, n, !1)));
    return t;
  }
  for (t && !t.parentNode && (t = C(e)) && !t.parentNode && (t = null), o = e.__e, s = t; s && s.nodeType == 8; )
    s = s.nextSibling;
  for (
    o != s && (!r && n.moveBefore && o.parentNode ? n.moveBefore(o, t) : n.insertBefore(o, t || null)), t = o;
    (t &&= t.nextSibling) && t.nodeType == 8 && !t.data.startsWith(`$s`);
  );
  return t;
}
function te(e, t, n, r) {
  var i,
    a = e.key,
    o = e.type,
    s = t[n],
    c = s && !(2 & s.__u);
  if ((s === null && a == null) || (c && a == s.key && o == s.type)) return n;
  if (r > +!!c) {
    for (i = n - 1; i >= 0; i--) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
    for (i = n + 1; i < t.length; i++) if ((s = t[i]) && !(2 & s.__u) && a == s.key && o == s.type) return i;
  }
  return -1;
}
function ne(e, t, n) {
  (n ??= ``), t[0] == `-` ? e.setProperty(t, n) : (e[t] = n);
}
function A(e, t, n, r, i) {
  var a, o;
  if (t == `style`) {
    if (typeof n == `string`) e.style.cssText = n;
    else {
      if ((typeof r == `string` && (e.style.cssText = r = ``), r)) for (t in r) (n && t in n) || ne(e.style, t);
      if (n) for (t in n) (r && n[t] == r[t]) || ne(e.style, t, n[t]);
    }
  } else if (t[0] == `o` && t[1] == `n`)
    typeof n != `function` && (n = null),
      typeof r != `function` && (r = null),
      ((e.__e ||= {})[t] = n),
      (n && r) ||
        ((o = u[t] || (u[t] = j(t))),
        ((e.__a ||= {})[t] = l),
        (a = t != (t = t.replace(c, `$1`))),
        (t = t.slice(2))[0] < `a` && (t = t.toLowerCase()),
        n ? e.addEventListener(t, o, a) : e.removeEventListener(t, o, a));
  else {
    if (i == `http://www.w3.org/2000/svg`) t = t.replace(/xlink(H|:h)/, `h`).replace(/sName$/, `s`);
    else if (
      t != `width` &&
      t != `height` &&
      t != `href` &&
      t != `list` &&
      t != `form` &&
      t != `tabIndex` &&
      t != `download` &&
      t != `rowSpan` &&
      t != `colSpan` &&
      t != `role` &&
      t != `popover` &&
      t in e
    )
      try {
        e[t] = n ?? ``;
        return;
      } catch {}
    if (typeof n == `function`) return;
    n == null || (!1 === n && t[4] != `-`)
      ? e.removeAttribute(t)
      : e.setAttribute(t, t == `popover` && n == 1 ? `` : n);
  }
}
function j(t) {
  return function (n) {
    var r = this.__e;
    if (r) {
      if (((r = r[t]), n[s] == null)) n[s] = l++;
      else if (n[s] < this.__a[t]) return;
      return r(e.event ? e.event(n) : n);
    }
  };
}
function re(t, n, r, i, a, o, s, c, l, u) {
  var f,
    m,
    g,
    y,
    b,
    w,
    T,
    E,
    D,
    O,
    k,
    te,
    ne,
    A,
    j,
    re,
    M,
    N,
    P = n.type;
  if (n.constructor !== d) return null;
  128 & r.__u &&
    ((l = 32 & r.__u), (f = r.__c.__z)) &&
    ((n.__u |= l), (m = o = []), f.nodeType == 8 ? (c = ie(f, o)) : o.push(f), (c = o[0] || c)),
    (f = e.__b) && f(n);
  n: if (typeof P == `function`) {
    g = s.length;
    try {
      if (
        ((E = n.props),
        (D = (f = P.prototype) && f.render),
        (O = (f = P.contextType) && i[f.__c]),
        (k = f ? (O ? O.props.value : f.__) : i),
        (y = r.__c)
          ? ((n.__c = y), 2 & y.__g && (y.__g |= 1))
          : (D ? (n.__c = y = new P(E, k)) : ((n.__c = y = new S(E, k)), (y.constructor = P), (y.render = ce)),
            O && O.sub(y),
            y.state || (y.state = {}),
            (y.__n = i),
            (y.__g |= 8),
            (y.__h = []),
            (y.__k = [])),
        D &&
          (y.__s || (y.__s = y.state),
          P.getDerivedStateFromProps &&
            (y.__s == y.state && (y.__s = _({}, y.__s)), _(y.__s, P.getDerivedStateFromProps(E, y.__s)))),
        (b = y.props),
        (w = y.state),
        (y.__v = n),
        r.__c)
      ) {
        if (
          (E !== b &&
            D &&
            !P.getDerivedStateFromProps &&
            y.componentWillReceiveProps &&
            y.componentWillReceiveProps(E, k),
          (n.__v == r.__v && !(8 & y.__g)) ||
            (!(4 & y.__g) && y.shouldComponentUpdate && !1 === y.shouldComponentUpdate(E, y.__s, k)))
        ) {
          n.__v != r.__v && ((y.props = E), (y.state = y.__s), (y.__g &= -9)),
            (n.__e = r.__e),
            (n.__k = r.__k),
            n.__k.some(function (e) {
              e && (e.__ = n);
            }),
            p.push.apply(y.__h, y.__k),
            (y.__k = []),
            y.__h.length && s.push(y),
            (c = C(r));
          break n;
        }
        y.componentWillUpdate && y.componentWillUpdate(E, y.__s, k),
          D &&
            y.componentDidUpdate &&
            y.__h.push(function () {
              y.componentDidUpdate(b, w, T);
            });
      } else
        D && !P.getDerivedStateFromProps && y.componentWillMount && y.componentWillMount(),
          D && y.componentDidMount && y.__h.push(y.componentDidMount);
      (y.context = k), (y.props = E), (y.__P = t), (y.__g &= -5), (te = e.__r), (ne = D ? 25 : 0);
      do (y.__g &= -9), te && te(n), (f = y.render(y.props, (y.state = y.__s), y.context));
      while (8 & y.__g && ++ne < 25);
      D && (p.push.apply(y.__h, y.__k), (y.__k = [])),
        (y.state = y.__s),
        y.getChildContext && (i = _({}, i, y.getChildContext())),
        D && r.__c && y.getSnapshotBeforeUpdate && (T = y.getSnapshotBeforeUpdate(b, w)),
        (A = f && f.type === x && f.key == null ? f.props.children : f),
        E.__P &&
          ((f = c),
          (a = (t = E.__P).namespaceURI),
          (l = o = null),
          r.props &&
            r.props.__P != t &&
            (r.__k.some(function (e) {
              e && se(e, e);
            }),
            (r.__k = null)),
          (c = r.__k ? C(r, 0) : null)),
        (c = ee(t, h(A) ? A : [A], n, r, i, a, o, s, c, l, u)),
        E.__P && ((n.__e = null), (c = f)),
        (n.__u &= -161),
        m && m.some(v),
        y.__h.length && s.push(y),
        1 & y.__g && (y.__g &= -4);
    } catch (t) {
      if (((s.length = g), (n.__v = null), l || o)) {
        if (t && t.then) {
          if (((n.__u |= 128 | l), o)) {
            for (~(M = o.indexOf(c || void 0)) || (M = o.length); (N = o[M - 1]) && N.nodeType == 8; ) M--;
            for (; M < o.length; M++)
              if ((N = o[M])) {
                if (((o[M] = null), j)) {
                  if (N == re) break;
                } else {
                  if (N.nodeType != 8) break;
                  N.data.startsWith(`$s`) && (re = ie((j = N)));
                }
              }
          }
          if (!j) {
            for (; c && c.nodeType == 8 && c.nextSibling; ) c = c.nextSibling;
            j = c;
          }
          (f = ie((j = n.__c.__z || (n.__c.__z = j)))) ? ((n.__e = j), (c = f)) : (n.__e = c), (c &&= c.nextSibling);
        } else o && o.some(v);
      } else n.__e = r.__e;
      (n.__k ||= r.__k || []), (t && t.then) || ae(n), e.__e(t, n, r);
    }
  } else c = n.__e = oe(r.__e, n, r, i, a, o, s, l, u, t);
  return (f = e.diffed) && f(n), c;
}
function ie(e, t) {
  if (e && e.nodeType == 8 && e.data.startsWith(`$s`))
    for (var n = 1; (e = e.nextSibling); ) {
      if (e.nodeType == 8) {
        if (e.data.startsWith(`$s`)) n++;
        else if (e.data.startsWith(`/$s`) && !--n) return e;
      }
      t && t.push(e);
    }
}
function ae(e) {
  e && (e.__c && (e.__c.__g |= 4), e.__k && e.__k.some(ae));
}
function M(t, n, r) {
  for (var i = 0; i < r.length; ) N(r[i++], r[i++], r[i++]);
  e.__c && e.__c(n, t),
    t.some(function (n) {
      try {
        (t = n.__h),
          (n.__h = []),
          t.some(function (e) {
            e.call(n);
          });
      } catch (t) {
        e.__e(t, n.__v);
      }
    });
}
function oe(t, n, r, i, a, o, s, c, l, u) {
  var d,
    p,
    _,
    y,
    b,
    x,
    S,
    w,
    T = r.props || f,
    E = n.props,
    D = n.type;
  if (
    (D == `svg`
      ? (a = `http://www.w3.org/2000/svg`)
      : D == `math`
        ? (a = `http://www.w3.org/1998/Math/MathML`)
        : (a ||= `http://www.w3.org/1999/xhtml`),
    o)
  ) {
    for (d = 0; d < o.length; d++)
      if ((b = o[d]) && (D ? b.localName == D : b.nodeType == 3)) {
        (t = b), (o[d] = null);
        break;
      }
  }
  if (!t) {
    if (((w = u.ownerDocument || document), !D)) return w.createTextNode(E);
    (t = w.createElementNS(a, D, E.is ? E : u)), (c &&= (e.__m && e.__m(n, o), !1)), (o = null);
  }
  if (D) {
    if (
      ((u = (D == `template` && t.content) || t),
      (o = D == `textarea` && E.defaultValue != null ? null : o && g.call(u.childNodes)),
      !c && o)
    )
      for (T = {}, d = 0; d < t.attributes.length; d++) T[(b = t.attributes[d]).name] = b.value;
    for (d in T)
      (b = T[d]),
        d == `dangerouslySetInnerHTML`
          ? (_ = b)
          : d == `children` ||
            d in E ||
            (d == `value` && `defaultValue` in E) ||
            (d == `checked` && `defaultChecked` in E) ||
            A(t, d, null, b, a);
    for (d in E)
      (b = E[d]),
        d == `children`
          ? (y = b)
          : d == `dangerouslySetInnerHTML`
            ? (p = b)
            : d == `value`
              ? (x = b)
              : d == `checked`
                ? (S = b)
                : (c && typeof b != `function`) || T[d] === b || A(t, d, b, T[d], a);
    p
      ? (c || (_ && (p.__html == _.__html || p.__html == t.innerHTML)) || (t.innerHTML = p.__html), (n.__k = []))
      : (_ && (t.textContent = ``),
        (D == `foreignObject` || (a == `http://www.w3.org/1998/Math/MathML` && m.test(D))) &&
          (a = `http://www.w3.org/1999/xhtml`),
        ee(u, h(y) ? y : [y], n, r, i, a, o, s, o ? o[0] : r.__k && C(r, 0), c, l),
        o && o.some(v)),
      (c && D != `textarea`) ||
        ((d = `value`),
        D == `progress` && x == null
          ? t.removeAttribute(d)
          : x == null || (x === t[d] && (D != `progress` || x)) || A(t, d, x, T[d], a),
        (d = `checked`),
        S != null && S != t[d] && A(t, d, S, T[d], a));
  } else T === E || (c && t.data == E) || (t.data = E);
  return t;
}
function N(t, n, r, i) {
  try {
    typeof t == `function`
      ? n
        ? (n.__x = t(n) || 1)
        : (i &&= i.__c || i.__e) && (n = i.__x) && ((i.__x = null), typeof n == `function` ? n() : t(null))
      : (t.current = n);
  } catch (t) {
    e.__e(t, r);
  }
}
function se(t, n, r) {
  var i, a, o, s;
  if ((e.unmount && e.unmount(t), !(i = t.ref) || (i.current && i.current != t.__e) || N(i, null, n, t), (i = t.__c))) {
    if (i.componentWillUnmount)
      try {
        i.componentWillUnmount();
      } catch (t) {
        e.__e(t, n);
      }
    i.__P = i.__n = null;
  }
  if ((i = t.__k))
    for (s = 0; s < i.length; s++) i[s] && se(i[s], n, typeof t.type != `function` || (r && !t.props.__P));
  !r && (i = t.__c) && (i = i.__z) && (a = ie(i, (o = []))) && (i == t.__e && o.some(v), v(a), v(i)),
    r || v(t.__e),
    (t.__e = t.__c = t.__ = null);
}
function ce(e, t, n) {
  return this.constructor(e, n);
}
function P(t, n) {
  var r, i, a, o;
  e.__ && e.__(t, n),
    n.nodeType == 9 && (n = n.documentElement),
    (i = (r = t && 32 & t.__u) ? null : n.__k),
    (n.__k = b(x, { children: [t] })),
    (a = []),
    (o = []),
    re(
      n,
      n.__k,
      i || f,
      f,
      n.namespaceURI,
      i ? null : n.firstChild ? g.call(n.childNodes) : null,
      a,
      i ? i.__e : n.firstChild,
      r,
      o,
    ),
    M(a, n.__k, o),
    (n.__k.props.children = null);
}
(e = {
  __e: function (e, t, n, r) {
    for (var i, o, s; (t = t.__); )
      if ((i = t.__c) && !(1 & i.__g)) {
        i.__g |= 4;
        try {
          if (
            ((s = (o = i.constructor) && o.getDerivedStateFromError) && i.setState(o.getDerivedStateFromError(e)),
            i.componentDidCatch && (i.componentDidCatch(e, r || {}), (s = 1)),
            s && 8 & i.__g)
          )
            return void (i.__g |= 2);
        } catch (t) {
          e = t;
        }
      }
    throw ((a = 0), e);
  },
}),
  (t = 0),
  (n = function (e) {
    return e != null && e.constructor === d;
  }),
  (S.prototype.setState = function (e, t) {
    var n = this.__s;
    (n && n != this.state) || (n = this.__s = _({}, this.state)),
      typeof e == `function` && (e = e(_({}, n), this.props)),
      e && (_(n, e), this.__v && (t && this.__k.push(t), E(this)));
  }),
  (S.prototype.forceUpdate = function (e) {
    this.__v && ((this.__g |= 4), e && this.__h.push(e), E(this));
  }),
  (S.prototype.render = x),
  (r = []),
  (a = 0),
  (o = function (e, t) {
    return e.__v.__b - t.__v.__b;
  }),
  (s = Symbol()),
  (c = /(PointerCapture)$|Capture$/i),
  (l = 0),
  (u = {});
var F,
  I,
  le,
  ue,
  de = Object.is,
  fe = 0,
  pe = [],
  me = [],
  L = e,
  he = L.__b,
  ge = L.__r,
  _e = L.diffed,
  ve = L.__c,
  ye = L.unmount,
  be = L.__;
function xe(e, t) {
  L.__h && L.__h(I, e, fe || t), (fe = 0);
  var n = I.__H || (I.__H = { __: [], __h: [] });
  return e >= n.__.length && n.__.push({}), n.__[e];
}
function R(e) {
  return (fe = 1), Se(Ne, e);
}
function Se(e, t, n) {
  var r = xe(F++, 2);
  if (
    ((r.t = e),
    !r.__c &&
      ((r.__ = [
        n ? n(t) : Ne(void 0, t),
        function (e) {
          var t = (r.__N || r.__)[0],
            n = r.t(t, e);
          de(t, n) || ((r.__N = [n, r.__[1]]), r.__c.setState({}));
        },
      ]),
      (r.__c = I),
      !I.__f))
  ) {
    I.__f = !0;
    var i = I.shouldComponentUpdate;
    I.shouldComponentUpdate = function (e, t, n) {
      var r = this.__H;
      if (!r) return !0;
      var a = !1,
        o = this.props != e;
      if (
        (r.__.some(function (e) {
          e.__N && ((a = !0), de(e.__[0], e.__N[0]) || (o = !0));
        }),
        i)
      ) {
        var s = i.call(this, e, t, n);
        return a ? s || o : s;
      }
      return !a || o;
    };
  }
  return r.__;
}
function z(e, t) {
  var n = xe(F++, 3);
  !L.__s && Me(n.__H, t) && ((n.__P = !0), (n.__ = e), (n.u = t), I.__H.__h.push(n));
}
function Ce(e) {
  return (
    (fe = 5),
    we(function () {
      return { current: e };
    }, [])
  );
}
function we(e, t) {
  var n = xe(F++, 7);
  return Me(n.__H, t) && ((n.__ = e()), (n.__H = t)), n.__;
}
function Te() {
  var e = xe(F++, 11);
  if (!e.__) {
    for (var t = I.__v; !t.__m && t.__; ) t = t.__;
    var n = t.__m || (t.__m = [0, 0]);
    e.__ = `P` + n[0] + `-` + n[1]++;
  }
  return e.__;
}
function Ee() {
  var e;
  do {
    for (; (e = me.shift()); )
      try {
        Ae(e);
      } catch (t) {
        L.__e(t, { __: (e = e.__P) && e.__v });
      }
    for (; (e = pe.shift()); ) {
      var t = e.__H;
      if (e.__P && t)
        try {
          t.__h.some(Ae), t.__h.some(je), (t.__h = []);
        } catch (n) {
          (t.__h = []), L.__e(n, e.__v);
        }
    }
  } while (me.length);
}
(L.__b = function (e) {
  (I = null), he && he(e);
}),
  (L.__ = function (e, t) {
    e && t.__k && t.__k.__m && (e.__m = t.__k.__m), be && be(e, t);
  }),
  (L.__r = function (e) {
    ge && ge(e), (F = 0);
    var t = (I = e.__c).__H;
    t &&
      (le == I ? (I.__h = []) : (t.__h.some(Ae), t.__h.some(je), (F = 0)),
      (t.__h = []),
      t.__.some(function (e) {
        e.__N && (e.__ = e.__N), (e.u = e.__N = void 0);
      })),
      (le = I);
  }),
  (L.diffed = function (e) {
    _e && _e(e);
    var t = e.__c;
    t &&
      t.__H &&
      (t.__H.__h.length && ke(pe.push(t)),
      t.__H.__.some(function (e) {
        e.u && (e.__H = e.u);
      })),
      (le = I = null);
  }),
  (L.__c = function (e, t) {
    t.some(function (e) {
      try {
        e.__h.some(Ae),
          (e.__h = e.__h.filter(function (e) {
            return !e.__ || je(e);
          }));
      } catch (t) {
        e.__h = [
          function () {
            throw t;
          },
        ];
      }
    }),
      ve && ve(e, t);
  }),
  (L.unmount = function (e) {
    ye && ye(e);
    var t,
      n,
      r = e.__c;
    r &&
      r.__H &&
      (r.__H.__.some(function (r) {
        try {
          if (r.__P && r.__c) {
            if (n === void 0) {
              for (n = e.__; n && (!n.__c || !n.__c.__P); ) n = n.__;
              n &&= n.__c;
            }
            (r.__P = n), ke(me.push(r));
          } else Ae(r);
        } catch (e) {
          t = e;
        }
      }),
      (r.__H = void 0),
      t && L.__e(t, r.__v));
  });
var De = typeof requestAnimationFrame == `function`;
function Oe(e) {
  var t,
    n = function () {
      clearTimeout(r), De && cancelAnimationFrame(t), setTimeout(e);
    },
    r = setTimeout(n, 35);
  De && (t = requestAnimationFrame(n));
}
function ke(e) {
  (e != 1 && ue == L.requestAnimationFrame) || ((ue = L.requestAnimationFrame) || Oe)(Ee);
}
function Ae(e) {
  var t = I,
    n = e.__c;
  typeof n == `function` && ((e.__c = void 0), n()), (I = t);
}
function je(e) {
  var t = I;
  (e.__c = e.__()), (I = t);
}
function Me(e, t) {
  return (
    !e ||
    e.length != t.length ||
    t.some(function (t, n) {
      return !de(t, e[n]);
    })
  );
}
function Ne(e, t) {
  return typeof t == `function` ? t(e) : t;
}
var Pe = new Intl.NumberFormat(`en`),
  Fe = (e) => Pe.format(e),
  Ie = (e, t = 1) => (e == null || Number.isNaN(e) ? `–` : `${(e * 100).toFixed(t)} %`),
  Le = (e) => `${e >= 0 ? `+` : `−`}${Math.abs(e * 100).toFixed(1)}`,
  Re = (e) => e.slice(0, 8),
  ze = (e) =>
    Number.isInteger(e) ? Fe(e) : Math.abs(e) >= 0.001 ? String(Number(e.toPrecision(4))) : e.toExponential(2),
  Be = (e, t, n = `${t}s`) => `${Fe(e)} ${e === 1 ? t : n}`,
  Ve = new Intl.DateTimeFormat(`en-GB`, { dateStyle: `medium`, timeStyle: `medium` }),
  He = (e) => Ve.format(e),
  Ue = (e) => new Date(e).toTimeString().slice(0, 8);
function We(e, t) {
  let n = Math.max(0, Math.round((t - e) / 1e3));
  return n < 90
    ? `${n} s ago`
    : n < 5400
      ? `${Math.round(n / 60)} min ago`
      : n < 129600
        ? `${Math.round(n / 3600)} h ago`
        : `${Math.round(n / 86400)} days ago`;
}
function Ge(e) {
  let t = [`B`, `KiB`, `MiB`, `GiB`],
    n = 0,
    r = e;
  for (; r >= 1024 && n < t.length - 1; n++) r /= 1024;
  return n === 0 ? `${e} B` : `${r.toFixed(1)} ${t[n]}`;
}
function Ke(e) {
  try {
    return JSON.stringify(JSON.parse(e), null, 2);
  } catch {
    return e;
  }
}
var qe = {
    solved: `solved`,
    failed: `not solved`,
    notSolved: `not solved`,
    ungraded: `ungraded`,
    expired: `expired`,
    deadLettered: `dead letter`,
    inFlight: `in flight`,
  },
  Je = Symbol.for(`pv`),
  Ye = 0;
Array.isArray;
function B(t, n, r, i, a, o) {
  n ||= {};
  var s,
    c,
    l = n;
  if (`ref` in l && typeof t != `function`) for (c in ((l = {}), n)) c == `ref` ? (s = n[c]) : (l[c] = n[c]);
  var u = {
    type: t,
    props: l,
    key: r,
    ref: s,
    __k: null,
    __: null,
    __b: 0,
    __e: null,
    __c: null,
    constructor: Je,
    __v: --Ye,
    __i: -1,
    __u: 0,
  };
  return (a || o) && ((u.__source = a), (u.__self = o)), e.vnode && e.vnode(u), u;
}
function Xe({ counted: e, command: t }) {
  let n = Te();
  return B(x, {
    children: [
      B(`button`, {
        type: `button`,
        class: `how`,
        popovertarget: n,
        'aria-label': `How it is counted: ${t}`,
        children: `how`,
      }),
      B(`div`, {
        id: n,
        popover: `auto`,
        class: `how-box`,
        children: [
          B(`p`, { children: e }),
          B(`p`, { children: `On the command line:` }),
          B(`code`, { class: `command`, children: t }),
        ],
      }),
    ],
  });
}
function Ze(e) {
  return B(`section`, {
    class: `card ${e.size ?? ``}`,
    children: [B(`header`, { children: [B(`h2`, { children: e.title }), e.how] }), e.children],
  });
}
function Qe({ kind: e, children: t }) {
  return B(`span`, { class: `badge ${e}`, children: t });
}
var $e = {
  solved: [`good`, `✓`],
  failed: [`bad`, `✕`],
  notSolved: [`bad`, `✕`],
  deadLettered: [`bad`, `!`],
  expired: [`dim`, `–`],
  ungraded: [`dim`, `?`],
  inFlight: [`busy`, `…`],
};
function et({ standing: e }) {
  let [t, n] = $e[e] ?? [`dim`, `·`];
  return B(Qe, { kind: t, children: [B(`span`, { 'aria-hidden': `true`, children: n }), ` `, qe[e] ?? e] });
}
var tt = {
  served: `good`,
  promoted: `good`,
  completed: `good`,
  rejected: `dim`,
  cancelled: `dim`,
  published: `dim`,
  rolledBack: `bad`,
  failed: `bad`,
  running: `busy`,
};
function nt({ status: e }) {
  return B(Qe, { kind: tt[e] ?? `dim`, children: e === `rolledBack` ? `rolled back` : e });
}
function rt(e) {
  let { digest: t, version: n } = e;
  return t === null
    ? B(`span`, { class: `dim`, children: `base model` })
    : B(`a`, { href: `/adapters/${t}`, class: `mono`, children: n === void 0 ? Re(t) : `v${n} ${Re(t)}` });
}
function it({ of: e }) {
  return B(`dl`, {
    class: `facts`,
    children: e.map(([e, t]) => B(`div`, { children: [B(`dt`, { children: e }), B(`dd`, { children: t })] }, e)),
  });
}
function at({ children: e, command: t }) {
  return B(`div`, {
    class: `empty`,
    children: [B(`p`, { children: e }), t === void 0 ? null : B(`code`, { class: `command`, children: t })],
  });
}
function ot({ fault: e }) {
  return e === null
    ? B(`p`, { class: `dim waiting`, children: `Reading …` })
    : B(`p`, { role: `alert`, class: `fault`, children: e });
}
function st({ children: e }) {
  return B(`pre`, { class: `text`, children: e });
}
var ct = Symbol.for(`preact-signals`);
function lt() {
  if (H > 1) H--;
  else {
    var e,
      t = !1;
    for (
      (function () {
        var e = _t;
        for (_t = void 0; e !== void 0; ) {
          var t = e.S;
          if (t.v === e.v) for (var n = t.t; n !== void 0; n = n.x) n.i === e.i && (n.i = t.i);
          e = e.o;
        }
      })();
      pt !== void 0;
    ) {
      var n = pt;
      for (pt = void 0, mt++; n !== void 0; ) {
        var r = n.u;
        if (((n.u = void 0), (n.f &= -3), !(8 & n.f) && bt(n)))
          try {
            n.c();
          } catch (n) {
            t ||= ((e = n), !0);
          }
        n = r;
      }
    }
    if (((mt = 0), H--, t)) throw e;
  }
}
function ut(e) {
  if (H > 0) return e();
  (gt = ++ht), H++;
  try {
    return e();
  } finally {
    lt();
  }
}
var dt,
  V = void 0;
function ft(e) {
  var t = V,
    n = dt;
  (V = void 0), (dt = void 0);
  try {
    return e();
  } finally {
    (V = t), (dt = n);
  }
}
var pt = void 0,
  H = 0,
  mt = 0,
  ht = 0,
  gt = 0,
  _t = void 0,
  vt = 0;
function yt(e) {
  if (V !== void 0) {
    var t = e.n;
    if (t === void 0 || t.t !== V)
      return (
        (t = { i: 0, S: e, p: V.s, n: void 0, t: V, e: void 0, x: void 0, r: t }),
        V.s !== void 0 && (V.s.n = t),
        (V.s = t),
        (e.n = t),
        32 & V.f && e.S(t),
        t
      );
    if (t.i === -1)
      return (
        (t.i = 0),
        t.n !== void 0 &&
          ((t.n.p = t.p), t.p !== void 0 && (t.p.n = t.n), (t.p = V.s), (t.n = void 0), (V.s.n = t), (V.s = t)),
        t
      );
  }
}
function U(e, t) {
  (this.v = e),
    (this.i = 0),
    (this.n = void 0),
    (this.t = void 0),
    (this.l = 0),
    (this.W = t?.watched),
    (this.Z = t?.unwatched),
    (this.name = t?.name);
}
(U.prototype.brand = ct),
  (U.prototype.h = function () {
    return !0;
  }),
  (U.prototype.S = function (e) {
    var t = this,
      n = this.t;
    n !== e &&
      e.e === void 0 &&
      ((e.x = n),
      (this.t = e),
      n === void 0
        ? ft(function () {
            var e;
            (e = t.W) == null || e.call(t);
          })
        : (n.e = e));
  }),
  (U.prototype.U = function (e) {
    var t = this;
    if (this.t !== void 0) {
      var n = e.e,
        r = e.x;
      n !== void 0 && ((n.x = r), (e.e = void 0)),
        r !== void 0 && ((r.e = n), (e.x = void 0)),
        e === this.t &&
          ((this.t = r),
          r === void 0 &&
            ft(function () {
              var e;
              (e = t.Z) == null || e.call(t);
            }));
    }
  }),
  (U.prototype.subscribe = function (e) {
    var t = this;
    return q(
      function () {
        var n = t.value;
        ft(function () {
          return e(n);
        });
      },
      { name: `sub` },
    );
  }),
  (U.prototype.valueOf = function () {
    return this.value;
  }),
  (U.prototype.toString = function () {
    return this.value + ``;
  }),
  (U.prototype.toJSON = function () {
    return this.value;
  }),
  (U.prototype.peek = function () {
    var e = this;
    return ft(function () {
      return e.value;
    });
  }),
  Object.defineProperty(U.prototype, 'value', {
    get: function () {
      var e = yt(this);
      return e !== void 0 && (e.i = this.i), this.v;
    },
    set: function (e) {
      if (e !== this.v) {
        if (mt > 100) throw Error(`Cycle detected`);
        (function (e) {
          H !== 0 && mt === 0 && e.l !== gt && ((e.l = gt), (_t = { S: e, v: e.v, i: e.i, o: _t }));
        })(this),
          (this.v = e),
          this.i++,
          vt++,
          H++;
        try {
          for (var t = this.t; t !== void 0; t = t.x) t.t.N();
        } finally {
          lt();
        }
      }
    },
  });
function W(e, t) {
  return new U(e, t);
}
function bt(e) {
  for (var t = e.s; t !== void 0; t = t.n) if (t.S.i !== t.i || !t.S.h() || t.S.i !== t.i) return !0;
  return !1;
}
function xt(e) {
  for (var t = e.s; t !== void 0; t = t.n) {
    var n = t.S.n;
    if ((n !== void 0 && (t.r = n), (t.S.n = t), (t.i = -1), t.n === void 0)) {
      e.s = t;
      break;
    }
  }
}
function St(e) {
  for (var t = e.s, n = void 0; t !== void 0; ) {
    var r = t.p;
    t.i === -1 ? (t.S.U(t), r !== void 0 && (r.n = t.n), t.n !== void 0 && (t.n.p = r)) : (n = t),
      (t.S.n = t.r),
      t.r !== void 0 && (t.r = void 0),
      (t = r);
  }
  e.s = n;
}
function G(e, t) {
  U.call(this, void 0, t), (this.x = e), (this.s = void 0), (this.g = vt - 1), (this.f = 4);
}
(G.prototype = new U()),
  (G.prototype.h = function () {
    if (((this.f &= -3), 1 & this.f)) return !1;
    if ((36 & this.f) == 32 || ((this.f &= -5), this.g === vt)) return !0;
    if (((this.g = vt), (this.f |= 1), this.i > 0 && !bt(this))) return (this.f &= -2), !0;
    var e = V;
    try {
      xt(this), (V = this);
      var t = this.x();
      (16 & this.f || this.v !== t || this.i === 0) && ((this.v = t), (this.f &= -17), this.i++);
    } catch (e) {
      (this.v = e), (this.f |= 16), this.i++;
    }
    return (V = e), St(this), (this.f &= -2), !0;
  }),
  (G.prototype.S = function (e) {
    if (this.t === void 0) {
      this.f |= 36;
      for (var t = this.s; t !== void 0; t = t.n) t.S.S(t);
    }
    U.prototype.S.call(this, e);
  }),
  (G.prototype.U = function (e) {
    if (this.t !== void 0 && (U.prototype.U.call(this, e), this.t === void 0)) {
      this.f &= -33;
      for (var t = this.s; t !== void 0; t = t.n) t.S.U(t);
    }
  }),
  (G.prototype.N = function () {
    if (!(2 & this.f)) {
      this.f |= 6;
      for (var e = this.t; e !== void 0; e = e.x) e.t.N();
    }
  }),
  Object.defineProperty(G.prototype, 'value', {
    get: function () {
      if (1 & this.f) throw Error(`Cycle detected`);
      var e = yt(this);
      if ((this.h(), e !== void 0 && (e.i = this.i), 16 & this.f)) throw this.v;
      return this.v;
    },
  });
function K(e, t) {
  return new G(e, t);
}
function Ct(e) {
  var t = e.j;
  if (((e.j = void 0), typeof t == `function`)) {
    H++;
    var n = V;
    V = void 0;
    try {
      t();
    } catch (t) {
      throw ((e.f &= -2), (e.f |= 8), wt(e), t);
    } finally {
      (V = n), lt();
    }
  }
}
function wt(e) {
  for (var t = e.s; t !== void 0; t = t.n) t.S.U(t);
  (e.x = void 0), (e.s = void 0), Ct(e);
}
function Tt(e) {
  if (V !== this) throw Error(`Out-of-order effect`);
  St(this), (V = e), (this.f &= -2);
  try {
    8 & this.f && wt(this);
  } finally {
    lt();
  }
}
function Et(e, t) {
  (this.x = e),
    (this.j = void 0),
    (this.s = void 0),
    (this.u = void 0),
    (this.f = 32),
    (this.name = t?.name),
    dt && dt.push(this);
}
(Et.prototype.c = function () {
  var e = this.S();
  try {
    if (8 & this.f || this.x === void 0) return;
    var t = this.x();
    typeof t == `function` && (this.j = t);
  } finally {
    e();
  }
}),
  (Et.prototype.S = function () {
    if (1 & this.f) throw Error(`Cycle detected`);
    (this.f |= 1), (this.f &= -9), Ct(this), xt(this), H++;
    var e = V;
    return (V = this), Tt.bind(this, e);
  }),
  (Et.prototype.N = function () {
    2 & this.f || ((this.f |= 2), (this.u = pt), (pt = this));
  }),
  (Et.prototype.d = function () {
    (this.f |= 8), 1 & this.f || wt(this);
  }),
  (Et.prototype.dispose = function () {
    this.d();
  });
function q(e, t) {
  var n = new Et(e, t);
  try {
    n.c();
  } catch (e) {
    throw (n.d(), e);
  }
  var r = n.d.bind(n);
  return (r[Symbol.dispose] = r), r;
}
var Dt,
  Ot,
  kt = typeof window < `u` && !!window.__PREACT_SIGNALS_DEVTOOLS__,
  At = [];
q(function () {
  Dt = this.N;
})();
function jt(t, n) {
  e[t] = n.bind(null, e[t] || function () {});
}
function Mt(e) {
  if (Ot) {
    var t = Ot;
    (Ot = void 0), t();
  }
  Ot = e && e.S();
}
function Nt(e) {
  var t = this,
    r = e.data,
    i = Ft(r);
  (i.name = `ReactiveDom`), (i.value = r);
  var a = we(function () {
      for (var e = t, r = t.__v; (r = r.__); )
        if (r.__c) {
          r.__c.__$f |= 4;
          break;
        }
      var a = K(function () {
          var e = i.value.value;
          return e === 0 ? 0 : !0 === e ? `` : e || ``;
        }),
        o = K(function () {
          return !Array.isArray(a.value) && !n(a.value);
        }),
        s = q(function () {
          if (((this.N = Rt), o.value)) {
            var t = a.value;
            e.__v && e.__v.__e && e.__v.__e.nodeType === 3 && (e.__v.__e.data = t);
          }
        }),
        c = t.__$u.d;
      return (
        (t.__$u.d = function () {
          s(), c.call(this);
        }),
        [o, a]
      );
    }, []),
    o = a[0],
    s = a[1];
  return o.value ? s.peek() : s.value;
}
(Nt.displayName = `ReactiveTextNode`),
  Object.defineProperties(U.prototype, {
    constructor: { configurable: !0, value: y(x, null).constructor },
    type: { configurable: !0, value: Nt },
    props: {
      configurable: !0,
      get: function () {
        var e = this;
        return {
          data: {
            get value() {
              return e.value;
            },
          },
        };
      },
    },
    __b: { configurable: !0, value: 1 },
  }),
  jt(`__b`, function (e, t) {
    if ((Mt(), typeof t.type == `string`)) {
      var n,
        r = t.props;
      for (var i in r)
        if (i !== `children`) {
          var a = r[i];
          a instanceof U && (n || (t.__np = n = {}), (n[i] = a), (r[i] = a.peek()));
        }
    }
    e(t);
  }),
  jt(`__r`, function (e, t) {
    if ((e(t), t.type !== x)) {
      Mt();
      var n,
        r = t.__c;
      r &&
        ((r.__$f &= -2),
        (n = r.__$u) === void 0 &&
          (r.__$u = n =
            (function (e, t) {
              var n;
              return (
                q(
                  function () {
                    n = this;
                  },
                  { name: t },
                ),
                (n.c = e),
                n
              );
            })(
              (function (e) {
                return function () {
                  var t;
                  kt && ((t = this.y) == null || t.call(this)), (e.__$f |= 1), e.setState({});
                };
              })(r),
              typeof t.type == `function` ? t.type.displayName || t.type.name : ``,
            ))),
        Mt(n);
    }
  }),
  jt(`__e`, function (e, t, n, r) {
    Mt(), e(t, n, r);
  }),
  jt(`diffed`, function (e, t) {
    Mt();
    var n;
    if (typeof t.type == `string` && (n = t.__e)) {
      var r = t.__np,
        i = t.props,
        a = n.U;
      if (a)
        for (var o in a) {
          var s = a[o];
          s === void 0 || (r && o in r) || (s.d(), (a[o] = void 0));
        }
      if (r)
        for (var c in (a || ((a = {}), (n.U = a)), r)) {
          var l = a[c],
            u = r[c];
          l === void 0 ? ((l = Pt(n, c, u, i)), (a[c] = l)) : l.o(u, i);
        }
    }
    e(t);
  });
function Pt(e, t, n, r) {
  var i = t in e && e.ownerSVGElement === void 0,
    a = W(n);
  return {
    o: function (e, t) {
      (a.value = e), (r = t);
    },
    d: q(function () {
      this.N = Rt;
      var n = a.value.value;
      r[t] !== n &&
        ((r[t] = n),
        i ? (e[t] = n) : n != null && (!1 !== n || t[4] === `-`) ? e.setAttribute(t, n) : e.removeAttribute(t));
    }),
  };
}
jt(`unmount`, function (e, t) {
  if (typeof t.type == `string`) {
    var n = t.__e;
    if (n) {
      var r = n.U;
      if (r)
        for (var i in ((n.U = void 0), r)) {
          var a = r[i];
          a && a.d();
        }
    }
    var o = t.__np;
    if (o) {
      var s = t.props;
      for (var c in o) s[c] = o[c];
    }
    t.__np = void 0;
  } else {
    var l = t.__c;
    if (l) {
      l.__$f |= 8;
      var u = l.__$u;
      u && ((l.__$u = void 0), u.d());
    }
  }
  e(t);
}),
  jt(`__h`, function (e, t, n, r) {
    r < 3 && (t.__$f |= 2), e(t, n, r);
  }),
  (S.prototype.shouldComponentUpdate = function (e, t) {
    if (this.__R) return !0;
    var n = this.__$u,
      r = n && n.s !== void 0;
    for (var i in t) return !0;
    if (this.__f || (typeof this.u == `boolean` && !0 === this.u)) {
      var a = 2 & this.__$f;
      if (!(r || a || 4 & this.__$f) || 1 & this.__$f) return !0;
    } else if (!(r || 4 & this.__$f) || 3 & this.__$f) return !0;
    for (var o in e) if (o !== `__source` && e[o] !== this.props[o]) return !0;
    for (var s in this.props) if (!(s in e)) return !0;
    return !1;
  });
function Ft(e, t) {
  return we(function () {
    return W(e, t);
  }, []);
}
var It = function (e) {
  queueMicrotask(function () {
    queueMicrotask(e);
  });
};
function Lt() {
  ut(function () {
    for (var e; (e = At.shift()); ) Dt.call(e);
  });
}
function Rt() {
  At.push(this) === 1 && (e.requestAnimationFrame || It)(Lt);
}
var zt = W(location.pathname + location.search);
addEventListener(`popstate`, () => {
  zt.value = location.pathname + location.search;
});
var Bt = K(() => zt.value.split(`?`)[0].split(`/`).filter(Boolean).map(decodeURIComponent)),
  Vt = K(() => new URLSearchParams(zt.value.split(`?`)[1] ?? ``));
function Ht(e, t = !1) {
  t ? history.replaceState(null, ``, e) : history.pushState(null, ``, e), (zt.value = e);
}
function Ut(e) {
  let t = new URLSearchParams(Vt.value);
  for (let [n, r] of Object.entries(e)) r === void 0 || r === `` ? t.delete(n) : t.set(n, r);
  let n = t.toString();
  return `/${Bt.value.map(encodeURIComponent).join(`/`)}${n === `` ? `` : `?${n}`}`;
}
var Wt = (e, t = !0) => Ht(Ut(e), t);
addEventListener(`click`, (e) => {
  if (e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey) return;
  let t = e.target instanceof Element ? e.target.closest(`a`) : null;
  if (t?.origin !== location.origin || t.target !== `` || t.pathname.startsWith(`/api/`)) return;
  e.preventDefault();
  let n = t.pathname !== location.pathname;
  Ht(t.pathname + t.search), n && (scrollTo(0, 0), document.getElementById(`main`)?.focus({ preventScroll: !0 }));
});
var Gt = W(`connecting`),
  J = W(!1),
  Kt = W(null),
  qt = W(null),
  Jt = ``,
  Yt = K(() => Kt.value?.overview ?? null),
  Xt = K(() => {
    let e = Kt.value?.position;
    return e === void 0 ? null : Object.values(e).reduce((e, t) => e + t, 0);
  }),
  Zt = K(() => Kt.value?.at ?? 0),
  Qt = K(() => Yt.value?.status.lag.reduce((e, { records: t }) => e + t, 0) ?? null);
function $t() {
  (J.value = !J.value), !J.value && qt.value !== null && ((Kt.value = qt.value), (qt.value = null));
}
var Y;
function en() {
  if (Y !== void 0) return;
  Y = new EventSource(`/api/stream${Jt === `` ? `` : `?after=${encodeURIComponent(Jt)}`}`);
  let e = (e) => {
    Jt = e.lastEventId;
    let t = JSON.parse(e.data);
    J.value ? (qt.value = t) : (Kt.value = t);
  };
  Y.addEventListener(`snapshot`, e),
    Y.addEventListener(`change`, e),
    (Y.onopen = () => {
      Gt.value = `live`;
    }),
    (Y.onerror = () => {
      (Gt.value = `lost`), Y?.readyState === EventSource.CLOSED && (tn(), setTimeout(en, 2e3));
    });
}
function tn() {
  Y?.close(), (Y = void 0);
}
function nn() {
  let e = () => {
    document.visibilityState === `visible` ? en() : tn();
  };
  document.addEventListener(`visibilitychange`, e), addEventListener(`pagehide`, tn), e();
}
var rn = W(0),
  an = 1e3;
async function on(e) {
  let t = await fetch(e).catch(() => null);
  if (t === null) throw Error(`The gateway does not answer.`);
  let n = await t.json();
  if (!t.ok) throw Error(n.error?.message ?? `The gateway answered with status ${t.status}.`);
  return n;
}
function sn(e, t = !0) {
  let [n, r] = R({ data: null, fault: null }),
    i = t ? Zt.value : 0,
    a = Ce(i);
  a.current = i;
  let o = Ce(() => void 0);
  return (
    z(() => {
      let t = new AbortController(),
        n = () => t.signal.aborted;
      return (
        (async () => {
          for (let t = NaN; !n(); ) {
            if (t === a.current) {
              await new Promise((e) => {
                o.current = e;
              });
              continue;
            }
            t = a.current;
            let i = await cn(e);
            if (n()) return;
            r((e) => (i.data === null ? { ...e, fault: i.fault } : i)), await new Promise((e) => setTimeout(e, an));
          }
        })(),
        () => {
          t.abort(), o.current();
        }
      );
    }, [e]),
    z(() => o.current(), [i]),
    n
  );
}
async function cn(e) {
  rn.value++;
  try {
    return { data: await on(e), fault: null };
  } catch (e) {
    return { data: null, fault: e.message };
  } finally {
    rn.value--;
  }
}
var ln = ({ kind: e, id: t }) =>
    `/${{ adapter: `adapters`, run: `training`, problem: `problems` }[e]}/${encodeURIComponent(t)}`,
  un = (e) =>
    `/log?filter=${encodeURIComponent(`key = '${e.replaceAll(`'`, ``)}' or meta.messageId = '${e.replaceAll(`'`, ``)}'`)}`;
function dn() {
  let [e, t] = R(``),
    [n, r] = R([]),
    i = async (e) => {
      if ((t(e), e.trim() === ``)) {
        r([]);
        return;
      }
      let n = await on(`/api/views/find?id=${encodeURIComponent(e)}`).catch(() => ({ found: [] }));
      r(n.found);
    },
    a = (e) => {
      t(``), r([]), document.activeElement?.blur(), Ht(e);
    },
    o = e.trim();
  return B(`search`, {
    class: `search`,
    children: [
      B(`form`, {
        onSubmit: (e) => {
          e.preventDefault(), o !== `` && a(n[0] === void 0 ? un(o) : ln(n[0]));
        },
        children: [
          B(`label`, { class: `unseen`, for: `search`, children: `Find an id, or words of a question` }),
          B(`input`, {
            id: `search`,
            type: `search`,
            autocomplete: `off`,
            placeholder: `Find any id   /`,
            value: e,
            onInput: (e) => void i(e.currentTarget.value),
          }),
        ],
      }),
      o === ``
        ? null
        : B(`ul`, {
            class: `found`,
            children: [
              n.map((e) =>
                B(
                  `li`,
                  { children: B(`a`, { href: ln(e), onClick: () => a(ln(e)), children: e.label }) },
                  e.kind + e.id,
                ),
              ),
              B(`li`, {
                children: B(`a`, { href: un(o), onClick: () => a(un(o)), children: `Look for it in the log` }),
              }),
            ],
          }),
    ],
  });
}
var X,
  Z = W(!1);
function fn(e) {
  return (
    (X = e),
    () => {
      X === e && (X = void 0);
    }
  );
}
var pn = (e) => e instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(e.tagName);
function mn() {
  addEventListener(`keydown`, (e) => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (e.key === `Escape`) {
      pn(e.target) && e.target.blur(), (Z.value = !1), X?.close();
      return;
    }
    if (pn(e.target)) return;
    let t = {
      '/': () => document.getElementById(`search`)?.focus(),
      '?': () => {
        Z.value = !Z.value;
      },
      p: $t,
      j: () => X?.move(1),
      k: () => X?.move(-1),
      Enter: e.target instanceof HTMLElement && e.target.matches(`a, button, summary`) ? void 0 : () => X?.open(),
    }[e.key];
    t !== void 0 && (e.preventDefault(), t());
  });
}
var hn = [`auto`, `light`, `dark`],
  gn = localStorage.getItem(`theme`),
  Q = W(hn.find((e) => e === gn) ?? `auto`),
  _n = matchMedia(`(prefers-color-scheme: dark)`),
  vn = W(_n.matches);
_n.addEventListener(`change`, ({ matches: e }) => {
  vn.value = e;
});
var yn = {
    get value() {
      return Q.value === `auto` ? (vn.value ? `dark` : `light`) : Q.value;
    },
  },
  bn = Q;
function xn() {
  Q.value = hn[(hn.indexOf(Q.value) + 1) % hn.length];
}
q(() => {
  localStorage.setItem(`theme`, Q.value),
    Q.value === `auto`
      ? delete document.documentElement.dataset.theme
      : (document.documentElement.dataset.theme = Q.value);
});
var Sn = (function () {
    let e = typeof document < `u` && document.createElement(`link`).relList;
    return e && e.supports && e.supports(`modulepreload`) ? `modulepreload` : `preload`;
  })(),
  Cn = function (e) {
    return `/` + e;
  },
  wn = {},
  Tn = function (e) {
    return e.pathname.endsWith(`.css`);
  },
  En = function (e, t, n) {
    if (t in e) return e[t];
    let r = n();
    if (!r) {
      e[t] = void 0;
      return;
    }
    let i = r.then(
      () => {
        e[t] = void 0;
      },
      (n) => {
        throw ((e[t] = void 0), n);
      },
    );
    return (e[t] = i), i;
  },
  $ = function (e, t, n) {
    let r = Promise.resolve();
    if (t && t.length > 0) {
      let e,
        i = document.querySelector(`meta[property=csp-nonce]`),
        a = i?.nonce || i?.getAttribute(`nonce`);
      function o(e) {
        return Promise.all(
          e.map((e) =>
            Promise.resolve(e).then(
              (e) => ({ status: `fulfilled`, value: e }),
              (e) => ({ status: `rejected`, reason: e }),
            ),
          ),
        );
      }
      function s(e) {
        return import.meta.resolve ? new URL(import.meta.resolve(e)) : new URL(e, import.meta.url);
      }
      r = o(
        t
          .map((t) => {
            t = Cn(t, n);
            let r = s(t),
              i = Tn(r);
            return En(wn, r.href, () => {
              if (e === void 0) {
                e = { all: new Set(), styles: new Set() };
                let t = document.getElementsByTagName(`link`);
                for (let n = t.length - 1; n >= 0; n--) {
                  let r = t[n];
                  e.all.add(r.href), r.rel === `stylesheet` && e.styles.add(r.href);
                }
              }
              if ((i ? e.styles : e.all).has(r.href)) return;
              let t = document.createElement(`link`);
              if (
                ((t.rel = i ? `stylesheet` : Sn),
                i || (t.as = `script`),
                (t.crossOrigin = ``),
                (t.href = r.href),
                a && t.setAttribute(`nonce`, a),
                document.head.appendChild(t),
                i)
              )
                return new Promise((e, n) => {
                  let i = (a) => {
                    t.removeEventListener(`load`, i),
                      t.removeEventListener(`error`, i),
                      a.type === `error` ? n(Error(`Unable to preload CSS for ${r}`)) : e(a);
                  };
                  t.addEventListener(`load`, i), t.addEventListener(`error`, i);
                });
            });
          })
          .filter((e) => e !== void 0),
      );
    }
    function i(e) {
      let t = new Event(`vite:preloadError`, { cancelable: !0 });
      if (((t.payload = e), window.dispatchEvent(t), !t.defaultPrevented)) throw e;
    }
    return r.then((t) => {
      for (let e of t || []) e.status === `rejected` && i(e.reason);
      return e().catch(i);
    });
  },
  Dn = [
    [
      ``,
      `Overview`,
      async () =>
        (
          await $(
            async () => {
              let { OverviewPage: e } = await import(`./overview-Cp_RCjnY.js`);
              return { OverviewPage: e };
            },
            __vite__mapDeps([0, 1, 2]),
          )
        ).OverviewPage,
    ],
    [
      `problems`,
      `Problems`,
      async () =>
        (
          await $(
            async () => {
              let { ProblemsPage: e } = await import(`./problems-CO-A21tk.js`);
              return { ProblemsPage: e };
            },
            __vite__mapDeps([3, 4, 5]),
          )
        ).ProblemsPage,
      async () =>
        (
          await $(async () => {
            let { ProblemPage: e } = await import(`./problem-CzW4m4tx.js`);
            return { ProblemPage: e };
          }, [])
        ).ProblemPage,
    ],
    [
      `adapters`,
      `Adapters`,
      async () =>
        (
          await $(async () => {
            let { AdaptersPage: e } = await import(`./adapters-DQuuxSyE.js`);
            return { AdaptersPage: e };
          }, [])
        ).AdaptersPage,
    ],
    [
      `training`,
      `Training`,
      async () =>
        (
          await $(
            async () => {
              let { TrainingPage: e } = await import(`./training-BSOqML2j.js`);
              return { TrainingPage: e };
            },
            __vite__mapDeps([6, 1, 2]),
          )
        ).TrainingPage,
    ],
    [
      `buffer`,
      `Buffer`,
      async () =>
        (
          await $(async () => {
            let { BufferPage: e } = await import(`./buffer-R96U0vIv.js`);
            return { BufferPage: e };
          }, [])
        ).BufferPage,
    ],
    [
      `log`,
      `Log`,
      async () =>
        (
          await $(
            async () => {
              let { LogPage: e } = await import(`./log-xkJM-J35.js`);
              return { LogPage: e };
            },
            __vite__mapDeps([7, 4]),
          )
        ).LogPage,
    ],
    [
      `dead-letters`,
      `Dead letters`,
      async () =>
        (
          await $(async () => {
            let { DeadLettersPage: e } = await import(`./dead-letters-DQI2gdsD.js`);
            return { DeadLettersPage: e };
          }, [])
        ).DeadLettersPage,
    ],
    [
      `doctor`,
      `Doctor`,
      async () =>
        (
          await $(async () => {
            let { DoctorPage: e } = await import(`./doctor-CrWEPQBs.js`);
            return { DoctorPage: e };
          }, [])
        ).DoctorPage,
    ],
  ];
function On() {
  z(() => {
    nn(), mn();
  }, []);
  let [e = ``, t] = Bt.value,
    n = Dn.find(([t]) => t === e);
  return (
    z(() => {
      document.title = n === void 0 || e === `` ? `Seamstream` : `${n[1]} · Seamstream`;
    }, [e]),
    B(x, {
      children: [
        B(`a`, { class: `skip`, href: `#main`, children: `Skip to the page` }),
        B(`header`, {
          class: `top`,
          children: [
            B(`a`, {
              href: `/`,
              class: `brand`,
              children: [B(`img`, { src: `/icon.svg`, alt: ``, width: `24`, height: `24` }), `Seamstream`],
            }),
            B(dn, {}),
            B(jn, {}),
            B(`button`, {
              type: `button`,
              class: `quiet`,
              onClick: xn,
              'aria-label': `Colours: ${bn.value}`,
              children: B(`span`, { 'aria-hidden': `true`, children: { auto: `◐`, light: `☀`, dark: `☾` }[bn.value] }),
            }),
            B(`button`, {
              type: `button`,
              class: `quiet`,
              'aria-label': `Keys`,
              onClick: () => (Z.value = !0),
              children: `?`,
            }),
          ],
        }),
        B(`nav`, {
          class: `side`,
          'aria-label': `Pages`,
          children: [
            Dn.map(([t, n]) => B(`a`, { href: `/${t}`, 'aria-current': t === e ? `page` : void 0, children: n }, t)),
            B(`p`, { class: `note`, children: `read only` }),
          ],
        }),
        B(`main`, {
          id: `main`,
          tabIndex: -1,
          'aria-busy': rn.value > 0,
          children:
            n === void 0
              ? B(`h1`, { children: `There is no such page.` })
              : B(kn, { load: t !== void 0 && n[3] !== void 0 ? n[3] : n[2] }, `${e}${t === void 0 ? `` : `/`}`),
        }),
        B(Nn, {}),
      ],
    })
  );
}
function kn({ load: e }) {
  let [t, n] = R(null),
    [r, i] = R(null);
  return (
    z(() => {
      e().then(
        (e) => n({ Page: e }),
        () => i(`This page could not be loaded. Load it again: a newer release may be served.`),
      );
    }, []),
    t === null ? B(ot, { fault: r }) : B(t.Page, {})
  );
}
var An = { connecting: `connecting`, live: `live`, lost: `not connected` };
function jn() {
  let e = J.value ? `paused` : Gt.value,
    t = Qt.value;
  return B(`div`, {
    class: `live`,
    children: [
      B(`button`, {
        type: `button`,
        class: `pill ${e}`,
        onClick: $t,
        'aria-pressed': J.value,
        children: [B(`span`, { class: `dot`, 'aria-hidden': `true` }), J.value ? `paused` : An[Gt.value]],
      }),
      B(`span`, {
        class: `dim`,
        children: [Xt.value === null ? `` : `${Fe(Xt.value)} records`, t === null || t === 0 ? `` : `, ${Fe(t)} to go`],
      }),
    ],
  });
}
var Mn = [
  [`/`, `find any id, or words of a question`],
  [`j, k`, `the next row, the one before`],
  [`Enter`, `open the chosen row`],
  [`Esc`, `close what is open`],
  [`p`, `pause, and continue`],
  [`?`, `this list`],
];
function Nn() {
  let e = Ce(null);
  return (
    z(() => {
      Z.value ? e.current?.showModal() : e.current?.close();
    }, [Z.value]),
    B(`dialog`, {
      ref: e,
      'aria-labelledby': `keys`,
      onClose: () => (Z.value = !1),
      children: [
        B(`h2`, { id: `keys`, children: `Keys` }),
        B(`dl`, {
          class: `facts`,
          children: Mn.map(([e, t]) =>
            B(`div`, { children: [B(`dt`, { children: B(`kbd`, { children: e }) }), B(`dd`, { children: t })] }, e),
          ),
        }),
        B(`button`, { type: `button`, onClick: () => (Z.value = !1), children: `Close` }),
      ],
    })
  );
}
P(B(On, {}), document.getElementById(`app`));
export {
  at as g,
  B as C,
  Be as j,
  Bt as c,
  Ce as L,
  et as y,
  Fe as O,
  fn as n,
  Ge as E,
  He as F,
  Ht as s,
  Ie as A,
  it as _,
  Ke as N,
  Kt as a,
  Le as M,
  nt as b,
  on as r,
  ot as S,
  Qe as m,
  q as f,
  qe as w,
  R,
  Re as P,
  rt as p,
  sn as i,
  st as x,
  Ue as D,
  Ut as d,
  Vt as l,
  We as T,
  Wt as u,
  Xe as v,
  x as z,
  Yt as o,
  yn as t,
  Ze as h,
  z as I,
  ze as k,
};
