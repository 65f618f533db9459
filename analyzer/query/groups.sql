-- question: Which groups of ranks work together, and what for: tensor, data, pipeline, experts?
-- example: dltap query DATASET groups
-- parameter: top integer 1000 how many rows
-- parameter: run text "" of this run only; empty: of all
-- parameter: from_step integer 0 first step
-- parameter: to_step integer 1000000000 last step
-- uses: collectives
WITH
{{include taken}},
members AS (
  SELECT run, communicator, rank, max(ranks) AS ranks
  FROM taken GROUP BY run, communicator, rank),
shapes AS (
  SELECT run, communicator, max(ranks) AS ranks, count(*) AS members,
    min(rank) AS first_rank, max(rank) AS last_rank,
    CASE WHEN count(*) > 1 AND
      mod(max(rank) - min(rank), count(*) - 1) = 0
      THEN (max(rank) - min(rank)) * 1e0 / (count(*) - 1) END AS stride
  FROM members GROUP BY run, communicator),
traffic AS (
  SELECT run, communicator,
    max(CASE WHEN kind IN ('send_recv', 'send_receive') THEN 1 ELSE 0 END)
      AS sends,
    max(CASE WHEN kind = 'all_to_all' THEN 1 ELSE 0 END) AS exchanges,
    CAST(sum(CASE WHEN lane = '' THEN 1 ELSE 0 END) AS DOUBLE) AS collectives,
    CAST(sum(bytes) AS DOUBLE) AS bytes
  FROM taken GROUP BY run, communicator),
everyone AS (SELECT run, count(DISTINCT rank) AS ranks
  FROM taken GROUP BY run),
joined AS (
  SELECT s.run, s.communicator, s.ranks, s.members, s.first_rank, s.last_rank,
    s.stride, t.sends, t.exchanges, t.bytes,
    t.collectives / s.members AS collectives, e.ranks AS all_ranks
  FROM shapes s
  JOIN traffic t ON s.run = t.run AND s.communicator = t.communicator
  JOIN everyone e ON s.run = e.run),
-- Of two kinds of groups that a rank is in, the tensor group meets in every
-- layer, the data group a few times a step.
rank_groups AS (
  SELECT m.run, m.rank, min(j.collectives) AS fewest,
    max(j.collectives) AS most
  FROM members m JOIN joined j ON m.run = j.run
    AND m.communicator = j.communicator
  WHERE j.sends = 0 AND j.exchanges = 0
    AND (j.members < j.all_ranks OR j.bytes >= 1e6)
  GROUP BY m.run, m.rank),
rates AS (
  SELECT m.run, m.communicator, max(r.fewest) AS fewest, max(r.most) AS most
  FROM members m JOIN rank_groups r ON m.run = r.run AND m.rank = r.rank
  GROUP BY m.run, m.communicator)
SELECT j.run,
  CASE WHEN j.sends = 1 THEN 'pipeline'
    WHEN j.exchanges = 1 THEN 'expert'
    WHEN j.members = 1 THEN 'alone'
    WHEN j.members = j.all_ranks AND (r.most > j.collectives
      OR j.bytes < 1e6) AND j.all_ranks > 1 AND EXISTS (
        SELECT 1 FROM joined o WHERE o.run = j.run
          AND (o.members < j.members OR o.bytes > j.bytes)) THEN 'everyone'
    WHEN j.collectives >= 4e0 * r.fewest THEN 'tensor'
    ELSE 'data' END AS purpose,
  j.communicator, j.ranks, j.members, j.first_rank, j.last_rank,
  CAST(j.stride AS BIGINT) AS stride,
  CAST(j.collectives AS BIGINT) AS collectives_per_rank
FROM joined j
LEFT JOIN rates r ON j.run = r.run AND j.communicator = r.communicator
ORDER BY j.run, purpose, j.first_rank, j.last_rank, j.communicator
LIMIT {{top}}
