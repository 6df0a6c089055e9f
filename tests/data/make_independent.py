"""Numbers of fleets whose clients differ in N, T, K and noise, from the printed formulas (docs/model.md, docs/data.md, the heads of
src/sim/method), by code that shares nothing with ours. Needs NumPy and SciPy: `python make_independent.py > independent.json`,
some minutes. README.md says what the file holds."""
import json

import numpy as np
from scipy import special, stats

PAPER = dict(
    A=[[.6, .5, .4], [0, .4, .3], [0, 0, .3]], B=[[1, .5], [.5, 1], [.5, .5]],
    V=[[0, 0, 0], [0, 1, 0], [0, 0, 1]], U=[[1, 0], [0, 0], [0, 1]])
# Four states, two inputs; no structure in common with the paper's.
FOUR = dict(
    A=[[.7, .2, 0, -.1], [-.3, .5, .2, 0], [.1, 0, .8, .3], [0, -.2, -.4, .6]],
    B=[[1, 0], [.3, -.5], [0, .8], [-.6, .4]],
    V=[[.2, 0, -.4, 0], [0, .3, 0, .5], [-.6, .1, 0, 0], [0, 0, .2, -.3]],
    U=[[.5, -.2], [0, .7], [.4, 0], [-.1, .3]])


def listed(value, m):
    """A list has one value a client; the last one is that of all further ones."""
    return [value[min(i, len(value) - 1)] for i in range(m)] if isinstance(value, list) else [value] * m


class Fleet:
    """The clients of a case: systems, plans, and expected moments by Lemma 1."""

    def __init__(self, case):
        self.case = case
        f = {k: np.array(v, float) for k, v in case['family'].items()}
        self.m = m = case['M']
        self.n, self.p = f['B'].shape
        self.d = self.n + self.p
        i = np.arange(m)
        self.g1, self.g2 = np.modf(i * 0.6180339887498949)[0], np.modf(i * 0.7548776662466927)[0]
        e = case['epsilon']
        self.A = f['A'] + e * self.g1[:, None, None] * f['V']
        self.B = f['B'] + e * self.g2[:, None, None] * f['U']
        self.theta = np.concatenate([self.A, self.B], axis=2)
        get = lambda key, default: np.array(listed(case.get(key, default), m))
        self.N, self.T, self.K = get('N', 25), get('T', 5), get('K', 10)
        self.sx, self.su, self.sw = get('sx', 1.), get('su', 1.), get('sw', 1.)
        self.alpha = case.get('alpha', 1e-4)
        self.sigmas = [self.covariances(j) for j in range(m)]
        self.gram = np.array([self.N[j] * sum(self.sigmas[j]) for j in range(m)])
        self.nu = self.sw.astype(float) ** 2
        if case.get('mean_gradient'):
            scale = (self.N * self.T).astype(float)
            self.S, self.v = self.gram / scale[:, None, None], self.nu / scale
        else:
            self.S, self.v = self.gram, self.nu
        self.C = self.theta @ self.S
        self.pooled = self.C.sum(0) @ np.linalg.inv(self.S.sum(0))
        self.first = np.zeros((self.n, self.d))

    def covariances(self, j):
        """Lemma 1's sum, term by term."""
        A, B = self.A[j], self.B[j]
        out = []
        for t in range(self.T[j]):
            P = self.sx[j] ** 2 * np.linalg.matrix_power(A, t) @ np.linalg.matrix_power(A, t).T
            for s in range(t):
                G = np.linalg.matrix_power(A, s)
                P = P + G @ (self.su[j] ** 2 * B @ B.T + self.sw[j] ** 2 * np.eye(self.n)) @ G.T
            Z = np.zeros((self.d, self.d))
            Z[:self.n, :self.n] = P
            Z[self.n:, self.n:] = self.su[j] ** 2 * np.eye(self.p)
            out.append(Z)
        return out

    def draw(self, rng, count):
        """Moments of `count` data sets, from rollouts: (count, M, d, d) and (count, M, n, d)."""
        S = np.zeros((count, self.m, self.d, self.d))
        C = np.zeros((count, self.m, self.n, self.d))
        for j in range(self.m):
            n, p, T = self.n, self.p, self.T[j]
            D = n + T * (n + p)
            if self.N[j] <= D:
                xi = rng.standard_normal((count, self.N[j], D))
            else:   # the Gram matrix of N rows is Wishart: Bartlett's triangle has the same
                xi = np.tril(rng.standard_normal((count, D, D)), -1)
                k = np.arange(D)
                xi[:, k, k] = np.sqrt(rng.chisquare(self.N[j] - k, (count, D)))
                xi = np.swapaxes(xi, 1, 2)
            x = self.sx[j] * xi[:, :, :n]
            for t in range(T):
                at = n + t * (n + p)
                u = self.su[j] * xi[:, :, at:at + p]
                w = self.sw[j] * xi[:, :, at + p:at + p + n]
                z = np.concatenate([x, u], axis=2)
                x = x @ self.A[j].T + u @ self.B[j].T + w
                zt = np.swapaxes(z, 1, 2)
                S[:, j] += zt @ z
                C[:, j] += np.swapaxes(x, 1, 2) @ z
        return S, C

    def scaled(self, S, C):
        if self.case.get('mean_gradient'):
            scale = (self.N * self.T).astype(float)[:, None, None]
            return S / scale, C / scale
        return S, C


