-- question: Why is a rank slow: its GPU, its host, its input, its share of the data, kernels that others have not or its link, and since which step?
-- example: dltap query DATASET cause --set top=5
-- parameter: top integer 20 how many rows, the most expensive first
-- parameter: threshold real 0.03 share of a step from which a cause is named
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: steps classes collectives runs
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
{{include pipeline}},
ran AS (
  SELECT run, rank, device, step, class, coalesce(direction, '') AS direction,
    sum(flops) AS flops, CAST(sum(kernels) AS DOUBLE) AS kernels,
    CAST(sum(gpu_ns) AS DOUBLE) AS gpu_ns
  FROM classes
  WHERE class <> 'comm' AND ({{run}} = '' OR run = {{run}})
  GROUP BY run, rank, device, step, class, coalesce(direction, '')),
worked AS (
  SELECT run, rank, device, step, sum(flops) AS flops
  FROM ran GROUP BY run, rank, device, step),
parts AS (
  SELECT s.run, s.rank, s.device, s.step, s.own_step,
    CAST(s.kernels AS DOUBLE) AS kernels,
    CAST(s.end_ns - s.begin_ns AS DOUBLE) AS length_ns,
    CAST(s.compute_ns AS DOUBLE) AS compute_ns,
    CAST(s.input_ns AS DOUBLE) AS input_ns,
    CAST(s.idle_ns - s.input_ns - s.dependency_ns + s.copy_exposed_ns AS DOUBLE)
      AS host_ns,
    w.flops
  FROM numbered s
  LEFT JOIN worked w ON s.run = w.run AND s.rank = w.rank
    AND s.device = w.device AND s.own_step = w.step),
{{include roles}},
placed AS (
  SELECT p.run, p.rank, p.device, p.step, p.own_step, p.kernels, p.length_ns,
    p.compute_ns, p.input_ns, p.host_ns, p.flops, r.role
  FROM parts p JOIN roles r ON p.run = r.run AND p.rank = r.rank
    AND p.device = r.device),
role_steps AS (
  SELECT run, role, step, median(compute_ns) AS compute_ns,
    median(input_ns) AS input_ns, median(host_ns) AS host_ns,
    median(flops) AS flops, median(kernels) AS kernels, count(*) AS devices
  FROM placed GROUP BY run, role, step),
-- Kernels that others have not: the classes of which a device runs more take so
-- much longer.
busier AS (
  SELECT p.run, p.rank, p.device, p.step, p.role
  FROM placed p JOIN role_steps r ON p.run = r.run AND p.role = r.role
    AND p.step = r.step
  WHERE p.kernels > r.kernels),
busy_steps AS (
  SELECT run, role, step FROM busier GROUP BY run, role, step),
ran_there AS (
  SELECT p.run, p.rank, p.device, p.step, p.role, k.class, k.direction,
    k.kernels, k.gpu_ns
  FROM placed p JOIN busy_steps b ON p.run = b.run AND p.role = b.role
    AND p.step = b.step
  JOIN ran k ON p.run = k.run AND p.rank = k.rank AND p.device = k.device
    AND p.own_step = k.step),
usually_ran AS (
  SELECT t.run, t.role, t.step, t.class, t.direction,
    CASE WHEN 2 * count(*) <= max(r.devices) THEN 0e0 ELSE median(t.kernels)
      END AS kernels,
    CASE WHEN 2 * count(*) <= max(r.devices) THEN 0e0 ELSE median(t.gpu_ns)
      END AS gpu_ns
  FROM ran_there t JOIN role_steps r ON t.run = r.run AND t.role = r.role
    AND t.step = r.step
  GROUP BY t.run, t.role, t.step, t.class, t.direction),
extra AS (
  SELECT t.run, t.rank, t.device, t.step,
    sum(CASE WHEN t.kernels > 1.02e0 * u.kernels
      THEN greatest(t.gpu_ns - u.gpu_ns, 0e0) ELSE 0e0 END) AS ns
  FROM ran_there t JOIN busier b ON t.run = b.run AND t.rank = b.rank
    AND t.device = b.device AND t.step = b.step
  JOIN usually_ran u ON t.run = u.run AND t.role = u.role AND t.step = u.step
    AND t.class = u.class AND t.direction = u.direction
  GROUP BY t.run, t.rank, t.device, t.step),
