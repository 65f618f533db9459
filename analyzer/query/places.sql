-- question: In which code is the host while its GPU waits, on which ranks, and how long a step?
-- example: dltap query DATASET places --set rank=3
-- parameter: top integer 20 how many rows, the longest first
-- parameter: rank integer -1 of this rank only; -1: of all
-- parameter: run text "" of this run only; empty: of all
-- uses: looks steps
WITH
idle AS (
  SELECT run, rank, device, process, CAST(count(*) AS DOUBLE) AS steps,
    CAST(sum(input_ns) AS DOUBLE) AS input_ns,
    CAST(sum(wait_ns) AS DOUBLE) AS wait_ns,
    CAST(sum(library_ns + launch_ns) AS DOUBLE) AS call_ns,
    CAST(sum(framework_ns + preempted_ns + blocked_ns + unknown_ns) AS DOUBLE)
      AS between_ns
  FROM steps
  WHERE use IN ('used', 'whole_run') AND ({{run}} = '' OR run = {{run}})
    AND ({{rank}} < 0 OR rank = {{rank}})
  GROUP BY run, rank, device, process),
seen AS (
  SELECT run, rank, device, process, seen_in, place,
    CAST(looks AS DOUBLE) AS looks,
    CAST(sum(looks) OVER (PARTITION BY run, rank, device, process, seen_in)
      AS DOUBLE) AS every
  FROM looks
  WHERE ({{run}} = '' OR run = {{run}}) AND ({{rank}} < 0 OR rank = {{rank}}))
SELECT s.run, s.rank, s.device, s.seen_in, s.place,
  CAST(s.looks AS BIGINT) AS looks, CAST(s.every AS BIGINT) AS of_looks,
  round(s.looks / s.every / i.steps / 1e6 *
    CASE s.seen_in WHEN 'input' THEN i.input_ns WHEN 'wait' THEN i.wait_ns
      WHEN 'call' THEN i.call_ns ELSE i.between_ns END, 4) AS ms_per_step
FROM seen s
JOIN idle i ON s.run = i.run AND s.rank = i.rank AND s.device = i.device
  AND s.process = i.process
ORDER BY ms_per_step DESC, s.run, s.rank, s.device, s.seen_in, s.place NULLS LAST
LIMIT {{top}}
