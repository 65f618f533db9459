-- question: Which ranks are slower in their own part of a step than ranks that run the same, and since which step?
-- example: dltap query DATASET stragglers --set threshold=0.1
-- parameter: top integer 20 how many rows, the slowest first
-- parameter: threshold real 0.05 how much slower a straggler is
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps runs
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
{{include pipeline}},
-- A rank's own part: its step without exposed communication, in which it may
-- wait for others.
parts AS (
  SELECT run, rank, device, step, CAST(kernels AS DOUBLE) AS kernels,
    CAST(end_ns - begin_ns AS DOUBLE) AS length_ns,
    CAST(end_ns - begin_ns - comm_exposed_ns - not_observed_ns AS DOUBLE)
      AS own_ns
  FROM numbered),
{{include roles}},
placed AS (
  SELECT p.run, p.rank, p.device, p.step, p.length_ns, p.own_ns, r.role
  FROM parts p JOIN roles r ON p.run = r.run AND p.rank = r.rank
    AND p.device = r.device),
role_steps AS (
  SELECT run, role, step, median(own_ns) AS own_ns, count(*) AS n
  FROM placed GROUP BY run, role, step),
excesses AS (
  SELECT p.run, p.rank, p.device, p.step, p.length_ns, p.own_ns, r.n,
    p.own_ns / NULLIF(r.own_ns, 0e0) - 1e0 AS excess
  FROM placed p JOIN role_steps r ON p.run = r.run AND p.role = r.role
    AND p.step = r.step),
changing AS (
  SELECT run, '' AS kind, rank, device, step, excess FROM excesses),
{{include scatter}},
-- Where the mean changes most: the largest distance of the running sum from the
-- line to its end. One step alone is no change, nor is it the half of two: of an
-- even number the lesser of the two in the middle counts.
sums AS (
  SELECT run, rank, device, step, excess,
    sum(excess) OVER (PARTITION BY run, rank, device ORDER BY step
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far,
    sum(excess) OVER (PARTITION BY run, rank, device) AS every,
    row_number() OVER (PARTITION BY run, rank, device ORDER BY step) AS place,
    count(*) OVER (PARTITION BY run, rank, device) AS n
  FROM excesses),
changes AS (
  SELECT run, rank, device, step AS last_before FROM (
    SELECT run, rank, device, step,
      row_number() OVER (PARTITION BY run, rank, device ORDER BY
        abs(so_far - every * place / n) DESC, step) AS best
    FROM sums WHERE place + 1 < n) candidates
  WHERE best = 1),
halves AS (
  SELECT e.run, e.rank, e.device, count(*) AS steps, max(e.n) AS peers,
    median(e.length_ns) AS step_ns, median(e.own_ns) AS own_ns,
    median(e.excess) AS excess,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY
      CASE WHEN e.step <= c.last_before THEN e.excess END) AS before,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY
      CASE WHEN e.step > c.last_before THEN e.excess END) AS after,
    percentile_disc(0.5) WITHIN GROUP (ORDER BY
      CASE WHEN e.step > c.last_before THEN e.excess END DESC) AS most_after,
    count(CASE WHEN e.step <= c.last_before THEN 1 END) AS steps_before,
    count(CASE WHEN e.step > c.last_before THEN 1 END) AS steps_after,
    min(CASE WHEN e.step > c.last_before THEN e.step END) AS change_step,
    min(e.step) AS first_step
  FROM excesses e LEFT JOIN changes c ON e.run = c.run AND e.rank = c.rank
    AND e.device = c.device
  GROUP BY e.run, e.rank, e.device),
-- From which excess on a part of the steps counts.
limits AS (
  SELECT h.run, h.rank, h.device,
    greatest({{threshold}}, s.five_errors / sqrt(h.steps)) AS of_all,
    greatest({{threshold}},
      s.five_errors / NULLIF(sqrt(h.steps_before), 0e0)) AS of_before,
    greatest({{threshold}},
      s.five_errors / NULLIF(sqrt(h.steps_after), 0e0)) AS of_after
  FROM halves h JOIN scatter s ON h.run = s.run),
judged AS (
  SELECT h.run, h.rank, h.device, h.steps, h.peers, h.step_ns, h.own_ns,
    h.excess, h.before,
    CASE WHEN h.before >= l.of_before AND h.most_after >= l.of_after
      THEN h.most_after ELSE h.after END AS after, h.change_step, h.first_step,
    CASE
      WHEN h.peers < 2 THEN 'alone'
      WHEN h.after >= l.of_after OR h.excess >= l.of_all AND h.after IS NULL
        OR h.before >= l.of_before AND h.most_after >= l.of_after
        THEN 'straggler'
      WHEN h.before >= l.of_before AND h.steps_before > 1 THEN 'recovered'
      ELSE 'usual' END AS verdict
  FROM halves h JOIN limits l ON h.run = l.run AND h.rank = l.rank
    AND h.device = l.device),
hosts AS (SELECT run, rank, min(host) AS host FROM runs GROUP BY run, rank)
SELECT j.run, j.rank, j.device, h.host, j.steps,
  round(j.step_ns / 1e6, 4) AS step_ms, round(j.own_ns / 1e6, 4) AS own_ms,
  round(coalesce(CASE WHEN j.verdict = 'recovered' THEN j.before
    ELSE j.after END, j.excess), 4) AS slower_by,
  CASE WHEN j.verdict IN ('straggler', 'recovered') THEN
    CASE WHEN abs(j.after - j.before) >= {{threshold}} / 2e0
      AND j.before < {{threshold}} AND j.verdict = 'straggler'
      THEN j.change_step
      ELSE j.first_step END END AS since_step,
  CASE WHEN j.verdict = 'recovered' THEN j.change_step END AS until_step,
  j.verdict
FROM judged j
LEFT JOIN hosts h ON j.run = h.run AND j.rank = h.rank
ORDER BY CASE j.verdict WHEN 'straggler' THEN 0 WHEN 'recovered' THEN 1
  ELSE 2 END, slower_by DESC NULLS LAST, j.run, j.rank, j.device
LIMIT {{top}}