def steps(schedule, alpha, k, r, rounds):
    return {'constant': alpha, 'local': alpha / k, 'rounds': alpha * (1 - r / rounds), 'harmonic': alpha / (r + 1)}[schedule]


def maps(S, K, alpha, schedule='constant', mu=0., r=0, rounds=1):
    """P and Q by going through the steps one by one; S (..., d, d) of one client."""
    eye = np.eye(S.shape[-1])
    S = S + mu * eye
    P, Q = np.broadcast_to(eye, S.shape).copy(), np.zeros(S.shape)
    for k in range(1, K + 1):
        a = steps(schedule, alpha, k, r, rounds)
        step = eye - a * S
        P, Q = P @ step, Q @ step + a * eye
    return P, Q


def fleet_maps(S, K, alpha, schedule='constant', mu=0., r=0, rounds=1):
    PQ = [maps(S[..., j, :, :], K[j], alpha, schedule, mu, r, rounds) for j in range(len(K))]
    return np.stack([x[0] for x in PQ], -3), np.stack([x[1] for x in PQ], -3)


def bias(f, schedule, mu, r=0, rounds=1):
    """Mean over clients of E[V Q(S)] to first order, entry by entry of V: the derivative of Q along E[V_ik S]."""
    total = np.zeros((f.n, f.d))
    for j in range(f.m):
        A, T = f.A[j], f.T[j]
        S = f.S[j] + mu * np.eye(f.d)
        coupled = np.zeros((f.n, f.d, f.d, f.d))
        for t in range(T):
            for later in range(t + 1, T):
                # Of w_t and of z_t with the later z, whose inputs are new.
                W, R = np.zeros((f.n, f.d)), np.zeros((f.d, f.d))
                W[:, :f.n] = f.sw[j] ** 2 * np.linalg.matrix_power(A, later - t - 1).T
                R[:, :f.n] = f.sigmas[j][t] @ f.theta[j].T @ np.linalg.matrix_power(A, later - t - 1).T
                coupled += np.einsum('il,km->iklm', W, R) + np.einsum('im,kl->iklm', W, R)
        coupled *= f.N[j] / ((f.N[j] * f.T[j]) ** 2. if f.case.get('mean_gradient') else 1.)
        Q, dQ, eye = np.zeros((f.d, f.d)), np.zeros(coupled.shape), np.eye(f.d)
        for k in range(1, f.K[j] + 1):
            a = steps(schedule, f.alpha, k, r, rounds)
            dQ = dQ @ (eye - a * S) - a * Q @ coupled
            Q = Q @ (eye - a * S) + a * eye
        total += np.einsum('ikkm->im', dQ)
    return total / f.m


def spec(x):
    if x.ndim == 2: return np.linalg.norm(x, 2)
    return np.sqrt(np.linalg.eigvalsh(x @ np.swapaxes(x, -1, -2))[..., -1])


def rho(F):
    return np.max(np.abs(np.linalg.eigvals(F)), axis=-1)


def affine(S, C, K, method, alpha, schedule='constant', mu=0.):
    """F and G of one round, all taking part."""
    P, Q = fleet_maps(S, K, alpha, schedule, mu if method == 'fedprox' else 0.)
    if method == 'fedlin':
        Sb, Qb, Cb = S.mean(-3), Q.mean(-3), C.mean(-3)
        return np.eye(S.shape[-1]) - Sb @ Qb, Cb @ Qb
    F = P.mean(-3) + (mu * Q.mean(-3) if method == 'fedprox' else 0.)
    return F, (C @ Q).mean(-3)


# (1) Contraction and drift over step size and local steps, and the largest step on drawn moments.

MAPS = [
    (dict(family=PAPER, M=9, epsilon=.4, N=[10, 40, 25, 8, 60, 17], K=[4, 12, 7, 20, 5, 9], sw=[.5, 1., 2., .8, 1.5, 3.]), 'constant',
     [1e-6, 2e-4, 7e-4]),
    (dict(family=FOUR, M=5, epsilon=.5, N=[30, 12, 9, 50, 21], K=[10, 3, 25, 14, 40], sw=[1., .3, 2.5, 1.7], T=[4, 7, 3], sx=[1., .2, 2.],
          su=[1., .5], mean_gradient=True), 'local', [1e-3, .02, .1]),
]
ROWS = [1, 10, 37]


def half_up(x):
    return int(np.floor(x + .5))


