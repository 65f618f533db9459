-- question: How long does each rank wait for its neighbours in the pipeline, and how long is it idle?
-- example: dltap query DATASET bubbles
-- parameter: top integer 100 how many rows, those that wait most first
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps
WITH
{{include taken}},
{{include step_places}},
{{include fits}},
{{include arrivals}},
waits AS (
  SELECT a.run, a.rank, count(*) AS messages,
    sum(m.last_at - a.begin_at) AS wait_ns, sum(m.transfer_ns) AS transfer_ns
  FROM arrivals a
  JOIN met m ON a.run = m.run AND a.communicator = m.communicator
    AND a.lane = m.lane AND a.kind = m.kind AND a.nth = m.nth
  WHERE a.kind = 'send_recv'
  GROUP BY a.run, a.rank),
{{include pipeline}},
parts AS (
  SELECT run, rank, count(*) AS steps,
    CAST(sum(end_ns - begin_ns) AS DOUBLE) AS length_ns,
    CAST(sum(idle_ns) AS DOUBLE) AS idle_ns
  FROM steps
  WHERE use = 'used' AND ({{run}} = '' OR run = {{run}})
    AND step BETWEEN {{from_step}} AND {{to_step}}
  GROUP BY run, rank)
SELECT w.run, w.rank, s.stage, s.stages, w.messages,
  round(w.wait_ns / p.steps / 1e6, 4) AS wait_ms_per_step,
  round(w.transfer_ns / p.steps / 1e6, 4) AS transfer_ms_per_step,
  round(p.idle_ns / p.steps / 1e6, 4) AS idle_ms_per_step,
  round(w.wait_ns / NULLIF(p.length_ns, 0e0), 4) AS bubble_share
FROM waits w
LEFT JOIN pipeline s ON w.run = s.run AND w.rank = s.rank
LEFT JOIN parts p ON w.run = p.run AND w.rank = p.rank
ORDER BY round(w.wait_ns) DESC, w.run, w.rank
LIMIT {{top}}
