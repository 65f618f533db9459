-- pipeline: the stage of each rank, how many stages there are, and how many
-- ranks each has at least (replicas). A rank's stage is its place among those
-- that it exchanges messages with; where communicators are of two ranks, its
-- place in the row of ranks that pass messages on. Of one rank a stage nobody
-- knows whether they are stages, unless as much goes up the row as down:
-- activations, and their gradients. Needs: taken.
neighbours AS (
  SELECT run, rank, min(communicator_rank) AS stage, max(ranks) AS stages
  FROM taken WHERE kind = 'send_recv'
  GROUP BY run, rank
  HAVING min(communicator_rank) = max(communicator_rank)),
talking AS (
  SELECT run, count(DISTINCT rank) AS n FROM taken
  WHERE kind = 'send_recv' GROUP BY run),
in_places AS (
  SELECT n.run FROM neighbours n JOIN talking t ON n.run = t.run
  GROUP BY n.run, t.n HAVING count(*) = t.n),
sent AS (
  SELECT run, communicator, lane, rank, CAST(sum(bytes) AS DOUBLE) AS bytes
  FROM taken WHERE own_kind = 'send' GROUP BY run, communicator, lane, rank),
received AS (
  SELECT run, communicator, lane, rank
  FROM taken WHERE own_kind = 'recv' GROUP BY run, communicator, lane, rank),
pairs AS (
  SELECT s.run, least(s.rank, r.rank) AS low, greatest(s.rank, r.rank) AS high,
    sum(CASE WHEN s.rank < r.rank THEN s.bytes ELSE 0e0 END) AS up,
    sum(CASE WHEN s.rank > r.rank THEN s.bytes ELSE 0e0 END) AS down
  FROM sent s JOIN received r ON s.run = r.run
    AND s.communicator = r.communicator AND s.lane = r.lane
  WHERE s.rank <> r.rank
  GROUP BY s.run, least(s.rank, r.rank), greatest(s.rank, r.rank)),
strides AS (
  SELECT run, min(high - low) AS stride, bool_and(
      abs(up - down) <= 0.1e0 * greatest(up, down)) AS both_ways
  FROM pairs GROUP BY run),
ends AS (
  SELECT p.run, p.high AS rank, 1 AS has_before FROM pairs p
  JOIN strides s ON p.run = s.run AND p.high - p.low = s.stride
  UNION ALL
  SELECT p.run, p.low AS rank, 0 AS has_before FROM pairs p
  JOIN strides s ON p.run = s.run AND p.high - p.low = s.stride),
row_members AS (
  SELECT run, rank, max(has_before) AS has_before FROM ends GROUP BY run, rank),
based AS (
  SELECT m.run, m.rank, s.stride, s.both_ways,
    max(CASE WHEN m.has_before = 0 THEN m.rank END) OVER (
      PARTITION BY m.run, mod(m.rank, s.stride) ORDER BY m.rank
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS base
  FROM row_members m JOIN strides s ON m.run = s.run),
in_rows AS (
  SELECT run, rank, base, both_ways,
    CAST(round((rank - base) / CAST(stride AS DOUBLE)) AS BIGINT) AS stage,
    count(*) OVER (PARTITION BY run, base) AS stages
  FROM based),
-- From the last back to the first goes what passes a row several times.
strays AS (
  SELECT p.run, count(*) AS n
  FROM pairs p LEFT JOIN in_rows a ON p.run = a.run AND p.low = a.rank
  LEFT JOIN in_rows b ON p.run = b.run AND p.high = b.rank
  WHERE a.base IS NULL OR b.base IS NULL OR a.base <> b.base
    OR (b.stage - a.stage <> 1
        AND NOT (a.stage = 0 AND b.stage + 1 = b.stages))
  GROUP BY p.run),
alike_rows AS (
  SELECT r.run FROM in_rows r LEFT JOIN strays s ON r.run = s.run
  WHERE s.n IS NULL
  GROUP BY r.run HAVING min(r.stages) = max(r.stages)),
staged AS (
  SELECT n.run, n.rank, n.stage, n.stages
  FROM neighbours n JOIN in_places i ON n.run = i.run
  UNION ALL
  SELECT r.run, r.rank, r.stage, r.stages
  FROM in_rows r JOIN alike_rows a ON r.run = a.run
  LEFT JOIN in_places i ON r.run = i.run
  WHERE i.run IS NULL AND r.both_ways),
crowds AS (
  SELECT run, min(n) AS least FROM (
    SELECT run, stage, count(*) AS n FROM staged
    GROUP BY run, stage) counted_stages
  GROUP BY run),
one_row AS (
  SELECT r.run FROM in_rows r JOIN alike_rows a ON r.run = a.run
  WHERE r.both_ways GROUP BY r.run HAVING count(DISTINCT r.base) = 1),
pipeline AS (
  SELECT s.run, s.rank, s.stage, s.stages, c.least AS replicas
  FROM staged s JOIN crowds c ON s.run = c.run
  LEFT JOIN one_row o ON s.run = o.run
  WHERE c.least > 1 OR o.run IS NOT NULL)