def stability_map(case, alphas, rows, schedule):
    out = dict(fedavg=[], fedlin=[], drift=[])
    for row in rows:
        c = dict(case)
        K = listed(case['K'], case['M'])
        scaled = [min(max(half_up(k * row / K[0]), 1), 10000) for k in K]
        f = Fleet(c)
        for key in out: out[key].append([])
        for a in alphas:
            F, G = affine(f.S, f.C, scaled, 'fedavg', a, schedule)
            _, Q = fleet_maps(f.S, scaled, a, schedule)
            L, _ = affine(f.S, f.C, scaled, 'fedlin', a, schedule)
            finite = lambda X: float(rho(X)) if np.isfinite(X).all() else None
            r = finite(F)
            out['fedavg'][-1].append(r)
            out['fedlin'][-1].append(finite(L))
            fixed = (f.C @ Q).mean(0) @ np.linalg.inv((f.S @ Q).mean(0)) if r is not None and r <= 1 else None
            out['drift'][-1].append(float(spec(fixed - f.pooled)) if fixed is not None else None)
    return out


def make_maps():
    return [dict(case=case, schedule=schedule, alphas=alphas, rows=ROWS, **stability_map(case, alphas, ROWS, schedule))
            for case, schedule, alphas in MAPS]


def first_edge(S, C, K, method, schedule='constant', mu=0.):
    """The first step size at which ρ reaches 1: on a fine grid, then by bisection."""
    over = lambda a: rho(affine(S, C, K, method, a, schedule, mu)[0]) - 1
    a = .25 / max(np.trace(s) + mu for s in S)
    while over(a) < 0:
        low, a = a, a * 1.01
    high = a
    for _ in range(60):
        mid = (low + high) / 2
        low, high = (mid, high) if over(mid) < 0 else (low, mid)
    return low


def make_edges():
    case = dict(MAPS[0][0], M=3)
    f = Fleet(case)
    S, C = f.draw(np.random.default_rng(1), 1)
    S, C = np.round(S[0], 3), np.round(C[0], 3)
    cells = []
    for method, mu in (('fedavg', 0.), ('fedlin', 0.), ('fedprox', 40.)):
        for schedule in ('constant', 'local'):
            edge = first_edge(S, C, f.K, method, schedule, mu)
            alpha = float(f'{.3 * edge:.3g}')
            F = affine(S, C, f.K, method, alpha, schedule, mu)[0]
            cells.append(dict(method=method, schedule=schedule, mu=mu, edge=edge, alpha=alpha, rho=rho(F)))
    return dict(case=case, S=S, C=C, cells=cells)


# (2), (7) Errors along the rounds and their parts.

MIX = dict(family=PAPER, M=6, epsilon=.3, N=[120, 300, 200, 90, 400, 160], K=[4, 12, 7, 15, 5, 9], sw=[.5, 1., 2., .8, 1.5, 1.2], T=5, alpha=4e-5)
MIX4 = dict(family=FOUR, M=5, epsilon=.3, N=[150, 400, 250, 300, 200], K=[10, 3, 15, 6, 10], sw=[1., .3, 1.5, .7], T=[4, 7, 5], sx=[1., .5, 2.], su=[1., .5], alpha=.02, mean_gradient=True)

FULL = [dict(MIX, target=0), dict(MIX4, target='mean'), dict(MIX, target='worst')]
PARTIAL = [dict(MIX, participation=dict(fraction=.5), target=0), dict(MIX4, participation=dict(dropout=.25), target='mean')]
METHODS = [('fedavg', 'constant'), ('fedprox', 'local'), ('fedlin', 'local')]
KEEP = [1, 5, 20]


def pull(f):
    return 0.5 * float(np.trace(f.S[0])) / f.d


def masks(rng, how, B, m):
    if how is None: return np.ones((B, m))
    if 'fraction' in how:
        k = min(max(int(np.floor(how['fraction'] * m + .5)), 1), m)
        u = rng.random((B, m))
        return (u < np.sort(u, axis=1)[:, k:k + 1] if k < m else np.ones((B, m))).astype(float)
    return (rng.random((B, m)) >= how['dropout']).astype(float)


def rounds_of(f, S, C, method, schedule, mu, R, rng, B, keep, callback):
    """Follows F and H of every draw. S, C: of the fleet (M,...) or of every draw (B, M, ...)."""
    eye = np.eye(f.d)
    repeat = schedule in ('constant', 'local')
    for r in range(R):
        if r == 0 or not repeat:
            pulled = mu if method == 'fedprox' else 0.
            P, Q = fleet_maps(S, f.K, f.alpha, schedule, pulled, r, R)
            SQ, CQ = S @ Q, C @ Q
            # What pooled least squares has of it, an M-th, is left out of all predictions.
            extra = (1 - 1 / f.m) * bias(f, schedule, pulled, r, R)
        w = masks(rng, f.case.get('participation'), B, f.m)
        n = w.sum(1)
        some = n > 0
        w = w / np.maximum(n, 1)[:, None]
        mean = lambda X: np.einsum('bm,mij->bij', w, X) if X.ndim == 3 else np.einsum('bm,bmij->bij', w, X)
        if method == 'fedlin':
            Qb = mean(Q)
            F, G = eye - mean(S) @ Qb, mean(C) @ Qb
        else:
            Qb = None
            F, G = eye - mean(SQ), mean(CQ) + extra     # P + μQ = I − SQ, with Q that of S + μI
        F, G = np.where(some[:, None, None], F, eye), np.where(some[:, None, None], G, 0.)
        callback(r + 1, F, G, w, Q, Qb)


