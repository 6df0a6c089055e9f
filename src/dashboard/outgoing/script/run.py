@about@

from math import copysign, hypot, sqrt
from operator import mul
@if median@
from statistics import median
@end@

M, R = @M@, @R@  # clients, rounds
d, q = @d@, @q@  # states and inputs; data sets
alpha = @alpha@  # step size
K = @K@  # local steps of each client
scale = @scale@  # what gradients, sums over samples, are multiplied by, for each client
target = "@target@"  # of the errors of the clients that count, the "mean" or the "worst"

# Federated methods: name, rule, schedule, what the rule asks for (mu and gamma), and the mean final error on the page.
METHODS = [
@methods@
]
# Least squares of each client "alone", of all data "pooled", and the "mean" of the clients': likewise.
ESTIMATES = [
@estimates@
]


def rows(numbers, width):
    return [numbers[k : k + width] for k in range(0, len(numbers), width)]


def read(text, width=None):
    lines = [[float(word) for word in line.split()] for line in text.strip().split("\n")]
    return [rows(line, width) for line in lines] if width else lines


def transposed(A):
    return [list(column) for column in zip(*A)]


def product(A, B):
    columns = list(zip(*B))
    return [[sum(map(mul, row, column)) for column in columns] for row in A]


def plus(A, B, factor=1.0):
    return [[a + factor * b for a, b in zip(x, y)] for x, y in zip(A, B)]


def mean(matrices):
    return [[sum(entries) / len(matrices) for entries in zip(*row)] for row in zip(*matrices)]


def eigen(S):
    """Eigenvalues of a symmetric matrix, and its eigenvectors as rows (Jacobi's rotations)."""
    A, V = [row[:] for row in S], [[float(i == j) for j in range(len(S))] for i in range(len(S))]
    for sweep in range(20):
        for i in range(1, len(S)):
            for j in range(i):
                if abs(A[i][j]) > 1e-17 * sqrt(abs(A[i][i] * A[j][j])):
                    ratio = (A[i][i] - A[j][j]) / (2 * A[i][j])
                    tangent = copysign(1, ratio) / (abs(ratio) + hypot(1, ratio))
                    c = 1 / hypot(1, tangent)
                    s = c * tangent
                    for B in (A, V):
                        pairs = list(zip(B[i], B[j]))
                        B[i], B[j] = [c * x + s * y for x, y in pairs], [c * y - s * x for x, y in pairs]
                    for row in A:
                        row[i], row[j] = c * row[i] + s * row[j], c * row[j] - s * row[i]
    return [A[i][i] for i in range(len(S))], V


def norm(E):
    """The spectral norm: the largest singular value."""
    return sqrt(max(eigen(product(E, transposed(E)))[0]))


def least_squares(C, S):
    """Theta = C S^-1, by elimination (S is positive definite)."""
    A = [s + c for s, c in zip(S, transposed(C))]
    for k in range(d):
        for i in range(d):
            if i != k:
                A[i] = plus([A[i]], [A[k]], -A[i][k] / A[k][k])[0]
    return transposed([[a / A[k][k] for a in A[k][d:]] for k in range(d)])


def step(schedule, k, r):
    """Step size of local step k = 1...K in round r = 0...R-1."""
    return alpha * {"constant": 1, "local": 1 / k, "rounds": 1 - r / R, "harmonic": 1 / (r + 1)}[schedule]


def function_of(basis, f):
    """f(S), from the eigenvalues of S."""
    scaled = [[f(value) * v for v in vector] for value, vector in zip(*basis)]
    return product(transposed(basis[1]), scaled)


def response(basis, mu, steps):
    """Q = sum over k of a_k prod_{l>k} (I - a_l (S + mu I)): K local steps Theta <- Theta + a_k (C - Theta S
    + mu (server - Theta)) lead from the server's Theta to Theta + G Q, with G = C - Theta S."""

    def of(value):
        response = 0.0
        for a in steps:
            response = response * (1 - a * (value + mu)) + a
        return response

    return function_of(basis, of)


