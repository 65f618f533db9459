-- question: Which stage of the pipeline works longer than the others, so that the model is divided unevenly?
-- example: dltap query DATASET stages
-- parameter: threshold real 0.1 how much longer an uneven stage works
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
{{include pipeline}},
worked AS (
  SELECT n.run, n.rank, l.stage, l.stages,
    median(CAST(n.compute_ns AS DOUBLE)) AS compute_ns,
    median(CAST(n.end_ns - n.begin_ns AS DOUBLE)) AS length_ns
  FROM numbered n JOIN pipeline l ON n.run = l.run AND n.rank = l.rank
  GROUP BY n.run, n.rank, l.stage, l.stages),
by_stage AS (
  SELECT run, stage, stages, count(*) AS ranks,
    median(compute_ns) AS compute_ns, min(compute_ns) AS least_ns,
    median(length_ns) AS length_ns
  FROM worked GROUP BY run, stage, stages),
compared AS (
  SELECT run, stage, stages, ranks, compute_ns, least_ns, length_ns,
    (sum(compute_ns) OVER (PARTITION BY run) - compute_ns) /
      NULLIF(count(*) OVER (PARTITION BY run) - 1, 0) AS others_ns
  FROM by_stage)
SELECT w.run, w.rank, w.stage, w.stages, c.ranks,
  round(c.compute_ns / 1e6, 4) AS compute_ms,
  round((c.compute_ns - c.others_ns) / 1e6, 4) AS more_ms,
  round(c.compute_ns / NULLIF(c.others_ns, 0e0) - 1e0, 4) AS longer_by,
  CASE WHEN c.others_ns IS NULL THEN 'alone'
    WHEN c.compute_ns >= (1e0 + {{threshold}}) * c.others_ns
      AND c.least_ns >= (1e0 + {{threshold}} / 2e0) * c.others_ns
      THEN 'uneven' ELSE 'usual' END AS verdict
FROM worked w JOIN compared c ON w.run = c.run AND w.stage = c.stage
  AND w.stages = c.stages
ORDER BY w.run, w.stage, w.rank
