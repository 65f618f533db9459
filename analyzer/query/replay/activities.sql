-- question: What ran on the devices of one rank, and when was it asked for?
-- parameter: run text "" of this run only; empty: of all
-- parameter: rank integer 0 of this rank only
-- uses: kernels collectives calls
WITH
communication AS (
  SELECT DISTINCT device, begin_ns, end_ns FROM collectives
  WHERE rank = {{rank}} AND ({{run}} = '' OR run = {{run}})
    AND end_ns IS NOT NULL),
ran AS (
  SELECT process, device, stream, begin_ns, end_ns, call FROM kernels
  WHERE rank = {{rank}} AND ({{run}} = '' OR run = {{run}})),
asked AS (
  SELECT process, call, min(begin_ns) AS asked_ns FROM calls
  WHERE rank = {{rank}} AND ({{run}} = '' OR run = {{run}})
  GROUP BY process, call)
SELECT device, stream, begin_ns, end_ns, is_communication, asked_ns
FROM (
  SELECT r.device, r.stream, r.begin_ns, r.end_ns, false AS is_communication,
    a.asked_ns
  FROM ran r LEFT JOIN communication c ON r.device = c.device
    AND r.begin_ns = c.begin_ns AND r.end_ns = c.end_ns
  LEFT JOIN asked a ON r.process = a.process AND r.call = a.call
  WHERE c.begin_ns IS NULL
  UNION ALL
  SELECT c.device, coalesce(r.stream, -1) AS stream, c.begin_ns, c.end_ns,
    true AS is_communication, a.asked_ns
  FROM communication c
  LEFT JOIN ran r ON r.device = c.device AND r.begin_ns = c.begin_ns
    AND r.end_ns = c.end_ns
  LEFT JOIN asked a ON r.process = a.process AND r.call = a.call) both_kinds
ORDER BY device, begin_ns, end_ns
