-- pipeline: the stage of each rank, its place among those that it exchanges
-- messages with, where several ranks are at each place: of fewer nobody knows
-- whether they are stages. Needs: taken.
neighbours AS (
  SELECT run, rank, min(communicator_rank) AS stage, max(ranks) AS stages
  FROM taken WHERE kind = 'send_recv'
  GROUP BY run, rank
  HAVING min(communicator_rank) = max(communicator_rank)),
crowds AS (
  SELECT run, min(n) AS least FROM (
    SELECT run, stage, count(*) AS n FROM neighbours
    GROUP BY run, stage) counted_stages
  GROUP BY run),
pipeline AS (
  SELECT n.run, n.rank, n.stage, n.stages
  FROM neighbours n JOIN crowds c ON n.run = c.run WHERE c.least > 1)
