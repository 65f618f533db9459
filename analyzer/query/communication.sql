-- question: How much of each rank's communication is exposed, and how much of it is waiting for others?
-- example: dltap query DATASET communication --set top=5
-- parameter: top integer 20 how many rows, the most exposed first
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
  SELECT a.run, a.rank, sum(m.last_at - a.begin_at) AS wait_ns
  FROM arrivals a
  JOIN met m ON a.run = m.run AND a.communicator = m.communicator
    AND a.lane = m.lane AND a.kind = m.kind AND a.nth = m.nth
  GROUP BY a.run, a.rank),
busy AS (
  SELECT run, rank, CAST(sum(end_ns - begin_ns) AS DOUBLE) AS comm_ns
  FROM collectives
  WHERE ({{run}} = '' OR run = {{run}})
    AND step BETWEEN {{from_step}} AND {{to_step}}
  GROUP BY run, rank),
parts AS (
  SELECT run, rank, count(*) AS steps,
    CAST(sum(end_ns - begin_ns) AS DOUBLE) AS length_ns,
    CAST(sum(comm_exposed_ns) AS DOUBLE) AS exposed_ns
  FROM steps
  WHERE use = 'used' AND ({{run}} = '' OR run = {{run}})
    AND step BETWEEN {{from_step}} AND {{to_step}}
  GROUP BY run, rank)
SELECT p.run, p.rank, p.steps,
  round(b.comm_ns / p.steps / 1e6, 4) AS comm_ms_per_step,
  round(p.exposed_ns / p.steps / 1e6, 4) AS exposed_ms_per_step,
  round(p.exposed_ns / NULLIF(p.length_ns, 0e0), 4) AS exposed_share_of_step,
  round(p.exposed_ns / NULLIF(b.comm_ns, 0e0), 4) AS exposed_share_of_comm,
  round(w.wait_ns / NULLIF(b.comm_ns, 0e0), 4) AS waiting_share_of_comm
FROM parts p
LEFT JOIN busy b ON p.run = b.run AND p.rank = b.rank
LEFT JOIN waits w ON p.run = w.run AND p.rank = w.rank
ORDER BY p.exposed_ns DESC, p.run, p.rank
LIMIT {{top}}
