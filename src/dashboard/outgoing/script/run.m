@about@

M = @M@; R = @R@;  % clients, rounds
d = @d@; q = @q@;  % states and inputs; data sets
alpha = @alpha@;  % step size
K = @K@;  % local steps of each client
scale = @scale@;  % what gradients, sums over samples, are multiplied by, for each client
target = '@target@';  % of the errors of the clients that count, the 'mean' or the 'worst'

% Federated methods: name, rule, schedule, what the rule asks for (mu and gamma), and the mean final error on the page.
algorithms = {
@methods@
};
% Least squares of each client 'alone', of all data 'pooled', and the 'mean' of the clients': likewise.
estimates = {
@estimates@
};
if isempty(algorithms), algorithms = cell(0, 6); end
if isempty(estimates), estimates = cell(0, 3); end

% The server's first model, row by row.
first = reshape([@start@], d, [])';

% The clients that count, and their true systems [A B], row by row.
counted = [@counted@];
truth = [
@truth@
];

@if partial@
% Who takes part: a line a round, data set by data set, with 1 for those who do.
part = [
@part@
];

@end@
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
@if clustered@
% Squared errors of models on a client's data, but for what they share.
costs = @(models, S, C) cellfun(@(Theta) sum(sum((Theta * S - 2 * C) .* Theta)), models);
@end@
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
    S{i} = scale(i) * S{i}; C{i} = scale(i) * C{i};
    [V{i}, D] = eig(S{i}); L{i} = diag(D);
  end
  % K local steps Theta <- Theta + a_k (C - Theta S + mu (server - Theta)) lead from the server's Theta to
  % Theta + G Q, with G = C - Theta S and Q = sum over k of a_k prod_{l>k} (I - a_l (S + mu I)). Then the server
  % takes the mean over the clients.
  % FedAvg (McMahan et al., arXiv:1602.05629), and with mu > 0 FedProx (Li et al., arXiv:1812.06127): mean(G Q).
  % FedLin (Mitra et al., arXiv:2102.07053) corrects each step to the mean gradient: mean(G) mean(Q).
@if scaffold@
  % SCAFFOLD (Karimireddy et al., arXiv:1910.06378, option II): control variates correct the steps.
@end@
@if median@
  % Median (Yin et al., arXiv:1803.01498): FedAvg's steps, and the median of every entry.
@end@
@if fedadmm@
  % FedADMM (Wang et al., arXiv:2203.15104), with penalty mu and a soft threshold gamma / mu at the server.
@end@
@if clustered@
  % Clustered (Toso et al., arXiv:2304.01395): each client takes FedAvg's steps from that of mu models which fits it best.
@end@
  for m = 1:size(algorithms, 1)
    [rule, schedule, mu, gamma] = algorithms{m, 2:5};
    Theta = first;
    pull = mu * strcmp(rule, 'fedavg');
@if scaffold@
    control = zeros(size(first)); controls = repmat({control}, 1, M);
@end@
@if fedadmm@
    duals = repmat({zeros(size(first))}, 1, M); messages = repmat({first}, 1, M);
@end@
@if clustered@
    if strcmp(rule, 'clustered')
      % First models: clients' own least squares (all but), farthest first.
      own = each(@(c, s) c / (s .* (1 + 1e-9 * eye(d)) + 1e-300 * eye(d)), C, S);
      models = own(1); distances = inf(1, M); chosen = zeros(1, M);
      while numel(models) < min(mu, M)
        distances = min(distances, cellfun(@(Theta) norm(Theta - models{end}, 'fro') ^ 2, own));
        [~, farthest] = max(distances);
        models(end + 1) = own(farthest);
      end
      for i = 1:M, [~, chosen(i)] = min(costs(models, S{i}, C{i})); end
    end
@end@
    for r = 0:R - 1
      if r == 0 || any(strcmp(schedule, {'rounds', 'harmonic'}))
        switch schedule
          case 'constant', a = alpha * ones(1, max(K));
          case 'local',    a = alpha ./ (1:max(K));
          case 'rounds',   a = alpha * (1 - r / R) * ones(1, max(K));
          case 'harmonic', a = alpha / (r + 1) * ones(1, max(K));
        end
        Q = cell(1, M);
        for i = 1:M
          response = zeros(d, 1);
          for k = 1:K(i), response = response .* (1 - a(k) * (L{i} + pull)) + a(k); end
          Q{i} = V{i} * diag(response) * V{i}';
        end
@if affine@
        if strcmp(rule, 'fedlin')
          SQ = mean_of(S) * mean_of(Q); CQ = mean_of(C) * mean_of(Q);
        else
          SQ = mean_of(each(@mtimes, S, Q)); CQ = mean_of(each(@mtimes, C, Q));
        end
@end@
      end
@if plain@
      Theta = Theta + CQ - Theta * SQ;
@end@
@if partial@
      clients = find(part((t - 1) * R + r + 1, :) == '1');
      if isempty(clients), continue; end  % The server's model stays.
@end@
@if full@
      clients = 1:M;
@end@
@if rounds@
      G = each(@(c, s) c - Theta * s, C, S);
      switch rule
@end@
@if rounds@
@if affine@
        case {'fedavg', 'fedlin'}
          Theta = Theta + CQ - Theta * SQ;
@end@
@end@
@if partial@
        case 'fedavg'
          Theta = Theta + mean_of(each(@mtimes, G(clients), Q(clients)));
        case 'fedlin'
          Theta = Theta + mean_of(G(clients)) * mean_of(Q(clients));
@end@
@if scaffold@
        case 'scaffold'
          apart = each(@(c) c - control, controls);
          moves = each(@(g, e, Q) (g + e) * Q, G, apart, Q);
          before = controls;
          for i = clients, controls{i} = apart{i} - moves{i} / sum(a(1:K(i))); end
          control = control + mean_of(controls) - mean_of(before);
          Theta = Theta + mean_of(moves(clients));
@end@
@if median@
        case 'median'
          moves = each(@mtimes, G(clients), Q(clients));
          Theta = Theta + median(cat(3, moves{:}), 3);
@end@
@if fedadmm@
        case 'fedadmm'
          for i = clients
            after = (C{i} - duals{i} + mu * Theta) / (S{i} + mu * eye(d));
            duals{i} = duals{i} + mu * (after - Theta);
            messages{i} = after + duals{i} / mu;
          end
          Theta = mean_of(messages);
          Theta = sign(Theta) .* max(abs(Theta) - gamma / mu, 0);
@end@
@if clustered@
        case 'clustered'
          for i = clients, [~, chosen(i)] = min(costs(models, S{i}, C{i})); end
          before = models;
          for j = unique(chosen(clients))
            members = clients(chosen(clients) == j);
            models{j} = before{j} + mean_of(each(@(c, s, Q) (c - before{j} * s) * Q, C(members), S(members), Q(members)));
          end
@end@
@if rounds@
      end
@end@
    end
@if clustered@
    if strcmp(rule, 'clustered'), errors(t, size(estimates, 1) + m) = reduced(norms(models(chosen(counted)))); continue; end
@end@
    errors(t, size(estimates, 1) + m) = reduced(norms({Theta}));
  end
end
for k = 1:numel(names)
  here = mean(errors(:, k));
  fprintf('%s: %.17g here, %.17g on the page, relative difference %.1e\n', names{k}, here, expected{k}, abs(here / expected{k} - 1));
end