-- What more FLOPs explain is the data's; of the rest, what more kernels take is
-- theirs; the rest of compute is the GPU's.
divided AS (
  SELECT p.run, p.rank, p.device, p.step, p.length_ns,
    r.compute_ns * (coalesce(p.flops / NULLIF(r.flops, 0e0), 1e0) - 1e0)
      AS data_ns,
    p.compute_ns - r.compute_ns AS compute_ns, coalesce(e.ns, 0e0) AS extra_ns,
    p.input_ns - r.input_ns AS input_ns, p.host_ns - r.host_ns AS host_ns
  FROM placed p JOIN role_steps r ON p.run = r.run AND p.role = r.role
    AND p.step = r.step
  LEFT JOIN extra e ON p.run = e.run AND p.rank = e.rank
    AND p.device = e.device AND p.step = e.step),
compared AS (
  SELECT run, rank, device, step, length_ns, data_ns, input_ns, host_ns,
    greatest(extra_ns - greatest(data_ns, 0e0), 0e0) AS kernels_ns,
    compute_ns - data_ns - greatest(extra_ns - greatest(data_ns, 0e0), 0e0)
      AS gpu_ns
  FROM divided),
{{include fits}},
{{include arrivals}},
-- A transfer is compared with those of as many bytes and ranks elsewhere.
shapes AS (
  SELECT run, kind, members, bytes, median(transfer_ns) AS usual_ns
  FROM met GROUP BY run, kind, members, bytes
  HAVING count(DISTINCT concat(communicator, ' ', lane)) >= 3),
transfers AS (
  SELECT m.run, m.communicator, m.lane, m.step,
    sum(m.transfer_ns) AS transfer_ns, sum(s.usual_ns) AS usual_ns
  FROM met m JOIN shapes s ON m.run = s.run AND m.kind = s.kind
    AND m.members = s.members AND m.bytes = s.bytes
  GROUP BY m.run, m.communicator, m.lane, m.step),
ratios AS (
  SELECT run, communicator, lane,
    sum(transfer_ns) / NULLIF(sum(usual_ns), 0e0) AS ratio
  FROM transfers GROUP BY run, communicator, lane),
-- The link is a rank's when all its communicators are slow, else that of the
-- two ranks of a slow one.
slow_ports AS (
  SELECT f.run, f.rank, min(r.ratio) AS ratio
  FROM fits f JOIN ratios r ON f.run = r.run
    AND f.communicator = r.communicator AND f.lane = r.lane
  GROUP BY f.run, f.rank
  HAVING min(r.ratio) >= 1.1e0
    AND count(DISTINCT concat(f.communicator, ' ', f.lane)) >= 2),
slow_pairs AS (
  SELECT r.run, r.communicator, r.lane
  FROM ratios r
  JOIN fits f ON f.run = r.run AND f.communicator = r.communicator
    AND f.lane = r.lane
  LEFT JOIN slow_ports p ON f.run = p.run AND f.rank = p.rank
  WHERE r.ratio >= 1.1e0
  GROUP BY r.run, r.communicator, r.lane
  HAVING count(DISTINCT f.rank) = 2 AND count(p.rank) = 0),
slow_lanes AS (
  SELECT f.run, f.rank, f.communicator, f.lane
  FROM fits f JOIN slow_ports p ON f.run = p.run AND f.rank = p.rank
  UNION ALL
  SELECT f.run, f.rank, f.communicator, f.lane
  FROM fits f JOIN slow_pairs p ON f.run = p.run
    AND f.communicator = p.communicator AND f.lane = p.lane),
links AS (
  SELECT l.run, l.rank, t.step,
    sum(t.transfer_ns - t.usual_ns) AS link_ns
  FROM slow_lanes l
  JOIN transfers t ON l.run = t.run AND l.communicator = t.communicator
    AND l.lane = t.lane
  GROUP BY l.run, l.rank, t.step),