def theory(case, method, schedule, R, B, seed, keep):
    """Means over draws of who reports, the noise followed exactly: parts, mean square, and the mean norm with noise drawn."""
    f = Fleet(case)
    mu = pull(f)
    rng = np.random.default_rng(seed)
    full = case.get('participation') is None
    t = np.broadcast_to(f.first - f.pooled, (B, f.n, f.d)).copy()
    g = np.zeros((B, f.n, f.d))
    if full: Bm = 1
    else: Bm = B
    t, g = t[:Bm], g[:Bm]
    Y = np.zeros((Bm, f.m, f.d, f.d))
    root = np.linalg.cholesky(f.v[:, None, None] * f.S)     # rows of V: root · z
    V = rng.standard_normal((B, f.m, f.n, f.d)) @ np.swapaxes(root, -1, -2)
    out = []

    def record(r):
        if r not in keep: return
        D0 = t + g + f.pooled
        noise = f.n * np.einsum('m,bmij,mik,bmkj->b', f.v, Y, f.S, Y)
        E = np.einsum('bmij,bmjk->bik', V, np.broadcast_to(Y, (B,) + Y.shape[1:])) + D0
        target = case['target']
        if target == 'mean':
            m = f.theta.mean(0)
            s = np.mean(np.sum((f.theta - m) ** 2, axis=(1, 2)))
            b = f.pooled - m
            norm = np.mean(spec(E[:, None] - f.theta), axis=1)
        elif target == 'worst':
            assert full
            j = np.argmax(np.sum((D0[0] - f.theta) ** 2, axis=(1, 2)))
            b, s = f.pooled - f.theta[j], 0.
            norm = np.max(spec(E[:, None] - f.theta), axis=1)
        else:
            b, s = f.pooled - f.theta[target], 0.
            norm = spec(E - f.theta[target])
        D = t + g + b
        ip = lambda X: np.sum(X * D, axis=(1, 2))
        parts = np.stack([ip(t), noise, ip(np.broadcast_to(b, D.shape)) + s, ip(g)])
        total = parts.sum(0)
        se = lambda x: float(x.std(ddof=1) / np.sqrt(x.shape[-1])) if x.shape[-1] > 1 else 0.
        out.append(dict(round=r, parts=parts.mean(1).tolist(), parts_se=[se(x) for x in parts], square=float(total.mean()), square_se=se(total),
                        mean=float(norm.mean()), mean_se=se(norm)))

    record(0)
    state = [t, g, Y]

    def step(r, F, G, w, Q, Qb):
        nonlocal t, g, Y
        g = g @ F + (f.pooled @ F + G - f.pooled)
        t = t @ F
        if method == 'fedlin': Y = Y @ F[:, None] + w[:, :, None, None] * Qb[:, None]
        else: Y = Y @ F[:, None] + w[:, :, None, None] * Q
        record(r)

    rounds_of(f, f.S, f.C, method, schedule, mu, R, rng, Bm, keep, step)
    return out


def make_predictions():
    fleets = []
    for case in FULL + PARTIAL:
        partial, cells = 'participation' in case, []
        for method, schedule in METHODS:
            records = theory(case, method, schedule, KEEP[-1], 20_000 if partial else 4_000, 7, KEEP)
            for record in records:
                record['mean'], record['mean_se'] = (float(f'{record[key]:.4g}') for key in ('mean', 'mean_se'))
                if partial:
                    record['parts'] = [float(f'{part:.6g}') for part in record['parts']]
                    record['parts_se'] = [float(f'{error:.2g}') for error in record['parts_se']]
            keys = ('round', 'parts', 'parts_se', 'mean', 'mean_se') if partial else ('round', 'parts', 'mean', 'mean_se')
            cells.append(dict(method=method, schedule=schedule, mu=pull(Fleet(case)), records=[{key: record[key] for key in keys} for record in records]))
        fleets.append(dict(case=case, rounds=KEEP[-1], cells=cells))
    return fleets


# (3) The methods' printed rules.

def samples(seed=11, M=9):
    """Nine clients' samples, of two kinds of systems, with three decimals."""
    rng = np.random.default_rng(seed)
    out = []
    for i in range(M):
        A = np.array([[.8, .3], [-.2, .6]]) + (.35 * np.array([[-1, 1], [1, -1.]]) if i % 3 == 1 else 0) + .05 * rng.standard_normal((2, 2))
        B = np.array([[1.], [-.5]]) + .1 * rng.standard_normal((2, 1))
        n, p = B.shape
        Z, X = [], []
        for _ in range(3 + 2 * i % 5):
            x = rng.standard_normal(n)
            for _ in range(4):
                u = rng.standard_normal(p)
                y = A @ x + B @ u + (.3 + .1 * i) * rng.standard_normal(n)
                Z.append(np.concatenate([x, u])); X.append(y); x = y
        out.append((np.round(np.array(Z).T, 3), np.round(np.array(X).T, 3)))
    return out


