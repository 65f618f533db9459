-- question: Which stage of the pipeline computes longer than the others, and has it more to compute?
-- example: dltap query DATASET stages
-- parameter: threshold real 0.1 from how much more on
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps classes
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
{{include pipeline}},
had AS (
  SELECT run, rank, process, device, step, sum(flops) AS flops
  FROM classes WHERE class <> 'comm' AND ({{run}} = '' OR run = {{run}})
  GROUP BY run, rank, process, device, step),
worked AS (
  SELECT n.run, n.rank, l.stage, l.stages,
    median(CAST(n.compute_ns AS DOUBLE)) AS compute_ns,
    median(h.flops) AS flops
  FROM numbered n JOIN pipeline l ON n.run = l.run AND n.rank = l.rank
  LEFT JOIN had h ON n.run = h.run AND n.rank = h.rank
    AND n.process = h.process AND n.device = h.device AND n.own_step = h.step
  GROUP BY n.run, n.rank, l.stage, l.stages),
by_stage AS (
  SELECT run, stage, stages, count(*) AS ranks,
    median(compute_ns) AS compute_ns, min(compute_ns) AS least_ns,
    NULLIF(median(flops), 0e0) AS flops
  FROM worked GROUP BY run, stage, stages),
compared AS (
  SELECT run, stage, stages, ranks, compute_ns, least_ns, flops,
    (sum(compute_ns) OVER (PARTITION BY run) - compute_ns) /
      NULLIF(count(*) OVER (PARTITION BY run) - 1, 0) AS others_ns,
    (sum(flops) OVER (PARTITION BY run) - flops) /
      NULLIF(count(flops) OVER (PARTITION BY run) - 1, 0) AS others_flops
  FROM by_stage)
SELECT w.run, w.rank, w.stage, w.stages, c.ranks,
  round(c.compute_ns / 1e6, 4) AS compute_ms,
  round((c.compute_ns - c.others_ns) / 1e6, 4) AS more_ms,
  round(c.compute_ns / NULLIF(c.others_ns, 0e0) - 1e0, 4) AS longer_by,
  round(c.flops / NULLIF(c.others_flops, 0e0) - 1e0, 4) AS more_flops,
  CASE WHEN c.others_ns IS NULL THEN 'alone'
    WHEN c.compute_ns < (1e0 + {{threshold}}) * c.others_ns
      OR c.least_ns < (1e0 + {{threshold}} / 2e0) * c.others_ns THEN 'usual'
    WHEN c.others_flops IS NULL THEN 'longer'
    WHEN c.flops >= (1e0 + {{threshold}} / 2e0) * c.others_flops THEN 'uneven'
    ELSE 'slow' END AS verdict
FROM worked w JOIN compared c ON w.run = c.run AND w.stage = c.stage
  AND w.stages = c.stages
ORDER BY w.run, w.stage, w.rank
