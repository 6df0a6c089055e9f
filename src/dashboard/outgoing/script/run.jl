@about@

using LinearAlgebra
@if median@
using Statistics
@end@

const M, R = @M@, @R@  # clients, rounds
const d, q = @d@, @q@  # states and inputs; data sets
const alpha = @alpha@  # step size
const K = @K@  # local steps of each client
const scale = @scale@  # what gradients, sums over samples, are multiplied by, for each client
const target = "@target@"  # of the errors of the clients that count, the "mean" or the "worst"

# Federated methods: name, rule, schedule, what the rule asks for (mu and gamma), and the mean final error on the page.
const METHODS = [
@methods@
]
# Least squares of each client "alone", of all data "pooled", and the "mean" of the clients': likewise.
const ESTIMATES = [
@estimates@
]

byrows(numbers) = permutedims(reshape(numbers, d, :))
numbers(text) = [parse.(Float64, split(line)) for line in split(strip(text), "\n")]
average(items) = sum(items) / length(items)

# The server's first model, row by row.
const START = byrows([@start@])

# The clients that count, and their true systems [A B], row by row.
const COUNTED = [@counted@]
const TRUTH = byrows.(numbers("""
@truth@
"""))

@if partial@
# Who takes part: a line a round, data set by data set, with 1 for those who do.
const TAKES_PART = split("""
@part@
""")

@end@
# The moments of every client, data set by data set: S = sum of z z' (upper triangle, row by row) and
# C = sum of x+ z' (row by row) over all its samples, with x+ = A x + B u + w and z = [x; u].
const DATA = numbers("""
@data@
""")

"S and C of a client."
function moments(row)
    S = zeros(d, d)
    places = [(i, j) for i in 1:d for j in i:d]
    for (k, (i, j)) in enumerate(places)
        S[i, j] = S[j, i] = row[k]
    end
    S, byrows(row[length(places)+1:end])
end

"Step size of local step k = 1...K in round r = 0...R-1."
function step(schedule, k, r)
    schedule == "local" && return alpha / k
    schedule == "rounds" && return alpha * (1 - r / R)
    schedule == "harmonic" && return alpha / (r + 1)
    alpha
end

"""
Q = sum over k of a_k prod_{l>k} (I - a_l (S + mu I)), from the eigenvalues of S: K local steps
Theta <- Theta + a_k (C - Theta S + mu (server - Theta)) lead from the server's Theta to Theta + G Q, with
G = C - Theta S.
"""
function response(basis, mu, steps)
    r = zeros(d)
    for a in steps
        r = r .* (1 .- a .* (basis.values .+ mu)) .+ a
    end
    basis.vectors * Diagonal(r) * basis.vectors'
end

@if affine@
"""
All clients take part, and the server adds a mean over them.
FedAvg (McMahan et al., arXiv:1602.05629), and with mu > 0 FedProx (Li et al., arXiv:1812.06127): mean(G Q).
FedLin (Mitra et al., arXiv:2102.07053) corrects each step to the mean gradient: mean(G) mean(Q).
"""
function finalmodel(rule, schedule, mu, S, C, bases)
    Theta, SQ, CQ = START, zeros(d, d), zero(START)
    for r in 0:R-1
        if r == 0 || schedule in ("rounds", "harmonic")
            steps = [step(schedule, k, r) for k in 1:maximum(K)]
            Q = [response(basis, mu, steps[1:own]) for (basis, own) in zip(bases, K)]
            if rule == "fedlin"
                SQ, CQ = average(S) * average(Q), average(C) * average(Q)
            else
                SQ, CQ = average(S .* Q), average(C .* Q)
            end
        end
        Theta = Theta + CQ - Theta * SQ
    end
    Theta
end

@end@
@if rounds@
"The clients' models after all rounds, of which each has the clients that take part."
function byrounds(rule, schedule, mu, gamma, S, C, bases, rounds)
    Theta, steps, Q = START, Float64[], Matrix{Float64}[]
@if scaffold@
    control, controls = zero(START), [zero(START) for i in 1:M]
@end@
@if fedadmm@
    duals, messages = [zero(START) for i in 1:M], [START for i in 1:M]
@end@
@if clustered@
    # First models: clients' own least squares (all but), farthest first.
    own = [c / (s + 1e-9 * Diagonal(s) + 1e-300 * I) for (c, s) in zip(C, S)]
    models = [own[1]]
    while rule == "clustered" && length(models) < min(mu, M)
        push!(models, own[argmax([minimum(norm(theta - model) for model in models) for theta in own])])
    end
    chosen = [choice(models, S[i], C[i]) for i in 1:M]
