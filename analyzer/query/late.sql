-- question: Which rank comes late to collectives by its own work, and what does each step wait for it?
-- example: dltap query DATASET late --set top=5
-- parameter: top integer 20 how many rows, the most blamed first
-- parameter: threshold real 0.02 share of a step from which a rank is a straggler
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps runs
WITH
{{include taken}},
{{include fits}},
{{include arrivals}},
-- A rank's own time before a collective is what it did since the last one of
-- this communicator, without what it spent in collectives of any: waiting for
-- others is no fault of its own.
ordered AS (
  SELECT run, rank, device, communicator, lane, kind, nth, begin_at, begin_ns,
    end_ns,
    max(end_ns) OVER (PARTITION BY run, rank, device
      ORDER BY begin_ns, end_ns, communicator, kind, nth
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS left_ns
  FROM arrivals),
summed AS (
  SELECT run, rank, device, communicator, lane, kind, nth, begin_at, begin_ns,
    end_ns,
    sum(CAST(greatest(begin_ns - coalesce(left_ns, begin_ns), 0) AS DOUBLE))
      OVER (PARTITION BY run, rank, device
        ORDER BY begin_ns, end_ns, communicator, kind, nth
        ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS own_sum_ns
  FROM ordered),
owned AS (
  SELECT run, rank, device, communicator, kind, nth, begin_at,
    own_sum_ns - lag(own_sum_ns) OVER (
      PARTITION BY run, rank, device, communicator
      ORDER BY begin_ns, end_ns, kind, nth) AS own_ns
  FROM summed WHERE lane = ''),
usual AS (
  SELECT run, communicator, kind, nth, median(own_ns) AS own_ns
  FROM owned GROUP BY run, communicator, kind, nth),
blames AS (
  SELECT o.run, o.rank, o.communicator,
    CASE WHEN o.begin_at = m.last_at THEN 1 ELSE 0 END AS is_last,
    CASE WHEN o.begin_at = m.last_at
      THEN greatest(least(m.last_at - m.middle_at, o.own_ns - u.own_ns), 0e0)
      ELSE 0e0 END AS blame_ns
  FROM owned o
  JOIN met m ON o.run = m.run AND o.communicator = m.communicator
    AND m.lane = '' AND o.kind = m.kind AND o.nth = m.nth
  JOIN usual u ON o.run = u.run AND o.communicator = u.communicator
    AND o.kind = u.kind AND o.nth = u.nth
  WHERE o.own_ns IS NOT NULL),
lengths AS (
  SELECT run, sum(length_ns) AS length_ns, count(*) AS steps
  FROM (
    SELECT run, step, CAST(median(end_ns - begin_ns) AS DOUBLE) AS length_ns
    FROM steps
    WHERE use = 'used' AND step BETWEEN {{from_step}} AND {{to_step}}
    GROUP BY run, step) one
  GROUP BY run),
-- The same delay is waited for in several communicators, one after another:
-- the one that waits most tells the cost.
per_communicator AS (
  SELECT run, rank, communicator, count(*) AS collectives,
    sum(is_last) AS times_last, sum(coalesce(blame_ns, 0e0)) AS blame_ns
  FROM blames GROUP BY run, rank, communicator),
per_rank AS (
  SELECT run, rank, CAST(sum(collectives) AS BIGINT) AS collectives,
    CAST(sum(times_last) AS BIGINT) AS times_last, max(blame_ns) AS blame_ns
  FROM per_communicator GROUP BY run, rank),
medians AS (
  SELECT run, median(blame_ns) AS blame_ns FROM per_rank GROUP BY run),
hosts AS (SELECT run, rank, min(host) AS host FROM runs GROUP BY run, rank)
SELECT p.run, p.rank, h.host, p.collectives, p.times_last,
  round(p.blame_ns / l.steps / 1e6, 4) AS blame_ms_per_step,
  round(p.blame_ns / NULLIF(l.length_ns, 0e0), 4) AS share_of_step,
  CASE WHEN l.length_ns IS NULL THEN 'no steps were found'
    WHEN p.blame_ns - m.blame_ns >= {{threshold}} * l.length_ns
      AND p.blame_ns >= 3 * m.blame_ns THEN 'straggler'
    ELSE 'usual' END AS verdict
FROM per_rank p
JOIN medians m ON p.run = m.run
LEFT JOIN lengths l ON p.run = l.run
LEFT JOIN hosts h ON p.run = h.run AND p.rank = h.rank
ORDER BY round(p.blame_ns) DESC, p.run, p.rank
LIMIT {{top}}