def run(data, K, method, schedule, alpha, rounds, who, first, mu=0., penalty=0., sparsity=0., clusters=0):
    """The printed rules over samples, step by step; every client's model after every round."""
    M = len(data)
    grad = lambda i, th: (data[i][1] - th @ data[i][0]) @ data[i][0].T          # (X − ΘZ)Zᵀ
    cost = lambda i, th: np.sum((data[i][1] - th @ data[i][0]) ** 2)
    S = [z @ z.T for z, _ in data]; C = [x @ z.T for z, x in data]
    server = [first.copy()]
    of = [0] * M
    if method == 'clustered':
        own = [c @ np.linalg.inv(s + 1e-9 * np.diag(np.diag(s))) for s, c in zip(S, C)]
        chosen = [0]
        while len(chosen) < clusters:
            near = [min(np.linalg.norm(o - own[c]) for c in chosen) for o in own]
            chosen.append(int(np.argmax(near)))
        server = [own[c].copy() for c in chosen]
        of = [int(np.argmin([cost(i, th) for th in server])) for i in range(M)]
    ci = [np.zeros_like(first) for _ in range(M)]; c = np.zeros_like(first)
    lam = [np.zeros_like(first) for _ in range(M)]; msg = [first.copy() for _ in range(M)]
    history = []
    for r in range(rounds):
        W = who[r]
        a = lambda k: steps(schedule, alpha, k, r, rounds)
        locals_ = {}
        if method == 'clustered':
            for i in W: of[i] = int(np.argmin([cost(i, th) for th in server]))
        if method == 'fedadmm':
            for i in W:
                th = np.linalg.solve((S[i] + penalty * np.eye(len(S[i]))).T, (C[i] - lam[i] + penalty * server[0]).T).T
                lam[i] = lam[i] + penalty * (th - server[0])
                msg[i] = th + lam[i] / penalty
            mean = sum(msg) / M
            server[0] = np.sign(mean) * np.maximum(np.abs(mean) - sparsity / penalty, 0)
        else:
            start = [s.copy() for s in server]
            g = sum(grad(i, start[0]) for i in W) / len(W)
            for i in W:
                th = start[of[i]].copy()
                base = th.copy()
                for k in range(1, K[i] + 1):
                    d = grad(i, th)
                    if method == 'fedprox': d = d - mu * (th - base)
                    if method == 'fedlin': d = d - grad(i, base) + g
                    if method == 'scaffold': d = d + ci[i] - c
                    th = th + a(k) * d
                locals_[i] = th
            if method == 'median': server[0] = np.median(np.array([locals_[i] for i in W]), axis=0)
            elif method == 'clustered':
                for j in range(len(server)):
                    mine = [locals_[i] for i in W if of[i] == j]
                    if mine: server[j] = sum(mine) / len(mine)
            else:
                server[0] = sum(locals_.values()) / len(W)
            if method == 'scaffold':
                change = 0
                for i in W:
                    new = ci[i] - c + (start[0] - locals_[i]) / sum(a(k) for k in range(1, K[i] + 1))
                    change = change + new - ci[i]
                    ci[i] = new
                c = c + change / M
        history.append([server[of[i]].copy() for i in range(M)])
    return history


# Who takes part where half of the clients do: those that our seed 3 draws, as none of this is about the drawing.
HALF = [[1, 3, 4, 5, 6], [2, 4, 5, 7, 8], [0, 1, 3, 7, 8], [2, 4, 5, 6, 7], [0, 2, 3, 5, 6], [0, 1, 2, 3, 5], [0, 1, 2, 6, 7], [0, 1, 4, 6, 8], [0, 2, 5, 6, 7], [0, 1, 4, 6, 7]]


def make_methods():
    data, K = samples(), [4, 7, 2, 9, 1, 5, 3, 12, 6]
    first = np.round(.3 * np.random.default_rng(5).standard_normal((2, 3)), 2)
    cells = []
    for half in (False, True):
        for method, extra in (('fedavg', {}), ('fedlin', {}), ('fedprox', dict(mu=7.5)), ('scaffold', {}), ('fedadmm', dict(penalty=9., sparsity=0.)),
                              ('fedadmm', dict(penalty=9., sparsity=1.5)), ('clustered', dict(clusters=3)), ('median', {})):
            schedule = 'local' if half else 'rounds'
            models = run(data, K, method, schedule, .004, 10, HALF if half else [range(9)] * 10, first, **extra)[-1]
            different = [models[i] for i in range(9) if not any(np.array_equal(models[i], m) for m in models[:i])]
            of = [next(k for k, m in enumerate(different) if np.array_equal(m, model)) for model in models]
            cells.append(dict(half=half, method=method, schedule=schedule, **extra, models=different, of=of))
    moments = dict(S=[z @ z.T for z, _ in data], C=[x @ z.T for z, x in data])
    return dict(**moments, K=K, alpha=.004, first=first, who=HALF, cells=cells)