@if affine@
def final_model(rule, schedule, mu, S, C, bases):
    """All clients take part, and the server adds a mean over them.
    FedAvg (McMahan et al., arXiv:1602.05629), and with mu > 0 FedProx (Li et al., arXiv:1812.06127): mean(G Q).
    FedLin (Mitra et al., arXiv:2102.07053) corrects each step to the mean gradient: mean(G) mean(Q)."""
    Theta = START
    for r in range(R):
        if r == 0 or schedule in ("rounds", "harmonic"):
            steps = [step(schedule, k, r) for k in range(1, max(K) + 1)]
            Q = [response(basis, mu, steps[:own]) for basis, own in zip(bases, K)]
            if rule == "fedlin":
                SQ, CQ = product(mean(S), mean(Q)), product(mean(C), mean(Q))
            else:
                SQ, CQ = mean(list(map(product, S, Q))), mean(list(map(product, C, Q)))
        Theta = plus(Theta, plus(CQ, product(Theta, SQ), -1))
    return Theta


@end@
@if rounds@
def by_rounds(rule, schedule, mu, gamma, S, C, bases, rounds):
    """The clients' models after all rounds, of which each has the clients that take part."""
    Theta = START
@if scaffold@
    control = plus(START, START, -1)
    controls = [control] * M
@end@
@if fedadmm@
    duals, messages = [plus(START, START, -1)] * M, [START] * M
    inverses = [function_of(basis, lambda value: 1 / (value + mu)) for basis in bases] if rule == "fedadmm" else []
@end@
@if clustered@
    models, chosen = [], [0] * M
    if rule == "clustered":
        # First models: clients' own least squares (all but), farthest first.
        eased = lambda s: [[x + (1e-9 * x + 1e-300) * (i == j) for j, x in enumerate(row)] for i, row in enumerate(s)]
        own = [least_squares(c, eased(s)) for c, s in zip(C, S)]
        far = lambda model: min((inner(plus(model, other, -1), plus(model, other, -1)) for other in models), default=0)
        for cluster in range(min(int(mu), M)):
            models.append(max(own, key=far))
        chosen = [choice(models, s, c) for s, c in zip(S, C)]
@end@
    for r, clients in enumerate(rounds):
        if r == 0 or schedule in ("rounds", "harmonic"):
            steps = [step(schedule, k, r) for k in range(1, max(K) + 1)]
            Q = [response(basis, mu if rule == "fedavg" else 0, steps[:own]) for basis, own in zip(bases, K)]
        if not clients:
            continue  # The server's model stays.
        after = lambda i, G, model: plus(model, product(G, Q[i]))
        G = {i: plus(C[i], product(Theta, S[i]), -1) for i in clients}
@if partial@
        # FedAvg (McMahan et al., arXiv:1602.05629), and with mu > 0 FedProx (Li et al., arXiv:1812.06127).
        if rule == "fedavg":
            Theta = mean([after(i, G[i], Theta) for i in clients])
        # FedLin (Mitra et al., arXiv:2102.07053) corrects each step to the mean gradient.
        if rule == "fedlin":
            Theta = plus(Theta, product(mean(list(G.values())), mean([Q[i] for i in clients])))
@end@
@if scaffold@
        # SCAFFOLD (Karimireddy et al., arXiv:1910.06378, option II): control variates correct the steps.
        if rule == "scaffold":
            apart = {i: plus(controls[i], control, -1) for i in clients}
            local = {i: after(i, plus(G[i], apart[i]), Theta) for i in clients}
            for i in clients:
                new = plus(apart[i], plus(Theta, local[i], -1), 1 / sum(steps[: K[i]]))
                control = plus(control, plus(new, controls[i], -1), 1 / M)
                controls[i] = new
            Theta = mean(list(local.values()))
@end@
@if median@
        # FedAvg's steps, and the median of every entry (Yin et al., arXiv:1803.01498).
        if rule == "median":
            local = [after(i, G[i], Theta) for i in clients]
            Theta = [[median(entries) for entries in zip(*row)] for row in zip(*local)]
