-- question: How do runs of a job compare: step time, compute, exposed communication, idle time, by run, host or GPU model?
-- example: dltap query DATASET trend --set by=gpu
-- parameter: by text run run, host or gpu: what a row is of, in each run
-- uses: steps devices runs
WITH
parts AS (
  SELECT run, rank, process, device, CAST(end_ns - begin_ns AS DOUBLE)
      AS length_ns,
    CAST(compute_ns AS DOUBLE) AS compute_ns,
    CAST(comm_exposed_ns AS DOUBLE) AS comm_ns,
    CAST(copy_exposed_ns AS DOUBLE) AS copy_ns,
    CAST(idle_ns AS DOUBLE) AS idle_ns
  FROM steps WHERE use = 'used'),
labels AS (
  SELECT d.run, d.rank, d.process, d.device,
    CASE {{by}} WHEN 'host' THEN r.host WHEN 'gpu' THEN d.name
      ELSE '' END AS of, r.begin_ns, r.command
  FROM devices d
  JOIN runs r ON d.run = r.run AND d.rank = r.rank
    AND d.process = r.process),
rows_of AS (
  SELECT run, coalesce(of, '') AS of, count(DISTINCT rank) AS ranks,
    min(begin_ns) AS begin_ns, min(command) AS command
  FROM labels GROUP BY run, coalesce(of, '')),
means AS (
  SELECT p.run, coalesce(l.of, '') AS of, count(*) AS steps,
    median(p.length_ns) AS length_ns,
    percentile_cont(0.99) WITHIN GROUP (ORDER BY p.length_ns) AS p99_ns,
    avg(p.length_ns) AS mean_ns, avg(p.compute_ns) AS compute_ns,
    avg(p.comm_ns) AS comm_ns, avg(p.copy_ns) AS copy_ns,
    avg(p.idle_ns) AS idle_ns
  FROM parts p JOIN labels l ON p.run = l.run AND p.rank = l.rank
    AND p.process = l.process AND p.device = l.device
  GROUP BY p.run, coalesce(l.of, ''))
SELECT r.run, NULLIF(r.of, '') AS of, r.ranks, m.steps,
  round(m.length_ns / 1e6, 4) AS step_ms, round(m.p99_ns / 1e6, 4) AS p99_ms,
  round(m.compute_ns / 1e6, 4) AS compute_ms,
  round(m.comm_ns / NULLIF(m.mean_ns, 0e0), 4) AS comm_exposed_share,
  round(m.copy_ns / NULLIF(m.mean_ns, 0e0), 4) AS copy_exposed_share,
  round(m.idle_ns / NULLIF(m.mean_ns, 0e0), 4) AS idle_share,
  r.begin_ns, r.command
FROM rows_of r
LEFT JOIN means m ON r.run = m.run AND r.of = m.of
ORDER BY r.begin_ns NULLS FIRST, r.run, of NULLS FIRST