# (4) One-shot estimates, and whether joining pays.

JOIN = [
    dict(family=PAPER, M=6, epsilon=.3, N=[8, 30, 20, 12, 45, 16], sw=[1., .5, 2., .8, 1.5, 1.2], T=5, K=[4, 12, 7, 15, 5, 9], alpha=2e-4, target=0),
    dict(family=FOUR, M=5, epsilon=.25, N=[12, 40, 25, 9, 20], T=[4, 7, 5], sx=[1., .5, 2.], su=[1., .5], sw=[1., .3, 1.5, .7], K=[10, 3, 15, 6, 10], alpha=.02, mean_gradient=True, target=1),
]
EXTRA = dict(weight=.3, pull=25.)
EPSILONS, CLIENTS, ROLLOUTS = [.1, .8], [2, 5], [8, 60]


def estimates(f, S, C):
    """(B, M, n, d) of each one-shot estimate."""
    inv = np.linalg.inv
    St, Ct = S.sum(1, keepdims=True), C.sum(1, keepdims=True)
    full = lambda X: np.broadcast_to(X, C.shape)
    alone = C @ inv(S)
    pooled = Ct @ inv(St)
    q, lam = EXTRA['weight'], EXTRA['pull']
    return dict(alone=alone, pooled=full(pooled), mean_of_locals=full(alone.mean(1, keepdims=True)), weighted=(C + q * (Ct - C)) @ inv(S + q * (St - S)),
                personalized=(C + lam * pooled) @ inv(S + lam * np.eye(f.d)))


def stat(x):
    return [float(f'{x.mean():.5g}'), float(f'{x.std(ddof=1) / np.sqrt(len(x)):.2g}')]


