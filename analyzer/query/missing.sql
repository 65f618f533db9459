-- question: Which rank never came to a collective, or came with other sizes, so that others wait or compute nonsense?
-- example: dltap query DATASET missing
-- parameter: top integer 50 how many rows
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives runs
WITH
{{include taken}},
members AS (
  SELECT run, communicator, rank, device, max(communicator_rank) AS place,
    max(ranks) AS ranks
  FROM taken GROUP BY run, communicator, rank, device),
groups_seen AS (
  SELECT run, communicator, max(ranks) AS ranks, count(*) AS members
  FROM members GROUP BY run, communicator),
-- Each member must have as many of each kind as the others.
kinds AS (
  SELECT run, communicator, kind, max(nth) AS last_nth
  FROM taken WHERE lane = '' GROUP BY run, communicator, kind),
counts AS (
  SELECT run, communicator, kind, rank, device, max(nth) AS last_nth,
    count(*) AS n
  FROM taken WHERE lane = '' GROUP BY run, communicator, kind, rank, device),
most AS (
  SELECT run, communicator, kind, max(n) AS n
  FROM counts GROUP BY run, communicator, kind),
behind AS (
  SELECT k.run, k.communicator, k.kind, m.rank,
    CASE WHEN coalesce(c.last_nth, -1) < k.last_nth
      THEN coalesce(c.last_nth, -1) + 1 END AS nth,
    o.n - coalesce(c.n, 0) AS lacks
  FROM kinds k
  JOIN most o ON k.run = o.run AND k.communicator = o.communicator
    AND k.kind = o.kind
  JOIN members m ON k.run = m.run AND k.communicator = m.communicator
  LEFT JOIN counts c ON k.run = c.run AND k.communicator = c.communicator
    AND k.kind = c.kind AND m.rank = c.rank AND m.device = c.device
  WHERE coalesce(c.n, 0) < o.n),
unfinished AS (
  SELECT run, communicator, kind, lane, nth, count(*) AS waiting,
    min(rank) AS rank
  FROM taken WHERE end_ns IS NULL
  GROUP BY run, communicator, kind, lane, nth),
-- A send needs its receive.
sides AS (
  SELECT run, communicator, lane, min(rank) AS rank,
    count(CASE WHEN own_kind = 'send' THEN 1 END) AS sends,
    count(CASE WHEN own_kind = 'recv' THEN 1 END) AS receives,
    count(DISTINCT own_kind) AS kinds
  FROM taken WHERE kind = 'send_recv' GROUP BY run, communicator, lane),
usual AS (
  SELECT run, communicator, kind, nth, median(bytes) AS bytes,
    min(dtype) AS dtype, min(root) AS root
  FROM taken
  WHERE kind IN ('all_reduce', 'all_gather', 'reduce_scatter', 'broadcast',
                 'reduce')
  GROUP BY run, communicator, kind, nth
  HAVING min(bytes) < max(bytes) OR min(dtype) < max(dtype)
    OR min(root) < max(root)),
different AS (
  SELECT t.run, t.communicator, t.kind, t.rank, min(t.nth) AS nth,
    count(*) AS n
  FROM taken t JOIN usual u ON t.run = u.run
    AND t.communicator = u.communicator AND t.kind = u.kind AND t.nth = u.nth
  WHERE t.bytes <> u.bytes OR t.dtype <> u.dtype OR t.root <> u.root
  GROUP BY t.run, t.communicator, t.kind, t.rank),
cut AS (
  SELECT run, rank, bool_and(complete) AS complete
  FROM runs GROUP BY run, rank),
findings AS (
  SELECT b.run, CASE WHEN NOT coalesce(c.complete, true)
      THEN 'trace is cut short'
      WHEN u.waiting IS NOT NULL THEN 'never came: others wait'
      ELSE 'never came' END AS finding,
    b.communicator, b.kind, b.nth, b.rank, b.lacks AS n
  FROM behind b
  LEFT JOIN unfinished u ON b.run = u.run AND b.communicator = u.communicator
    AND b.kind = u.kind AND b.nth = u.nth
  LEFT JOIN cut c ON b.run = c.run AND b.rank = c.rank
  UNION ALL
  SELECT u.run, 'did not finish' AS finding, u.communicator, u.kind, u.nth,
    u.rank, u.waiting AS n
  FROM unfinished u
  UNION ALL
  SELECT d.run, 'other size, type or root' AS finding, d.communicator, d.kind,
    d.nth, d.rank, d.n
  FROM different d
  UNION ALL
  SELECT s.run, CASE WHEN s.sends > s.receives THEN 'send without receive'
      ELSE 'receive without send' END AS finding,
    s.communicator, s.lane AS kind, least(s.sends, s.receives) AS nth, s.rank,
    abs(s.sends - s.receives) AS n
  FROM sides s WHERE s.kinds = 2 AND s.sends <> s.receives
  UNION ALL
  SELECT g.run, 'members without a trace' AS finding, g.communicator,
    CAST(NULL AS STRING) AS kind, CAST(NULL AS BIGINT) AS nth,
    CAST(NULL AS BIGINT) AS rank, g.ranks - g.members AS n
  FROM groups_seen g WHERE g.members < g.ranks)
SELECT run, finding, communicator, kind, nth, rank, n
FROM findings
ORDER BY CASE finding WHEN 'never came: others wait' THEN 0
    WHEN 'never came' THEN 1 WHEN 'other size, type or root' THEN 2
    WHEN 'did not finish' THEN 3 WHEN 'members without a trace' THEN 5
    ELSE 4 END,
  run, communicator, kind, nth NULLS FIRST, rank NULLS FIRST
LIMIT {{top}}
