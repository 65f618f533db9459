-- question: How long is a step over all ranks, how much does it vary, what is it made of, and how much memory is taken?
-- example: dltap query DATASET overview --set from_step=10
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps devices runs
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
{{include fits}},
{{include arrivals}},
parts AS (
  SELECT run, rank, device, step, CAST(end_ns - begin_ns AS DOUBLE)
      AS length_ns,
    CAST(compute_ns AS DOUBLE) AS compute_ns,
    CAST(comm_exposed_ns AS DOUBLE) AS comm_ns,
    CAST(copy_exposed_ns AS DOUBLE) AS copy_ns,
    CAST(idle_ns AS DOUBLE) AS idle_ns,
    CAST(not_observed_ns AS DOUBLE) AS not_observed_ns,
    CAST(end_ns - begin_ns - comm_exposed_ns - not_observed_ns AS DOUBLE)
      AS own_ns
  FROM numbered),
by_step AS (
  SELECT run, step, median(length_ns) AS length_ns
  FROM parts GROUP BY run, step),
over_steps AS (
  SELECT run, count(*) AS steps, min(step) AS first_step,
    max(step) AS last_step, avg(length_ns) AS mean_ns,
    stddev_samp(length_ns) AS stddev_ns, median(length_ns) AS p50_ns,
    percentile_cont(0.99) WITHIN GROUP (ORDER BY length_ns) AS p99_ns,
    min(length_ns) AS least_ns, max(length_ns) AS longest_ns
  FROM by_step GROUP BY run),
longest AS (
  SELECT run, step FROM (
    SELECT run, step, row_number() OVER (PARTITION BY run
      ORDER BY length_ns DESC, step) AS place FROM by_step) ordered
  WHERE place = 1),
by_rank AS (
  SELECT run, rank, avg(own_ns) AS own_ns FROM parts GROUP BY run, rank),
over_ranks AS (
  SELECT run, count(*) AS ranks, max(own_ns) / NULLIF(median(own_ns), 0e0)
      AS most_own
  FROM by_rank GROUP BY run),
slowest AS (
  SELECT run, rank FROM (
    SELECT run, rank, row_number() OVER (PARTITION BY run
      ORDER BY own_ns DESC, rank) AS place FROM by_rank) ordered
  WHERE place = 1),
means AS (
  SELECT run, count(*) AS n, avg(length_ns) AS length_ns,
    avg(compute_ns) AS compute_ns, avg(comm_ns) AS comm_ns,
    avg(copy_ns) AS copy_ns, avg(idle_ns) AS idle_ns,
    avg(not_observed_ns) AS not_observed_ns
  FROM parts GROUP BY run),
busy AS (
  SELECT c.run, CAST(sum(c.end_ns - c.begin_ns) AS DOUBLE) AS comm_ns
  FROM collectives c JOIN by_step s ON c.run = s.run AND c.step = s.step
  LEFT JOIN crowded w ON c.run = w.run AND c.rank = w.rank AND c.step = w.step
  WHERE ({{run}} = '' OR c.run = {{run}}) AND w.rank IS NULL
  GROUP BY c.run),
waits AS (
  SELECT a.run, sum(m.last_at - a.begin_at) AS wait_ns,
    sum(m.transfer_ns) AS transfer_ns
  FROM arrivals a
  JOIN met m ON a.run = m.run AND a.communicator = m.communicator
    AND a.lane = m.lane AND a.kind = m.kind AND a.nth = m.nth
  JOIN by_step s ON a.run = s.run AND a.step = s.step
  WHERE a.at_work = 1
  GROUP BY a.run),
-- Collectives after which nobody knows when the others left.
unaligned AS (
  SELECT t.run, count(DISTINCT concat(t.communicator, ' ', t.lane, ' ', t.kind,
                                      ' ', CAST(t.nth AS STRING))) AS n
  FROM taken t
  LEFT JOIN fits f ON t.run = f.run AND t.communicator = f.communicator
    AND t.lane = f.lane AND t.rank = f.rank
  WHERE f.rank IS NULL AND t.ranks > 1
    AND t.kind IN ('broadcast', 'reduce', 'gather', 'scatter')
  GROUP BY t.run),
held AS (
  SELECT run, rank, max(peak_memory_bytes) AS peak, max(memory_bytes) AS has
  FROM devices WHERE {{run}} = '' OR run = {{run}} GROUP BY run, rank),
memory AS (
  SELECT run, count(peak) AS ranks, max(peak) AS peak, median(peak) AS middle,
    min(has) AS has
  FROM held GROUP BY run),
fullest AS (
  SELECT run, rank FROM (
    SELECT run, rank, row_number() OVER (PARTITION BY run
      ORDER BY peak DESC NULLS LAST, rank) AS place
    FROM held WHERE peak IS NOT NULL) ordered
  WHERE place = 1),
all_runs AS (
  SELECT run FROM runs WHERE {{run}} = '' OR run = {{run}} GROUP BY run)
SELECT r.run, k.ranks, s.steps, s.first_step, s.last_step,
  round(s.mean_ns / 1e6, 4) AS mean_ms, round(s.p50_ns / 1e6, 4) AS p50_ms,
  round(s.p99_ns / 1e6, 4) AS p99_ms,
  round(s.stddev_ns / NULLIF(s.mean_ns, 0e0), 4) AS spread,
  round(s.least_ns / 1e6, 4) AS least_ms,
  round(s.longest_ns / 1e6, 4) AS longest_ms, l.step AS longest_step,
  w.rank AS slowest_rank, round(k.most_own, 4) AS slowest_of_median,
  round(m.compute_ns / 1e6, 4) AS compute_ms,
  round(m.comm_ns / 1e6, 4) AS comm_exposed_ms,
  round(m.copy_ns / 1e6, 4) AS copy_exposed_ms,
  round(m.idle_ns / 1e6, 4) AS idle_ms,
  round(m.not_observed_ns / 1e6, 4) AS not_observed_ms,
  round(m.comm_ns / NULLIF(m.length_ns, 0e0), 4) AS exposed_share_of_step,
  round(b.comm_ns / m.n / 1e6, 4) AS comm_ms,
  round(m.comm_ns * m.n / NULLIF(b.comm_ns, 0e0), 4) AS exposed_share_of_comm,
  round(a.wait_ns / m.n / 1e6, 4) AS wait_ms,
  round(a.transfer_ns / m.n / 1e6, 4) AS transfer_ms,
  round(a.wait_ns / NULLIF(b.comm_ns, 0e0), 4) AS waiting_share_of_comm,
  coalesce(u.n, 0) AS unaligned_collectives,
  f.rank AS fullest_rank, y.peak AS most_memory_bytes,
  CAST(round(y.middle) AS BIGINT) AS median_memory_bytes,
  y.has AS least_device_bytes, y.ranks AS ranks_with_memory
FROM all_runs r
LEFT JOIN over_steps s ON r.run = s.run
LEFT JOIN longest l ON r.run = l.run
LEFT JOIN over_ranks k ON r.run = k.run
LEFT JOIN slowest w ON r.run = w.run
LEFT JOIN means m ON r.run = m.run
LEFT JOIN busy b ON r.run = b.run
LEFT JOIN waits a ON r.run = a.run
LEFT JOIN unaligned u ON r.run = u.run
LEFT JOIN memory y ON r.run = y.run
LEFT JOIN fullest f ON r.run = f.run
ORDER BY r.run