def one_shot(case, n_sets, seed):
    f, rng, errors = Fleet(case), np.random.default_rng(seed), {}
    for _ in range(n_sets // 500):
        for name, estimate in estimates(f, *f.draw(rng, 500)).items():
            errors.setdefault(name, []).append(spec(estimate - f.theta))
    errors = {name: np.concatenate(values) for name, values in errors.items()}
    return {name: dict(clients=[stat(e[:, i]) for i in range(f.m)], mean=stat(e.mean(1))) for name, e in errors.items()}


def ratio(case, B, seed):
    f = Fleet(case); rng = np.random.default_rng(seed); i = case['target']
    a, p = [], []
    for _ in range(B // 500):
        S, C = f.draw(rng, 500)
        pooled = C.sum(1) @ np.linalg.inv(S.sum(1))
        if i == 'mean':
            a.append(spec(C @ np.linalg.inv(S) - f.theta).mean(1)); p.append(spec(pooled[:, None] - f.theta).mean(1))
        else:
            a.append(spec(C[:, i] @ np.linalg.inv(S[:, i]) - f.theta[i])); p.append(spec(pooled - f.theta[i]))
    a, p = np.concatenate(a), np.concatenate(p)
    r = p.mean() / a.mean()
    return [float(f'{r:.5g}'), float(f'{r * np.hypot(p.std() / p.mean(), a.std() / a.mean()) / np.sqrt(len(a)):.2g}')]


def make_joins():
    cells = []
    for case in JOIN:
        N = listed(case['N'], case['M'])
        scaled = lambda n: [max(half_up(x * n / N[0]), 1) for x in N]
        cells.append(dict(case=case, extra=EXTRA, one_shot=one_shot(case, 6_000, 31), epsilons=EPSILONS, clients=CLIENTS, rollouts=ROLLOUTS,
                          over_clients=[[ratio(dict(case, M=m, epsilon=e), 2_000, 5) for e in EPSILONS] for m in CLIENTS],
                          over_rollouts=[[ratio(dict(case, N=scaled(n), epsilon=e), 2_000, 6) for e in EPSILONS] for n in ROLLOUTS]))
    return cells


# (5) Theorem 1 as printed, with four states.

THEOREMS = [
    dict(family=FOUR, M=7, epsilon=.4, N=[200, 350, 150, 260], T=[4, 7, 3, 5], sx=[1., .5, 2.], su=[1., .6], sw=[.7, 1.3, .4, 2., 1.], target=2),
    dict(family=FOUR, M=1, epsilon=.4, N=30, T=6, sw=.5, target=0),
    dict(family=FOUR, M=12, epsilon=.1, N=120, T=5, target=0),
]


def theorem(case, delta=.05):
    f = Fleet(case); i = case['target']
    n, p, M = f.n, f.p, f.m
    fam = {k: np.array(v, float) for k, v in case['family'].items()}
    T = f.T.max()
    log = np.log
    C0 = 16 * np.sqrt((2 * n + p) * log(9 * M * T / delta))
    lam = min(np.linalg.eigvalsh(sum(s)).min() for s in f.sigmas)
    s = np.array([sum(np.sqrt(np.linalg.norm(x, 2)) for x in g) for g in f.sigmas])
    tot = np.array([sum(np.linalg.norm(x, 2) for x in g) for g in f.sigmas])
    C1 = C0 * np.sqrt(np.sum(f.sw ** 2 * s ** 2)) / lam
    C2 = 9 * (M - 1) * tot[i] / lam
    C2o = 9 * (tot.sum() - tot[i]) / lam
    return dict(case=case, c0=C0, c1=C1, c2=C2, c2_of_others=C2o, noise=C1 / np.sqrt(f.N.sum()),
                noise_summed=C0 * np.sqrt(np.sum(f.N * f.sw ** 2 * s ** 2)) / (lam * f.N.sum()),
                needs=[8 * (n + p) + 16 * log(2 * M * T / delta), (4 * n + 2 * p) * log(M * T / delta)], has=float(f.N.min()), excitation=lam,
                family_extent=case['epsilon'] * max(spec(fam['V']), spec(fam['U'])))


# (6) People's own data.

def csv(seed, plan, eps, n=3):
    """Clients' rollouts: (rollouts, length, noise) each; three decimals."""
    rng = np.random.default_rng(seed)
    f = Fleet(dict(family=PAPER, M=len(plan), epsilon=eps))
    lines, clients = ['client,rollout,t,x1,x2,x3,u1,u2'], []
    for i, (nr, T, sw) in enumerate(plan):
        rolls = []
        for l in range(nr):
            x = np.round(rng.standard_normal(3), 3)
            rows = []
            for t in range(T + 1):
                u = np.round(rng.standard_normal(2), 3)
                rows.append((x, u))
                lines.append(f'c{i},{l},{t},' + ','.join(f'{v:.3f}' for v in np.concatenate([x, u])))
                x = np.round(f.A[i] @ x + f.B[i] @ u + sw * rng.standard_normal(3), 3)
            rolls.append(rows)
        clients.append(rolls)
    return '\n'.join(lines) + '\n', clients

def samples_of(rolls):
    Z, X, fold, stretches = [], [], [], []
    for place, rows in enumerate(rolls):
        for k in range(len(rows) - 1):
            part = (place + k // 20) % 5
            Z.append(np.concatenate(rows[k])); X.append(rows[k + 1][0]); fold.append(part)
            if part == 0:
                if k % 20 == 0: stretches.append([])
                stretches[-1].append((rows[k], rows[k + 1][0]))
    return np.array(Z), np.array(X), np.array(fold), stretches[:40]

def least(Z, X):
    S = Z.T @ Z; th = np.linalg.solve(S, Z.T @ X).T
    rss = ((X - Z @ th.T) ** 2).sum(0); df = len(Z) - Z.shape[1]
    var = rss / df
    return dict(S=S, theta=th, rss=rss, df=df, noise_std=np.sqrt(var), se=np.sqrt(np.outer(var, np.diag(np.linalg.inv(S)))))

def ratio_test(est):
    """Λ by minimising over θ_j, from several starts."""
    M = len(est); n, d = est[0]['theta'].shape
    nu = np.array([e['df'] for e in est], float)
    mean = special.digamma((nu + d) / 2) - special.digamma(nu / 2)
    var = special.polygamma(1, nu / 2) - special.polygamma(1, (nu + d) / 2)
    k = d / mean
    s = np.mean(k ** 2 * var / (2 * d))
    lam = 0.
    for j in range(n):
        th = [e['theta'][j] for e in est]; S = [e['S'] for e in est]; r = [e['rss'][j] for e in est]
        q = lambda t: np.array([1 + (t - a) @ s_ @ (t - a) / r_ for a, s_, r_ in zip(th, S, r)])
        def irls(t):
            for _ in range(2000):
                w = k / (np.array(r) * q(t))
                A = sum(wi * Si for wi, Si in zip(w, S)); b = sum(wi * Si @ a for wi, Si, a in zip(w, S, th))
                new = np.linalg.solve(A, b)
                if np.abs(new - t).max() < 1e-14: break
                t = new
            return float(np.sum(k * np.log(q(t))))
        lam += min(irls(t) for t in [sum(th) / M] + th)
    f1 = d * (M - 1)
    f2 = (f1 * n - 2 + 4 * s) / (s - 1)
    f1n = f1 * n
    F = lam / f1n * f2 / (f2 - 2)
    return dict(f=F, p=float(stats.f.sf(F, f1n, f2)), f1=f1n, f2=f2)

def spread(est, scale):
    # In units in which every column has a mean square of 1.
    unit = scale / scale[:len(est[0]['theta']), None]
    M = len(est); th = np.array([e['theta'] * unit for e in est])
    noise = np.mean([np.sum((e['se'] * unit) ** 2) for e in est])
    tau2 = np.sum((th - th.mean(0)) ** 2) / (M - 1) - noise
    return dict(between=np.sqrt(max(tau2, 0)), noise=np.sqrt(noise), **ratio_test(est))

def identify(clients, K, R):
    data = [samples_of(r) for r in clients]
    M = len(data)
    est = [least(Z, X) for Z, X, _, _ in data]
    allZ, allX = np.concatenate([d[0] for d in data]), np.concatenate([d[1] for d in data])
    pooled = least(allZ, allX)
    scale = np.sqrt((allZ ** 2).mean(0)); v = ((allX - allX.mean(0)) ** 2).mean(0)
    mean_n = len(allZ) / M
    # In a round of cross-validation the client i leaves out the part (round + i) mod 5.
    keep = lambda round: [(Z[use] / scale, X[use] / scale[:3]) for i, (Z, X, fo, _) in enumerate(data)
                          for use in [fo != (-1 if round < 0 else (round + i) % 5)]]
    S = np.array([z.T @ z for z, _ in keep(-1)]); C = np.array([x.T @ z for z, x in keep(-1)])
    step = .5 * min(first_edge(S, C, [K] * M, 'fedavg'), first_edge(S, C, [K] * M, 'fedlin'))
    ways = [('alone', {}), ('pooled', {}), ('mean', {}), ('fedavg', {}), ('fedlin', {}), ('fedprox', dict(mu=mean_n)), ('scaffold', {}), ('fedadmm', dict(penalty=mean_n)),
            ('clustered', dict(clusters=2)), ('median', {})]
    def models(way, extra, round):
        d = keep(round)
        ls = lambda z, x: np.linalg.lstsq(z, x, rcond=None)[0].T
        if way == 'alone': out = [ls(z, x) for z, x in d]
        elif way == 'pooled': out = [ls(np.concatenate([z for z, _ in d]), np.concatenate([x for _, x in d]))] * M
        elif way == 'mean': out = [sum(ls(z, x) for z, x in d) / M] * M
        else:
            alpha = step / (1 + step * extra.get('mu', 0.))
            out = run([(z.T, x.T) for z, x in d], [K] * M, way, 'constant', alpha, R, [list(range(M))] * R, np.zeros((3, 5)), **extra)[-1]
        return [m * scale[:3, None] / scale for m in out]
    outcomes = []
    for way, extra in ways:
        squares = np.zeros((M, 5)); tot, cnt = 0., 0
        for round in range(5):
            mod = models(way, extra, round)
            for i, (Z, X, fo, st) in enumerate(data):
                fold = (round + i) % 5
                e = X[fo == fold] - Z[fo == fold] @ mod[i].T
                squares[i, fold] = (e ** 2 / v).mean(1).sum()
                for stretch in st if fold == 0 else []:
                    x = stretch[0][0][0]
                    for (x0, u0), x1 in stretch:
                        x = mod[i] @ np.concatenate([x, u0]); tot += np.mean((x - x1) ** 2 / v); cnt += 1
        free = np.sqrt(tot / cnt)
        outcomes.append(dict(way=way, models=[m.tolist() for m in models(way, extra, -1)], squares=squares.tolist(), free_run=free,
                             one_step=float(np.sqrt(squares.sum() / len(allZ)))))
    out = lambda e: dict(theta=e['theta'].tolist(), se=e['se'].tolist(), noise_std=e['noise_std'].tolist(), df=e['df'], t=float(stats.t.ppf(.975, e['df'])))
    return dict(K=K, R=R, step_size=step, locals=[out(e) for e in est], pooled=out(pooled), spread={k: float(x) for k, x in spread(est, scale).items()}, outcomes=outcomes)


def make_own_data():
    cells = []
    for seed, plan, epsilon in ((1, [(5, 3, .5), (3, 4, 1.), (1, 41, .3)], .5),):
        text, clients = csv(seed, plan, epsilon)
        found = identify(clients, 5, 40)
        for outcome in found['outcomes']:
            outcome['model'] = outcome.pop('models')[-1]
            outcome['squares'] = [sum(of_client) for of_client in outcome['squares']]
        cells.append(dict(csv=text, **found))
    return cells


def short(value):
    """Eleven digits, and no more than there are."""
    if isinstance(value, dict):
        return {key: short(v) for key, v in value.items()}
    if isinstance(value, (list, tuple, np.ndarray, range)):
        return [short(v) for v in value]
    if isinstance(value, (float, np.floating)):
        return float(f'{value:.11g}') if np.isfinite(value) else None
    return value.item() if isinstance(value, np.generic) else value


if __name__ == '__main__':
    made = dict(maps=make_maps(), edges=make_edges(), predictions=make_predictions(), methods=make_methods(), joins=make_joins(),
                theorems=[theorem(case) for case in THEOREMS], own_data=make_own_data())
    print(json.dumps(short(made), separators=(',', ':'), ensure_ascii=False))
