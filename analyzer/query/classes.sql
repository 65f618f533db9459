-- question: How long is each class of kernels on a rank in a step, how much does that vary over ranks, and where is it longest?
-- example: dltap query DATASET classes --set from_step=10
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: classes steps durations
WITH
-- With a frame, for without one DuckDB reads the table twice and joins.
used AS (
  SELECT run, rank, device, process, step,
    count(*) OVER (PARTITION BY run, rank, device ORDER BY process, step
      ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS steps
  FROM steps
  WHERE use = 'used' AND ({{run}} = '' OR run = {{run}})
    AND step BETWEEN {{from_step}} AND {{to_step}}),
per_rank AS (
  SELECT c.run, c.rank, c.device, c.class, coalesce(c.direction, '')
      AS direction, CAST(sum(c.gpu_ns) AS DOUBLE) / max(u.steps) AS ns,
    CAST(sum(c.kernels) AS DOUBLE) / max(u.steps) AS kernels
  FROM classes c
  JOIN used u ON c.run = u.run AND c.rank = u.rank AND c.device = u.device
    AND c.process = u.process AND c.step = u.step
  GROUP BY c.run, c.rank, c.device, c.class, coalesce(c.direction, '')),
over_ranks AS (
  SELECT run, class, direction, count(*) AS ranks, avg(ns) AS ns,
    avg(kernels) AS kernels, min(ns) AS least_ns, max(ns) AS most_ns,
    median(ns) AS median_ns
  FROM per_rank GROUP BY run, class, direction),
worst AS (
  SELECT run, class, direction, rank FROM (
    SELECT run, class, direction, rank, row_number() OVER (
      PARTITION BY run, class, direction ORDER BY ns DESC, rank) AS place
    FROM per_rank) ordered
  WHERE place = 1),
-- Quantiles of single kernels: the middle of their bucket, over the whole
-- recording.
buckets AS (
  SELECT run, class, coalesce(direction, '') AS direction, bucket,
    CAST(sum(kernels) AS DOUBLE) AS kernels, min(min_ns) AS min_ns,
    max(max_ns) AS max_ns
  FROM durations WHERE {{run}} = '' OR run = {{run}}
  GROUP BY run, class, coalesce(direction, ''), bucket),
running AS (
  SELECT run, class, direction, bucket, min_ns, max_ns,
    sum(kernels) OVER (PARTITION BY run, class, direction ORDER BY bucket
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS so_far,
    sum(kernels) OVER (PARTITION BY run, class, direction) AS every
  FROM buckets),
quantiles AS (
  SELECT run, class, direction,
    min(CASE WHEN so_far >= 0.5e0 * every THEN
      greatest(least(pow(2e0, (bucket + 0.5e0) / 4e0), max_ns), min_ns) END)
      AS p50_ns,
    min(CASE WHEN so_far >= 0.99e0 * every THEN
      greatest(least(pow(2e0, (bucket + 0.5e0) / 4e0), max_ns), min_ns) END)
      AS p99_ns
  FROM running GROUP BY run, class, direction)
SELECT o.run, o.class, NULLIF(o.direction, '') AS direction, o.ranks,
  round(o.kernels, 2) AS kernels_per_step, round(o.ns / 1e6, 4) AS mean_ms,
  round(o.least_ns / 1e6, 4) AS least_ms, round(o.most_ns / 1e6, 4) AS most_ms,
  round(o.most_ns / NULLIF(o.median_ns, 0e0), 4) AS most_of_median,
  w.rank AS worst_rank, round(q.p50_ns / 1e3, 3) AS kernel_p50_us,
  round(q.p99_ns / 1e3, 3) AS kernel_p99_us
FROM over_ranks o
JOIN worst w ON o.run = w.run AND o.class = w.class
  AND o.direction = w.direction
LEFT JOIN quantiles q ON o.run = q.run AND o.class = q.class
  AND o.direction = q.direction
ORDER BY mean_ms DESC, o.run, o.class, o.direction
