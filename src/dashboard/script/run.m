@about@

M = @M@; K = @K@; R = @R@;  % clients, local steps, rounds
d = @d@; q = @q@;  % states and inputs; data sets
alpha = @alpha@; scale = @scale@;  % step size; what gradients, sums over samples, are multiplied by
target = '@target@';  % of the errors of the clients that count, the 'mean' or the 'worst'

% Federated methods: name, rule, schedule, FedProx's pull mu, and the mean final error on the page.
algorithms = {
@methods@
};
% Least squares of each client 'alone', of all data 'pooled', and the 'mean' of the clients': likewise.
estimates = {
@estimates@
};

% The server's first model, row by row.
first = reshape([@start@], d, [])';

% The clients that count, and their true systems [A B], row by row.
counted = [@counted@];
truth = [
@truth@
];

% The moments of every client, data set by data set: S = sum of z z' (upper triangle, row by row) and
% C = sum of x+ z' (row by row) over all its samples, with x+ = A x + B u + w and z = [x; u].
data = [
@data@
];

by_rows = @(row) reshape(row, d, [])';
mean_of = @(matrices) sum(cat(3, matrices{:}), 3) / numel(matrices);
each = @(f, varargin) cellfun(f, varargin{:}, 'UniformOutput', false);
% Spectral norms, of one model for each client that counts, or of one for all.
norms = @(models) arrayfun(@(k) norm(models{min(k, numel(models))} - by_rows(truth(k, :))), 1:size(truth, 1));
if strcmp(target, 'worst'), reduced = @max; else, reduced = @mean; end

names = [estimates(:, 1); algorithms(:, 1)];
expected = [estimates(:, end); algorithms(:, end)];
errors = zeros(q, numel(names));
for t = 1:q
  S = cell(1, M); C = S; V = S; L = S;
  for i = 1:M
    row = data((t - 1) * M + i, :);
    lower = tril(true(d));
    A = zeros(d); A(lower) = row(1:nnz(lower));  % the upper triangle by rows is the lower one by columns
    S{i} = A + tril(A, -1)';
    C{i} = by_rows(row(nnz(lower) + 1:end));
  end
  for e = 1:size(estimates, 1)
    switch estimates{e, 2}
      case 'alone',  models = each(@mrdivide, C(counted), S(counted));
      case 'pooled', models = {mean_of(C) / mean_of(S)};
      case 'mean',   models = {mean_of(each(@mrdivide, C, S))};
    end
    errors(t, e) = reduced(norms(models));
  end
  for i = 1:M
    S{i} = scale * S{i}; C{i} = scale * C{i};
    [V{i}, D] = eig(S{i}); L{i} = diag(D);
  end
  % K local steps Theta <- Theta + a_k (C - Theta S + mu (server - Theta)) lead from the server's Theta to
  % Theta + G Q, with G = C - Theta S and Q = sum over k of a_k prod_{l>k} (I - a_l (S + mu I)). Then the server
  % takes the mean over the clients.
  % FedAvg (McMahan et al., arXiv:1602.05629), and with mu > 0 FedProx (Li et al., arXiv:1812.06127): mean(G Q).
  % FedLin (Mitra et al., arXiv:2102.07053) corrects each step to the mean gradient: mean(G) mean(Q).
  for m = 1:size(algorithms, 1)
    [rule, schedule, mu] = algorithms{m, 2:4};
    Theta = first;
    for r = 0:R - 1
      if r == 0 || any(strcmp(schedule, {'rounds', 'harmonic'}))
        switch schedule
          case 'constant', a = alpha * ones(1, K);
          case 'local',    a = alpha ./ (1:K);
          case 'rounds',   a = alpha * (1 - r / R) * ones(1, K);
          case 'harmonic', a = alpha / (r + 1) * ones(1, K);
        end
        Q = cell(1, M);
        for i = 1:M
          response = zeros(d, 1);
          for k = 1:K, response = response .* (1 - a(k) * (L{i} + mu)) + a(k); end
          Q{i} = V{i} * diag(response) * V{i}';
        end
        if strcmp(rule, 'fedlin')
          SQ = mean_of(S) * mean_of(Q); CQ = mean_of(C) * mean_of(Q);
        else
          SQ = mean_of(each(@mtimes, S, Q)); CQ = mean_of(each(@mtimes, C, Q));
        end
      end
      Theta = Theta + CQ - Theta * SQ;
    end
    errors(t, size(estimates, 1) + m) = reduced(norms({Theta}));
  end
end
for k = 1:numel(names)
  here = mean(errors(:, k));
  fprintf('%s: %.17g here, %.17g on the page, relative difference %.1e\n', names{k}, here, expected{k}, abs(here / expected{k} - 1));
end
