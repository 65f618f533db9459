-- question: Of each rank and step, how much is compute, exposed communication (of it waiting and transfer) and idle time?
-- example: dltap query DATASET heatmap --set from_step=10 --set to_step=19
-- parameter: top integer 100000 how many rows
-- parameter: ranks_per_row integer 1 so many neighbours are one row: of them, that with the longest own part
-- parameter: steps_per_column integer 1 so many steps are one column: their mean
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: steps collectives
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
{{include fits}},
{{include arrivals}},
-- Of several devices of a rank, their mean.
waits AS (
  SELECT a.run, a.rank, a.step, sum(m.last_at - a.begin_at) /
      count(DISTINCT a.device) AS wait_ns,
    sum(m.transfer_ns) / count(DISTINCT a.device) AS transfer_ns
  FROM arrivals a
  JOIN met m ON a.run = m.run AND a.communicator = m.communicator
    AND a.lane = m.lane AND a.kind = m.kind AND a.nth = m.nth
  GROUP BY a.run, a.rank, a.step),
parts AS (
  SELECT run, rank, step,
    CAST(sum(end_ns - begin_ns) AS DOUBLE) / count(DISTINCT device)
      AS length_ns,
    CAST(sum(compute_ns) AS DOUBLE) / count(DISTINCT device) AS compute_ns,
    CAST(sum(comm_exposed_ns) AS DOUBLE) / count(DISTINCT device) AS comm_ns,
    CAST(sum(copy_exposed_ns) AS DOUBLE) / count(DISTINCT device) AS copy_ns,
    CAST(sum(idle_ns) AS DOUBLE) / count(DISTINCT device) AS idle_ns,
    CAST(sum(end_ns - begin_ns - comm_exposed_ns - not_observed_ns) AS DOUBLE)
      / count(DISTINCT device) AS own_ns
  FROM numbered
  GROUP BY run, rank, step),
columns_of AS (
  SELECT p.run, p.rank, p.step - mod(p.step, {{steps_per_column}}) AS step,
    count(*) AS steps, avg(p.length_ns) AS length_ns,
    avg(p.compute_ns) AS compute_ns, avg(p.comm_ns) AS comm_ns,
    avg(w.wait_ns) AS wait_ns, avg(w.transfer_ns) AS transfer_ns,
    avg(p.copy_ns) AS copy_ns, avg(p.idle_ns) AS idle_ns,
    avg(p.own_ns) AS own_ns
  FROM parts p
  LEFT JOIN waits w ON p.run = w.run AND p.rank = w.rank AND p.step = w.step
  GROUP BY p.run, p.rank, p.step - mod(p.step, {{steps_per_column}})),
rows_of AS (
  SELECT run, rank - mod(rank, {{ranks_per_row}}) AS first_rank, rank, step,
    steps, length_ns, compute_ns, comm_ns, wait_ns, transfer_ns, copy_ns,
    idle_ns, row_number() OVER (
      PARTITION BY run, rank - mod(rank, {{ranks_per_row}}), step
      ORDER BY own_ns DESC, rank) AS place
  FROM columns_of)
SELECT run, first_rank, rank, step, steps,
  round(length_ns / 1e6, 4) AS step_ms, round(compute_ns / 1e6, 4) AS compute_ms,
  round(comm_ns / 1e6, 4) AS comm_exposed_ms,
  round(wait_ns / 1e6, 4) AS wait_ms,
  round(transfer_ns / 1e6, 4) AS transfer_ms,
  round(copy_ns / 1e6, 4) AS copy_exposed_ms,
  round(idle_ns / 1e6, 4) AS idle_ms
FROM rows_of
WHERE place = 1
ORDER BY run, first_rank, step
LIMIT {{top}}