@end@
    for (r, clients) in zip(0:R-1, rounds)
        if r == 0 || schedule in ("rounds", "harmonic")
            steps = [step(schedule, k, r) for k in 1:maximum(K)]
            pull = rule == "fedavg" ? mu : 0.0
            Q = [response(basis, pull, steps[1:own]) for (basis, own) in zip(bases, K)]
        end
        isempty(clients) && continue  # The server's model stays.
        G = [C[i] - Theta * S[i] for i in 1:M]
@if partial@
        # FedAvg (McMahan et al., arXiv:1602.05629), and with mu > 0 FedProx (Li et al., arXiv:1812.06127).
        if rule == "fedavg"
            Theta = Theta + average(G[clients] .* Q[clients])
        end
        # FedLin (Mitra et al., arXiv:2102.07053) corrects each step to the mean gradient.
        if rule == "fedlin"
            Theta = Theta + average(G[clients]) * average(Q[clients])
        end
@end@
@if scaffold@
        # SCAFFOLD (Karimireddy et al., arXiv:1910.06378, option II): control variates correct the steps.
        if rule == "scaffold"
            apart = [c - control for c in controls]
            moves = [(G[i] + apart[i]) * Q[i] for i in 1:M]
            for i in clients
                new = apart[i] - moves[i] / sum(steps[1:K[i]])
                control = control + (new - controls[i]) / M
                controls[i] = new
            end
            Theta = Theta + average(moves[clients])
        end
@end@
@if median@
        # FedAvg's steps, and the median of every entry (Yin et al., arXiv:1803.01498).
        if rule == "median"
            moves = G[clients] .* Q[clients]
            Theta = [Theta[j] + median([move[j] for move in moves]) for j in CartesianIndices(Theta)]
        end
@end@
@if fedadmm@
        # FedADMM (Wang et al., arXiv:2203.15104) with penalty mu and a soft threshold gamma / mu at the server.
        if rule == "fedadmm"
            for i in clients
                after = (C[i] - duals[i] + mu * Theta) / (S[i] + mu * I)
                duals[i] = duals[i] + mu * (after - Theta)
                messages[i] = after + duals[i] / mu
            end
            Theta = [sign(x) * max(abs(x) - gamma / mu, 0.0) for x in average(messages)]
        end
@end@
@if clustered@
        # Each client takes FedAvg's steps from that of mu models which fits it best (Toso et al., arXiv:2304.01395).
        if rule == "clustered"
            for i in clients
                chosen[i] = choice(models, S[i], C[i])
            end
            for j in unique(chosen[clients])
                members = [i for i in clients if chosen[i] == j]
                models[j] = models[j] + average([(C[i] - models[j] * S[i]) * Q[i] for i in members])
            end
        end
@end@
    end
@if clustered@
    if rule == "clustered"
        return [models[chosen[i]] for i in COUNTED]
    end
@end@
    [Theta]
end

@end@
@if clustered@
"The model of least squared error on a client's data."
choice(models, S, C) = argmin([sum((model * S - 2 * C) .* model) for model in models])

@end@
"Of one model for each client that counts, or of one for all: spectral norms."
function finalerror(models)
    errors = [opnorm(models[min(k, end)] - TRUTH[k]) for k in eachindex(TRUTH)]
    target == "worst" ? maximum(errors) : average(errors)
end

function main()
    errors = Dict(row[1] => 0.0 for row in [METHODS; ESTIMATES])
    for t in 1:q
        clients = moments.(DATA[(t-1)*M+1:t*M])
        S, C = first.(clients), last.(clients)
        for (name, rule, expected) in ESTIMATES
            models = if rule == "alone"
                C[COUNTED] ./ S[COUNTED]
            elseif rule == "pooled"
                [average(C) / average(S)]
            else
                [average(C ./ S)]
            end
            errors[name] += finalerror(models) / q
        end
        S, C = scale .* S, scale .* C
        bases = [eigen(Symmetric(s)) for s in S]
@if full@
        rounds = fill(1:M, R)
@end@
@if partial@
        rounds = [[i for i in 1:M if line[i] == '1'] for line in TAKES_PART[(t-1)*R+1:t*R]]
@end@
        for (name, rule, schedule, mu, gamma, expected) in METHODS
@if plain@
            errors[name] += finalerror([finalmodel(rule, schedule, mu, S, C, bases)]) / q
@end@
@if rounds@
@if affine@
            if rule in ("fedavg", "fedlin")
                errors[name] += finalerror([finalmodel(rule, schedule, mu, S, C, bases)]) / q
                continue
            end
@end@
            errors[name] += finalerror(byrounds(rule, schedule, mu, gamma, S, C, bases, rounds)) / q
@end@
        end
    end
    for row in [METHODS; ESTIMATES]
        here, expected = errors[row[1]], row[end]
        println("$(row[1]): $here here, $expected on the page, relative difference $(abs(here / expected - 1))")
    end
end

main()
