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
called AS (
  SELECT DISTINCT run, communicator, kind, nth FROM taken WHERE lane = ''),
behind AS (
  SELECT k.run, k.communicator, k.kind, m.rank,
    min(CASE WHEN t.nth > coalesce(c.last_nth, -1) THEN t.nth END) AS nth,
    max(o.n - coalesce(c.n, 0)) AS lacks
  FROM kinds k
  JOIN called t ON k.run = t.run AND k.communicator = t.communicator
    AND k.kind = t.kind
  JOIN most o ON k.run = o.run AND k.communicator = o.communicator
    AND k.kind = o.kind
  JOIN members m ON k.run = m.run AND k.communicator = m.communicator
  LEFT JOIN counts c ON k.run = c.run AND k.communicator = c.communicator
    AND k.kind = c.kind AND m.rank = c.rank AND m.device = c.device
  WHERE coalesce(c.n, 0) < o.n
  GROUP BY k.run, k.communicator, k.kind, m.rank, m.device),
cut AS (
  SELECT run, rank, bool_and(complete) AS complete,
    bool_and(complete AND coalesce(lost, 0) = 0
             AND recorded_until_ns IS NULL) AS whole,
    max(open_call) AS open_call
  FROM runs GROUP BY run, rank),
-- Of which no member has the end, after the last of which one has: what others
-- left is over, and who lacks its end has lost the record.
ends AS (
  SELECT run, communicator, lane,
    max(CASE WHEN end_ns IS NOT NULL THEN nth END) AS last_nth
  FROM taken GROUP BY run, communicator, lane),
open_ones AS (
  SELECT t.run, t.communicator, t.kind, t.lane, t.nth, count(*) AS waiting,
    min(t.rank) AS rank,
    count(CASE WHEN coalesce(c.whole, true) THEN 1 END) AS whole,
    rank() OVER (PARTITION BY t.run, t.communicator, t.lane
                 ORDER BY t.nth) AS place
  FROM taken t
  JOIN ends e ON t.run = e.run AND t.communicator = e.communicator
    AND t.lane = e.lane
  LEFT JOIN cut c ON t.run = c.run AND t.rank = c.rank
  WHERE t.end_ns IS NULL AND t.nth > coalesce(e.last_nth, -1)
  GROUP BY t.run, t.communicator, t.kind, t.lane, t.nth),
-- All members called the first, and all their traces are cut short: its end
-- may be what is cut off.
unfinished AS (
  SELECT o.run, o.communicator, o.kind, o.lane, o.nth, o.waiting, o.rank,
    CASE WHEN o.whole = 0
        AND o.waiting >= CASE WHEN o.lane = '' THEN g.members ELSE 2 END
      THEN 'trace is cut short' ELSE 'did not finish' END AS finding
  FROM open_ones o JOIN groups_seen g ON o.run = g.run
    AND o.communicator = g.communicator
  WHERE o.place = 1 AND (g.members > 1 OR g.ranks > 1)),
-- A guess, of such a one: who stopped in no call, while all others hang in one
-- and had asked for more collectives than it.
reached AS (
  SELECT m.run, m.communicator, m.rank, max(t.nth) AS last_nth,
    max(c.open_call) AS open_call
  FROM members m
  JOIN taken t ON m.run = t.run AND m.communicator = t.communicator
    AND m.rank = t.rank AND t.lane = ''
  LEFT JOIN cut c ON m.run = c.run AND m.rank = c.rank
  GROUP BY m.run, m.communicator, m.rank),
fewest AS (
  SELECT run, communicator, min(last_nth) AS last_nth,
    min(CASE WHEN open_call IS NOT NULL THEN last_nth END) AS hung_nth,
    count(CASE WHEN open_call IS NULL THEN 1 END) AS stopped, count(*) AS n
  FROM reached GROUP BY run, communicator),
stopped AS (
  SELECT r.run, r.communicator, r.rank, r.last_nth
  FROM reached r JOIN fewest l ON r.run = l.run
    AND r.communicator = l.communicator
  WHERE r.open_call IS NULL AND l.stopped * 2 < l.n
    AND r.last_nth = l.last_nth AND r.last_nth < l.hung_nth),
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
findings AS (
  SELECT b.run, CASE
      WHEN b.lacks = 1 AND c.open_call LIKE 'nccl%' THEN 'trace is cut short'
      WHEN u.waiting IS NOT NULL THEN 'never came: others wait'
      WHEN NOT coalesce(c.whole, true) THEN 'trace is cut short'
      ELSE 'never came' END AS finding,
    b.communicator, b.kind, b.nth, b.rank, b.lacks AS n
  FROM behind b
  LEFT JOIN unfinished u ON b.run = u.run AND b.communicator = u.communicator
    AND b.kind = u.kind AND b.nth = u.nth
  LEFT JOIN cut c ON b.run = c.run AND b.rank = c.rank
  UNION ALL
  SELECT u.run, u.finding, u.communicator, u.kind, u.nth, u.rank,
    u.waiting AS n
  FROM unfinished u
  UNION ALL
  SELECT u.run, 'perhaps waited for' AS finding, u.communicator, u.kind, u.nth,
    s.rank, s.last_nth - u.nth AS n
  FROM unfinished u JOIN stopped s ON u.run = s.run
    AND u.communicator = s.communicator
  WHERE u.finding = 'trace is cut short' AND u.lane = ''
  UNION ALL
  SELECT t.run, 'waits' AS finding, t.communicator, t.kind, t.nth, t.rank,
    1 AS n
  FROM taken t JOIN unfinished u ON t.run = u.run
    AND t.communicator = u.communicator AND t.kind = u.kind
    AND t.lane = u.lane AND t.nth = u.nth
  WHERE u.finding = 'did not finish'
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
  SELECT g.run, 'members without a call here' AS finding, g.communicator,
    CAST(NULL AS STRING) AS kind, CAST(NULL AS BIGINT) AS nth,
    CAST(NULL AS BIGINT) AS rank, g.ranks - g.members AS n
  FROM groups_seen g WHERE g.members < g.ranks)
SELECT run, finding, communicator, kind, nth, rank, n
FROM findings
ORDER BY CASE finding WHEN 'never came: others wait' THEN 0
    WHEN 'never came' THEN 1 WHEN 'other size, type or root' THEN 2
    WHEN 'perhaps waited for' THEN 3 WHEN 'did not finish' THEN 4
    WHEN 'waits' THEN 5 WHEN 'members without a call here' THEN 7 ELSE 6 END,
  run, communicator, kind, nth NULLS FIRST, rank NULLS FIRST
LIMIT {{top}}
