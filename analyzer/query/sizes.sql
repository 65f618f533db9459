-- question: How large are messages, how many are there, and how fast are those of each size?
-- example: dltap query DATASET sizes
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives
WITH
{{include taken}},
{{include fits}},
{{include arrivals}},
sized AS (
  SELECT run, kind, members, transfer_ns, bytes, communicator,
    CASE WHEN bytes > 0 THEN
      CAST(floor(ln(bytes * 1.0000001e0) / ln(2e0)) AS BIGINT) END AS power
  FROM met)
SELECT run, kind, members,
  CAST(pow(2e0, power) AS BIGINT) AS from_bytes, count(*) AS collectives,
  count(DISTINCT communicator) AS communicators,
  CAST(sum(bytes) AS BIGINT) AS bytes,
  round(median(transfer_ns) / 1e3, 3) AS transfer_us,
  round(sum(CASE WHEN transfer_ns > 0 THEN bytes END) /
    NULLIF(sum(transfer_ns), 0e0), 3) AS algorithm_gb_per_s
FROM sized
GROUP BY run, kind, members, power
ORDER BY run, kind, members, from_bytes NULLS FIRST
