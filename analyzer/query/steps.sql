-- question: How long is each step over all ranks, what is it made of, how evenly is work spread, and who is slowest?
-- example: dltap query DATASET steps --set from_step=10 --set to_step=19
-- parameter: top integer 1000 how many rows
-- parameter: by text step step or length: what rows are ordered by, the longest first
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives steps classes
WITH
{{include taken}},
{{include step_places}},
{{include numbered}},
worked AS (
  SELECT c.run, c.rank, n.step, sum(c.flops) AS flops
  FROM classes c JOIN numbered n ON c.run = n.run AND c.rank = n.rank
    AND c.process = n.process AND c.device = n.device AND c.step = n.own_step
  WHERE c.class <> 'comm'
  GROUP BY c.run, c.rank, n.step),
work AS (
  SELECT run, step, max(flops) / NULLIF(median(flops), 0e0) AS most
  FROM worked GROUP BY run, step),
parts AS (
  SELECT run, rank, device, step, end_ns - begin_ns AS length_ns,
    compute_ns, comm_exposed_ns, copy_exposed_ns, idle_ns,
    end_ns - begin_ns - comm_exposed_ns - not_observed_ns AS own_ns
  FROM numbered),
slowest AS (
  SELECT run, step, rank FROM (
    SELECT run, step, rank, row_number() OVER (PARTITION BY run, step
      ORDER BY own_ns DESC, rank, device) AS place FROM parts) ordered
  WHERE place = 1),
over_ranks AS (
  SELECT run, step, count(*) AS devices, median(length_ns) AS length_ns,
    max(length_ns) AS longest_ns, avg(compute_ns) AS compute_ns,
    avg(comm_exposed_ns) AS comm_ns, avg(copy_exposed_ns) AS copy_ns,
    avg(idle_ns) AS idle_ns,
    max(own_ns) / NULLIF(median(own_ns), 0e0) AS most_own
  FROM parts GROUP BY run, step)
SELECT o.run, o.step, o.devices, round(o.length_ns / 1e6, 4) AS step_ms,
  round(o.longest_ns / 1e6, 4) AS longest_ms,
  round(o.compute_ns / 1e6, 4) AS compute_ms,
  round(o.comm_ns / 1e6, 4) AS comm_exposed_ms,
  round(o.copy_ns / 1e6, 4) AS copy_exposed_ms,
  round(o.idle_ns / 1e6, 4) AS idle_ms,
  round(o.most_own, 4) AS slowest_of_median, s.rank AS slowest_rank,
  round(w.most, 4) AS most_work_of_median
FROM over_ranks o
JOIN slowest s ON o.run = s.run AND o.step = s.step
LEFT JOIN work w ON o.run = w.run AND o.step = w.step
ORDER BY CASE WHEN {{by}} = 'length' THEN round(o.length_ns) END DESC NULLS LAST,
  o.run, o.step
LIMIT {{top}}
