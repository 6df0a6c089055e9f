@about@

from math import copysign, hypot, sqrt
from operator import mul

M, K, R = @M@, @K@, @R@  # clients, local steps, rounds
d, q = @d@, @q@  # states and inputs; data sets
alpha, scale = @alpha@, @scale@  # step size; what gradients, sums over samples, are multiplied by
target = "@target@"  # of the errors of the clients that count, the "mean" or the "worst"

# Federated methods: name, rule, schedule, FedProx's pull mu, and the mean final error on the page.
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


def response(basis, mu, steps):
    """Q = sum over k of a_k prod_{l>k} (I - a_l (S + mu I)), from the eigenvalues of S."""
    scaled = []
    for value, vector in zip(*basis):
        response = 0.0
        for a in steps:
            response = response * (1 - a * (value + mu)) + a
        scaled.append([response * v for v in vector])
    return product(transposed(basis[1]), scaled)


def final_model(rule, schedule, mu, S, C, bases):
    """K local steps Theta <- Theta + a_k (C - Theta S + mu (server - Theta)) lead from the server's Theta to
    Theta + G Q, with G = C - Theta S. Then the server takes the mean over the clients.
    FedAvg (McMahan et al., arXiv:1602.05629), and with mu > 0 FedProx (Li et al., arXiv:1812.06127): mean(G Q).
    FedLin (Mitra et al., arXiv:2102.07053) corrects each step to the mean gradient: mean(G) mean(Q)."""
    Theta = START
    for r in range(R):
        if r == 0 or schedule in ("rounds", "harmonic"):
            steps = [step(schedule, k, r) for k in range(1, K + 1)]
            Q = [response(basis, mu, steps) for basis in bases]
            if rule == "fedlin":
                SQ, CQ = product(mean(S), mean(Q)), product(mean(C), mean(Q))
            else:
                SQ, CQ = mean(list(map(product, S, Q))), mean(list(map(product, C, Q)))
        Theta = plus(Theta, plus(CQ, product(Theta, SQ), -1))
    return Theta


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
    for clients in data:
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
        S, C = [[[[scale * x for x in row] for row in A] for A in moments] for moments in (S, C)]
        bases = [eigen(A) for A in S]
        for name, rule, schedule, mu, expected in METHODS:
            errors[name].append(error([final_model(rule, schedule, mu, S, C, bases)]))
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

# The moments of every client, data set by data set: S = sum of z z' (upper triangle, row by row) and
# C = sum of x+ z' (row by row) over all its samples, with x+ = A x + B u + w and z = [x; u].
DATA = """
@data@
"""

main()
