-- question: Which ranks met in which collective, and how long did it last from the last arrival on?
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives
WITH
{{include taken}},
{{include step_places}},
{{include fits}},
{{include arrivals}},
-- The first of a size in a step is compared with the first in others: one that
-- work runs beside takes longer than one that has the device for itself.
whole AS (
  SELECT run, communicator, lane, kind, nth, max(bytes) AS bytes,
    min(step) AS step
  FROM arrivals GROUP BY run, communicator, lane, kind, nth),
placed AS (
  SELECT run, communicator, lane, kind, nth,
    row_number() OVER (PARTITION BY run, communicator, lane, kind, bytes, step
      ORDER BY nth) AS place
  FROM whole)
SELECT a.rank, a.device, dense_rank() OVER (ORDER BY a.communicator, a.lane,
    a.kind, a.nth) - 1 AS collective,
  dense_rank() OVER (ORDER BY a.kind, a.ranks, a.bytes, p.place) - 1
    AS alike,
  a.begin_ns, a.end_ns,
  CASE WHEN m.members IS NULL THEN CAST(a.end_ns - a.begin_ns AS DOUBLE)
    ELSE m.transfer_ns END AS transfer_ns,
  dense_rank() OVER (ORDER BY a.own_kind, a.ranks, a.bytes) - 1 AS part
FROM arrivals a JOIN placed p ON a.run = p.run
  AND a.communicator = p.communicator AND a.lane = p.lane AND a.kind = p.kind
  AND a.nth = p.nth
LEFT JOIN met m ON a.run = m.run
  AND a.communicator = m.communicator AND a.lane = m.lane AND a.kind = m.kind
  AND a.nth = m.nth
ORDER BY a.rank, a.device, a.begin_ns, collective
