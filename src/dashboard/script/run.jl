@about@

using LinearAlgebra

const M, K, R = @M@, @K@, @R@  # clients, local steps, rounds
const d, q = @d@, @q@  # states and inputs; data sets
const alpha, scale = @alpha@, @scale@  # step size; what gradients, sums over samples, are multiplied by
const target = "@target@"  # of the errors of the clients that count, the "mean" or the "worst"

# Federated methods: name, rule, schedule, FedProx's pull mu, and the mean final error on the page.
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

"Q = sum over k of a_k prod_{l>k} (I - a_l (S + mu I)), from the eigenvalues of S."
function response(basis, mu, steps)
    r = zeros(d)
    for a in steps
        r = r .* (1 .- a .* (basis.values .+ mu)) .+ a
    end
    basis.vectors * Diagonal(r) * basis.vectors'
end

"""
K local steps Theta <- Theta + a_k (C - Theta S + mu (server - Theta)) lead from the server's Theta to
Theta + G Q, with G = C - Theta S. Then the server takes the mean over the clients.
FedAvg (McMahan et al., arXiv:1602.05629), and with mu > 0 FedProx (Li et al., arXiv:1812.06127): mean(G Q).
FedLin (Mitra et al., arXiv:2102.07053) corrects each step to the mean gradient: mean(G) mean(Q).
"""
function finalmodel(rule, schedule, mu, S, C, bases)
    Theta, SQ, CQ = START, zeros(d, d), zero(START)
    for r in 0:R-1
        if r == 0 || schedule in ("rounds", "harmonic")
            steps = [step(schedule, k, r) for k in 1:K]
            Q = [response(basis, mu, steps) for basis in bases]
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
        for (name, rule, schedule, mu, expected) in METHODS
            errors[name] += finalerror([finalmodel(rule, schedule, mu, S, C, bases)]) / q
        end
    end
    for row in [METHODS; ESTIMATES]
        here, expected = errors[row[1]], row[end]
        println("$(row[1]): $here here, $expected on the page, relative difference $(abs(here / expected - 1))")
    end
end

main()
