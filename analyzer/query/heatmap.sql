-- question: Of each rank and step, how much is compute, exposed communication (of it waiting and transfer) and idle time?
-- example: dltap query DATASET heatmap --set from_step=10 --set to_step=19
-- parameter: top integer 100000 how many rows
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: steps collectives
WITH
{{include taken}},
{{include fits}},
{{include arrivals}},
waits AS (
  SELECT a.run, a.rank, a.step, sum(m.last_at - a.begin_at) AS wait_ns,
    sum(m.transfer_ns) AS transfer_ns
  FROM arrivals a
  JOIN met m ON a.run = m.run AND a.communicator = m.communicator
    AND a.lane = m.lane AND a.kind = m.kind AND a.nth = m.nth
  GROUP BY a.run, a.rank, a.step),
parts AS (
  SELECT run, rank, step, CAST(sum(end_ns - begin_ns) AS DOUBLE) AS length_ns,
    CAST(sum(compute_ns) AS DOUBLE) AS compute_ns,
    CAST(sum(comm_exposed_ns) AS DOUBLE) AS comm_ns,
    CAST(sum(copy_exposed_ns) AS DOUBLE) AS copy_ns,
    CAST(sum(idle_ns) AS DOUBLE) AS idle_ns
  FROM steps
  WHERE use = 'used' AND ({{run}} = '' OR run = {{run}})
    AND step BETWEEN {{from_step}} AND {{to_step}}
  GROUP BY run, rank, step)
SELECT p.run, p.rank, p.step, round(p.length_ns / 1e6, 4) AS step_ms,
  round(p.compute_ns / 1e6, 4) AS compute_ms,
  round(p.comm_ns / 1e6, 4) AS comm_exposed_ms,
  round(w.wait_ns / 1e6, 4) AS wait_ms,
  round(w.transfer_ns / 1e6, 4) AS transfer_ms,
  round(p.copy_ns / 1e6, 4) AS copy_exposed_ms,
  round(p.idle_ns / 1e6, 4) AS idle_ms
FROM parts p
LEFT JOIN waits w ON p.run = w.run AND p.rank = w.rank AND p.step = w.step
ORDER BY p.run, p.rank, p.step
LIMIT {{top}}