@end@
@if fedadmm@
        # FedADMM (Wang et al., arXiv:2203.15104) with penalty mu and a soft threshold gamma / mu at the server.
        if rule == "fedadmm":
            for i in clients:
                local = product(plus(plus(C[i], duals[i], -1), Theta, mu), inverses[i])
                duals[i] = plus(duals[i], plus(local, Theta, -1), mu)
                messages[i] = plus(local, duals[i], 1 / mu)
            soft = lambda x: copysign(max(abs(x) - gamma / mu, 0.0), x)
            Theta = [[soft(x) for x in row] for row in mean(messages)]
@end@
@if clustered@
        # Each client takes FedAvg's steps from that of mu models which fits it best (Toso et al., arXiv:2304.01395).
        if rule == "clustered":
            for i in clients:
                chosen[i] = choice(models, S[i], C[i])
            local = {i: after(i, plus(C[i], product(models[chosen[i]], S[i]), -1), models[chosen[i]]) for i in clients}
            for cluster in {chosen[i] for i in clients}:
                models[cluster] = mean([local[i] for i in clients if chosen[i] == cluster])
@end@
@if clustered@
    if rule == "clustered":
        return [models[chosen[i]] for i in COUNTED]
@end@
    return [Theta]


@end@
@if clustered@
def inner(A, B):
    return sum(sum(map(mul, x, y)) for x, y in zip(A, B))


def choice(models, S, C):
    """The model of least squared error on a client's data."""
    costs = [inner(plus(product(model, S), C, -2), model) for model in models]
    return costs.index(min(costs))


@end@
def error(models):
    """Of one model for each client that counts, or of one for all."""
    models = models if len(models) > 1 else models * len(TRUTH)
    errors = [norm(plus(model, truth, -1)) for model, truth in zip(models, TRUTH)]
    return max(errors) if target == "worst" else sum(errors) / len(errors)


def main():
    upper = [(i, j) for i in range(d) for j in range(i, d)]
    place = [[upper.index((min(i, j), max(i, j))) for j in range(d)] for i in range(d)]
    errors = {name: [] for name, *rest in METHODS + ESTIMATES}
    data = rows(read(DATA), M)
@if partial@
    rounds = rows([[i for i in range(M) if line[i] == "1"] for line in TAKES_PART.split()], R)
@end@
@if full@
    rounds = [[range(M)] * R] * q
@end@
@if rounds@
    for clients, part in zip(data, rounds):
@end@
@if plain@
    for clients in data:
@end@
        S = [[[client[k] for k in row] for row in place] for client in clients]
        C = [rows(client[len(upper) :], d) for client in clients]
        for name, rule, expected in ESTIMATES:
            if rule == "alone":
                models = [least_squares(C[i], S[i]) for i in COUNTED]
            elif rule == "pooled":
                models = [least_squares(mean(C), mean(S))]
            else:
                models = [mean(list(map(least_squares, C, S)))]
            errors[name].append(error(models))
        S, C = [[[[f * x for x in row] for row in A] for f, A in zip(scale, moments)] for moments in (S, C)]
        bases = [eigen(A) for A in S]
        for name, rule, schedule, mu, gamma, expected in METHODS:
@if plain@
            errors[name].append(error([final_model(rule, schedule, mu, S, C, bases)]))
@end@
@if rounds@
@if affine@
            if rule in ("fedavg", "fedlin"):
                errors[name].append(error([final_model(rule, schedule, mu, S, C, bases)]))
                continue
@end@
            errors[name].append(error(by_rounds(rule, schedule, mu, gamma, S, C, bases, part)))
@end@
    for name, *rest, expected in METHODS + ESTIMATES:
        here = sum(errors[name]) / q
        print("%s: %r here, %r on the page, relative difference %.1e" % (name, here, expected, abs(here / expected - 1)))


# The server's first model, row by row.
START = rows([@start@], d)

# The clients that count, and their true systems [A B], row by row.
COUNTED = [@counted@]
TRUTH = read("""
@truth@
""", d)

@if partial@
# Who takes part: a line a round, data set by data set, with 1 for those who do.
TAKES_PART = """
@part@
"""

@end@
# The moments of every client, data set by data set: S = sum of z z' (upper triangle, row by row) and
# C = sum of x+ z' (row by row) over all its samples, with x+ = A x + B u + w and z = [x; u].
DATA = """
@data@
"""

main()
