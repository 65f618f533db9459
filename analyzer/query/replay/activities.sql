-- question: What ran on the devices of some ranks, and when was it asked for?
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_rank integer 0 first rank
-- parameter: to_rank integer 0 last rank
-- uses: kernels collectives calls
WITH
communication AS (
  SELECT DISTINCT rank, device, begin_ns, end_ns FROM collectives
  WHERE rank BETWEEN {{from_rank}} AND {{to_rank}}
    AND ({{run}} = '' OR run = {{run}}) AND end_ns IS NOT NULL),
ran AS (
  SELECT rank, process, device, stream, begin_ns, end_ns, call FROM kernels
  WHERE rank BETWEEN {{from_rank}} AND {{to_rank}}
    AND ({{run}} = '' OR run = {{run}})),
asked AS (
  SELECT rank, process, call, min(begin_ns) AS asked_ns FROM calls
  WHERE rank BETWEEN {{from_rank}} AND {{to_rank}}
    AND ({{run}} = '' OR run = {{run}})
  GROUP BY rank, process, call)
SELECT rank, device, stream, begin_ns, end_ns, is_communication, asked_ns
FROM (
  SELECT r.rank, r.device, r.stream, r.begin_ns, r.end_ns,
    false AS is_communication, a.asked_ns
  FROM ran r LEFT JOIN communication c ON r.rank = c.rank
    AND r.device = c.device AND r.begin_ns = c.begin_ns AND r.end_ns = c.end_ns
  LEFT JOIN asked a ON r.rank = a.rank AND r.process = a.process
    AND r.call = a.call
  WHERE c.begin_ns IS NULL
  UNION ALL
  SELECT c.rank, c.device, coalesce(r.stream, -1) AS stream, c.begin_ns,
    c.end_ns, true AS is_communication, a.asked_ns
  FROM communication c
  LEFT JOIN ran r ON r.rank = c.rank AND r.device = c.device
    AND r.begin_ns = c.begin_ns AND r.end_ns = c.end_ns
  LEFT JOIN asked a ON r.rank = a.rank AND r.process = a.process
    AND r.call = a.call) both_kinds
ORDER BY rank, device, begin_ns, end_ns