series AS (
  SELECT run, rank, device, step, length_ns, 'gpu' AS cause,
    gpu_ns AS excess_ns
  FROM compared
  UNION ALL
  SELECT run, rank, device, step, length_ns, 'host' AS cause,
    host_ns AS excess_ns
  FROM compared
  UNION ALL
  SELECT run, rank, device, step, length_ns, 'input' AS cause,
    input_ns AS excess_ns
  FROM compared
  UNION ALL
  SELECT run, rank, device, step, length_ns, 'data' AS cause,
    data_ns AS excess_ns
  FROM compared
  UNION ALL
  SELECT run, rank, device, step, length_ns, 'kernels' AS cause,
    kernels_ns AS excess_ns
  FROM compared
  UNION ALL
  SELECT c.run, c.rank, c.device, c.step, c.length_ns, 'link' AS cause,
    coalesce(l.link_ns, 0e0) AS excess_ns
  FROM compared c JOIN links l ON c.run = l.run AND c.rank = l.rank
    AND c.step = l.step),
changing AS (
  SELECT run, cause AS kind, rank, device, step, excess_ns AS excess
  FROM series),
{{include scatter}},
sums AS (
  SELECT run, rank, device, cause, step, excess_ns,
    sum(excess_ns) OVER (PARTITION BY run, rank, device, cause ORDER BY step
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far,
    sum(excess_ns) OVER (PARTITION BY run, rank, device, cause) AS every,
    row_number() OVER (PARTITION BY run, rank, device, cause ORDER BY step)
      AS place,
    count(*) OVER (PARTITION BY run, rank, device, cause) AS n
  FROM series),
changes AS (
  SELECT run, rank, device, cause, step AS last_before FROM (
    SELECT run, rank, device, cause, step,
      row_number() OVER (PARTITION BY run, rank, device, cause ORDER BY
        abs(so_far - every * place / n) DESC, step) AS best
    FROM sums WHERE place + 1 < n) candidates
  WHERE best = 1),
-- Medians, as `stragglers`: a step that was disturbed says little.
halves AS (
  SELECT s.run, s.rank, s.device, s.cause, median(s.length_ns) AS length_ns,
    median(s.excess_ns) AS excess_ns, min(s.step) AS first_step,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY
      CASE WHEN s.step <= c.last_before THEN s.excess_ns END) AS before_ns,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY
      CASE WHEN s.step > c.last_before THEN s.excess_ns END) AS after_ns,
    min(CASE WHEN s.step > c.last_before THEN s.step END) AS change_step,
    count(*) AS steps,
    count(CASE WHEN s.step > c.last_before THEN 1 END) AS steps_after
  FROM series s LEFT JOIN changes c ON s.run = c.run AND s.rank = c.rank
    AND s.device = c.device AND s.cause = c.cause
  GROUP BY s.run, s.rank, s.device, s.cause),
lasting AS (
  SELECT h.run, h.rank, h.device, h.cause, h.length_ns, h.first_step,
    h.before_ns, h.change_step, coalesce(h.after_ns, h.excess_ns) AS now_ns,
    coalesce(h.after_ns, h.excess_ns) >= greatest(
      {{threshold}} * h.length_ns, s.five_errors / sqrt(
        CASE WHEN h.after_ns IS NULL THEN h.steps ELSE h.steps_after END))
      AS lasts
  FROM halves h JOIN scatter s ON h.run = s.run AND h.cause = s.kind),
named AS (
  SELECT run, rank, cause, length_ns, first_step, before_ns, change_step,
    now_ns, lasts,
    row_number() OVER (PARTITION BY run, rank
      ORDER BY lasts DESC, now_ns DESC, cause, device) AS place
  FROM lasting),
hosts AS (SELECT run, rank, min(host) AS host FROM runs GROUP BY run, rank)
SELECT n.run, n.rank, h.host,
  CASE WHEN n.lasts THEN n.cause ELSE 'usual' END AS cause,
  round(n.now_ns / 1e6, 4) AS ms_per_step,
  round(n.now_ns / NULLIF(n.length_ns, 0e0), 4) AS share_of_step,
  CASE WHEN NOT n.lasts THEN NULL
    WHEN n.now_ns - coalesce(n.before_ns, n.now_ns) >=
      {{threshold}} / 2e0 * n.length_ns
      AND n.before_ns < {{threshold}} * n.length_ns THEN n.change_step
    ELSE n.first_step END AS since_step
FROM named n
LEFT JOIN hosts h ON n.run = h.run AND n.rank = h.rank
WHERE n.place = 1
ORDER BY ms_per_step DESC NULLS LAST, n.run, n.rank
LIMIT {{top}}
