-- question: Which ranks are in the data set, and which are missing, empty, cut short or not all of their job?
-- example: dltap query DATASET ranks
-- parameter: all integer 0 1: also the ranks with which nothing is wrong
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives runs steps
WITH
{{include taken}},
{{include step_places}},
-- Steps that no other rank numbers so.
renumbered AS (
  SELECT p.run, p.rank,
    count(DISTINCT CASE WHEN p.at_step <> p.step THEN p.step END) AS n,
    count(DISTINCT p.step) - count(DISTINCT p.at_step) AS joined
  FROM step_places p JOIN steps s ON p.run = s.run AND p.rank = s.rank
    AND p.step = s.step
  WHERE s.use = 'used' GROUP BY p.run, p.rank),
overfull AS (SELECT run, rank, min(step) AS step FROM crowded
  GROUP BY run, rank),
asked AS (
  SELECT run, rank, host, process, world_size, complete, lost, open_call,
    begin_ns, rank_from
  FROM runs WHERE {{run}} = '' OR run = {{run}}),
worlds AS (
  SELECT run, max(world_size) AS world_size, count(DISTINCT rank) AS present
  FROM asked GROUP BY run),
used AS (
  SELECT run, rank, count(*) AS steps FROM steps
  WHERE use = 'used' GROUP BY run, rank),
per_rank AS (
  SELECT a.run, a.rank, min(a.host) AS host, count(*) AS processes,
    bool_and(coalesce(a.complete, true)) AS complete,
    CAST(sum(a.lost) AS BIGINT) AS lost, min(a.open_call) AS open_call,
    max(u.steps) AS steps, max(a.begin_ns) AS begin_ns
  FROM asked a LEFT JOIN used u ON a.run = u.run AND a.rank = u.rank
  GROUP BY a.run, a.rank),
usual AS (SELECT run, median(steps) AS steps FROM per_rank GROUP BY run),
findings AS (
  SELECT p.run, p.rank, p.host, p.steps, p.lost, p.open_call,
    CASE WHEN p.begin_ns IS NULL OR p.steps IS NULL THEN 'no steps'
      WHEN NOT p.complete THEN 'cut short'
      WHEN p.lost > 0 THEN 'events were lost'
      WHEN p.processes > 1 THEN 'several processes'
      WHEN f.step IS NOT NULL THEN 'a step holds those of others'
      WHEN o.joined > 0 THEN 'steps are not those of others'
      WHEN o.n > 0 THEN 'steps are numbered otherwise'
      WHEN p.steps < u.steps * 0.9e0 THEN 'fewer steps than others'
      ELSE 'whole' END AS finding
  FROM per_rank p JOIN usual u ON p.run = u.run
  LEFT JOIN renumbered o ON p.run = o.run AND p.rank = o.rank
  LEFT JOIN overfull f ON p.run = f.run AND p.rank = f.rank
  UNION ALL
  SELECT run, CAST(NULL AS BIGINT) AS rank, CAST(NULL AS STRING) AS host,
    CAST(NULL AS BIGINT) AS steps, world_size - present AS lost,
    CAST(NULL AS STRING) AS open_call, 'ranks without a trace' AS finding
  FROM worlds WHERE present < world_size)
SELECT run, rank, finding, host, steps, lost AS n, open_call
FROM findings
WHERE {{all}} = 1 OR finding <> 'whole'
ORDER BY run, rank NULLS FIRST, finding
